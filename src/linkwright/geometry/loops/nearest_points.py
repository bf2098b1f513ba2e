"""The nearest points of two convex bodies, by GJK, or EPA where their cores overlap."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import reals
from .convex_bodies import grown
from .epa import overlap
from .exact_normal import polished
from .gjk import nearest_cores


def nearest(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, n: np.ndarray, p: np.ndarray,
            q: np.ndarray) -> float:
    """The gap of two bodies; n from a to b, p and q on their surfaces."""
    W, P, Q = reals(4, 3), reals(4, 3), reals(4, 3)
    apart, count = nearest_cores(numbers, indices, X_a, X_b, W, P, Q, p, q)
    if apart > 0:
        n[:] = (q - p) / apart
    else:
        apart = -overlap(numbers, indices, X_a, X_b, W, P, Q, count, n, p, q)
        if apart > 0:  # flat bodies through one another: no way out is shorter than another
            p[:] = P[0]
            q[:] = Q[0]
            apart = 0.0
            n[:] = 0.0, 0.0, 1.0
    apart = polished(numbers, indices, X_a, X_b, n, p, q, apart)
    r_a, r_b = grown(numbers, indices, 0), grown(numbers, indices, 1)
    p[:] += r_a * n
    q[:] -= r_b * n
    return apart - r_a - r_b
