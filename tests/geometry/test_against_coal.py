"""Distances of separated shapes against coal (hpp-fcl), an independent library of collisions."""

import numpy as np
import pytest
from geometry_models import pose

from linkwright import geometry

coal = pytest.importorskip("coal")

TOLERANCE = {"closed": 1e-9, "iterated": 1e-6}


def convex(points, radius=0.0):
    cloud = coal.StdVec_Vec3s() if hasattr(coal, "StdVec_Vec3s") else coal.StdVec_Vec3f()
    for p in points:
        cloud.append(np.asarray(p, dtype=float))
    hull = coal.Convex.convexHull(cloud, True, "Qt")
    hull.setSweptSphereRadius(radius)
    return hull


def other(shape):
    """(coal's shape, rotation that its axes need) for one of ours."""
    match shape:
        case geometry.Point():
            return coal.Sphere(0.0)
        case geometry.Plane():
            return coal.Halfspace(np.asarray(shape.n), 0.0)
        case geometry.Sphere():
            return coal.Sphere(shape.radius)
        case geometry.Capsule():
            return coal.Capsule(shape.radius, shape.length)
        case geometry.Box():
            return coal.Box(*shape.size)
        case geometry.Cylinder():
            return coal.Cylinder(shape.radius, shape.length)
        case geometry.Ellipsoid():
            return coal.Ellipsoid(*shape.radii)
        case geometry.Convex():
            return convex(shape.points, shape.radius)


def coal_distance(a, X_WA, b, X_WB) -> float:
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = 1e-12
    request.gjk_max_iterations = 1000
    # its other criteria end too early at such a tolerance, up to 5 % off for ellipsoids
    request.gjk_convergence_criterion = coal.GJKConvergenceCriterion.Default
    transform = [coal.Transform3s(X.R, X.p) for X in (X_WA, X_WB)]
    return coal.distance(other(a), transform[0], other(b), transform[1], request, result)


def random_shape(kind, rng):
    """A shape of random sizes, its axis along z as coal has it."""
    sizes = rng.uniform(0.1, 0.8, 3)
    make = {
        geometry.Point: lambda: geometry.Point(),
        geometry.Plane: lambda: geometry.Plane(rng.normal(size=3)),
        geometry.Sphere: lambda: geometry.Sphere(sizes[0]),
        geometry.Capsule: lambda: geometry.Capsule(sizes[0], sizes[1]),
        geometry.Box: lambda: geometry.Box(sizes),
        geometry.Cylinder: lambda: geometry.Cylinder(sizes[0], sizes[1]),
        geometry.Ellipsoid: lambda: geometry.Ellipsoid(sizes),
        geometry.Convex: lambda: geometry.Convex(rng.normal(size=(20, 3)) * 0.3),
    }
    return make[kind]()


CLOSED = [
    *[(geometry.Plane, kind) for kind in (geometry.Sphere, geometry.Capsule, geometry.Box, geometry.Cylinder,
                                          geometry.Ellipsoid, geometry.Convex)],
    *[(geometry.Sphere, kind) for kind in (geometry.Sphere, geometry.Capsule, geometry.Box, geometry.Cylinder)],
    *[(geometry.Point, kind) for kind in (geometry.Sphere, geometry.Capsule, geometry.Box, geometry.Cylinder)],
    (geometry.Capsule, geometry.Capsule),
]
ITERATED = [(geometry.Point, geometry.Ellipsoid), (geometry.Sphere, geometry.Ellipsoid),
            (geometry.Ellipsoid, geometry.Ellipsoid)]

SOLID = (geometry.Capsule, geometry.Box, geometry.Cylinder, geometry.Ellipsoid, geometry.Convex)
BY_LOOP = [(a, b) for k, a in enumerate(SOLID) for b in SOLID[k:]]

kinds_of = {"ids": lambda kinds: "-".join(kind.__name__ for kind in kinds)}


def farthest(shape, X, d):
    """The point of a shape farthest along d."""
    d = X.R.T @ d
    match shape:
        case geometry.Point():
            p = np.zeros(3)
        case geometry.Sphere():
            p = shape.radius * d
        case geometry.Capsule():
            p = np.sign(d @ shape.n) * shape.length / 2 * shape.n + shape.radius * d
        case geometry.Box():
            p = np.sign(d) * np.array(shape.size) / 2
        case geometry.Cylinder():
            p = np.array([*shape.radius * d[:2] / np.hypot(*d[:2]), np.sign(d[2]) * shape.length / 2])
        case geometry.Ellipsoid():
            square = np.square(shape.radii)
            p = square * d / np.sqrt(d @ (square * d))
        case geometry.Convex():
            p = shape.vertices[np.argmax(shape.vertices @ d)]
    return X.p + X.R @ p


def certain(a, X_WA, b, X_WB, touch, tolerance) -> bool:
    """Whether a gap is right by itself: no less than between the planes across its normal that support both shapes, no
    more than between its two points, each of which the planes across many directions leave inside its shape."""
    n, slack = touch.normal, tolerance
    if n @ (farthest(b, X_WB, -n) - farthest(a, X_WA, n)) < touch.gap - slack:
        return False
    directions = np.random.default_rng(0).normal(size=(500, 3))
    return all(d @ (p - farthest(shape, X, d)) < slack for shape, X, p in ((a, X_WA, touch.point_a),
                                                                          (b, X_WB, touch.point_b))
               for d in directions / np.linalg.norm(directions, axis=1)[:, None])


def compare(kinds, n, seed, tolerance):
    """Random pairs against coal; where the two differ, as they do once in hundreds of pairs with cylinders and
    ellipsoids, ours must be certain."""
    rng = np.random.default_rng(seed)
    compared = differed = 0
    while compared < n:
        a, b = (random_shape(kind, rng) for kind in kinds)
        X_WA, X_WB = pose(rng, spread=0.8), pose(rng, spread=0.8)
        theirs = coal_distance(a, X_WA, b, X_WB)
        if theirs <= 1e-4:
            continue
        ours = geometry.distance(a, X_WA, b, X_WB)
        if not abs(ours.gap - theirs) < tolerance:
            assert certain(a, X_WA, b, X_WB, ours, tolerance), (kinds, compared, ours, theirs)
            differed += 1
        compared += 1
    assert differed <= 0.01 * n
    return differed


@pytest.mark.parametrize("kinds", CLOSED, **kinds_of)
def test_closed_forms(kinds):
    compare(kinds, 30, 0, TOLERANCE["closed"])


@pytest.mark.parametrize("kinds", ITERATED, **kinds_of)
def test_iterated(kinds):
    compare(kinds, 30, 0, TOLERANCE["iterated"])


@pytest.mark.parametrize("kinds", BY_LOOP, **kinds_of)
def test_solids(kinds):
    compare(kinds, 40, 1, TOLERANCE["iterated"])


@pytest.mark.slow
@pytest.mark.parametrize("kinds", BY_LOOP, **kinds_of)
def test_solids_many(kinds):
    compare(kinds, 10_000, 1, TOLERANCE["iterated"])


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ITERATED, **kinds_of)
def test_iterated_many(kinds):
    compare(kinds, 10_000, 1, TOLERANCE["iterated"])


@pytest.mark.slow
@pytest.mark.parametrize("kinds", CLOSED, **kinds_of)
def test_closed_forms_many(kinds):
    compare(kinds, 10_000, 1, TOLERANCE["closed"])
