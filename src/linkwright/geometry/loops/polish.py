"""The last digits of the normal between curved bodies: Newton's method on φ(n) = n·(q(−n) − p(n)).

φ is the distance between the planes across n that support the cores p and q; at its maximum over the unit sphere it is
their gap, apart or overlapping (see `common_normal`).  A step is kept only where φ grows, so that corners and edges,
which have no slope, do no harm.
"""

from __future__ import annotations

import numpy as np

from .bodies import HEADER, POINTS, support
from .jit import dot3, part
from .manifold import tangents

DIFFERENCE = 1e-6


@part
def polished(numbers, indices, X_a, X_b, n, p, q, apart):
    """The gap of the cores after a few steps; n, p and q follow where one of the bodies is curved."""
    if indices[0] == POINTS and indices[HEADER] == POINTS:
        return apart
    u, v, trial = np.empty(3), np.empty(3), np.empty(3)
    a, b, at, other = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    searched = n.copy()
    for _ in range(8):
        tangents(n, u, v)
        best = _planes(numbers, indices, X_a, X_b, n, at, other)
        d = other - at
        gx, gy = dot3(u, d), dot3(v, d)
        trial[:] = n + DIFFERENCE * u
        _planes(numbers, indices, X_a, X_b, trial, a, b)
        e = (b - a - d) / DIFFERENCE
        xx, xy = dot3(u, e) - best, dot3(v, e)
        trial[:] = n + DIFFERENCE * v
        _planes(numbers, indices, X_a, X_b, trial, a, b)
        e = (b - a - d) / DIFFERENCE
        yy = dot3(v, e) - best
        det = xx * yy - xy * xy
        if det <= 0 or xx >= 0:
            break
        s, t = -(yy * gx - xy * gy) / det, -(xx * gy - xy * gx) / det
        trial[:] = n + s * u + t * v
        trial /= np.sqrt(dot3(trial, trial))
        following = _planes(numbers, indices, X_a, X_b, trial, a, b)
        if following <= best:
            break
        n[:] = trial
    best = _planes(numbers, indices, X_a, X_b, n, a, b)
    # two supports that face one another; where an edge or a flat side is nearest they do not, and the search stands
    aside = b - a - best * n
    if dot3(aside, aside) > 1e-12 * dot3(b - a, b - a):
        n[:] = searched
        return apart
    p[:], q[:] = a, b
    return best


@part
def _planes(numbers, indices, X_a, X_b, n, p, q):
    """φ(n), with the support points of both cores."""
    support(numbers, indices, 0, X_a, n, p)
    support(numbers, indices, 1, X_b, -n, q)
    return dot3(n, q) - dot3(n, p)
