"""Points of contact as rows that programs read: gap, normal, point of a, weight.

All in the axes of a; the pose of b in a is 12 numbers.  Rows that any number of features compete for are kept in order
of their gaps, the least first.  The k-th least of continuous gaps is continuous, and what all rows together press with
does not care which is which: so forces have no jumps where features change their places.  Rows that nothing fills are
lifted off by a margin.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from .vectors import Vector

ROW = 8


def no_pose(X: np.ndarray) -> None:
    """X := the pose of a frame in itself."""
    X[:] = 0.0
    X[0] = X[4] = X[8] = 1.0


def put(y: np.ndarray, found: int, gap: float, n: Vector, p: Vector, weight: float) -> int:
    """Put a point among the `found` first rows, in order of its gap; how many there are then."""
    room = y.size // ROW
    place = found
    while place > 0 and y[(place - 1) * ROW] > gap:
        place -= 1
    if place == room:
        return found
    last = found if found < room else room - 1
    for k in range(last, place, -1):
        y[k * ROW : (k + 1) * ROW] = y[(k - 1) * ROW : k * ROW]
    at = place * ROW
    y[at], y[at + 7] = gap, weight
    y[at + 1 : at + 4], y[at + 4 : at + 7] = n, p
    return last + 1


def lift(y: np.ndarray, found: int, margin: float) -> None:
    """Fill the rows after the `found` first ones: where those are, at a gap of the margin or more."""
    for k in range(found, y.size // ROW):
        y[k * ROW : (k + 1) * ROW] = y[0:ROW]
        y[k * ROW] = max(margin, y[0])
