"""LU factors of a sparse matrix whose pivots and pattern are known (`pivoting` chooses them): compiled, in place.

Rows are stored one after another, L left of the diagonal, U right of it, the reciprocal of the pivot on it.
"""

from __future__ import annotations

import numpy as np

from .tolerances import HUGE


def factorise(start: np.ndarray, column: np.ndarray, diagonal: np.ndarray, value: np.ndarray, row: np.ndarray) -> float:
    """Eliminate row by row in `value`; `row` is work space.  The largest |uᵢⱼ/uᵢᵢ| says how good the pivots are."""
    worst = 0.0
    for i in range(diagonal.shape[0]):
        for p in range(start[i], start[i + 1]):
            row[column[p]] = value[p]
        for p in range(start[i], diagonal[i]):
            k = column[p]
            multiplier = row[k] * value[diagonal[k]]
            row[k] = multiplier
            for s in range(diagonal[k] + 1, start[k + 1]):
                row[column[s]] -= multiplier * value[s]
        largest = 0.0
        for p in range(start[i], start[i + 1]):
            value[p] = row[column[p]]
            if p > diagonal[i]:
                largest = max(largest, abs(value[p]))
        pivot = value[diagonal[i]]
        size = abs(pivot)
        if not (size > 0.0 and largest < HUGE):
            return HUGE
        worst = max(worst, largest / size)
        value[diagonal[i]] = 1.0 / pivot
    return worst


def solve(start: np.ndarray, column: np.ndarray, diagonal: np.ndarray, value: np.ndarray, b: np.ndarray) -> None:
    """Replace b by the solution."""
    n = diagonal.shape[0]
    for i in range(n):
        total = b[i]
        for p in range(start[i], diagonal[i]):
            total -= value[p] * b[column[p]]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for p in range(diagonal[i] + 1, start[i + 1]):
            total -= value[p] * b[column[p]]
        b[i] = total * value[diagonal[i]]
