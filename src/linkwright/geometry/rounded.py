"""Bodies with flat faces, rounded a little: the corners and edges of a core, and the ball it is grown by.

Faces stay where they are; only edges and corners lose a little.  Over a rounded body the normal is continuous, and so
is the force of a law, as long as the two overlap by less than their radii together.  A round rim becomes a polygon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..algebra import axis_frame
from .shapes import Box, Capsule, Convex, Cylinder, Disc, Point, Shape, Sphere
from .tolerances import EDGE_RADIUS, RIM_CORNERS, SAME_CORNER, SAME_FACE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class Rounded:
    """The core of a body: `vertices` (n, 3), `edges` (m, 2) as pairs of them; and the radius it is grown by."""

    vertices: np.ndarray
    edges: np.ndarray
    radius: float


def rounded(shape: Shape) -> Rounded:
    """A convex body with flat faces, a capsule, a ball or a point as a core and a radius."""
    match shape:
        case Point() | Sphere():
            return Rounded(np.zeros((1, 3)), _no_edges(), 0.0 if isinstance(shape, Point) else float(shape.radius))
        case Capsule():
            ends = np.array([[-0.5], [0.5]]) * float(shape.length) * shape.n
            return Rounded(ends, np.array([[0, 1]]), float(shape.radius))
        case Box():
            radius = EDGE_RADIUS * min(shape.size)
            return _core(Box([size - 2 * radius for size in shape.size]).corners(), radius)
        case Cylinder():
            radius = EDGE_RADIUS * min(float(shape.length), 2 * float(shape.radius))
            ends = np.array([-0.5, 0.5])[:, None, None] * (float(shape.length) - 2 * radius) * shape.n
            return _core((ends + _polygon(float(shape.radius) - radius, shape.n)).reshape(-1, 3), radius)
        case Disc():
            radius = EDGE_RADIUS * float(shape.radius)
            rim, k = _polygon(float(shape.radius) - radius, shape.n), np.arange(RIM_CORNERS)
            return Rounded(rim, np.column_stack([k, (k + 1) % RIM_CORNERS]), radius)
        case Convex() if shape.radius > 0:
            return _core(shape.vertices, float(shape.radius))
    radius = EDGE_RADIUS * _least_width(shape.vertices)
    return _core(_shrunk(shape.vertices, radius), radius)


def _no_edges() -> np.ndarray:
    return np.zeros((0, 2), dtype=np.int64)


def _core(vertices: ArrayLike, radius: float) -> Rounded:
    vertices = np.asarray(vertices, dtype=float)
    return Rounded(vertices, _edges(vertices), radius)


def _edges(vertices: np.ndarray) -> np.ndarray:
    """Edges of a convex body at which its faces meet at an angle."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices)
    normals: dict[tuple[int, int], list] = {}
    for face, plane in zip(hull.simplices, hull.equations, strict=True):
        for k in range(3):
            i, j = sorted((int(face[k]), int(face[(k + 1) % 3])))
            normals.setdefault((i, j), []).append(plane[:3])
    sharp = sorted(edge for edge, (m, n) in normals.items() if m @ n < 1 - SAME_FACE)
    return np.array(sharp, dtype=np.int64).reshape(-1, 2)


def _least_width(vertices: np.ndarray) -> float:
    """The least distance of two parallel planes that hold a convex body, one of them along a face."""
    from scipy.spatial import ConvexHull

    along = vertices @ ConvexHull(vertices).equations[:, :3].T
    return float(np.ptp(along, axis=0).min())


def _shrunk(vertices: np.ndarray, by: float) -> np.ndarray:
    """The corners of a convex body whose faces all lie `by` further inside."""
    from scipy.spatial import ConvexHull, HalfspaceIntersection

    planes = ConvexHull(vertices).equations.copy()
    planes[:, 3] += by
    # Qhull rounds corners that many planes share in several ways
    corners = HalfspaceIntersection(planes, vertices.mean(axis=0)).intersections
    _, first = np.unique(np.round(corners / (SAME_CORNER * np.ptp(vertices))), axis=0, return_index=True)
    corners = corners[first]
    return corners[ConvexHull(corners).vertices]


def _polygon(radius: float, n: np.ndarray) -> np.ndarray:
    """Corners of a regular polygon across n."""
    x, y = axis_frame(n)[:, 0], axis_frame(n)[:, 1]
    angle = 2 * np.pi * np.arange(RIM_CORNERS)[:, None] / RIM_CORNERS
    return radius * (np.cos(angle) * x + np.sin(angle) * y)
