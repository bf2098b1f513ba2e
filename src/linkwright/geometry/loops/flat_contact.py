"""Where a flat contact rests: the common part of the two faces that lie on one another, as up to four points.

Of each body the outline points are taken that lie within a band of the farthest along the normal, of a cylinder on its
side the ends of the line it lies on; seen along the normal they span a polygon, a segment or a point.  The two are
clipped against one another, and of what they share the points farthest out in four directions are kept, each with its
own gap along the normal.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import reals, sqrt, wholes
from ..tolerances import FACE_BAND, LYING, NO_CORNER, TINY
from .convex_bodies import CYLINDER, HEADER
from .perpendiculars import tangents, turned_tangents
from .vectors import Three, Vector, carried, cross3, dot3, minus, plus, row3, times

MOST, TWICE = 64, 128


def face_of(numbers: np.ndarray, indices: np.ndarray, body: int, X: np.ndarray, n: Vector, along: float,
            points: np.ndarray) -> int:
    """Outline points of a body (world) that are farthest in the direction `along`·n, in order around n; how many."""
    if indices[body * HEADER] == CYLINDER:
        found = _side_of(numbers, indices[body * HEADER + 5], X, n, along, points)
        if found > 0:
            return found
    first, count = indices[body * HEADER + 3], indices[body * HEADER + 4]
    most, least = -np.inf, np.inf
    for k in range(count):
        p = carried(X, row3(numbers, first + 3 * k))
        height = along * dot3(n, p)
        most, least = max(most, height), min(least, height)
    size = _outline_size(numbers, first, count)
    found = 0
    for k in range(count):
        p = carried(X, row3(numbers, first + 3 * k))
        if along * dot3(n, p) >= most - FACE_BAND * size and found < MOST:
            points[found] = p
            found += 1
    return _around(points, found, n)


def _side_of(numbers: np.ndarray, sizes: int, X: np.ndarray, n: Vector, along: float, points: np.ndarray) -> int:
    """The ends of the line on which a cylinder lies across n, one of them where it is tilted; 0 where it stands."""
    radius, half = numbers[sizes + 1], numbers[sizes + 2]
    axis = minus(carried(X, row3(numbers, sizes + 4)), row3(X, 9))
    slope = along * dot3(n, axis)
    across = plus(times(along, n), axis, -slope)
    length = sqrt(dot3(across, across))
    if length < LYING:
        return 0
    found = 0
    for k in range(2):
        end = half if k == 0 else -half
        # the higher end, and the other where it is within the band
        if slope * end >= abs(slope) * half - FACE_BAND * max(2 * half, 2 * radius) and (k == 0 or half > 0):
            points[found] = plus(plus(row3(X, 9), axis, end), across, radius / length)
            found += 1
    return found


def _outline_size(numbers: np.ndarray, first: int, count: int) -> float:
    size = 0.0
    for k in range(1, count):
        for i in range(3):
            size = max(size, abs(numbers[first + 3 * k + i] - numbers[first + i]))
    return size


def _around(points: np.ndarray, count: int, n: Vector) -> int:
    """The convex outline of points seen along n, counter-clockwise (Andrew's chains); how many corners it has."""
    if count < 3:
        return count
    u, v = tangents(n)
    x, y = reals(MOST), reals(MOST)
    for k in range(count):
        x[k], y[k] = dot3(points[k], u), dot3(points[k], v)
    order = wholes(MOST)
    for k in range(count):  # by x, then y
        j = k
        while j > 0 and (x[order[j - 1]] > x[k] or (x[order[j - 1]] == x[k] and y[order[j - 1]] > y[k])):
            order[j] = order[j - 1]
            j -= 1
        order[j] = k
    scale = NO_CORNER * (x[order[count - 1]] - x[order[0]] + TINY) ** 2
    chain = wholes(TWICE)
    length = 0
    for turn in range(2):
        start = length
        for step in range(count):
            next_one = order[step] if turn == 0 else order[count - 1 - step]
            if turn == 1 and step == 0:
                continue
            while length - start >= (2 if turn == 0 else 1) and _turn(x, y, chain, length, next_one) <= scale:
                length -= 1
            chain[length] = next_one
            length += 1
    length -= 1  # the first corner comes twice
    kept = reals(MOST, 3)
    for k in range(length):
        kept[k] = points[chain[k]]
    for k in range(length):
        points[k] = kept[k]
    return length


def _turn(x: np.ndarray, y: np.ndarray, chain: np.ndarray, length: int, k: int) -> float:
    """Twice the area of the last two corners and a third."""
    i, j = chain[length - 2], chain[length - 1]
    return (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])


def clip(polygon: np.ndarray, corners: int, n: Vector, other: np.ndarray, count: int, work: np.ndarray) -> int:
    """Cut a polygon, segment or point (`other`) by the sides of a polygon seen along n; how many points are left."""
    for k in range(corners):
        start, end = polygon[k], polygon[(k + 1) % corners]
        inward = cross3(n, minus(end, start))
        kept = 0
        for j in range(count):
            a, b = other[j], other[(j + 1) % count]
            inside, next_inside = dot3(inward, minus(a, start)), dot3(inward, minus(b, start))
            if inside >= 0 and kept < MOST:
                work[kept] = a
                kept += 1
            crossing = (inside < 0) != (next_inside < 0) and not (count == 2 and j == 1)
            if crossing and kept < MOST:
                t = inside / (inside - next_inside)
                work[kept] = plus(a, minus(b, a), t)
                kept += 1
        for j in range(kept):
            other[j] = work[j]
        count = kept
        if count == 0:
            break
    return count


def plane_normal(polygon: np.ndarray, corners: int, n: Vector) -> Three:
    """The unit normal of a flat polygon (Newell), on the side of n."""
    m = 0.0, 0.0, 0.0
    for k in range(corners):
        m = plus(m, cross3(minus(polygon[k], polygon[0]), minus(polygon[(k + 1) % corners], polygon[0])), 1.0)
    length = sqrt(dot3(m, m))
    if length == 0 or dot3(m, n) < 0.5 * length:
        return row3(n, 0)
    return times(1 / length, m)


def four_of(points: np.ndarray, count: int, X: np.ndarray, n: Vector, chosen: np.ndarray) -> int:
    """The places of up to four points that lie farthest out across n, in directions that turn with a body in the pose
    X; how many are different."""
    u, v = turned_tangents(X, n)
    found = 0
    for k in range(4):
        d = u if k < 2 else v
        s = 1.0 if k % 2 == 0 else -1.0
        best, most = 0, -np.inf
        for j in range(count):
            # turned a little, so that a rectangle along u and v gives its four corners
            along = s * (dot3(points[j], d) + (0.3 if k < 2 else -0.3) * dot3(points[j], v if k < 2 else u))
            if along > most:
                best, most = j, along
        new = True
        for j in range(found):
            new &= chosen[j] != best
        if new:
            chosen[found] = best
            found += 1
    return found
