"""Two boxes: the corners of each over a face of the other, and the edges that cross.

Along each of 15 directions n (three faces of each box, nine products of edges a_i × b_j) the planes that support the
boxes are a distance apart of

    φ(n) = |n·d| − Σ ½ size_a |n·a_k| − Σ ½ size_b |n·b_k|

and the boxes are apart if and only if the largest of them, S, is positive (Gottschalk et al. 1996).  Contact is made
along the direction of S: 8 corners of b over the face of a that is best, 8 corners of a over that of b, and 9 pairs of
edges, each along its common normal.  A point whose direction is not that of S is lifted by 2 (S − φ), one beside its
face or beyond its edge by what it lies beside: so the least gap is S where the boxes touch, and no point touches before
they do.  Corners and edges are fixed on their bodies.

Where faces lie on each other several directions are the best at once, and corners may lie right over edges.  Which of
them is ahead by rounding must not show in the slope of a gap, so that what is within δ of the best, or of a face,
counts as being there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..algebra import Array, Scalar, Transform, choose, cross, dot
from .selects import clamp, direction, larger, sign, vec
from .shapes import Box
from .tolerances import FLUSH, PARALLEL_EDGES
from .touch import PairGeometry, Touch

SIGNS = [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]


def boxes(one: Box, other: Box) -> PairGeometry:
    """Two boxes in 25 points: 8 corners of a, 8 corners of b, 9 pairs of edges."""

    def touches(X_WA: Transform, X_WB: Transform) -> list[Touch]:
        on_a, on_b = _Faces(one, X_WA, other, X_WB), _Faces(other, X_WB, one, X_WA)
        edges = [_Edges(one, X_WA, other, X_WB, i, j) for i in range(3) for j in range(3)]
        apart = reduce(larger, [on_a.apart, on_b.apart, *[pair.apart for pair in edges]])
        return [*[touch.exchanged() for touch in on_b.touches(apart)], *on_a.touches(apart),
                *[pair.touch(apart) for pair in edges]]

    return PairGeometry(one, other, 25, touches)


class _Faces:
    """The corners of a body over the best face of a base, which is a."""

    def __init__(self, base: Box, X_WA: Transform, body: Box, X_WB: Transform) -> None:
        R, d = X_WA.R.T @ X_WB.R, X_WA.R.T @ (X_WB.p - X_WA.p)
        self.half = [size / 2 for size in base.size]
        side = [sign(d[f]) for f in range(3)]
        apart = [side[f] * d[f] - self.half[f] - sum(_abs(R[f, k]) * body.size[k] / 2 for k in range(3))
                 for f in range(3)]
        self.apart = reduce(larger, apart)
        self._first, self._second = apart[0] >= larger(apart[1], apart[2]), apart[1] >= apart[2]
        self.n = vec(*[self._best(*[side[f] * X_WA.R[i, f] for f in range(3)]) for i in range(3)])
        self._base, self._body, self._X_WA, self._R, self._d, self._side = base, body, X_WA, R, d, side

    def _best(self, x: Scalar, y: Scalar, z: Scalar) -> Scalar:
        """What belongs to the best face."""
        return choose(self._first, x, choose(self._second, y, z))

    def touches(self, apart: Scalar) -> list[Touch]:
        flush = FLUSH * (sum(self._base.size) + sum(self._body.size))
        lift = 2 * larger(apart - self.apart - flush, 0.0)
        found = []
        for signs in SIGNS:
            v = self._d + self._R @ vec(*[signs[k] * self._body.size[k] / 2 for k in range(3)])
            height = self._best(*[self._side[f] * v[f] - self.half[f] for f in range(3)])
            beside = [larger(_abs(v[f]) - self.half[f] - flush, 0.0) for f in range(3)]
            away = self._best(beside[1] + beside[2], beside[0] + beside[2], beside[0] + beside[1])
            on_face = self._X_WA.p + self._X_WA.R @ v - height * self.n
            gap = height + away + lift
            found.append(Touch(gap, self.n, on_face, on_face + gap * self.n))
        return found


class _Edges:
    """An edge of a along its axis i and one of b along its axis j: those farthest along their common normal."""

    def __init__(self, one: Box, X_WA: Transform, other: Box, X_WB: Transform, i: int, j: int) -> None:
        a, b = ([X.R[:, k] for k in range(3)] for X in (X_WA, X_WB))
        d = X_WB.p - X_WA.p
        c = cross(a[i], b[j])
        D = dot(c, c) + PARALLEL_EDGES**2
        # where edges are parallel their product is rounding, which must not show in any slope
        _, e = direction(c, a[(i + 1) % 3], PARALLEL_EDGES**2)
        c = vec(*[choose(dot(c, c) > PARALLEL_EDGES**2, c[k], 0.0) for k in range(3)])
        self.n = sign(dot(e, d)) * e
        p, q = _edge(a, one, i, self.n), _edge(b, other, j, -self.n)
        between = d + q - p
        # parallel edges have no common normal
        self.apart = dot(self.n, between) - (sum(one.size) + sum(other.size)) * PARALLEL_EDGES**2 / D
        # the common perpendicular: p + s a_i, q + t b_j
        s, t = dot(cross(between, b[j]), c) / D, dot(cross(between, a[i]), c) / D
        s_in = clamp(s, -one.size[i] / 2, one.size[i] / 2)
        t_in = clamp(t, -other.size[j] / 2, other.size[j] / 2)
        self._flush = FLUSH * (sum(one.size) + sum(other.size))
        self._beyond = larger(_abs(s - s_in) - self._flush, 0.0) + larger(_abs(t - t_in) - self._flush, 0.0)
        self._point = X_WA.p + p + s_in * a[i]

    def touch(self, apart: Scalar) -> Touch:
        gap = self.apart + self._beyond + 2 * larger(apart - self.apart - self._flush, 0.0)
        return Touch(gap, self.n, self._point, self._point + gap * self.n)


def _edge(axes: Sequence[Array], box: Box, along: int, n: Array) -> Array:
    """The middle of the edge along an axis that is farthest in the direction n, from the centre of the box; of two that
    are equally far always the same, not the one that rounding prefers."""
    k, l = (along + 1) % 3, (along + 2) % 3
    first, second = (sign(dot(axes[m], n) + FLUSH) for m in (k, l))
    return first * box.size[k] / 2 * axes[k] + second * box.size[l] / 2 * axes[l]


def _abs(x: Scalar) -> Scalar:
    return larger(x, -x)
