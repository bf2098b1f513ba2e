"""Shapes of every kind, random poses, and a pair as a function of symbols."""

import casadi as ca
import numpy as np

from linkwright import geometry
from linkwright.algebra import Transform, rotation_from_vector, rotation_z
from linkwright.geometry.pairs import _TABLE

SHAPES = {
    geometry.Point: lambda: geometry.Point(),
    geometry.Plane: lambda: geometry.Plane([0.1, 1.0, 0.0]),
    geometry.Sphere: lambda: geometry.Sphere(0.3),
    geometry.Capsule: lambda: geometry.Capsule(0.15, 0.7, [1.0, 0.0, 0.0]),
    geometry.Box: lambda: geometry.Box([0.3, 0.5, 0.8]),
    geometry.Cylinder: lambda: geometry.Cylinder(0.25, 0.6, [0.0, 1.0, 0.0]),
    geometry.Disc: lambda: geometry.Disc(0.4, [0.0, 0.6, 0.8]),
    geometry.Torus: lambda: geometry.Torus(0.4, 0.1),
    geometry.Ellipsoid: lambda: geometry.Ellipsoid([0.2, 0.3, 0.5]),
    geometry.Convex: lambda: geometry.Convex(np.random.default_rng(5).normal(size=(12, 3)) * 0.3, radius=0.02),
    geometry.Mesh: lambda: geometry.Mesh(*geometry.Convex(np.random.default_rng(6).normal(size=(20, 3)) * 0.3).hull()),
    geometry.HeightField: lambda: geometry.HeightField(*ground()),
    geometry.Curve: lambda: geometry.Curve(lambda s: (0.5 * ca.cos(s), 0.3 * ca.sin(s) + 0.05 * ca.cos(2 * s))),
    geometry.Line: lambda: geometry.Line([0.3, 1.0]),
    geometry.Circle: lambda: geometry.Circle(0.3),
    geometry.Polygon: lambda: geometry.Polygon([[-0.3, -0.2], [0.4, -0.3], [0.3, 0.3], [-0.2, 0.4]]),
}
def ground():
    """A rolling ground, 20 m across."""
    x, y = np.linspace(-10, 10, 41), np.linspace(-10, 10, 31)
    return x, y, 0.2 * np.sin(x)[:, None] * np.cos(0.7 * y)[None, :]


FLAT = (geometry.Line, geometry.Circle, geometry.Polygon)

PAIRS = sorted(_TABLE, key=lambda kinds: [kind.__name__ for kind in kinds])


def pair_id(kinds):
    return "-".join(kind.__name__ for kind in kinds)


def pose(rng, planar=False, spread=1.0) -> Transform:
    """A random pose, in the plane or in space."""
    if planar:
        return Transform(rotation_z(rng.uniform(-4, 4)), [*rng.normal(size=2) * spread, 0.0])
    return Transform(rotation_from_vector(rng.normal(size=3) * 2), rng.normal(size=3) * spread)


def is_planar(kinds) -> bool:
    return any(kind in FLAT or kind is geometry.Curve for kind in kinds)


def symbolic_pose(name: str) -> Transform:
    """A pose whose entries are symbols; nothing is known of its rotation."""
    return Transform(ca.SX.sym(f"R_{name}", 3, 3), ca.SX.sym(f"p_{name}", 3))


def as_function(geometry_of_pair) -> ca.Function:
    """gap, normal, point_a, point_b of every contact point over R_a, p_a, R_b, p_b (and y)."""
    A, B = symbolic_pose("a"), symbolic_pose("b")
    inputs = [A.R, A.p, B.R, B.p]
    y = None
    if geometry_of_pair.unknowns is not None:
        y = ca.SX.sym("y", len(geometry_of_pair.unknowns.names))
        inputs.append(y)
    touches = geometry_of_pair.evaluate(A, B, y)
    return ca.Function("touches", inputs, [ca.horzcat(*[column(touch) for touch in touches])])


def column(touch):
    return ca.vertcat(touch.gap, touch.normal, touch.point_a, touch.point_b)


def row(touch) -> np.ndarray:
    return np.concatenate([[touch.gap], touch.normal, touch.point_a, touch.point_b])


def table(touches) -> np.ndarray:
    """(n_points, 10)."""
    return np.array([row(touch) for touch in touches])
