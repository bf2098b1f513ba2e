"""Closed forms of wraps: stationary lengths, other ways to the same numbers, and MuJoCo's."""

import casadi as ca
import numpy as np
import pytest

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
