"""Distance of two convex cores (Gilbert, Johnson, Keerthi 1988), with the points that are nearest.

The Minkowski difference A − B is searched for its point v nearest to the origin, by simplices of up to four of its
points.  The part of a simplex nearest to the origin is found by looking at all its vertices, edges and faces; that is
more work than Johnson's recursion and cannot go wrong by rounding in one of its determinants.
"""

from __future__ import annotations

import numpy as np

from .bodies import support
from .jit import cross3, dot3, part

#: bounds of the search: a curved body is approached in steps, a polyhedron ends exactly
STEPS = 200
CLOSE = 1e-14
#: height of a tetrahedron over its size below which it is flat: above the rounding of its corners, below what a way
#: into an overlap needs
FLAT = 1e-10

#: the vertices of every part of a simplex, as bits
_PARTS = np.array([1, 2, 4, 8, 3, 5, 9, 6, 10, 12, 7, 11, 13, 14], dtype=np.int64)


@part
def nearest_cores(numbers, indices, X_a, X_b, W, P, Q, p, q):
    """(distance of the cores, corners of the last simplex); nearest points go to p and q.

    W, P, Q (4, 3) keep the simplex: points of the difference, of a and of b.  Cores that overlap give 0.
    """
    d, w, a, b = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    weights = np.empty(4)
    for i in range(3):
        d[i] = X_b[9 + i] - X_a[9 + i]
    if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1e-30:
        d[0] = 1.0
    count, apart = 0, np.inf
    size = 0.0
    for _ in range(STEPS):
        support(numbers, indices, 0, X_a, d, a)
        support(numbers, indices, 1, X_b, -d, b)
        w[:] = a - b
        size = max(size, w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        # d = −v: no point of the difference is nearer than v·w/|v|
        gain = w[0] * d[0] + w[1] * d[1] + w[2] * d[2]
        if count > 0 and apart * apart + gain <= CLOSE * apart * apart + 1e-32 * size:
            break
        again = False
        for k in range(count):
            again |= W[k, 0] == w[0] and W[k, 1] == w[1] and W[k, 2] == w[2]
        if again:
            break
        W[count], P[count], Q[count] = w, a, b
        before, was = apart, count
        count = _reduce(W, P, Q, count + 1, weights, d)
        apart = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        if count == 4 or apart * apart <= 1e-28 * size:
            return 0.0, count
        if apart >= before and was > 0:
            break
        d[:] = -d
    p[:], q[:] = 0.0, 0.0
    for k in range(count):
        for i in range(3):
            p[i] += weights[k] * P[k, i]
            q[i] += weights[k] * Q[k, i]
    return apart, count


@part
def _reduce(W, P, Q, count, weights, v):
    """Keep the part of a simplex that is nearest to the origin; its nearest point goes to v.  4: origin inside."""
    if count == 4 and _holds_origin(W):
        v[:] = 0.0
        return 4
    best, best_part = np.inf, 1
    trial = np.empty(4)
    kept = np.zeros(4)
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
            W[left], P[left], Q[left], weights[left] = W[j], P[j], Q[j], kept[j]
            left += 1
    return left


@part
def _weights(W, bits, out):
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
    a, e = W[i], W[j] - W[i]
    ee, ae = dot3(e, e), dot3(a, e)
    if k < 0:
        if ee <= 0:
            return False
        t = -ae / ee
        out[i], out[j] = 1 - t, t
        return 0 < t < 1
    f = W[k] - W[i]
    ff, ef, af = dot3(f, f), dot3(e, f), dot3(a, f)
    det = ee * ff - ef * ef
    if det <= 1e-28 * ee * ff:
        return False
    s, t = (ef * af - ff * ae) / det, (ef * ae - ee * af) / det
    out[i], out[j], out[k] = 1 - s - t, s, t
    return s > 0 and t > 0 and s + t < 1


@part
def _holds_origin(W):
    """Whether a tetrahedron holds the origin: it lies on the inner side of all four faces.

    One that is flat to rounding holds nothing: the sides of its faces are noise.
    """
    for k in range(4):
        a, b, c, other = W[k], W[(k + 1) % 4], W[(k + 2) % 4], W[(k + 3) % 4]
        n = cross3(b - a, c - a)
        of_origin, of_other = -dot3(n, a), dot3(n, other - a)
        e = other - a
        if of_other * of_other <= FLAT * FLAT * dot3(n, n) * dot3(e, e) or of_origin * of_other < 0:
            return False
    return True
