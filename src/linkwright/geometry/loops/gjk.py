"""Distance of two convex cores (Gilbert, Johnson, Keerthi 1988), with the points that are nearest.

The Minkowski difference A − B is searched for its point v nearest to the origin, by simplices of up to four of its
points.  The part of a simplex nearest to the origin is found by looking at all its vertices, edges and faces; that is
more work than Johnson's recursion and cannot go wrong by rounding in one of its determinants.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import reals, sqrt
from ..tolerances import (
    CORES_MEET,
    FLAT_TETRAHEDRON,
    FLAT_TRIANGLE,
    SAME_CENTRE,
    SEARCH_GAIN,
    SEARCH_GAIN_OF_SIZE,
    SEARCH_STEPS,
)
from .convex_bodies import support
from .vectors import cross3, dot3, minus, times

#: the vertices of every part of a simplex, as bits
_PARTS = np.array([1, 2, 4, 8, 3, 5, 9, 6, 10, 12, 7, 11, 13, 14], dtype=np.int64)


def nearest_cores(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, W: np.ndarray,
                  P: np.ndarray, Q: np.ndarray, p: np.ndarray, q: np.ndarray) -> tuple[float, int]:
    """(distance of the cores, corners of the last simplex); nearest points go to p and q.

    W, P, Q (4, 3) keep the simplex: points of the difference, of a and of b.  Cores that overlap give 0.
    """
    weights, v = reals(4), reals(3)
    d = X_b[9] - X_a[9], X_b[10] - X_a[10], X_b[11] - X_a[11]
    if dot3(d, d) < SAME_CENTRE:
        d = 1.0, d[1], d[2]
    count, apart = 0, np.inf
    size = 0.0
    for _ in range(SEARCH_STEPS):
        a = support(numbers, indices, 0, X_a, d)
        b = support(numbers, indices, 1, X_b, times(-1.0, d))
        w = minus(a, b)
        size = max(size, dot3(w, w))
        # d = −v: no point of the difference is nearer than v·w/|v|
        gain = dot3(w, d)
        if count > 0 and apart * apart + gain <= SEARCH_GAIN * apart * apart + SEARCH_GAIN_OF_SIZE * size:
            break
        again = False
        for k in range(count):
            again |= W[k, 0] == w[0] and W[k, 1] == w[1] and W[k, 2] == w[2]
        if again:
            break
        W[count] = w
        P[count] = a
        Q[count] = b
        before, was = apart, count
        count = _reduce(W, P, Q, count + 1, weights, v)
        apart = sqrt(dot3(v, v))
        if count == 4 or apart * apart <= CORES_MEET * size:
            return 0.0, count
        if apart >= before and was > 0:
            break
        d = times(-1.0, v)
    for i in range(3):
        p[i], q[i] = 0.0, 0.0
        for k in range(count):
            p[i] += weights[k] * P[k, i]
            q[i] += weights[k] * Q[k, i]
    return apart, count


def _reduce(W: np.ndarray, P: np.ndarray, Q: np.ndarray, count: int, weights: np.ndarray, v: np.ndarray) -> int:
    """Keep the part of a simplex that is nearest to the origin; its nearest point goes to v.  4: origin inside."""
    if count == 4 and _holds_origin(W):
        v[0] = v[1] = v[2] = 0.0
        return 4
    best, best_part = np.inf, 1
    trial, kept = reals(4), reals(4)
    for k in range(len(_PARTS)):
        bits = _PARTS[k]
        if bits >= 1 << count or not _weights(W, bits, trial):
            continue
        x = y = z = 0.0
        for j in range(count):
            if bits >> j & 1:
                x += trial[j] * W[j, 0]
                y += trial[j] * W[j, 1]
                z += trial[j] * W[j, 2]
        square = x * x + y * y + z * z
        if square < best:
            best, best_part = square, bits
            v[0], v[1], v[2] = x, y, z
            kept[:] = trial
    left = 0
    for j in range(count):
        if best_part >> j & 1:
            W[left], P[left], Q[left] = W[j], P[j], Q[j]
            weights[left] = kept[j]
            left += 1
    return left


def _weights(W: np.ndarray, bits: int, out: np.ndarray) -> bool:
    """Weights of the corners of a part for the foot of the perpendicular from the origin; whether all are positive."""
    i = j = k = -1
    for n in range(4):
        if bits >> n & 1:
            if i < 0:
                i = n
            elif j < 0:
                j = n
            else:
                k = n
    out[:] = 0.0
    if j < 0:
        out[i] = 1.0
        return True
    a, e = W[i], minus(W[j], W[i])
    ee, ae = dot3(e, e), dot3(a, e)
    if k < 0:
        if ee <= 0:
            return False
        t = -ae / ee
        out[i], out[j] = 1 - t, t
        return 0 < t < 1
    f = minus(W[k], W[i])
    ff, ef, af = dot3(f, f), dot3(e, f), dot3(a, f)
    det = ee * ff - ef * ef
    if det <= FLAT_TRIANGLE * ee * ff:
        return False
    s, t = (ef * af - ff * ae) / det, (ef * ae - ee * af) / det
    out[i], out[j], out[k] = 1 - s - t, s, t
    return s > 0 and t > 0 and s + t < 1


def _holds_origin(W: np.ndarray) -> bool:
    """Whether a tetrahedron holds the origin: it lies on the inner side of all four faces.

    One that is flat to rounding holds nothing: the sides of its faces are noise.
    """
    for k in range(4):
        a = W[k]
        n = cross3(minus(W[(k + 1) % 4], a), minus(W[(k + 2) % 4], a))
        e = minus(W[(k + 3) % 4], a)
        of_origin, of_other = -dot3(n, a), dot3(n, e)
        flat = of_other * of_other <= FLAT_TETRAHEDRON * FLAT_TETRAHEDRON * dot3(n, n) * dot3(e, e)
        if flat or of_origin * of_other < 0:
            return False
    return True
