"""Polygons of mesh files as triangles: a corner that lies outside of all others' triangle is cut off, and so on.

(Ear clipping; Meisters: Polygons have ears, Amer. Math. Monthly 82 (1975) 648.)
"""

from __future__ import annotations

import numpy as np


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
