"""Two convex bodies by GJK, or EPA where their cores overlap; a flat contact gets up to four points, a line
two."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...algebra import Transform
from ...codegen.dialect import compiled, real, reals, sqrt, whole, wholes
from ..shapes import Shape
from ..tolerances import RIM_MISSES
from ..touch import PairGeometry, Routine, Touch
from .contact_points import loop_pair, touch_of, write
from .convex_bodies import grown, pack
from .flat_contact import MOST, clip, face_of, four_of, plane_normal
from .nearest_points import nearest
from .vectors import Vector, cross3, dot3, minus, plus, row3, times, twelve

N_POINTS = 4


def convex_pair(a: Shape, b: Shape) -> PairGeometry:
    """Two convex bodies, each grown by its radius, in up to four points; those that are not needed are lifted off."""
    numbers, indices = pack(a, b)
    return loop_pair(a, b, N_POINTS, Routine(_touch_convex, numbers, indices))


def convex_distance(a: Shape, X_WA: Transform, b: Shape, X_WB: Transform) -> Touch:
    """The gap, normal and nearest points of two convex bodies."""
    numbers, indices = pack(a, b)
    out = np.empty((1, 10))
    _touch_nearest(twelve(X_WA), twelve(X_WB), numbers, indices, out)
    return touch_of(out[0])


@compiled
def _touch_nearest(X_a: real[12], X_b: real[12], numbers: real[:], indices: whole[:], out: real[:, 10]) -> None:
    n, p, q = reals(3), reals(3), reals(3)
    gap = nearest(numbers, indices, X_a, X_b, n, p, q)
    write(out, 0, gap, n, p)


@compiled
def _touch_convex(X_a: real[12], X_b: real[12], numbers: real[:], indices: whole[:], out: real[:, 10]) -> None:
    n, p, q = reals(3), reals(3), reals(3)
    gap = nearest(numbers, indices, X_a, X_b, n, p, q)
    r_a, r_b = grown(numbers, indices, 0), grown(numbers, indices, 1)
    A, B, work = reals(MOST, 3), reals(MOST, 3), reals(MOST, 3)
    n_a = face_of(numbers, indices, 0, X_a, n, 1.0, A)
    n_b = face_of(numbers, indices, 1, X_b, n, -1.0, B)
    chosen = wholes(4)
    points, gaps = reals(MOST, 3), reals(MOST)
    count = 0
    if n_a >= 3 and n_b >= 1:
        count = _on_polygon(A, n_a, B, n_b, n, 1.0, work, points, gaps)
    elif n_b >= 3 and n_a >= 1:
        count = _on_polygon(B, n_b, A, n_a, n, -1.0, work, points, gaps)
    elif n_a == 2 and n_b == 2:
        count = _on_segment(A, B, n, points, gaps)
    found = 0
    if count >= 2:
        # `points` lie on the core of a, `gaps` are those of the cores
        found = four_of(points, count, X_a, n, chosen)
        least = 0
        for k in range(found):
            if gaps[chosen[k]] < gaps[chosen[least]]:
                least = k
        # a rim is known by some of its points only: where the nearest is none of them it stands for the first
        missing = gaps[chosen[least]] - r_a - r_b > gap + RIM_MISSES * (1 + abs(gap))
        if missing:
            write(out, 0, gap, n, p)
        for k in range(1 if missing else 0, found):
            j = chosen[k]
            write(out, k, gaps[j] - r_a - r_b, n, plus(points[j], n, r_a))
    else:
        write(out, 0, gap, n, p)
        found = 1
    # the rest is lifted off by more than any depth
    for k in range(found, out.shape[0]):
        write(out, k, out[0, 0] + 1e3 * (1 + abs(out[0, 0])), n, row3(out[0], 4))


def _on_polygon(base: np.ndarray, corners: int, other: np.ndarray, count: int, n: Vector, side: float,
                work: np.ndarray, points: np.ndarray, gaps: np.ndarray) -> int:
    """What another face shares with a polygon; the points of a below (side 1) or of a above it (side −1)."""
    m = plane_normal(base, corners, n)
    inward = 1.0 if _area(base, corners, n) > 0 else -1.0
    left = clip(base, corners, times(inward, n), other, count, work)
    for k in range(left):
        # the way along n from the face of the base to the point
        height = dot3(m, minus(other[k], base[0])) / dot3(m, n)
        gaps[k] = side * height
        for i in range(3):
            points[k, i] = other[k, i] - (height * n[i] if side > 0 else 0.0)
    return left


def _area(polygon: np.ndarray, corners: int, n: Vector) -> float:
    total = 0.0
    for k in range(1, corners - 1):
        total += dot3(n, cross3(minus(polygon[k], polygon[0]), minus(polygon[k + 1], polygon[0])))
    return total


def _on_segment(A: np.ndarray, B: np.ndarray, n: Vector, points: np.ndarray, gaps: np.ndarray) -> int:
    """The ends of the stretch that two nearly parallel segments share; 0 where they cross."""
    e, f = minus(A[1], A[0]), minus(B[1], B[0])
    ee = dot3(e, e)
    if ee == 0 or dot3(f, f) == 0:
        return 0
    aside = dot3(n, cross3(e, f))
    if abs(aside) > 0.05 * sqrt(ee * dot3(f, f)):
        return 0
    s, t = dot3(minus(B[0], A[0]), e) / ee, dot3(minus(B[1], A[0]), e) / ee
    low, high = max(min(s, t), 0.0), min(max(s, t), 1.0)
    if high <= low:
        return 0
    for k in range(2):
        x = low if k == 0 else high
        y = (x - s) / (t - s)
        gap = 0.0
        for i in range(3):
            points[k, i] = A[0, i] + x * e[i]
            gap += n[i] * (B[0, i] + y * f[i] - points[k, i])
        gaps[k] = gap
    return 2
