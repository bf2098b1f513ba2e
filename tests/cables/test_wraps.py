"""Closed forms of wraps: stationary lengths, other ways to the same numbers, and MuJoCo's."""

import casadi as ca
import numpy as np
import pytest

from linkwright import geometry
from linkwright.geometry import wrap_cylinder, wrap_sphere

RADIUS = 0.1


def poses(count, seed=1):
    """Pairs of points on opposite sides, so that the line between them hits or nearly hits a body of size 0.1."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        a = random.uniform(0, 2 * np.pi)
        b = a + np.pi + random.uniform(-0.5, 0.5)
        yield [np.array([*(random.uniform(0.18, 0.5) * np.array([np.cos(x), np.sin(x)])), random.uniform(-0.2, 0.2)])
               for x in (a, b)]


def over_cylinder(P1, P2, turn, long=False):
    angle = float(np.arctan2(turn * (P1[0] * P2[1] - P1[1] * P2[0]), P1[:2] @ P2[:2]))
    if long and angle < 0:
        angle += 2 * np.pi
    return [np.array(x).ravel() for x in wrap_cylinder(ca.DM(P1), ca.DM(P2), RADIUS, turn, angle)]


def over_sphere(P1, P2, long=False):
    return [np.array(x).ravel() for x in wrap_sphere(ca.DM(P1), ca.DM(P2), RADIUS, long)]


def length(P1, P2, found):
    first, last, _, arc = found
    return np.linalg.norm(first - P1) + arc[0] + np.linalg.norm(P2 - last)


def test_length_over_a_cylinder_is_that_of_a_straight_line_on_the_unrolled_surface():
    for P1, P2 in poses(50):
        for turn in (1, -1):
            found = over_cylinder(P1, P2, turn, long=True)
            l1, l2 = (np.sqrt(P[:2] @ P[:2] - RADIUS**2) for P in (P1, P2))
            flat = l1 + RADIUS * found[2][0] + l2
            assert length(P1, P2, found) == pytest.approx(np.hypot(flat, P2[2] - P1[2]), abs=1e-15)


@pytest.mark.parametrize("over", [lambda P1, P2: over_cylinder(P1, P2, 1, True), lambda P1, P2: over_sphere(P1, P2)],
                         ids=["cylinder", "sphere"])
def test_straight_parts_are_the_slopes_of_the_length(over):
    """dl = −e·dP at the ends: the length is stationary in the points of tangency."""
    h = 1e-6
    for P1, P2 in poses(20, seed=3):
        found = over(P1, P2)
        if found[2][0] <= 0.01:
            continue
        e1 = (found[0] - P1) / np.linalg.norm(found[0] - P1)
        e2 = (found[1] - P2) / np.linalg.norm(found[1] - P2)
        for k in range(3):
            d = h * np.eye(3)[k]
            slope = (length(P1 + d, P2, over(P1 + d, P2)) - length(P1 - d, P2, over(P1 - d, P2))) / (2 * h)
            assert -e1[k] == pytest.approx(slope, abs=1e-8)
            slope = (length(P1, P2 + d, over(P1, P2 + d)) - length(P1, P2 - d, over(P1, P2 - d))) / (2 * h)
            assert -e2[k] == pytest.approx(slope, abs=1e-8)


def test_over_a_sphere_the_cable_is_tangent_and_lies_in_one_plane():
    for P1, P2 in poses(50, seed=5):
        for long in (False, True):
            first, last, _, _ = over_sphere(P1, P2, long)
            for P, T in ((P1, first), (P2, last)):
                assert np.linalg.norm(T) == pytest.approx(RADIUS, abs=1e-16)
                assert abs((T - P) @ T) < 1e-15
                assert abs(np.cross(P1, P2) @ T) < 1e-15


XML = """<mujoco><option gravity="0 0 0"/><worldbody><geom name="c" type="{kind}" size="{size}"/>
  <site name="side" pos="0.05 0.3 0"/><body name="a" mocap="true"><site name="a"/></body>
  <body name="b" mocap="true"><site name="b"/></body></worldbody>
  <tendon><spatial name="t"><site site="a"/><geom geom="c" {side}/><site site="b"/></spatial></tendon></mujoco>"""


@pytest.mark.parametrize("kind", ["cylinder", "sphere"])
@pytest.mark.parametrize("side", [None, np.array([0.05, 0.3, 0.0])], ids=["short way", "side site"])
def test_lengths_are_those_of_mujoco(kind, side):
    """MuJoCo goes the long way where the side site lies opposite to both ends, seen from the centre in their plane."""
    mujoco = pytest.importorskip("mujoco")
    if int(mujoco.__version__.split(".")[0]) < 4 and side is not None:
        pytest.skip("before 4.0 the way was chosen otherwise")
    model = mujoco.MjModel.from_xml_string(XML.format(kind=kind, size="0.1 1" if kind == "cylinder" else "0.1",
                                                      side="" if side is None else 'sidesite="side"'))
    data = mujoco.MjData(model)
    wrapped = 0
    for P1, P2 in poses(200):
        data.mocap_pos[:] = [P1, P2]
        mujoco.mj_forward(model, data)
        x = np.array([1.0, 0, 0]) if kind == "cylinder" else P1 / np.linalg.norm(P1)
        n = np.array([0, 0, 1.0]) if kind == "cylinder" else np.cross(P1, P2) / np.linalg.norm(np.cross(P1, P2))
        plane = np.array([x, np.cross(n, x)])
        p1, p2 = plane @ P1, plane @ P2
        long = side is not None and bool(np.all(np.linalg.solve(np.array([p1, p2]).T, plane @ side) < 0))
        turn = (1 if p1[0] * p2[1] > p1[1] * p2[0] else -1) * (-1 if long else 1)
        found = over_cylinder(P1, P2, turn, long) if kind == "cylinder" else over_sphere(P1, P2, long)
        on = found[2][0] > 0
        wrapped += on
        own = length(P1, P2, found) if on else np.linalg.norm(P2 - P1)
        assert own == pytest.approx(data.ten_length[0], abs=1e-14)
    assert wrapped > 100


def straightforward(radii, x, v, length, steps=800):
    """A geodesic by plain Runge–Kutta steps of x″ = −(x′ᵀAx′) Ax/|Ax|²."""
    A, h = 1 / radii**2, length / steps

    def turning(x, v):
        g = A * x
        return -(A @ (v * v)) / (g @ g) * g

    for _ in range(steps):
        a1 = turning(x, v)
        v2 = v + h / 2 * a1
        a2 = turning(x + h / 2 * v, v2)
        v3 = v + h / 2 * a2
        a3 = turning(x + h / 2 * v2, v3)
        v4 = v + h * a3
        a4 = turning(x + h * v3, v4)
        x, v = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return x, v


@pytest.mark.parametrize("radii", [(0.1, 0.15, 0.2), (0.035, 0.02, 0.02), (0.02, 0.025, 0.02), (0.1, 0.1, 0.05)],
                         ids=str)
def test_geodesics_end_where_small_steps_lead_and_know_their_slopes(radii):
    """Of revolution about each axis, flat and long, and with three axes; slopes along changes that stay on the surface
    against differences."""
    radii = np.array(radii)
    surface, chance = geometry.geodesics.ellipsoid(radii), np.random.default_rng(4)
    x, v, far = ca.SX.sym("x", 3), ca.SX.sym("v", 3), ca.SX.sym("far")
    ends = ca.vertcat(*surface.follow(x, v, far))
    function = ca.Function("ends", [x, v, far], [ends, ca.jacobian(ends, ca.vertcat(x, v, far))])

    def on_surface(place, direction):
        place = place / np.linalg.norm(place / radii)
        n = place / radii**2 / np.linalg.norm(place / radii**2)
        direction = direction - (direction @ n) * n
        return place, direction / np.linalg.norm(direction)

    for angle in (0.4, 1.0):
        for _ in range(4):
            place, direction = on_surface(chance.normal(size=3), chance.normal(size=3))
            reach = surface.how_far(angle, angle * radii.mean())
            value, slopes = (np.array(part) for part in function(place, direction, reach))
            value = value.ravel()
            end, along = straightforward(radii, place, direction, value[6])
            assert value[:3] == pytest.approx(end, abs=2e-9 * radii.max())
            assert value[3:6] == pytest.approx(along, abs=2e-8)
            h, aside, turned = 1e-6, chance.normal(size=3), chance.normal(size=3)
            there, back = (on_surface(place + s * h * aside * radii, direction + s * h * turned) for s in (1, -1))
            rise = sum(s * np.array(function(*moved, reach + s * 0.3 * h)[0]).ravel()
                       for s, moved in ((1, there), (-1, back))) / (2 * h)
            change = np.concatenate([(there[0] - back[0]) / (2 * h), (there[1] - back[1]) / (2 * h), [0.3]])
            assert slopes @ change == pytest.approx(rise, abs=2e-8)


def test_a_way_over_an_ellipsoid_is_found_from_any_pose():
    """Newton's steps end at it, also from guesses beside the surface."""
    radii = np.array([0.1, 0.15, 0.2])
    P1, P2, y = (ca.SX.sym(name, n) for name, n in (("P1", 3), ("P2", 3), ("y", 4)))
    equations, _, _ = geometry.geodesics.residual(geometry.geodesics.ellipsoid(radii), P1, P2, y)
    function = ca.Function("equations", [P1, P2, y], [equations])
    for a, b in poses(25, seed=5):
        a, b = 1.3 * a, 1.3 * b
        if np.linalg.norm(a / radii) > 1 and np.linalg.norm(b / radii) > 1:
            found = geometry.geodesics.start(radii, a, b)
            assert np.abs(np.array(function(a, b, found))).max() < 1e-12
