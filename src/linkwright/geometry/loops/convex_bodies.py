"""Convex bodies as arrays: a core that a support function describes, grown by a radius.

    points     the corners of a polyhedron, the ends of a segment, or one point
    ellipse    an ellipsoid with three half axes
    cylinder   radius and half length along an axis; a disc has no length

The outline is a set of points on the core that a flat contact can rest on: corners, ends, points of a rim.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...algebra import Scalar, axis_frame
from ...codegen.dialect import sqrt
from ...errors import ModelError
from ..shapes import Box, Capsule, Convex, Cylinder, Disc, Ellipsoid, Point, Shape, Sphere
from ..tolerances import ALONG_AXIS, RIM_POINTS
from .vectors import Three, Vector, carried

POINTS, ELLIPSE, CYLINDER = 0, 1, 2

#: integers that describe a body: kind, where its core begins and how many points it has, and likewise its outline,
#: where its sizes (radius, three more, axis) begin
HEADER = 6

CONVEX = (Point, Sphere, Capsule, Box, Cylinder, Disc, Ellipsoid, Convex)


def pack(*shapes: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Convex shapes as (numbers, indices)."""
    numbers, indices = [], []
    for shape in shapes:
        kind, core, outline, sizes = _body(shape)
        header = [kind]
        for points in (core, outline):
            header += [sum(map(len, numbers)), len(points)]
            numbers.append(np.asarray(points, dtype=float).ravel())
        header.append(sum(map(len, numbers)))
        numbers.append(np.asarray(sizes, dtype=float))
        indices += header
    return np.concatenate(numbers), np.array(indices, dtype=np.int64)


def _body(shape: Shape) -> tuple[int, np.ndarray, np.ndarray, list[Scalar]]:
    """(kind, core, outline, sizes)."""
    centre, none, no_axis = np.zeros((1, 3)), np.zeros((0, 3)), [0.0, 0.0, 1.0]
    match shape:
        case Point():
            return POINTS, centre, none, [0.0, 0, 0, 0, *no_axis]
        case Sphere():
            return POINTS, centre, none, [shape.radius, 0, 0, 0, *no_axis]
        case Capsule():
            ends = np.array([-1, 1])[:, None] * shape.length / 2 * shape.n
            return POINTS, ends, ends, [shape.radius, 0, 0, 0, *no_axis]
        case Box():
            corners = np.array(shape.corners())
            return POINTS, corners, corners, [0.0, 0, 0, 0, *no_axis]
        case Convex():
            return POINTS, shape.vertices, shape.vertices, [shape.radius, 0, 0, 0, *no_axis]
        case Cylinder():
            ends = np.array([-1, 1])[:, None] * shape.length / 2 * shape.n
            rim = np.concatenate([end + _rim(shape) for end in ends])
            return CYLINDER, none, rim, [0.0, shape.radius, shape.length / 2, 0, *shape.n]
        case Disc():
            return CYLINDER, none, _rim(shape), [0.0, shape.radius, 0.0, 0, *shape.n]
        case Ellipsoid():
            return ELLIPSE, none, none, [0.0, *shape.radii, *no_axis]
    raise ModelError(f"a {shape.kind} is no convex body.")


def _rim(shape: Cylinder | Disc) -> np.ndarray:
    x, y = axis_frame(shape.n)[:, 0], axis_frame(shape.n)[:, 1]
    angle = 2 * np.pi * np.arange(RIM_POINTS)[:, None] / RIM_POINTS
    return shape.radius * (np.cos(angle) * x + np.sin(angle) * y)


def grown(numbers: np.ndarray, indices: np.ndarray, body: int) -> float:
    """The radius by which the core of a body is grown."""
    return numbers[indices[body * HEADER + 5]]


def support(numbers: np.ndarray, indices: np.ndarray, body: int, X: np.ndarray, d: Vector) -> Three:
    """The point of the core of a body in the pose X that is farthest along the world direction d."""
    at = body * HEADER
    kind, first, count, sizes = indices[at], indices[at + 1], indices[at + 2], indices[at + 5]
    x = X[0] * d[0] + X[3] * d[1] + X[6] * d[2]
    y = X[1] * d[0] + X[4] * d[1] + X[7] * d[2]
    z = X[2] * d[0] + X[5] * d[1] + X[8] * d[2]
    if kind == POINTS:
        best, most = first, -np.inf
        for k in range(count):
            p = first + 3 * k
            along = numbers[p] * x + numbers[p + 1] * y + numbers[p + 2] * z
            if along > most:
                best, most = p, along
        x, y, z = numbers[best], numbers[best + 1], numbers[best + 2]
    elif kind == ELLIPSE:
        a, b, c = numbers[sizes + 1] ** 2 * x, numbers[sizes + 2] ** 2 * y, numbers[sizes + 3] ** 2 * z
        h = sqrt(a * x + b * y + c * z)
        x, y, z = a / h, b / h, c / h
    else:
        u, v, w = numbers[sizes + 4], numbers[sizes + 5], numbers[sizes + 6]
        along = x * u + y * v + z * w
        x, y, z = x - along * u, y - along * v, z - along * w
        across = sqrt(x * x + y * y + z * z)
        r = numbers[sizes + 1] / across if across > ALONG_AXIS * abs(along) else 0.0
        h = numbers[sizes + 2] if along >= 0 else -numbers[sizes + 2]
        x, y, z = r * x + h * u, r * y + h * v, r * z + h * w
    return carried(X, (x, y, z))
