"""Triangles, segments and boxes: nearest points, and whether one passes through another."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ..tolerances import PARALLEL_SEGMENTS
from .vectors import Three, Vector, cross3, dot3, minus, plus, row3


def box_distance(numbers: np.ndarray, at: int, p: Vector) -> float:
    """Square of the distance of a point from a box of the tree."""
    total = 0.0
    for i in range(3):
        low, high = numbers[at + i], numbers[at + 3 + i]
        over = low - p[i] if p[i] < low else p[i] - high if p[i] > high else 0.0
        total += over * over
    return total


def on_triangle(a: Vector, b: Vector, c: Vector, p: Vector) -> tuple[int, Three]:
    """The point of a triangle nearest to p, and where: vertex 0, 1, 2, edge 3, 4, 5, or 6 inside (Ericson 2005)."""
    ab, ac, ap = minus(b, a), minus(c, a), minus(p, a)
    d1, d2 = dot3(ab, ap), dot3(ac, ap)
    bp = minus(ap, ab)
    d3, d4 = dot3(ab, bp), dot3(ac, bp)
    cp = minus(ap, ac)
    d5, d6 = dot3(ab, cp), dot3(ac, cp)
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    v, w, which = 0.0, 0.0, 6
    if d1 <= 0 and d2 <= 0:
        which = 0
    elif d3 >= 0 and d4 <= d3:
        v, which = 1.0, 1
    elif d6 >= 0 and d5 <= d6:
        w, which = 1.0, 2
    elif vc <= 0 and d1 >= 0 and d3 <= 0:
        v, which = d1 / (d1 - d3), 3
    elif vb <= 0 and d2 >= 0 and d6 <= 0:
        w, which = d2 / (d2 - d6), 5
    elif va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v, which = 1 - w, 4
    else:
        v, w = vb / (va + vb + vc), vc / (va + vb + vc)
    return which, plus(plus(a, ab, v), ac, w)


def corner(numbers: np.ndarray, indices: np.ndarray, start: int, at: int) -> Three:
    """A corner of a face: of the vertices from `start` on the one that `indices` names."""
    return row3(numbers, start + 3 * indices[at])


def on_face(numbers: np.ndarray, indices: np.ndarray, start: int, face: int, p: Vector) -> tuple[int, Three]:
    """`on_triangle` of a face of a mesh, whose corners `indices` names from `face` on."""
    return on_triangle(corner(numbers, indices, start, face), corner(numbers, indices, start, face + 1),
                       corner(numbers, indices, start, face + 2), p)


def segments(p: Vector, e: Vector, q: Vector, f: Vector, on_p: np.ndarray, on_q: np.ndarray) -> float:
    """Square of the distance of the segments p + s e and q + t f, s and t in 0 … 1, with the nearest points."""
    r = minus(p, q)
    ee, ff, ef, er, fr = dot3(e, e), dot3(f, f), dot3(e, f), dot3(e, r), dot3(f, r)
    det = ee * ff - ef * ef
    s = min(max((ef * fr - er * ff) / det, 0.0), 1.0) if det > PARALLEL_SEGMENTS * ee * ff else 0.0
    t = (ef * s + fr) / ff
    if t < 0:
        t, s = 0.0, min(max(-er / ee, 0.0), 1.0)
    elif t > 1:
        t, s = 1.0, min(max((ef - er) / ee, 0.0), 1.0)
    on_p[:] = plus(p, e, s)
    on_q[:] = plus(q, f, t)
    d = minus(on_p, on_q)
    return dot3(d, d)


def pierces(p: Vector, e: Vector, a: Vector, b: Vector, c: Vector) -> bool:
    """Whether the segment p … p + e passes through the triangle a, b, c."""
    ab = minus(b, a)
    n = cross3(ab, minus(c, a))
    along = dot3(n, e)
    if along == 0:
        return False
    t = dot3(n, minus(a, p)) / along
    if t < 0 or t > 1:
        return False
    x = plus(p, e, t)
    return (dot3(n, cross3(ab, minus(x, a))) >= 0 and dot3(n, cross3(minus(c, b), minus(x, b))) >= 0
            and dot3(n, cross3(minus(a, c), minus(x, c))) >= 0)
