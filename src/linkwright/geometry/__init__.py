"""Shapes and pairs of shapes: gap, normal and points of contact; mass properties of shapes.

A shape is a frozen value in its own axes.  `pair(a, b)` gives a `PairGeometry`: how many contact points the two have,
and `evaluate(X_WA, X_WB)` → a list of `Touch`es, in numbers or CasADi symbols.  What is no closed form declares
`unknowns` for a Newton segment, or a compiled `routine` over arrays.

May import: `algebra`, `errors`, NumPy, CasADi; SciPy when something needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from ..codegen.dialect import Compiled

__all__ = [
    "MESH_SUFFIXES", "PLANAR", "SPATIAL", "Bed", "Box", "Capsule", "Circle", "Convex", "Curve", "Cylinder", "Disc",
    "Ellipsoid", "HeightField", "Line", "Mesh", "PairGeometry", "Plane", "Point", "Polygon", "Pressing", "Routine",
    "Shape", "Sphere", "Torus", "Touch", "Unknowns", "Wrapped", "bed", "box_points", "distance", "file_mesh",
    "geodesics", "homogeneous", "pair", "partners", "press", "reach", "wrap_cylinder", "wrap_sphere",
]


def box_points() -> Compiled:
    """The compiled contact points of two boxes (see `loops.box_manifold`)."""
    from .loops.box_manifold import box_points as touch

    return touch
