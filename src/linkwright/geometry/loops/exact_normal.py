"""The last digits of the normal between curved bodies: Newton's method on φ(n) = n·(q(−n) − p(n)).

φ is the distance between the planes across n that support the cores p and q; at its maximum over the unit sphere it is
their gap, apart or overlapping (see `common_normal`).  A step is kept only where φ grows, so that corners and edges,
which have no slope, do no harm.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import sqrt
from ..tolerances import NORMAL_DIFFERENCE, NOT_FACING, POLISHING_STEPS
from .convex_bodies import HEADER, POINTS, support
from .perpendiculars import tangents
from .vectors import Three, Vector, dot3, minus, plus, put3, times


def polished(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, n: np.ndarray, p: np.ndarray,
             q: np.ndarray, apart: float) -> float:
    """The gap of the cores after a few steps; n, p and q follow where one of the bodies is curved."""
    if indices[0] == POINTS and indices[HEADER] == POINTS:
        return apart
    at = n[0], n[1], n[2]
    for _ in range(POLISHING_STEPS):
        u, v = tangents(at)
        best, a, b = _planes(numbers, indices, X_a, X_b, at)
        d = minus(b, a)
        gx, gy = dot3(u, d), dot3(v, d)
        e = _slope(numbers, indices, X_a, X_b, at, u, d)
        xx, xy = dot3(u, e) - best, dot3(v, e)
        e = _slope(numbers, indices, X_a, X_b, at, v, d)
        yy = dot3(v, e) - best
        det = xx * yy - xy * xy
        if det <= 0 or xx >= 0:
            break
        s, t = -(yy * gx - xy * gy) / det, -(xx * gy - xy * gx) / det
        trial = plus(plus(at, u, s), v, t)
        length = sqrt(dot3(trial, trial))
        trial = trial[0] / length, trial[1] / length, trial[2] / length
        following, a, b = _planes(numbers, indices, X_a, X_b, trial)
        if following <= best:
            break
        at = trial
    best, a, b = _planes(numbers, indices, X_a, X_b, at)
    # two supports that face one another; where an edge or a flat side is nearest they do not, and the search stands
    d = minus(b, a)
    aside = plus(d, at, -best)
    if dot3(aside, aside) > NOT_FACING * dot3(d, d):
        return apart
    put3(n, at)
    put3(p, a)
    put3(q, b)
    return best


def _slope(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, n: Vector, across: Vector,
           d: Vector) -> Three:
    """How q − p changes with n, along a direction across it."""
    _, a, b = _planes(numbers, indices, X_a, X_b, plus(n, across, NORMAL_DIFFERENCE))
    e = minus(minus(b, a), d)
    return e[0] / NORMAL_DIFFERENCE, e[1] / NORMAL_DIFFERENCE, e[2] / NORMAL_DIFFERENCE


def _planes(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, n: Vector) -> tuple[float,
            Three, Three]:
    """φ(n), and the support points of both cores."""
    p = support(numbers, indices, 0, X_a, n)
    q = support(numbers, indices, 1, X_b, times(-1.0, n))
    return dot3(n, q) - dot3(n, p), p, q
