"""Which pairs of shapes can meet, and how each is computed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..algebra import Transform, dot
from ..errors import ModelError
from .boxes import boxes
from .capsules import capsules
from .common_normal import common_normal
from .lowest import lowest, n_lowest
from .nearest import nearest
from .outlines import curve_and_centre, curve_on_line, curves
from .shapes import (
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
from .tolerances import FEW_CORNERS
from .touch import PairGeometry, Touch


def pair(a: Shape, b: Shape) -> PairGeometry:
    """The geometry of two shapes that press on each other; a pair that is not known is refused by name."""
    found = _built(a, b, _TABLE)
    if found is None and _built(a, b, _PASSING) is not None:
        raise ModelError(f"a {a.kind} and a {b.kind} cannot be a contact pair: a Disc has no inside, so that a Point "
                         "passes through it. Take a small Sphere, or a flat Cylinder.")
    if found is None:
        raise ModelError(f"a {a.kind} and a {b.kind} cannot be a contact pair: {_supported(a, b)}")
    return found


def apart(a: Shape, b: Shape) -> PairGeometry:
    """The geometry of two shapes for their distance alone, whether they can press on each other or not."""
    return _built(a, b, _PASSING) or pair(a, b)


def _built(a: Shape, b: Shape, table: dict[tuple[type, type], Callable]) -> PairGeometry | None:
    build = table.get((type(a), type(b)))
    if build is not None:
        return build(a, b)
    build = table.get((type(b), type(a)))
    return None if build is None else build(b, a).exchanged()


def partners(kind: type[Shape]) -> list[str]:
    """The names of the shapes that a kind of shape can meet."""
    return sorted({(y if x is kind else x).__name__ for x, y in _TABLE if kind in (x, y)})


def _supported(a: Shape, b: Shape) -> str:
    kinds = (type(a),) if type(a) is type(b) else (type(a), type(b))
    return "; ".join(f"{kind.__name__} meets {', '.join(partners(kind)) or 'nothing'}" for kind in kinds) + "."


# --- class 1: closed forms ---

def _on_plane(plane: Plane | Line, body: Shape) -> PairGeometry:
    """A body over a plane: the plane is a, every point of the body that can be lowest is a contact point."""

    def touches(X_WA: Transform, X_WB: Transform) -> list[Touch]:
        n = X_WA.R @ plane.n
        found = []
        for core, radius, lift, curvatures in lowest(body, X_WB.R.T @ -n):
            p = X_WB.p + X_WB.R @ core - (radius - lift) * n
            gap = dot(n, p - X_WA.p)
            found.append(Touch(gap, n, p - gap * n, p, curvatures))
        return found

    return PairGeometry(plane, body, n_lowest(body), touches)


def _round(shape: Shape, ball: Point | Sphere | Circle) -> PairGeometry:
    """A point or a ball near a shape: one contact point, along the normal of the shape through the ball's centre."""
    radius = 0.0 if isinstance(ball, Point) else ball.radius

    def touches(X_WA: Transform, X_WB: Transform) -> list[Touch]:
        R_WA = np.eye(3) if isinstance(shape, ROUND) else X_WA.R  # what is round all over looks the same in any axes
        distance, n, curvatures = nearest(shape, R_WA.T @ (X_WB.p - X_WA.p))
        n = R_WA @ n
        together = None if curvatures is None or isinstance(ball, Point) else tuple(k + 1 / radius for k in curvatures)
        return [Touch(distance - radius, n, X_WB.p - distance * n, X_WB.p - radius * n, together)]

    return PairGeometry(shape, ball, 1, touches)


def _polygons(one: Polygon, other: Polygon) -> PairGeometry:
    """Two polygons: every corner of each against the other."""

    def corners(polygon: Polygon, other: Polygon, X_WA: Transform, X_WB: Transform) -> list[Touch]:
        near = _round(other, Point())
        return [near.touches(X_WB, Transform(X_WA.R, X_WA.p + X_WA.R @ np.array([x, y, 0.0])))[0]
                for x, y in polygon.points]

    def touches(X_WA: Transform, X_WB: Transform) -> list[Touch]:
        return [*[touch.exchanged() for touch in corners(one, other, X_WA, X_WB)],
                *corners(other, one, X_WB, X_WA)]

    return PairGeometry(one, other, len(one.points) + len(other.points), touches)


# --- class 3: compiled loops, imported when one is needed ---

def _convex_on_plane(plane: Plane, body: Convex) -> PairGeometry:
    return _on_plane(plane, body) if len(body.vertices) <= FEW_CORNERS else _mesh_on_plane(plane, body)


def _mesh_on_plane(plane: Plane, body: Convex | Mesh) -> PairGeometry:
    from .loops.mesh_pairs import mesh_on_plane

    return mesh_on_plane(plane, body)


def _convex(a: Shape, b: Shape) -> PairGeometry:
    from .loops.convex_pairs import convex_pair

    return convex_pair(a, b)


def _mesh(a: Mesh, b: Shape) -> PairGeometry:
    from .loops.mesh_pairs import mesh_pair

    return mesh_pair(a, b)


def _on_ground(a: HeightField, b: Shape) -> PairGeometry:
    from .grounds import on_height_field

    return on_height_field(a, b)


ROUND = (Point, Sphere)
CONVEX_ON_PLANE = (Point, Sphere, Capsule, Box, Cylinder, Disc, Torus, Ellipsoid)
SOLID = (Capsule, Box, Cylinder, Disc, Ellipsoid, Convex)

_TABLE: dict[tuple[type, type], Callable] = {
    # what follows below stands for what is here
    **{(a, b): _convex for k, a in enumerate(SOLID) for b in SOLID[k:]},
    **{(Convex, kind): _convex for kind in (Point, Sphere)},
    (Plane, Convex): _convex_on_plane,
    (Plane, Mesh): _mesh_on_plane,
    **{(Mesh, kind): _mesh for kind in (Point, Sphere, Mesh)},
    **{(HeightField, kind): _on_ground for kind in (Point, Sphere, Capsule, Box, Convex, Cylinder, Disc, Torus)},
    **{(Plane, kind): _on_plane for kind in CONVEX_ON_PLANE},
    **{(kind, Point): _round for kind in (Sphere, Capsule, Box, Cylinder, Torus)},
    **{(kind, Sphere): _round for kind in (Sphere, Capsule, Box, Cylinder, Disc, Torus)},
    (Capsule, Capsule): capsules,
    (Box, Box): boxes,
    **{(Ellipsoid, kind): common_normal for kind in (Point, Sphere, Ellipsoid)},
    **{(Curve, kind): curve_and_centre for kind in (Point, Sphere, Circle)},
    **{(kind, Curve): curve_on_line for kind in (Line, Plane)},
    (Curve, Curve): curves,
    **{(Line, kind): _on_plane for kind in (Point, Circle, Polygon)},
    **{(kind, Point): _round for kind in (Circle, Polygon)},
    **{(kind, Circle): _round for kind in (Circle, Polygon)},
    (Polygon, Polygon): _polygons,
}
#: shapes that pass through each other: a disc has no inside that a point could be in
_PASSING: dict[tuple[type, type], Callable] = {(Disc, Point): _round}
