"""LU factors of a whole matrix, whose pivots are chosen while it is eliminated: compiled, in place.

`sparse_lu` is faster where pivots are known beforehand.  Where these turn out too small, a matrix is eliminated here,
in the same order of columns, on the rows whose entries are the largest beside the others of their row (Higham, Accuracy
and Stability of Numerical Algorithms, 2nd ed. 2002, §9.7).  Rows without the eliminated unknown are passed over.
"""

from __future__ import annotations

import numpy as np

from .tolerances import HUGE


def spread(start: np.ndarray, column: np.ndarray, value: np.ndarray, A: np.ndarray) -> None:
    """A sparse matrix, row after row, as a whole one."""
    for i in range(A.shape[0]):
        A[i] = 0.0
        for p in range(start[i], start[i + 1]):
            A[i, column[p]] = value[p]


def factorise_wholly(A: np.ndarray, order: np.ndarray, size: np.ndarray) -> bool:
    """A becomes L, U and on the diagonal the reciprocals of pivots; row k was exchanged with row order[k].

    `size` is work space.  False for a singular matrix.
    """
    n = A.shape[0]
    for i in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(A[i, j]))
        size[i] = 1.0 / largest if largest > 0.0 else 0.0
    regular = True
    for k in range(n):
        best, row = 0.0, k
        for i in range(k, n):
            beside = abs(A[i, k]) * size[i]
            if beside > best:
                best, row = beside, i
        order[k] = row
        regular = regular and 0.0 < best < HUGE
        if row != k:
            size[row] = size[k]
            for j in range(n):
                held = A[k, j]
                A[k, j] = A[row, j]
                A[row, j] = held
        A[k, k] = 1.0 / A[k, k] if regular else A[k, k]
        for i in range(k + 1, n):
            if abs(A[i, k]) > 0.0:
                A[i, k] = A[i, k] * A[k, k]
                A[i, k + 1 : n] -= A[i, k] * A[k, k + 1 : n]
    return regular


def solve_wholly(A: np.ndarray, order: np.ndarray, b: np.ndarray) -> None:
    """Replace b by the solution."""
    n = A.shape[0]
    for k in range(n):
        row, held = order[k], b[k]
        b[k] = b[row]
        b[row] = held
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= A[i, j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= A[i, j] * b[j]
        b[i] = total * A[i, i]
