"""The last digits of the normal between curved bodies: Newton's method on φ(n) = n·(q(−n) − p(n)).

φ is the distance between the planes across n that support the cores p and q; at its maximum over the unit sphere it is
their gap, apart or overlapping (see `common_normal`).  A step is kept only where φ grows, so that corners and edges,
which have no slope, do no harm.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import sqrt
from ..tolerances import NORMAL_DIFFERENCE, NORMAL_FOUND, NORMAL_ROUNDING, NOT_FACING, POLISHING_STEPS
from .convex_bodies import HEADER, POINTS, support
from .perpendiculars import tangents
from .vectors import Three, Vector, cross3, dot3, minus, plus, times


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
    # two supports that face one another; where an edge or a flat side is nearest they do not, and the places stand
    d = minus(b, a)
    aside = plus(d, at, -best)
    if dot3(aside, aside) > NOT_FACING * dot3(d, d):
        return _across_an_edge(numbers, indices, X_a, X_b, n, apart)
    n[:] = at
    p[:] = a
    q[:] = b
    return best


def _across_an_edge(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, n: np.ndarray,
                    apart: float) -> float:
    """The gap where a straight edge or side is nearest: n is at right angles to it, and is turned about it alone.

    Supports jump from end to end of an edge e, so that φ has no slope along it; across it φ is smooth.
    """
    at = n[0], n[1], n[2]
    best, a, b = _planes(numbers, indices, X_a, X_b, at)
    for _ in range(POLISHING_STEPS):
        d = minus(b, a)
        aside = plus(d, at, -best)
        size = sqrt(dot3(aside, aside))
        if size * size <= NOT_FACING * dot3(d, d):
            break
        # the longer jump of a support is the edge
        _, a_ahead, b_ahead = _planes(numbers, indices, X_a, X_b, plus(at, aside, NORMAL_DIFFERENCE / size))
        _, a_behind, b_behind = _planes(numbers, indices, X_a, X_b, plus(at, aside, -NORMAL_DIFFERENCE / size))
        e, other = minus(a_ahead, a_behind), minus(b_ahead, b_behind)
        if dot3(other, other) > dot3(e, e):
            e = other
        if dot3(e, e) == 0:
            break
        e = times(1 / sqrt(dot3(e, e)), e)
        at_right_angles = plus(at, e, -dot3(e, at))
        t = cross3(e, at_right_angles)
        bend = dot3(t, _slope(numbers, indices, X_a, X_b, at, t, d)) - best
        if bend >= 0:
            break
        turn = -dot3(t, d) / bend
        trial = plus(at_right_angles, t, turn)
        trial = times(1 / sqrt(dot3(trial, trial)), trial)
        following, a, b = _planes(numbers, indices, X_a, X_b, trial)
        if following < best - NORMAL_ROUNDING * (1 + abs(best)):
            break
        at = trial
        best = following
        if abs(turn) < NORMAL_FOUND:
            break
    n[:] = at
    return max(best, apart)


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
