"""Two unit vectors across a third."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from .vectors import Three, Vector, turned


def tangents(n: Vector) -> tuple[Three, Three]:
    """Two unit vectors across n (Duff et al. 2017)."""
    s = 1.0 if n[2] >= 0 else -1.0
    c = -1 / (s + n[2])
    k = n[0] * n[1] * c
    return (1 + s * n[0] * n[0] * c, s * k, -s * n[0]), (k, s + n[1] * n[1] * c, -n[1])


def turned_tangents(X: np.ndarray, n: Vector) -> tuple[Three, Three]:
    """Two unit vectors across n that turn with a body in the pose X."""
    u, v = tangents((X[0] * n[0] + X[3] * n[1] + X[6] * n[2], X[1] * n[0] + X[4] * n[1] + X[7] * n[2],
                     X[2] * n[0] + X[5] * n[1] + X[8] * n[2]))
    return turned(X, u), turned(X, v)
