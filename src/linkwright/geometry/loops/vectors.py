"""Vectors of three numbers and poses of twelve (rotation by rows, then position), in the dialect.

A vector that is computed is a tuple; one that is only read may be a row of an array.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...algebra import Transform

#: three numbers that are computed; a vector that is only read may lie in an array too
Three = tuple[float, float, float]
Vector = Three | np.ndarray


def twelve(X: Transform) -> np.ndarray:
    """A pose as 12 numbers: the rotation by rows, then the position."""
    return np.concatenate([np.asarray(X.R, dtype=float).ravel(), np.asarray(X.p, dtype=float)])


def dot3(a: Vector, b: Vector) -> float:
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross3(a: Vector, b: Vector) -> Three:
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def minus(a: Vector, b: Vector) -> Three:
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def plus(a: Vector, b: Vector, s: float) -> Three:
    """a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


def times(s: float, a: Vector) -> Three:
    """s a."""
    return s * a[0], s * a[1], s * a[2]


def carried(X: np.ndarray, v: Vector) -> Three:
    """A point of a body in the pose X, in the world."""
    return (X[9] + X[0] * v[0] + X[1] * v[1] + X[2] * v[2], X[10] + X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
            X[11] + X[6] * v[0] + X[7] * v[1] + X[8] * v[2])


def turned(X: np.ndarray, v: Vector) -> Three:
    """A direction of a body in the world."""
    return (X[0] * v[0] + X[1] * v[1] + X[2] * v[2], X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
            X[6] * v[0] + X[7] * v[1] + X[8] * v[2])


def seen(X: np.ndarray, p: Vector) -> Three:
    """A point of the world in the axes of a body."""
    x, y, z = p[0] - X[9], p[1] - X[10], p[2] - X[11]
    return X[0] * x + X[3] * y + X[6] * z, X[1] * x + X[4] * y + X[7] * z, X[2] * x + X[5] * y + X[8] * z


def row3(numbers: np.ndarray, at: int) -> Three:
    """Three numbers of an array."""
    return numbers[at], numbers[at + 1], numbers[at + 2]


def relative(X_a: np.ndarray, X_b: np.ndarray, X: np.ndarray) -> None:
    """X := the pose of b in a."""
    for i in range(3):
        X[3 * i : 3 * i + 3] = X_a[i] * X_b[0:3] + X_a[3 + i] * X_b[3:6] + X_a[6 + i] * X_b[6:9]
        X[9 + i] = (X_a[i] * (X_b[9] - X_a[9]) + X_a[3 + i] * (X_b[10] - X_a[10]) + X_a[6 + i] * (X_b[11] - X_a[11]))
