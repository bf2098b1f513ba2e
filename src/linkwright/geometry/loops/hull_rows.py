"""Rounded convex bodies by their features: corners over the other body, and edges that cross.

Each corner of a core presses on the other body along the distance from it, each pair of edges along their common
normal.  Along an edge the row fades out within a radius of its ends, where the corner takes over, and where the edges
are nearly parallel.  Where the cores overlap, so deep that the rounding is used up, the deepest point presses alone.

    numbers   cores and sizes (`bodies.pack`)
    indices   bodies (a, b) | (point, b) | (point, a) | corners and edges of a, of b | first corner of a, of b | edges
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, reals, sqrt, whole
from ..compliant_pairs import Pressing
from ..rounded import Rounded, rounded
from ..shapes import Convex, Ellipsoid, Point, Shape, Sphere
from ..tolerances import CORES_TOUCH, CROSSING, NO_CROSSING
from .convex_bodies import HEADER, grown, pack
from .flat_contact import MOST
from .nearest_points import nearest
from .rows import lift, no_pose, put
from .triangles import segments
from .vectors import Vector, carried, cross3, dot3, minus, row3, times

N_ROWS = 12


def press_hulls(a: Shape, b: Shape) -> Pressing:
    """Two convex bodies under a compliant law."""
    if isinstance(a, Ellipsoid) or isinstance(b, Ellipsoid):
        numbers, indices = pack(*[shape if isinstance(shape, Ellipsoid) else _as_hull(rounded(shape))
                                  for shape in (a, b)])
        return Pressing(f"{__name__}:nearest_row", numbers, indices, 1)
    cores = rounded(a), rounded(b)
    numbers, heads = pack(*[_as_hull(core) for core in cores], Point())
    one, other, point = heads.reshape(3, HEADER)
    counts = [len(x) for core in cores for x in (core.vertices, core.edges)]
    indices = np.concatenate([one, other, point, other, point, one, counts, [one[1], other[1]],
                              *[core.edges.ravel() for core in cores]])
    rows = min(N_ROWS, len(cores[0].vertices) + len(cores[1].vertices) + counts[1] * counts[3])
    return Pressing(f"{__name__}:hull_rows", numbers, indices.astype(np.int64), rows)


class _Core(Convex):
    """Corners as they are, without a hull taken of them."""

    def __init__(self, core: Rounded) -> None:
        object.__setattr__(self, "vertices", core.vertices)
        object.__setattr__(self, "radius", core.radius)


def _as_hull(core: Rounded) -> Shape:
    return Sphere(core.radius) if len(core.vertices) == 1 else _Core(core)


def _features(X_b: np.ndarray, numbers: np.ndarray, indices: np.ndarray, y: np.ndarray) -> None:
    X_a, n, p, q = reals(12), reals(3), reals(3), reals(3)
    no_pose(X_a)
    radius = grown(numbers, indices, 0) + grown(numbers, indices, 1)
    gap = nearest(numbers, indices, X_a, X_b, n, p, q)
    margin, found = 0.5 * radius, 0
    if gap > margin or gap <= -radius * (1 - CORES_TOUCH):
        found = put(y, 0, gap, n, p, 1.0)
    else:
        # what can be nearer than the margin reaches up to this far below the planes across n that hold the cores
        slab = margin - gap
        on_a, on_b = reals(MOST, 3), reals(MOST, 3)
        ends_a, ends_b = reals(MOST, 6), reals(MOST, 6)
        n_a, m_a = _near(numbers, indices, 0, X_a, row3(n, 0), slab, on_a, ends_a)
        n_b, m_b = _near(numbers, indices, 1, X_b, times(-1.0, n), slab, on_b, ends_b)
        found = _corners(numbers, indices[2 * HEADER:], on_a, n_a, X_b, grown(numbers, indices, 0), 1.0, margin, y,
                         found)
        found = _corners(numbers, indices[4 * HEADER:], on_b, n_b, X_a, grown(numbers, indices, 1), -1.0, margin, y,
                         found)
        found = _crossings(ends_a, m_a, ends_b, m_b, grown(numbers, indices, 0), radius, margin, y, found)
        if found == 0:  # those that are nearest have faded
            found = put(y, 0, margin, n, p, 1.0)
    lift(y, found, margin)


def _near(numbers: np.ndarray, indices: np.ndarray, body: int, X: np.ndarray, n: Vector, slab: float,
          corners: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """Corners of a core within a slab below its plane across n, and edges that reach into it."""
    head = 6 * HEADER
    count, edges, first = indices[head + 2 * body], indices[head + 2 * body + 1], indices[head + 4 + body]
    table = head + 6 + (2 * indices[head + 1] if body > 0 else 0)
    highest = -np.inf
    for k in range(count):
        highest = max(highest, dot3(n, carried(X, row3(numbers, first + 3 * k))))
    low = highest - slab
    some, spans = 0, 0
    for k in range(count):
        p = carried(X, row3(numbers, first + 3 * k))
        if dot3(n, p) >= low and some < MOST:
            corners[some] = p
            some += 1
    for e in range(edges):
        p = carried(X, row3(numbers, first + 3 * indices[table + 2 * e]))
        q = carried(X, row3(numbers, first + 3 * indices[table + 2 * e + 1]))
        if (dot3(n, p) >= low or dot3(n, q) >= low) and spans < MOST:
            ends[spans, 0:3], ends[spans, 3:6] = p, q
            spans += 1
    return some, spans


def _corners(numbers: np.ndarray, heads: np.ndarray, corners: np.ndarray, count: int, X: np.ndarray, own: float,
             side: float, margin: float, y: np.ndarray, found: int) -> int:
    """Rows of the corners of one body, each a ball of its own radius, over the other in the pose X."""
    point, n, p, q = reals(12), reals(3), reals(3), reals(3)
    no_pose(point)
    for k in range(count):
        point[9:12] = corners[k]
        gap = nearest(numbers, heads, point, X, n, p, q) - own
        if gap < margin:
            # the point of a: on the ball around the corner, or on the other body
            for i in range(3):
                p[i] = p[i] + own * n[i] if side > 0 else q[i]
                n[i] *= side
            found = put(y, found, gap, n, p, 1.0)
    return found


def _crossings(ends_a: np.ndarray, n_a: int, ends_b: np.ndarray, n_b: int, own: float, radius: float, margin: float,
               y: np.ndarray, found: int) -> int:
    """Rows of edges that cross."""
    p, q, n = reals(3), reals(3), reals(3)
    for i in range(n_a):
        a = row3(ends_a[i], 0)
        e = minus(row3(ends_a[i], 3), a)
        ee = sqrt(dot3(e, e))
        for j in range(n_b):
            b = row3(ends_b[j], 0)
            f = minus(row3(ends_b[j], 3), b)
            ff = sqrt(dot3(f, f))
            across = cross3(e, f)
            sine = sqrt(dot3(across, across)) / (ee * ff)
            if sine <= NO_CROSSING:
                continue
            apart = sqrt(segments(a, e, b, f, p, q))
            if apart - radius >= margin or apart == 0:
                continue
            s, t = dot3(minus(p, a), e) / ee, dot3(minus(q, b), f) / ff
            inside = min(s, ee - s, t, ff - t) / radius
            weight = _fade(inside) * _fade((sine - NO_CROSSING) / (CROSSING - NO_CROSSING))
            if weight > 0:
                n[:] = (q - p) / apart
                p[:] += own * n
                found = put(y, found, apart - radius, n, p, weight)
    return found


def _fade(x: float) -> float:
    """From 0 to 1 as x goes from 0 to 1, with a continuous slope."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


@compiled
def nearest_row(x: real[:], numbers: real[:], indices: whole[:], y: real[:]) -> None:
    """One row: the nearest points."""
    X_a, n, p, q = reals(12), reals(3), reals(3), reals(3)
    no_pose(X_a)
    row = y
    gap = nearest(numbers, indices, X_a, x, n, p, q)
    put(row, 0, gap, n, p, 1.0)


@compiled
def hull_rows(x: real[:], numbers: real[:], indices: whole[:], y: real[:]) -> None:
    """Rows of two rounded hulls."""
    _features(x, numbers, indices, y)
