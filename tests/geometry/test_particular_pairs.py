"""Facts about single pairs: flat rims, parallel capsules, curvatures, brute force where no library has the pair."""

import casadi as ca
import numpy as np
import pytest
from geometry_models import SHAPES, pose, symbolic_pose
from scipy.optimize import lsq_linear, minimize_scalar

from linkwright import geometry
from linkwright.algebra import Transform, rotation_x, rotation_y, rotation_z
from linkwright.errors import ModelError
from linkwright.geometry.pairs import apart
from linkwright.view.contact_shapes import surface

UP = geometry.Plane([0.0, 0.0, 1.0])
HERE = Transform()


def gaps(pair, X_WA, X_WB):
    return np.array([touch.gap for touch in pair.evaluate(X_WA, X_WB)])


# --- rims ---

def test_a_standing_cylinder_is_carried_by_four_feet():
    pair = geometry.pair(UP, geometry.Cylinder(0.2, 0.6))
    touches = pair.evaluate(HERE, Transform(None, [0, 0, 0.3]))
    low = [touch for touch in touches if abs(touch.gap) < 1e-12]
    rim = [touch for touch in low if abs(np.hypot(*touch.point_b[:2]) - 0.2) < 1e-12]
    assert len(rim) == 4 and len(low) == 5  # and the middle, where the lowest point of a flat rim is
    assert np.abs(sum(touch.point_b for touch in rim)).max() < 1e-12


def test_a_lying_cylinder_is_carried_by_its_two_rims():
    pair = geometry.pair(UP, geometry.Cylinder(0.2, 0.6))
    touches = pair.evaluate(HERE, Transform(rotation_x(np.pi / 2) @ rotation_y(0.3), [0, 0, 0.2]))
    low = [touch for touch in touches if touch.gap < 1e-12]
    assert len(low) == 2 and np.linalg.norm(low[0].point_b - low[1].point_b) == pytest.approx(0.6, abs=1e-12)


@pytest.mark.parametrize("shape, across", [(geometry.Disc(0.4), 0.4), (geometry.Torus(0.3, 0.1), 0.3)],
                         ids=["Disc", "Torus"])
def test_a_rolling_rim_touches_in_one_point_only_and_its_feet_stay_off(shape, across):
    """Tilted by any angle and turned about its axis, the feet are higher than the lowest point of the rim."""
    pair = geometry.pair(UP, shape)
    for tilt in (1e-5, 1e-3, 0.1, 1.0, np.pi / 2):
        for turn in np.linspace(0, 2 * np.pi, 17):
            lowest, *feet = gaps(pair, HERE, Transform(rotation_x(tilt) @ rotation_z(turn), [0, 0, 1.0]))
            assert min(feet) - lowest > 0.4 * across * np.sin(tilt) ** 2
            radius = getattr(shape, "r", 0.0)
            assert lowest == pytest.approx(1.0 - radius - across * np.sin(tilt), abs=1e-8 * across)


def test_the_lowest_point_of_a_rim_has_finite_derivatives_where_it_lies_flat():
    A, B = symbolic_pose("a"), symbolic_pose("b")
    pair = geometry.pair(UP, geometry.Disc(0.4))
    everything = ca.vertcat(*[ca.vertcat(touch.gap, touch.point_b) for touch in pair.evaluate(A, B)])
    slope = ca.Function("f", [A.R, A.p, B.R, B.p], [ca.jacobian(everything, ca.vec(B.R))])
    assert np.all(np.isfinite(np.array(slope(np.eye(3), np.zeros(3), np.eye(3), np.zeros(3)))))


def test_a_wheel_without_feet_has_one_point():
    assert geometry.pair(UP, geometry.Disc(0.4, feet=0)).n_points == 1
    assert geometry.pair(UP, geometry.Torus(0.4, 0.1, feet=0)).n_points == 1


# --- capsules ---

def test_parallel_capsules_touch_at_both_ends_of_the_stretch_they_share():
    pair = geometry.pair(geometry.Capsule(0.1, 1.0), geometry.Capsule(0.2, 0.6))
    touches = pair.evaluate(HERE, Transform(None, [0.5, 0.0, 0.4]))
    near = [touch for touch in touches if abs(touch.gap - 0.2) < 1e-12]
    assert sorted(round(touch.point_a[2], 12) for touch in near) == [0.1, 0.5]
    assert all(np.allclose(touch.normal, [1, 0, 0]) for touch in near)
    # turned round, they share the same stretch
    touches = pair.evaluate(HERE, Transform(rotation_x(np.pi), [0.5, 0.0, 0.4]))
    assert sorted(round(t.point_a[2], 9) for t in touches if abs(t.gap - 0.2) < 1e-9) == [0.1, 0.5]


def test_nearly_parallel_capsules_keep_their_distance():
    """The gap as the angle goes through zero, against the least distance of a point of one axis from the other."""
    one, other = geometry.Capsule(0.1, 1.0), geometry.Capsule(0.2, 0.6)
    pair = geometry.pair(one, other)
    for angle in [*np.logspace(-12, 0, 25), *-np.logspace(-12, 0, 25)]:
        X = Transform(rotation_y(angle) @ rotation_x(angle / 3), [0.5, 0.1, 0.05])
        a, b = np.array([0, 0, 1.0]), X.R @ [0, 0, 1.0]

        def apart(s, a=a, b=b, X=X):
            return np.linalg.norm(X.p + np.clip(b @ (s * a - X.p), -0.3, 0.3) * b - s * a)

        inside = minimize_scalar(apart, bounds=(-0.5, 0.5), method="bounded", options={"xatol": 1e-12}).fun
        best = min(inside, apart(-0.5), apart(0.5))
        assert gaps(pair, HERE, X).min() == pytest.approx(best - 0.3, abs=1e-9)


# --- boxes ---

def brought_together(a, b, rng):
    """Poses in which two shapes touch, and the direction from a to b along which they were brought together."""
    X_WA, turned = pose(rng), pose(rng).R
    u = rng.normal(size=3)
    u, near, far = u / np.linalg.norm(u), 0.0, 5.0
    for _ in range(50):
        middle = (near + far) / 2
        X_WB = Transform(turned, X_WA.p + middle * u)
        apart = geometry.distance(a, X_WA, b, X_WB).gap > 0
        near, far = (near, middle) if apart else (middle, far)
    return X_WA, X_WB, u


def test_boxes_touch_when_their_distance_is_zero_and_no_sooner():
    a, b = geometry.Box([1.0, 0.6, 0.8]), geometry.Box([0.5, 0.9, 0.4])
    pair = geometry.pair(a, b)
    rng = np.random.default_rng(0)
    for _ in range(50):
        X_WA, X_WB, u = brought_together(a, b, rng)
        assert abs(gaps(pair, X_WA, X_WB).min()) < 1e-8
        touch = min(pair.evaluate(X_WA, X_WB), key=lambda touch: touch.gap)
        nearer, farther = (gaps(pair, X_WA, Transform(X_WB.R, X_WB.p + h * u)).min() for h in (-1e-5, 1e-5))
        assert nearer < 0 < farther
        assert (farther - nearer) / 2e-5 == pytest.approx(touch.normal @ u, abs=1e-5)


def test_boxes_that_are_apart_have_no_negative_gap():
    a, b = geometry.Box([1.0, 0.6, 0.8]), geometry.Box([0.5, 0.9, 0.4])
    pair = geometry.pair(a, b)
    rng = np.random.default_rng(1)
    for _ in range(300):
        X_WA, X_WB = pose(rng, spread=0.5), pose(rng, spread=0.5)
        apart = geometry.distance(a, X_WA, b, X_WB).gap
        assert (gaps(pair, X_WA, X_WB).min() > 0) == (apart > 0)


def test_a_box_on_a_box_rests_on_its_corners():
    pair = geometry.pair(geometry.Box([2.0, 2.0, 1.0]), geometry.Box([1.0, 1.0, 1.0]))
    touches = pair.evaluate(HERE, Transform(None, [0.2, 0.1, 1.0]))
    low = [touch for touch in touches if touch.gap < 1e-12]
    corners = {(round(x, 9), round(y, 9)) for x, y, _ in (touch.point_b for touch in low)}
    assert {(-0.3, -0.4), (0.7, -0.4), (-0.3, 0.6), (0.7, 0.6)} <= corners
    assert all(np.allclose(touch.normal, [0, 0, 1]) for touch in low)


# --- curvatures ---

def test_curvatures_of_an_ellipsoid_at_its_poles():
    ellipsoid, far = geometry.Ellipsoid([0.2, 0.3, 0.5]), Transform(None, [0, 0, 1.0])
    expected = (0.5 / 0.2**2, 0.5 / 0.3**2)
    assert geometry.pair(UP, ellipsoid).evaluate(HERE, far)[0].curvatures == pytest.approx(expected)
    with_ball = geometry.pair(geometry.Sphere(0.4), ellipsoid).evaluate(HERE, far)[0].curvatures
    assert with_ball == pytest.approx([k + 1 / 0.4 for k in expected])
    together = geometry.pair(ellipsoid, ellipsoid).evaluate(HERE, far)[0].curvatures
    assert together == pytest.approx([2 * k for k in expected])


def test_curvatures_of_a_torus_and_of_crossed_cylinders():
    torus, above = geometry.Torus(0.4, 0.1), Transform(rotation_x(np.pi / 2), [0, 0, 1.0])
    assert geometry.pair(UP, torus).evaluate(HERE, above)[0].curvatures == pytest.approx((10.0, 2.0))
    ball = geometry.pair(torus, geometry.Sphere(0.1)).evaluate(HERE, Transform(None, [1.0, 0, 0]))[0]
    assert ball.curvatures == pytest.approx((20.0, 12.0))
    capsule = geometry.Capsule(0.1, 1.0)
    crossed = geometry.pair(capsule, geometry.Capsule(0.2, 1.0)).evaluate(
        HERE, Transform(rotation_y(np.pi / 2), [0, 1, 0]))[0]
    assert crossed.curvatures == pytest.approx((10.0, 5.0))


def test_the_curvature_of_an_outline():
    circle = geometry.Curve(lambda s: (0.5 * ca.cos(s), 0.5 * ca.sin(s)))
    touch = geometry.pair(circle, geometry.Circle(0.25)).evaluate(HERE, Transform(None, [1, 1, 0]))[0]
    assert touch.gap == pytest.approx(np.sqrt(2) - 0.75) and touch.curvatures[0] == pytest.approx(6.0)


def test_a_point_passes_through_a_disc_so_that_only_their_distance_is_known():
    point, disc = geometry.Point(), geometry.Disc(0.4, n=[0, 0, 1])
    above = Transform(None, [0.1, 0, 0.3])
    assert geometry.distance(point, above, disc, Transform()).gap == pytest.approx(0.3, abs=1e-15)
    for pair in ((point, disc), (disc, point)):
        with pytest.raises(ModelError, match="passes through it. Take a small Sphere, or a flat Cylinder"):
            geometry.pair(*pair)


# --- brute force ---

BRUTE = [(kind, other) for kind in (geometry.Box, geometry.Cylinder, geometry.Disc, geometry.Torus, geometry.Ellipsoid,
                                    geometry.Capsule) for other in (geometry.Plane, geometry.Sphere, geometry.Point)]


@pytest.mark.parametrize("kinds", BRUTE, ids=lambda kinds: "-".join(kind.__name__ for kind in kinds))
def test_no_point_of_the_surface_is_nearer(kinds):
    """Against points all over the triangles that are drawn; they lie up to 3 mm below the true surface."""
    body, other = (SHAPES[kind]() for kind in kinds)
    vertices, faces = surface(body)
    corners = vertices[faces]
    n = 3 if len(faces) > 1500 else 30 if len(faces) < 20 else 12
    weights = np.array([[i, j, n - i - j] for i in range(n + 1) for j in range(n + 1 - i)]) / n
    points = np.einsum("wk,fkd->wfd", weights, corners).reshape(-1, 3)
    rng = np.random.default_rng(3)
    compared = 0
    while compared < 10:
        X_WA, X_WB = pose(rng), pose(rng)
        least = gaps(apart(body, other), X_WA, X_WB).min()
        if least < 0.02:
            continue
        world = points @ X_WA.R.T + X_WA.p
        if isinstance(other, geometry.Plane):
            sampled = ((world - X_WB.p) @ (X_WB.R @ other.n)).min()
        else:
            sampled = np.linalg.norm(world - X_WB.p, axis=1).min() - getattr(other, "radius", 0.0)
        assert -1e-9 - 0.002 * isinstance(body, geometry.Disc) < sampled - least < 4e-3
        compared += 1


def test_polygons_are_as_far_apart_as_their_outlines():
    one = geometry.Polygon([[-0.3, -0.2], [0.4, -0.3], [0.3, 0.3], [-0.2, 0.4]])
    other = geometry.Polygon([[0, 0], [0.5, 0], [0, 0.4]])

    def outline(polygon, X, n=100):
        p = polygon.points
        edges = [p[k] + (np.roll(p, -1, axis=0)[k] - p[k]) * np.linspace(0, 1, n)[:, None] for k in range(len(p))]
        return np.vstack(edges) @ X.R[:2, :2].T + X.p[:2]

    rng = np.random.default_rng(0)
    compared = 0
    while compared < 20:
        X_WA, X_WB = pose(rng, planar=True), pose(rng, planar=True)
        least = gaps(geometry.pair(one, other), X_WA, X_WB).min()
        if least < 1e-2:
            continue
        a, b = outline(one, X_WA), outline(other, X_WB)
        sampled = np.sqrt(((a[:, None] - b[None]) ** 2).sum(-1).min())
        assert 0 <= sampled - least + 1e-12 < 2e-3
        compared += 1


# --- unknowns ---

IMPLICIT = [(geometry.Ellipsoid, geometry.Ellipsoid), (geometry.Sphere, geometry.Ellipsoid),
            (geometry.Curve, geometry.Curve), (geometry.Curve, geometry.Circle), (geometry.Line, geometry.Curve)]


@pytest.mark.parametrize("kinds", IMPLICIT, ids=lambda kinds: "-".join(kind.__name__ for kind in kinds))
def test_the_start_solves_the_equations_and_newton_can_follow(kinds):
    pair = geometry.pair(*(SHAPES[kind]() for kind in kinds))
    A, B, y = symbolic_pose("a"), symbolic_pose("b"), ca.SX.sym("y", len(pair.unknowns.names))
    residual = pair.unknowns.residual(A, B, y)
    f = ca.Function("f", [A.R, A.p, B.R, B.p, y], [residual, ca.jacobian(residual, y)])
    rng = np.random.default_rng(0)
    planar = geometry.Curve in kinds
    for _ in range(20):
        X_WA, X_WB = pose(rng, planar), pose(rng, planar)
        found = pair.unknowns.start(X_WA, X_WB)
        r, J = (np.array(x) for x in f(X_WA.R, X_WA.p, X_WB.R, X_WB.p, found))
        assert np.abs(r).max() < 1e-10
        assert np.linalg.cond(J) < 1e6


def test_two_curves_are_as_far_apart_as_their_samples():
    one = geometry.Curve(lambda s: (0.5 * ca.cos(s), 0.3 * ca.sin(s)))
    pair = geometry.pair(one, one)
    rng = np.random.default_rng(1)
    points = one.sampled(2000)
    for _ in range(10):
        X_WA, X_WB = pose(rng, planar=True), pose(rng, planar=True, spread=2.0)
        a, b = (points @ X.R[:2, :2].T + X.p[:2] for X in (X_WA, X_WB))
        sampled = np.sqrt(((a[::4, None] - b[None, ::4]) ** 2).sum(-1).min())
        gap = gaps(pair, X_WA, X_WB)[0]
        if gap > 0.05:
            assert 0 <= sampled - gap < 1e-3


def test_the_gap_of_two_capsules_is_the_least_distance_of_their_axes():
    """min |p_A + s a − p_B − t b| over both axes, by bounded least squares, less the radii; 40 random poses, axes that
    cross within both among them."""
    one, other = geometry.Capsule(0.1, 0.9), geometry.Capsule(0.15, 0.6)
    pair, rng, within = geometry.pair(one, other), np.random.default_rng(5), 0
    for _ in range(40):
        X_WA, X_WB = pose(rng, spread=0.4), pose(rng, spread=0.4)
        a, b = X_WA.R @ one.n, X_WB.R @ other.n
        nearest = lsq_linear(np.column_stack([a, -b]), X_WB.p - X_WA.p, ([-0.45, -0.3], [0.45, 0.3]), tol=1e-14)
        within += np.all(nearest.active_mask == 0)
        apart = np.linalg.norm(X_WA.p + nearest.x[0] * a - X_WB.p - nearest.x[1] * b)
        assert gaps(pair, X_WA, X_WB).min() == pytest.approx(apart - 0.25, abs=1e-7)
    assert within >= 5
