"""Numbers of tables, right to the last bit on every machine.

NumPy's cosine and LAPACK's inverse choose their arithmetic by the processor: their last bits differ between machines,
and so would every run that reads a table made with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

PI = Fraction("3.14159265358979323846264338327950288419716939937510582")
TERMS = 30  # of the series: exact to 1e-40 for angles up to π


def cosine(part: Fraction) -> float:
    """cos(π part), rounded once: of the series Σ (−1)^k (π part)^2k / (2k)! in whole numbers."""
    angle = PI * abs((part + 1) % 2 - 1)  # a whole turn changes nothing: between 0 and π
    if angle == PI / 2:
        return 0.0
    total = term = Fraction(1)
    for k in range(1, TERMS):
        term *= -angle * angle / ((2 * k - 1) * 2 * k)
        total += term
    return float(total)


def inverse(rows: Sequence[Sequence[Fraction]]) -> np.ndarray:
    """The inverse of a matrix of fractions, each entry rounded once: Gauss–Jordan without rounding."""
    n = len(rows)
    work = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(rows)]
    for i in range(n):
        best = next(k for k in range(i, n) if work[k][i])
        work[i], work[best] = work[best], work[i]
        work[i] = [entry / work[i][i] for entry in work[i]]
        for k in range(n):
            if k != i and work[k][i]:
                work[k] = [a - work[k][i] * b for a, b in zip(work[k], work[i], strict=True)]
    return np.array([[float(entry) for entry in row[n:]] for row in work])
