"""Rows of pairs that are searched for: gaps change as the bodies move at their points, and a bed of springs on them has
the potential Σ ½ w x²."""

import itertools

import numpy as np
import pytest

from linkwright import geometry
from linkwright.algebra import Transform, rotation_from_angles

CUBE = np.array(list(itertools.product([-0.5, 0.5], repeat=3)))
RANDOM = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def own_numbers():
    """Every test draws the same numbers, whatever ran before it."""
    global RANDOM
    RANDOM = np.random.default_rng(1)



def ball_points(n: int) -> np.ndarray:
    points = np.random.default_rng(1).normal(size=(n, 3))
    return 0.5 * points / np.linalg.norm(points, axis=1, keepdims=True)


def mesh_of(points: np.ndarray) -> geometry.Mesh:
    return geometry.Mesh(*geometry.Convex(points).hull())


def bowl() -> geometry.HeightField:
    x = np.linspace(-2, 2, 21)
    return geometry.HeightField(x, x, 0.1 * x[:, None] ** 2 + 0.2 * np.sin(x))


def tray() -> geometry.Mesh:
    """A box with a hollow of half its height: corners that look inwards."""
    outer, inner = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), 0.8 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    rings = [np.column_stack([ring, np.full(4, z)]) for ring, z in
             ((outer, -0.5), (outer, 0.5), (inner, 0.5), (inner, 0.0))]
    faces = [[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]]
    for low, high in ((0, 4), (4, 8), (8, 12)):
        for k in range(4):
            a, b, c, d = low + k, low + (k + 1) % 4, high + (k + 1) % 4, high + k
            faces += [[a, b, c], [a, c, d]]
    return geometry.Mesh(np.concatenate(rings), faces)


PAIRS = {
    "Convex and Convex": (geometry.Convex(CUBE, 0.05), geometry.Convex(ball_points(12), 0.05), 1.0),
    "Convex and Box": (geometry.Convex(CUBE), geometry.Box([1, 0.5, 0.7]), 1.0),
    "Box and Capsule": (geometry.Box([1, 1, 1]), geometry.Capsule(0.2, 0.8), 0.9),
    "Box and Cylinder": (geometry.Box([1, 1, 1]), geometry.Cylinder(0.4, 0.8), 1.0),
    "Convex and Sphere": (geometry.Convex(CUBE, 0.1), geometry.Sphere(0.3), 0.9),
    "Ellipsoid and Box": (geometry.Ellipsoid([0.5, 0.3, 0.4]), geometry.Box([1, 1, 1]), 0.9),
    "Plane and Mesh": (geometry.Plane([0, 0, 1]), mesh_of(ball_points(40)), 0.5),
    "Mesh and Sphere": (tray(), geometry.Sphere(0.3), 0.6),
    "HeightField and Sphere": (bowl(), geometry.Sphere(0.2), 0.4),
    "HeightField and Torus": (bowl(), geometry.Torus(0.3, 0.1), 0.4),
}


def touching_poses(a, b, size: float, count: int, depth: float = 0.01):
    """Poses of b in a where they overlap a little, found along a random direction."""
    found, pressing = [], geometry.press(a, b)
    while len(found) < count:
        R = rotation_from_angles((1, 2, 3), RANDOM.uniform(-np.pi, np.pi, 3))
        way = RANDOM.normal(size=3)
        way /= np.linalg.norm(way)
        if isinstance(a, geometry.Plane | geometry.HeightField):
            way[2] = abs(way[2])
        low, high = 0.0, 3.0 * size
        for _ in range(50):
            middle = (low + high) / 2
            gap = min(t.gap for t, _ in pressing.numeric(Transform(R, middle * way)))
            low, high = (middle, high) if gap < -depth * size else (low, middle)
        if abs(gap + depth * size) < 1e-6:
            found.append(Transform(R, low * way))
    return found


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name == "Convex and Convex" else name
                                  for name in PAIRS])
def test_a_bed_of_springs_has_a_potential(name):
    """The power of k w x n at the points is the rate of −Σ ½ k w x², by central differences: nothing is won or lost."""
    a, b, size = PAIRS[name]
    pressing = geometry.press(a, b)

    def energy(X):
        return sum(0.5 * w * min(t.gap, 0) ** 2 for t, w in pressing.numeric(X))

    checked = 0
    for X in touching_poses(a, b, size, 25):
        rows = pressing.numeric(X)
        if any(0 < w < 1 for _, w in rows):
            continue  # rows that fade have none
        # the gap of an ellipsoid at an edge is iterated, and known to 1e-8 of its size
        turn, way, h = RANDOM.normal(size=3), RANDOM.normal(size=3), 1e-4 if name.startswith("Ellipsoid") else 1e-6
        ends = [energy(Transform(rotation_from_angles((1, 2, 3), s * h * turn) @ X.R, X.p + s * h * way))
                for s in (1, -1)]
        rate = (ends[0] - ends[1]) / (2 * h)
        power = sum(w * min(t.gap, 0) * t.normal @ (way + np.cross(turn, t.point_b - X.p)) for t, w in rows)
        assert rate == pytest.approx(power, abs=2e-6 * size), name
        checked += 1
    assert checked > 5


@pytest.mark.parametrize("name", PAIRS)
def test_the_least_gap_is_the_distance(name):
    """The first row of rounded bodies that are apart is their distance; sharp corners lose the rounding."""
    a, b, size = PAIRS[name]
    pressing = geometry.press(a, b)
    for _ in range(20):
        R, way = rotation_from_angles((1, 2, 3), RANDOM.uniform(-np.pi, np.pi, 3)), RANDOM.normal(size=3)
        if isinstance(a, geometry.Plane | geometry.HeightField):
            way[2] = 2 + abs(way[2])
        X = Transform(R, 3 * size * way / np.linalg.norm(way))
        exact = geometry.distance(a, Transform(), b, X).gap
        touch, _ = min(pressing.numeric(X), key=lambda row: row[0].gap)
        assert -1e-9 <= touch.gap - exact < 0.04 * size
        assert np.allclose(touch.point_b - touch.point_a, touch.gap * touch.normal)
