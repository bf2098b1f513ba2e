"""Shapes and pairs of shapes: gap, normal and points of contact; mass properties of shapes.

A shape is a frozen value in its own axes.  `pair(a, b)` gives a `PairGeometry`: how many contact points the two have,
and `evaluate(X_WA, X_WB)` → a list of `Touch`es, in numbers or CasADi symbols.  What is no closed form declares
`unknowns` for a Newton segment, or a compiled `routine` over arrays.

May import: `algebra`, `errors`, NumPy, CasADi; SciPy when something needs it.
"""

from __future__ import annotations

import numpy as np

from . import geodesics, homogeneous
from .compliant_pairs import Bed, Pressing, bed, press
from .distances import distance
from .mesh_files import MESH_SUFFIXES, file_mesh
from .pairs import pair, partners
from .reaches import reach
from .shapes import (
    PLANAR,
    SPATIAL,
    Box,
    Capsule,
    Circle,
    Convex,
    Curve,
    Cylinder,
    Disc,
    Ellipsoid,
    HeightField,
    Line,
    Mesh,
    Plane,
    Point,
    Polygon,
    Shape,
    Sphere,
    Torus,
)
from .touch import PairGeometry, Routine, Touch, Unknowns
from .wraps import Wrapped, wrap_cylinder, wrap_sphere

__all__ = [
    "MESH_SUFFIXES", "PLANAR", "SPATIAL", "Bed", "Box", "Capsule", "Circle", "Convex", "Curve", "Cylinder", "Disc",
    "Ellipsoid", "HeightField", "Line", "Mesh", "PairGeometry", "Plane", "Point", "Polygon", "Pressing", "Routine",
    "Shape", "Sphere", "Torus", "Touch", "Unknowns", "Wrapped", "bed", "box_manifolds", "distance", "file_mesh",
    "geodesics", "homogeneous", "near_pairs", "pair", "partners", "press", "reach", "wrap_cylinder", "wrap_sphere",
]


def box_manifolds(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which pair, number and (gap, normal, point_a, point_b) of all contact points (see `loops.box_manifold`)."""
    from .loops.box_manifold import POINTS
    from .loops.box_manifold import box_manifolds as touch

    out, numbers = np.zeros((len(rows), POINTS, 10)), np.empty((len(rows), POINTS), dtype=np.int64)
    touch(np.ascontiguousarray(rows), out, numbers)
    which, point = np.nonzero(numbers >= 0)
    return which, numbers[which, point], out[which, point]


def near_pairs(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Pairs (k, 2) of boxes that overlap (see `loops.broad_phase`)."""
    from .loops.broad_phase import near_pairs as found

    return found(low, high)
