"""The points of a shape that can touch a plane, in closed form.

All in the shape's own axes: `lowest(shape, down)` takes the unit vector towards the plane and gives for every point
(core, radius, lift, curvatures): the point lies `radius` below the core.  A rim has one point that is lowest, and
where it lies flat a few feet that carry it.

The lowest point of a rim of radius R about the axis a, with s = down − (down·a) a, is R s/|s|: 0/0 where it lies flat.
There R s/√(s² + ε²) goes to the centre, and the feet, fixed on the rim, carry the load.  Tilted, a foot draws back by
R s²/2, so that it never strikes while the body rolls on its rim.
"""

from __future__ import annotations

import numpy as np

from ..algebra import Array, Scalar, axis_frame, dot
from .ellipsoids import ellipsoid_curvatures, ellipsoid_support
from .selects import root, vec
from .shapes import Box, Capsule, Circle, Convex, Cylinder, Disc, Ellipsoid, Point, Polygon, Shape, Sphere, Torus
from .tolerances import FLAT_RIM

#: a point that can touch: core, radius, lift, curvatures
Lowest = tuple[Array, Scalar, Scalar, tuple[Scalar, Scalar] | None]


def lowest(shape: Shape, down: Array) -> list[Lowest]:
    """The points (core, radius, lift, curvatures) of `shape` that can touch a plane, `down` pointing to it."""
    return _LOWEST[type(shape)](shape, down)


def n_lowest(shape: Shape) -> int:
    """How many points `lowest` gives."""
    return len(lowest(shape, np.array([0.6, 0.64, 0.48])))


def _point(shape: Point, down: Array) -> list[Lowest]:
    return [(np.zeros(3), 0.0, 0.0, None)]


def _sphere(shape: Sphere | Circle, down: Array) -> list[Lowest]:
    return [(np.zeros(3), shape.radius, 0.0, (1 / shape.radius,) * 2)]


def _capsule(shape: Capsule, down: Array) -> list[Lowest]:
    return [(end * shape.length / 2 * shape.n, shape.radius, 0.0, (1 / shape.radius,) * 2) for end in (-1, 1)]


def _box(shape: Box, down: Array) -> list[Lowest]:
    return [(vec(*corner), 0.0, 0.0, None) for corner in shape.corners()]


def _cylinder(shape: Cylinder, down: Array) -> list[Lowest]:
    rim = _rim(shape.radius, shape.n, shape.feet, down)
    return [(end * shape.length / 2 * shape.n + p, 0.0, lift, None) for end in (-1, 1) for p, lift in rim]


def _disc(shape: Disc, down: Array) -> list[Lowest]:
    return [(p, 0.0, lift, None) for p, lift in _rim(shape.radius, shape.n, shape.feet, down)]


def _torus(shape: Torus, down: Array) -> list[Lowest]:
    across = down - dot(down, shape.n) * shape.n
    slant = root(dot(across, across) + FLAT_RIM**2)
    curvatures = (1 / shape.r, slant / (shape.R + shape.r * slant))
    return [(p, shape.r, lift, curvatures) for p, lift in _rim(shape.R, shape.n, shape.feet, down)]


def _ellipsoid(shape: Ellipsoid, down: Array) -> list[Lowest]:
    return [(ellipsoid_support(shape, down), 0.0, 0.0, ellipsoid_curvatures(shape, down))]


def _convex(shape: Convex, down: Array) -> list[Lowest]:
    curvatures = (1 / shape.radius,) * 2 if shape.radius else None
    return [(corner, shape.radius, 0.0, curvatures) for corner in shape.vertices]


def _polygon(shape: Polygon, down: Array) -> list[Lowest]:
    return [(np.array([x, y, 0.0]), 0.0, 0.0, None) for x, y in shape.points]


def _rim(radius: Scalar, axis: Array, feet: int, down: Array) -> list[tuple[Array, Scalar]]:
    """(position, lift) of the lowest point of a circle, and of its feet."""
    across = down - dot(down, axis) * axis
    square = dot(across, across)
    points = [(radius / root(square + FLAT_RIM**2) * across, 0.0)]
    x, y = (axis_frame(axis)[:, k] for k in range(2))
    for angle in 2 * np.pi * np.arange(feet) / max(feet, 1):
        e = np.round(np.cos(angle), 15) * x + np.round(np.sin(angle), 15) * y
        points.append((radius * e, radius * square / 2))
    return points


_LOWEST = {Point: _point, Sphere: _sphere, Circle: _sphere, Capsule: _capsule, Box: _box, Cylinder: _cylinder,
           Disc: _disc, Torus: _torus, Ellipsoid: _ellipsoid, Convex: _convex, Polygon: _polygon}
