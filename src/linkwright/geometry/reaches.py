"""How far shapes reach from the origin of their frame."""

from __future__ import annotations

import numpy as np

from .shapes import (
    Box,
    Capsule,
    Circle,
    Convex,
    Curve,
    Cylinder,
    Disc,
    Ellipsoid,
    Mesh,
    Point,
    Polygon,
    Shape,
    Sphere,
    Torus,
)


def reach(shape: Shape) -> float:
    """The radius (m) of a ball about the origin that holds all of a shape; infinite for planes, lines and ground."""
    if isinstance(shape, Point):
        return 0.0
    if isinstance(shape, Sphere | Circle | Disc):
        return float(shape.radius)
    if isinstance(shape, Capsule):
        return float(shape.length) / 2 + float(shape.radius)
    if isinstance(shape, Box):
        return float(np.linalg.norm(np.asarray(shape.size, dtype=float))) / 2
    if isinstance(shape, Cylinder):
        return float(np.hypot(float(shape.length) / 2, float(shape.radius)))
    if isinstance(shape, Torus):
        return float(shape.R) + float(shape.r)
    if isinstance(shape, Ellipsoid):
        return float(np.max(np.asarray(shape.radii, dtype=float)))
    if isinstance(shape, Convex):
        return float(np.linalg.norm(shape.vertices, axis=1).max() + shape.radius)
    if isinstance(shape, Mesh):
        return float(np.linalg.norm(shape.vertices, axis=1).max())
    if isinstance(shape, Polygon):
        return float(np.linalg.norm(shape.points, axis=1).max())
    if isinstance(shape, Curve):
        return 1.1 * float(np.linalg.norm(shape.sampled(256), axis=1).max())
    return float("inf")
