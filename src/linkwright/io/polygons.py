"""Polygons of mesh files as triangles: a corner that lies outside of all others' triangle is cut off, and so on.

(Ear clipping; Meisters: Polygons have ears, Amer. Math. Monthly 82 (1975) 648.)  Masses in MJCF files follow from the
triangles that MuJoCo's reader of OBJ files makes, which do not always cover a polygon once (`cut_in_single`).
"""

from __future__ import annotations

import numpy as np

from .tolerances import MOST_CORNERS

#: a corner whose sides span less is straight (rounding of single precision, in the file's units)
EPS = np.finfo(np.float32).eps


def cut_into_triangles(points: np.ndarray) -> list[tuple[int, int, int]]:
    """Triples of corners of a nearly flat polygon, points (n, 3) in order; quadrilaterals by their shorter diagonal."""
    n = len(points)
    if n == 4:
        return [(0, 1, 2), (0, 2, 3)] if _far(points, 0, 2) <= _far(points, 1, 3) else [(0, 1, 3), (1, 2, 3)]
    if n < 4:
        return [(0, 1, 2)] if n == 3 else []
    # Newell's normal; the two axes that it is least along make the plane
    after = np.roll(points, -1, axis=0)
    normal = np.cross(points, after).sum(axis=0)
    k = int(np.argmax(np.abs(normal)))
    flat = points[:, [(k + 1) % 3, (k + 2) % 3]] * np.array([1.0, np.sign(normal[k]) or 1.0])
    left, out, waited = list(range(n)), [], 0
    while len(left) > 3 and waited < len(left):
        a, b, c = left[0], left[1], left[2]
        if _is_ear(flat, a, b, c, left[3:]):
            out.append((a, b, c))
            left.pop(1)
            waited = 0
        else:
            left.append(left.pop(0))
            waited += 1
    # three corners are left, or what has no ear: an outline that crosses itself
    return out + [(left[0], left[j], left[j + 1]) for j in range(1, len(left) - 1)]


def _far(points: np.ndarray, i: int, j: int) -> float:
    return float(np.sum((points[i] - points[j]) ** 2))


def _turn(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Twice the area of p, q, r, positive where they go round to the left; of many points r at once."""
    return (q[0] - p[0]) * (r[..., 1] - p[1]) - (q[1] - p[1]) * (r[..., 0] - p[0])


def _is_ear(flat: np.ndarray, a: int, b: int, c: int, others: list[int]) -> bool:
    """Whether the triangle a, b, c turns to the left and holds no other corner."""
    p, q, r = flat[a], flat[b], flat[c]
    if _turn(p, q, r) <= 0:
        return False
    rest = flat[others]
    rest = rest[~np.any([np.all(rest == corner, axis=1) for corner in (p, q, r)], axis=0)]
    return not np.any((_turn(p, q, rest) >= 0) & (_turn(q, r, rest) >= 0) & (_turn(r, p, rest) >= 0))


def cut_in_single(points: np.ndarray) -> list[tuple[int, int, int]]:
    """The triangles of a polygon in single precision that tinyobjloader, which MuJoCo reads OBJ files with, makes.

    Seen along x, y or z (by the first corner that is not straight), a corner c between b and d is cut off where the
    turn at c and b × c have no different signs and no other corner lies inside.  The sign of b × c depends on where
    the origin lies: this is no test of whether a corner points outwards, so that polygons which are not convex may be
    covered twice in places, and those that are not flat get a surface of their own.  A mass that counts all tetrahedra
    as positive is larger by that.  Polygons of more than a hundred corners are dropped (MuJoCo 4).
    """
    p, n = np.asarray(points, dtype=np.float32), len(points)
    if n == 4:
        across, other = p[2] - p[0], p[3] - p[1]
        return [(0, 1, 2), (0, 2, 3)] if _square(across) < _square(other) else [(0, 1, 3), (1, 2, 3)]
    if n < 4 or n > MOST_CORNERS:
        return [(0, 1, 2)] if n == 3 else []
    flat = p[:, _seen_along(p)]
    left, out, at, patience = list(range(n)), [], 0, n
    fresh = False
    while len(left) > 3 and patience > 0:
        at -= len(left) if at >= len(left) else 0
        patience = len(left) if fresh else patience - 1
        fresh = False
        order = left[at:] + left[:at]
        b, c, d = (flat[k] for k in order[:3])
        turn, moment = _cross(c - b, d - c), _cross(b, c) * np.float32(0.5)
        if turn * moment < 0 or np.any(_is_inside(flat[order[:3]], flat[order[3:]])):
            at += 1
            continue
        out.append((order[0], order[1], order[2]))
        left.remove(order[1])
        fresh = True
    return [*out, (left[0], left[1], left[2])] if len(left) == 3 else out


def _square(x: np.ndarray) -> np.float32:
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]


def _cross(x: np.ndarray, y: np.ndarray) -> np.float32:
    return x[0] * y[1] - x[1] * y[0]


def _seen_along(p: np.ndarray) -> list[int]:
    """The two axes of the plane in which a polygon is seen; y and z where it has no corner to speak of."""
    before, after = np.roll(p, -1, axis=0) - p, np.roll(p, -2, axis=0) - np.roll(p, -1, axis=0)
    x, y, z = (np.abs(before[:, j] * after[:, k] - before[:, k] * after[:, j]) for j, k in ((1, 2), (2, 0), (0, 1)))
    corners = np.flatnonzero((x > EPS) | (y > EPS) | (z > EPS))
    if not len(corners):
        return [1, 2]
    k = corners[0]
    if x[k] > y[k] and x[k] > z[k]:
        return [1, 2]
    return [0, 1] if z[k] > x[k] and z[k] > y[k] else [0, 2]


def _is_inside(triangle: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Which points a ray to the right from which crosses the outline of a triangle an odd number of times."""
    odd = np.zeros(len(points), dtype=bool)
    x, y = points[:, 0], points[:, 1]
    for (x0, y0), (x1, y1) in zip(triangle, np.roll(triangle, 1, axis=0), strict=True):
        between = (y0 > y) != (y1 > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            odd ^= between & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return odd
