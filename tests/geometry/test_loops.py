"""Pairs by compiled loops: meshes, height fields, flat contacts of convex bodies; the broad phase."""

import numpy as np
import pytest
from geometry_models import ground, pose

from linkwright import geometry
from linkwright.algebra import Transform, rotation_x, rotation_z

trimesh = pytest.importorskip("trimesh")

UP, HERE = geometry.Plane([0.0, 0.0, 1.0]), Transform()


def mesh(made) -> geometry.Mesh:
    return geometry.Mesh(made.vertices, made.faces)


BALL = mesh(trimesh.creation.icosphere(2, radius=0.5))
TORUS = mesh(trimesh.creation.torus(0.5, 0.2, 24, 12))
CUBE = mesh(trimesh.creation.box((1.0, 1.0, 1.0)))


def low(touches, below=1e-9):
    return [touch for touch in touches if touch.gap < below]


# --- flat contacts of convex bodies ---

def test_a_cylinder_on_a_box_is_carried_all_around():
    pair = geometry.pair(geometry.Box([2.0, 2.0, 1.0]), geometry.Cylinder(0.3, 1.0))
    touches = low(pair.evaluate(HERE, Transform(None, [0.2, 0.1, 1.0])))
    assert len(touches) == 4
    assert np.abs(np.mean([touch.point_b for touch in touches], axis=0) - [0.2, 0.1, 0.5]).max() < 0.05


@pytest.mark.parametrize("roll", np.linspace(0, 0.4, 5))
def test_a_cylinder_on_its_side_rests_on_the_ends_of_a_line(roll):
    """However it has rolled: a millimetre over a box, and under a bar that lies along it."""
    pair = geometry.pair(geometry.Box([2.0, 2.0, 1.0]), geometry.Cylinder(0.3, 1.0, [1, 0, 0]))
    touches = low(pair.evaluate(HERE, Transform(rotation_x(roll), [0.2, 0.1, 0.801])), 0.01)
    assert np.array(sorted(touch.point_b.tolist() for touch in touches)) == \
        pytest.approx(np.array([[-0.3, 0.1, 0.501], [0.7, 0.1, 0.501]]), abs=1e-8)
    pair = geometry.pair(geometry.Cylinder(0.3, 1.0, [1, 0, 0]), geometry.Capsule(0.1, 0.6, [1, 0, 0]))
    touches = low(pair.evaluate(Transform(rotation_x(roll), [0, 0, 0]), Transform(None, [0, 0, 0.401])), 0.01)
    assert sorted(touch.point_a[0] for touch in touches) == pytest.approx([-0.3, 0.3], abs=1e-8)
    assert [touch.gap for touch in touches] == pytest.approx([1e-3, 1e-3], abs=1e-9)


def test_faces_that_overlap_in_part_touch_where_both_are():
    """Two slabs, one turned by 45° and beyond the edge of the other: every point lies on both."""
    points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-0.5, 0.5)])
    slab = geometry.Convex(points)
    X_WB = Transform(rotation_z(np.pi / 4), [0.8, 0.3, 1.0])
    touches = low(geometry.pair(slab, slab).evaluate(HERE, X_WB))
    assert len(touches) >= 3
    for touch in touches:
        inside = X_WB.R.T @ (touch.point_a - X_WB.p)
        assert np.abs(touch.point_a[:2]).max() < 1 + 1e-9 and np.abs(inside[:2]).max() < 1 + 1e-9
    spread = np.ptp([touch.point_a for touch in touches], axis=0)
    assert spread[0] > 0.8 and spread[1] > 1.0


def test_a_tilted_slab_has_the_gaps_of_its_corners():
    points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-0.5, 0.5)])
    pair = geometry.pair(geometry.Convex(2 * points), geometry.Convex(points))
    tilt = 1e-3
    touches = low(pair.evaluate(HERE, Transform(rotation_x(tilt), [0, 0, 1.6])), 1.0)
    heights = sorted(touch.gap for touch in touches)
    expected = 1.6 - 0.5 * np.cos(tilt) - 1.0
    assert heights == pytest.approx([expected - np.sin(tilt)] * 2 + [expected + np.sin(tilt)] * 2, abs=1e-9)


def test_a_rounded_body_keeps_its_distance():
    points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-0.5, 0.5)])
    sharp, rounded = geometry.Convex(points), geometry.Convex(points, radius=0.1)
    rng = np.random.default_rng(0)
    for _ in range(20):
        X_WA, X_WB = pose(rng), pose(rng, spread=3.0)
        apart = geometry.distance(sharp, X_WA, sharp, X_WB).gap
        if apart > 0:
            assert geometry.distance(rounded, X_WA, sharp, X_WB).gap == pytest.approx(apart - 0.1, abs=1e-12)


def test_the_way_out_of_an_overlap_is_the_shortest():
    """Moved along the normal by the depth, the bodies just touch; no other of many directions is shorter."""
    a, b = geometry.Cylinder(0.3, 0.8), geometry.Box([0.5, 0.6, 0.7])
    rng = np.random.default_rng(0)
    seen = 0
    while seen < 20:
        X_WA, X_WB = pose(rng, spread=0.2), pose(rng, spread=0.2)
        touch = geometry.distance(a, X_WA, b, X_WB)
        if touch.gap > -0.01:
            continue
        seen += 1
        apart = geometry.distance(a, X_WA, b, Transform(X_WB.R, X_WB.p - 1.0001 * touch.gap * touch.normal)).gap
        assert 0 < apart < 1e-3
        for u in rng.normal(size=(20, 3)):
            shifted = Transform(X_WB.R, X_WB.p - 0.999 * touch.gap * u / np.linalg.norm(u))
            assert geometry.distance(a, X_WA, b, shifted).gap < 1e-6


# --- meshes ---

def test_meshes_against_coal():
    coal = pytest.importorskip("coal")

    def model(m):
        out = coal.BVHModelOBBRSS()
        out.beginModel(len(m.faces), len(m.vertices))
        out.addVertices(m.vertices)
        out.addTriangles(m.faces)
        out.endModel()
        return out

    a, b, rng = model(BALL), model(TORUS), np.random.default_rng(0)
    for _ in range(25):
        X_WA, X_WB = pose(rng), pose(rng)
        theirs = coal.distance(a, coal.Transform3s(X_WA.R, X_WA.p), b, coal.Transform3s(X_WB.R, X_WB.p),
                               coal.DistanceRequest(), coal.DistanceResult())
        ours = geometry.distance(BALL, X_WA, TORUS, X_WB).gap
        assert ours == pytest.approx(theirs, abs=1e-12) if theirs > 1e-6 else ours <= 1e-9


def test_a_ball_near_a_mesh_is_as_far_as_from_the_surface_it_stands_for():
    """The mesh of a torus lies up to 1.8 cm inside it; the sign is right inside and outside."""
    rng = np.random.default_rng(0)
    smooth = geometry.Torus(0.5, 0.2)
    for _ in range(50):
        X_WB = Transform(None, rng.normal(size=3) * 0.5)
        of_mesh = geometry.distance(TORUS, HERE, geometry.Sphere(0.05), X_WB).gap
        exact = geometry.distance(smooth, HERE, geometry.Sphere(0.05), X_WB).gap
        assert -0.01 < of_mesh - exact < 0.02


def test_a_cube_of_triangles_is_a_box():
    box, rng = geometry.Box([1.0, 1.0, 1.0]), np.random.default_rng(0)
    for _ in range(50):
        X_WA, X_WB = pose(rng, spread=0.6), pose(rng, spread=0.6)
        ball = geometry.Sphere(0.1)
        assert geometry.distance(CUBE, X_WA, ball, X_WB).gap == pytest.approx(
            geometry.distance(box, X_WA, ball, X_WB).gap, abs=1e-12)
        apart = geometry.distance(box, X_WA, box, X_WB).gap
        of_meshes = geometry.distance(CUBE, X_WA, CUBE, X_WB).gap
        assert of_meshes == pytest.approx(apart, abs=1e-10) if apart > 0 else of_meshes <= 0


def test_a_mesh_stands_on_four_vertices():
    touches = geometry.pair(UP, CUBE).evaluate(HERE, Transform(None, [0, 0, 0.5]))
    assert len(low(touches)) == 4
    assert {tuple(np.round(touch.point_b[:2], 9)) for touch in touches} == {(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5),
                                                                            (0.5, 0.5)}


def test_a_mesh_in_a_mesh_pushes_along_the_way_out():
    touches = low(geometry.pair(CUBE, CUBE).evaluate(HERE, Transform(None, [0.2, 0.3, 0.99])), 0.0)
    assert min(touch.gap for touch in touches) == pytest.approx(-0.01)
    assert all(np.allclose(touch.normal, [0, 0, 1], atol=1e-9) for touch in touches)


@pytest.mark.parametrize("other", [UP, geometry.Sphere(0.4), geometry.Box([1.0, 1.0, 1.0])],
                         ids=lambda shape: shape.kind)
def test_a_bed_of_springs_knows_the_depth_of_every_face(other):
    """The least gap, the energy ½ Σ A x² and what presses, Σ A x, are those of the centroids one by one."""
    corners = BALL.vertices[BALL.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    X_WB = Transform(rotation_x(0.3), [0.3, 0.2, 0.1])
    gaps = np.array([geometry.distance(other, X_WB, geometry.Point(), Transform(None, centroid)).gap
                     for centroid in corners.mean(axis=1)])
    depth = np.maximum(-gaps, 0)
    found = geometry.bed(BALL, other).numeric(X_WB)
    assert found[0] == pytest.approx(gaps.min(), abs=1e-9)
    assert found[13] == pytest.approx((areas * depth**2).sum() / 2, rel=1e-9)
    assert found[15] == pytest.approx((areas * depth).sum(), rel=1e-9)


# --- ground ---

def test_a_ball_on_a_height_field_is_as_far_as_its_nearest_point():
    x, y, z = ground()
    field = geometry.HeightField(x, y, z)
    from scipy.interpolate import RectBivariateSpline

    spline = RectBivariateSpline(x, y, z)
    u, v = np.linspace(-3, 3, 1201), np.linspace(-3, 3, 1201)
    heights = spline(u, v)
    rng = np.random.default_rng(0)
    for _ in range(10):
        c = np.array([*rng.uniform(-1.5, 1.5, 2), rng.uniform(-0.3, 1.0)])
        squares = (u[:, None] - c[0]) ** 2 + (v[None, :] - c[1]) ** 2 + (heights - c[2]) ** 2
        sign = 1 if c[2] > spline(c[0], c[1])[0, 0] else -1
        gap = geometry.distance(field, HERE, geometry.Sphere(0.2), Transform(None, c)).gap
        assert gap == pytest.approx(sign * np.sqrt(squares.min()) - 0.2, abs=1e-4)


def test_a_wheel_on_level_ground_is_a_wheel_on_a_plane():
    x = np.linspace(-5, 5, 6)
    field = geometry.HeightField(x, x, np.zeros((6, 6)))
    rng = np.random.default_rng(0)
    for wheel in (geometry.Disc(0.4, feet=0), geometry.Torus(0.4, 0.1, feet=0), geometry.Cylinder(0.3, 0.2, feet=0)):
        for _ in range(10):
            X_WB = Transform(pose(rng).R, [0.3, 0.2, 1.0])
            on_field = sorted(touch.gap for touch in geometry.pair(field, wheel).evaluate(HERE, X_WB))
            on_plane = sorted(touch.gap for touch in geometry.pair(UP, wheel).evaluate(HERE, X_WB))
            assert on_field == pytest.approx(on_plane, abs=1e-9)


def test_beyond_its_grid_the_ground_goes_on_straight():
    """Level where it ends level, else with the slope that it ends with."""
    x, here = np.linspace(-1, 1, 6), Transform(None, [7.0, -4.0, 1.0])
    level = geometry.HeightField(x, x, np.full((6, 6), 0.3))
    assert geometry.distance(level, HERE, geometry.Point(), here).gap == pytest.approx(0.7)
    bowl = geometry.HeightField(x, x, 0.1 * x[:, None] ** 2 + 0.2 * x[None, :] ** 3)
    foot = geometry.distance(bowl, HERE, geometry.Point(), here).point_a
    height = 0.1 + 0.2 * (foot[0] - 1) - 0.2 + 0.6 * (foot[1] + 1)  # tangents at (1, −1)
    assert foot[0] > 1 and foot[1] < -1 and foot[2] == pytest.approx(height, abs=1e-12)


# --- distances of anything, and many bodies ---

def test_a_torus_against_anything():
    """Against points all over the tube, their distance from the other shape in closed form or by GJK."""
    ring, other = geometry.Torus(0.4, 0.1), geometry.Box([0.3, 0.2, 0.4])
    X_WB = Transform(rotation_x(0.4), [0.7, 0.3, 0.2])
    angle = np.linspace(0, 2 * np.pi, 721)
    balls = [geometry.distance(geometry.Sphere(0.1), Transform(None, [0.4 * np.cos(a), 0.4 * np.sin(a), 0]), other,
                               X_WB).gap for a in angle]
    touch = geometry.distance(ring, HERE, other, X_WB)
    assert 0 <= min(balls) - touch.gap < 1e-5
    assert geometry.distance(other, X_WB, ring, HERE).gap == pytest.approx(touch.gap, abs=1e-9)
    assert geometry.distance(ring, HERE, ring, Transform(None, [2, 0, 0])).gap == pytest.approx(1.0, abs=1e-9)
