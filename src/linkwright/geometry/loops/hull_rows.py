"""Rounded convex bodies by their features: corners over the other body, and edges that cross.

Each corner of a core presses on the other body along the distance from it, each pair of edges along their common
normal.  Along an edge the row fades out within a radius of its ends, where the corner takes over, and where the edges
are nearly parallel.  Where the cores overlap, so deep that the rounding is used up, the deepest point presses alone.

    numbers   cores and sizes (`bodies.pack`)
    indices   bodies (a, b) | (point, b) | (point, a) | corners and edges of a, of b | first corner of a, of b | edges
"""

from __future__ import annotations

import numpy as np
from numba import carray

from ..compliant_pairs import Pressing
from ..rounded import Rounded, rounded
from ..shapes import Convex, Ellipsoid, Point, Shape, Sphere
from ..tolerances import CORES_TOUCH, CROSSING, NO_CROSSING
from .convex_bodies import HEADER, grown, pack
from .flat_contact import MOST
from .jit import (
    Pointer,
    Vector,
    carried,
    cross3,
    dot3,
    entry,
    local,
    local_rows,
    minus,
    owning,
    part,
    put3,
    row3,
    times,
)
from .nearest_points import nearest
from .rows import lift, no_pose, put
from .triangles import segments

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


@owning
def _features(X_b: np.ndarray, numbers: np.ndarray, indices: np.ndarray, y: np.ndarray) -> None:
    X_a, n, p, q = local(12), local(3), local(3), local(3)
    no_pose(X_a)
    radius = grown(numbers, indices, 0) + grown(numbers, indices, 1)
    gap = nearest(numbers, indices, X_a, X_b, n, p, q)
    margin, found = 0.5 * radius, 0
    if gap > margin or gap <= -radius * (1 - CORES_TOUCH):
        found = put(y, 0, gap, n, p, 1.0)
    else:
        # what can be nearer than the margin reaches up to this far below the planes across n that hold the cores
        slab = margin - gap
        on_a, on_b = local_rows(MOST, 3), local_rows(MOST, 3)
        ends_a, ends_b = local_rows(MOST, 6), local_rows(MOST, 6)
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


@owning
def _near(numbers: np.ndarray, indices: np.ndarray, body: int, X: np.ndarray, n: Vector, slab: float,
          corners: np.ndarray, ends: np.ndarray) -> tuple[int, int]:
    """Corners of a core within a slab below its plane across n, and edges that reach into it."""
    head = 6 * HEADER
    count, edges, first = indices[head + 2 * body], indices[head + 2 * body + 1], indices[head + 4 + body]
    table = head + 6 + (2 * indices[head + 1] if body else 0)
    heights, world = np.empty(count), np.empty((count, 3))
    highest = -np.inf
    for k in range(count):
        put3(world[k], carried(X, row3(numbers, first + 3 * k)))
        heights[k] = dot3(n, world[k])
        highest = max(highest, heights[k])
    low = highest - slab
    some, spans = 0, 0
    for k in range(count):
        if heights[k] >= low and some < MOST:
            put3(corners[some], world[k])
            some += 1
    for e in range(edges):
        i, j = indices[table + 2 * e], indices[table + 2 * e + 1]
        if (heights[i] >= low or heights[j] >= low) and spans < MOST:
            put3(ends[spans, :3], world[i])
            put3(ends[spans, 3:], world[j])
            spans += 1
    return some, spans


@part
def _corners(numbers: np.ndarray, heads: np.ndarray, corners: np.ndarray, count: int, X: np.ndarray, own: float,
             side: float, margin: float, y: np.ndarray, found: int) -> int:
    """Rows of the corners of one body, each a ball of its own radius, over the other in the pose X."""
    point, n, p, q = local(12), local(3), local(3), local(3)
    no_pose(point)
    for k in range(count):
        put3(point[9:12], corners[k])
        gap = nearest(numbers, heads, point, X, n, p, q) - own
        if gap < margin:
            # the point of a: on the ball around the corner, or on the other body
            for i in range(3):
                p[i] = p[i] + own * n[i] if side > 0 else q[i]
                n[i] *= side
            found = put(y, found, gap, n, p, 1.0)
    return found


@part
def _crossings(ends_a: np.ndarray, n_a: int, ends_b: np.ndarray, n_b: int, own: float, radius: float, margin: float,
               y: np.ndarray, found: int) -> int:
    """Rows of edges that cross."""
    p, q, n = local(3), local(3), local(3)
    for i in range(n_a):
        a = row3(ends_a[i], 0)
        e = minus(row3(ends_a[i], 3), a)
        ee = np.sqrt(dot3(e, e))
        for j in range(n_b):
            b = row3(ends_b[j], 0)
            f = minus(row3(ends_b[j], 3), b)
            ff = np.sqrt(dot3(f, f))
            across = cross3(e, f)
            sine = np.sqrt(dot3(across, across)) / (ee * ff)
            if sine <= NO_CROSSING:
                continue
            apart = np.sqrt(segments(a, e, b, f, p, q))
            if apart - radius >= margin or apart == 0:
                continue
            s, t = dot3(minus(p, a), e) / ee, dot3(minus(q, b), f) / ff
            inside = min(s, ee - s, t, ff - t) / radius
            weight = _fade(inside) * _fade((sine - NO_CROSSING) / (CROSSING - NO_CROSSING))
            if weight > 0:
                for k in range(3):
                    n[k] = (q[k] - p[k]) / apart
                    p[k] += own * n[k]
                found = put(y, found, apart - radius, n, p, weight)
    return found


@part
def _fade(x: float) -> float:
    """From 0 to 1 as x goes from 0 to 1, with a continuous slope."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


@entry
def nearest_row(x: Pointer, n_x: int, numbers: Pointer, n_numbers: int, indices: Pointer, n_indices: int, y: Pointer,
                n_y: int) -> None:
    """One row: the nearest points."""
    X_a, n, p, q = local(12), local(3), local(3), local(3)
    no_pose(X_a)
    row = carray(y, (n_y,))
    gap = nearest(carray(numbers, (n_numbers,)), carray(indices, (n_indices,)), X_a, carray(x, (n_x,)), n, p, q)
    put(row, 0, gap, n, p, 1.0)


@entry
def hull_rows(x: Pointer, n_x: int, numbers: Pointer, n_numbers: int, indices: Pointer, n_indices: int, y: Pointer,
              n_y: int) -> None:
    """Rows of two rounded hulls."""
    _features(carray(x, (n_x,)), carray(numbers, (n_numbers,)), carray(indices, (n_indices,)), carray(y, (n_y,)))
