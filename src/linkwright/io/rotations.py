"""Rotations as files give them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .markup import Element
from .tolerances import NO_DIRECTION


def from_quaternion(element: Element | None, Q: Sequence[float]) -> np.ndarray:
    """R of a quaternion of any length, its real part first."""
    size = np.linalg.norm(Q)
    if size < NO_DIRECTION:
        raise element.error("a quaternion of length zero has no orientation.")
    w, v = Q[0] / size, np.asarray(Q[1:]) / size
    V = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * V + 2 * V @ V
