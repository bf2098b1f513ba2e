"""The point of a shape that is nearest to a given point, in closed form.

All in the shape's own axes: `nearest(shape, p)` gives the signed distance of p (negative inside), the outward unit
normal there, and the principal curvatures of the surface (None where it has none); the nearest point is then
p − distance · normal.  Inside a shape it is the way out that is shortest.
"""

from __future__ import annotations

import numpy as np

from ..algebra import Array, Scalar, axis_frame, dot
from .selects import choose, clamp, direction, larger, sign, smaller, vec
from .shapes import Box, Capsule, Circle, Cylinder, Disc, Line, Plane, Point, Polygon, Shape, Sphere, Torus

#: distance, normal, curvatures
Nearest = tuple[Scalar, Array, tuple[Scalar, Scalar] | None]


def nearest(shape: Shape, p: Array) -> Nearest:
    """(distance, normal, curvatures) of the surface of `shape` seen from the point p."""
    return _NEAREST[type(shape)](shape, p)


def _point(shape: Point, p: Array) -> Nearest:
    distance, n = direction(p, (1.0, 0.0, 0.0))
    return distance, n, None


def _plane(shape: Plane | Line, p: Array) -> Nearest:
    return dot(shape.n, p), shape.n, (0.0, 0.0)


def _sphere(shape: Sphere | Circle, p: Array) -> Nearest:
    distance, n = direction(p, (1.0, 0.0, 0.0))
    return distance - shape.radius, n, (1 / shape.radius,) * 2


def _capsule(shape: Capsule, p: Array) -> Nearest:
    h, along = shape.length / 2, dot(shape.n, p)
    distance, n = direction(p - clamp(along, -h, h) * shape.n, axis_frame(shape.n)[:, 0])
    on_side = smaller(h - along, along + h) >= 0
    return distance - shape.radius, n, (1 / shape.radius, choose(on_side, 0.0, 1 / shape.radius))


def _box(shape: Box, p: Array) -> Nearest:
    # outside: what clamping to the box leaves over; inside: the face that is least deep
    half = [size / 2 for size in shape.size]
    over = vec(*[p[i] - clamp(p[i], -half[i], half[i]) for i in range(3)])
    depth = [abs_(p[i]) - half[i] for i in range(3)]
    deepest = larger(larger(depth[0], depth[1]), depth[2])
    x_wins, y_wins = depth[0] >= deepest, depth[1] >= deepest
    face = [choose(x_wins, sign(p[0]), 0.0), choose(x_wins, 0.0, choose(y_wins, sign(p[1]), 0.0)),
            choose(x_wins, 0.0, choose(y_wins, 0.0, sign(p[2])))]
    distance, n = direction(over, face)
    # over a face the normal is that of the face: the direction of a gap that closes would be rounding
    others = choose(x_wins, larger(depth[1], depth[2]), choose(y_wins, larger(depth[0], depth[2]),
                                                               larger(depth[0], depth[1])))
    flat = others <= 0
    return choose(flat, deepest, distance), vec(*[choose(flat, face[i], n[i]) for i in range(3)]), (0.0, 0.0)


def _cylinder(shape: Cylinder | Disc, p: Array) -> Nearest:
    # a rectangle in the half plane of (distance from the axis, height)
    half = shape.length / 2 if isinstance(shape, Cylinder) else 0.0
    height = dot(shape.n, p)
    radial, outward = direction(p - height * shape.n, axis_frame(shape.n)[:, 0])
    up = sign(height)
    wide, high = radial - shape.radius, abs_(height) - half
    on_side, on_cap = larger(wide, 0.0), larger(high, 0.0)
    inside = choose(wide >= high, 1.0, 0.0)
    distance, (x, y, _) = _unpacked(direction(vec(on_side, on_cap, 0.0), (inside, 1 - inside, 0.0)))
    deepest = larger(wide, high)
    curvatures = (choose(wide >= high, 1 / shape.radius, 0.0), 0.0)
    return choose(deepest > 0, distance, deepest), x * outward + y * up * shape.n, curvatures


def _torus(shape: Torus, p: Array) -> Nearest:
    height = dot(shape.n, p)
    _, outward = direction(p - height * shape.n, axis_frame(shape.n)[:, 0])
    distance, n = direction(p - shape.R * outward, outward)
    slant = dot(n, outward)
    return distance - shape.r, n, (1 / shape.r, slant / (shape.R + shape.r * slant))


def _polygon(shape: Polygon, p: Array) -> Nearest:
    # outside: the nearest of all edges; inside: the edge that is least deep
    corners = shape.points
    deepest = square = over = face = beside = None
    for corner, following in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = following - corner
        length = float(np.hypot(*edge))
        tangent, out = edge / length, np.array([edge[1], -edge[0]]) / length
        x, y = p[0] - corner[0], p[1] - corner[1]
        depth = out[0] * x + out[1] * y
        way = tangent[0] * x + tangent[1] * y
        along, past = clamp(way, 0.0, length), larger(-way, way - length)
        rest = (x - along * tangent[0], y - along * tangent[1])
        rest_square = rest[0] * rest[0] + rest[1] * rest[1]
        if deepest is None:
            deepest, square, over, face, beside = depth, rest_square, rest, tuple(out), past
            continue
        first = depth > deepest
        face = tuple(choose(first, out[i], face[i]) for i in range(2))
        beside = choose(first, past, beside)
        deepest = larger(depth, deepest)
        first = rest_square < square
        over = tuple(choose(first, rest[i], over[i]) for i in range(2))
        square = smaller(rest_square, square)
    outside = deepest > 0
    over = vec(choose(outside, over[0], 0.0), choose(outside, over[1], 0.0), 0.0)
    distance, n = direction(over, (*face, 0.0))
    # over an edge the normal is that of the edge: the direction of a gap that closes would be rounding
    flat = choose(outside, beside, -1.0) <= 0
    n = vec(choose(flat, face[0], n[0]), choose(flat, face[1], n[1]), 0.0)
    return choose(flat, deepest, distance), n, (0.0, 0.0)


def abs_(x: Scalar) -> Scalar:
    """|x| = max(x, −x)."""
    return larger(x, -x)


def _unpacked(pair: tuple[Scalar, Array]) -> tuple[Scalar, list[Scalar]]:
    return pair[0], [pair[1][i] for i in range(3)]


_NEAREST = {Point: _point, Plane: _plane, Line: _plane, Sphere: _sphere, Circle: _sphere, Capsule: _capsule, Box: _box,
            Cylinder: _cylinder, Disc: _cylinder, Torus: _torus, Polygon: _polygon}
