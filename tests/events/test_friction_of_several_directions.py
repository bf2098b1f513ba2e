"""Exact dry friction along several directions: balls, discs and ellipses of forces; closed forms and laws."""

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from linkwright import contact, forces, joints, parts
from linkwright.run.ball_friction import in_ball, most_dissipating

TAU = 0.5
WAYS = [(np.cos(a) * np.sin(b), np.sin(a) * np.sin(b), np.cos(b))
        for a, b in zip(np.linspace(0, 6, 25), np.linspace(0.1, 3.0, 25), strict=True)]


def ball(torque=(0, 0, 0), inertia=(0.02, 0.03, 0.04), **given):
    m = lw.Model("ball")
    m.world = lw.World(gravity=None)
    m.joint = joints.Spherical(friction=lw.Coulomb(tau=TAU, **given.pop("law", {})), **given)
    m.body = parts.Body(m=1, inertia=list(inertia))
    m.chain(m.world, m.joint, m.body)
    m.push = forces.WorldTorque(torque=list(torque))
    m.connect(m.body.frame_a, m.push.frame_b)
    return m


def test_a_spin_down_about_a_moving_axis_loses_friction_torque_times_angle():
    """The energy lost is tau ∫ |ω| dt until it rests, although the axis wanders in body and world."""
    m = ball(w_rel_a=[3.0, 8.0, -4.0])
    angle = m.integral(lw.sqrt(m.joint.w_rel_a[0] ** 2 + m.joint.w_rel_a[1] ** 2 + m.joint.w_rel_a[2] ** 2 + 1e-30),
                       name="angle")
    assert angle is not None
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    energy = r["kinetic_energy"]
    w = r["joint.w_rel_b"]
    turned = np.degrees(np.arccos(w[150] @ w[0] / np.linalg.norm(w[150]) / np.linalg.norm(w[0])))
    assert turned > 5  # the axis moves in the body
    assert imbalances(r) == {}
    np.testing.assert_allclose(energy[0] - energy, TAU * r["angle"], atol=2e-9)
    assert r["joint.friction_mode"][-1] == 0
    assert np.max(np.abs(r["joint.w_rel_a"][-1])) < 1e-12
    rubbing = r["joint.tau_friction"][100]
    np.testing.assert_allclose(rubbing, TAU * w[100] / np.linalg.norm(w[100]), atol=1e-7)


@pytest.mark.parametrize("way", WAYS)
def test_the_limit_is_a_ball(way):
    """Held below the limit; beyond it a sphere turns about the axis of the torque, whatever that is, by 1e-10."""
    held = lw.simulate(ball(TAU * (1 - 1e-9) * np.array(way), inertia=(0.02,) * 3), 0.2)
    assert np.all(held["joint.friction_mode"] == 0) and np.all(held["joint.w_rel_a"] == 0)
    r = lw.simulate(ball(1.5 * TAU * np.array(way), inertia=(0.02,) * 3), 0.2, accuracy=1e-12)
    np.testing.assert_allclose(r["joint.w_rel_a"], 0.5 * TAU / 0.02 * np.outer(r.t, way), atol=1e-10)


def test_it_lets_go_at_the_peak_in_the_direction_of_the_load():
    """A torque that grows and turns: it slips where |torque| = peak tau, along it (a sphere)."""
    grows = [lw.time * lw.cos(2 * lw.time), lw.time * lw.sin(2 * lw.time), 0]
    r = lw.simulate(ball(grows, inertia=(0.02,) * 3, law={"peak": 1.4}), 0.75, accuracy=1e-11)
    assert len(r.events) == 1 and r.events[0].time == pytest.approx(0.7, abs=1e-9)
    w = r.at(0.7001)["joint.w_rel_a"]
    way = w / np.linalg.norm(w)
    np.testing.assert_allclose(way, [np.cos(1.4), np.sin(1.4), 0], atol=1e-3)


def test_a_block_on_a_disc_of_friction_comes_to_rest_on_a_straight_way():
    """Planar: μ m g-like friction f: v = v₀ − f t/m along v₀, s = m v₀²/2f, in 25 directions to 1e-10."""
    for a in np.linspace(0, 6.2, 25):
        m = lw.Model("disc")
        m.world = lw.World(gravity=None)
        m.joint = joints.Planar(n=[0, 0, 1], friction=lw.Coulomb(f=3.0), v_x=2 * np.cos(a), v_y=2 * np.sin(a), w=0.0)
        m.body = parts.Body(m=1.5)
        m.chain(m.world, m.joint, m.body)
        r = lw.simulate(m, 1.2, accuracy=1e-12)
        end = r["body.r_0"][-1]
        np.testing.assert_allclose(end[:2], np.array([np.cos(a), np.sin(a)]), atol=1e-10)
        assert r["joint.friction_mode"][-1] == 0


def test_a_sleeve_that_turns_slides_more_easily():
    """Cylindrical: an ellipse.  Turned at w, a slide at v ≪ r w meets f v/√(v² + r²w²): like a viscous friction."""
    m = lw.Model("sleeve")
    m.world = lw.World(gravity=None)
    m.joint = joints.Cylindrical(n=[1, 0, 0], friction=lw.Coulomb(f=2.0, radius=0.05), v=0.3, w=20.0)
    m.body = parts.Body(m=1.0, inertia=[0.0025] * 3)  # m r² = I: slip keeps its direction
    m.chain(m.world, m.joint, m.body)
    r = lw.simulate(m, 0.8, accuracy=1e-11)
    slip = np.hypot(0.3, 1.0)
    part = np.maximum(1 - 2.0 * r.t / slip, 0.0)
    np.testing.assert_allclose(r["joint.v"], 0.3 * part, atol=1e-8)
    np.testing.assert_allclose(r["joint.w"], 20.0 * part, atol=1e-6)
    np.testing.assert_allclose(r["joint.f_friction"][100], 2.0 * 0.3 / slip, atol=1e-9)
    np.testing.assert_allclose(r["joint.tau_friction"][100], 2.0 * 0.05 / slip, atol=1e-9)


def test_two_joints_that_rub_decide_together():
    """A chain of two balls with friction at rest under its weight: each holds while the other needs no more."""
    m = lw.Model("chain")
    m.world = lw.World()
    m.first = joints.Spherical(friction=lw.Coulomb(tau=20.0))
    m.arm = parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.25, 0, 0])
    m.second = joints.Spherical(friction=lw.Coulomb(tau=1.0))
    m.fore = parts.Body(m=1, r_cm=[0.25, 0, 0], inertia=[0.01] * 3)
    m.chain(m.world, m.first, m.arm, m.second, m.fore)
    r = lw.simulate(m, 4.0, accuracy=1e-9)
    assert np.all(r["first.friction_mode"] == 0)  # 9.8 · (0.25 + 0.75) < 20
    assert np.linalg.norm(r["second.w_rel_a"][50]) > 0.1  # 9.8 · 0.25 > 1
    assert r["second.friction_mode"][-1] == 0 and np.max(np.abs(r["second.w_rel_a"][-1])) < 1e-10
    lost = r["kinetic_energy"] + r["potential_energy"]
    assert np.all(np.diff(lost) < 1e-8)


def test_an_impact_sets_it_moving():
    """Friction of given size has no impulse: what is stuck slips when something else is stopped hard."""
    m = lw.Model("blow")
    m.world = lw.World(gravity=None)
    m.rail = joints.Prismatic(n=[1, 0, 0], s=0.0, v=1.0, s_max=0.2)
    m.cart = parts.Body(m=2.0)
    m.joint = joints.Spherical(friction=lw.Coulomb(tau=0.2))
    m.arm = parts.Body(m=1.0, r_cm=[0, 0.3, 0], inertia=[0.01] * 3)
    m.chain(m.world, m.rail, m.cart)
    m.chain(m.cart, m.joint, m.arm)
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    before, after = r.at(0.19)["joint.w_rel_a"], r.at(0.2001)["joint.w_rel_a"]
    np.testing.assert_allclose(before, 0, atol=1e-12)
    assert after[2] == pytest.approx(-1.0 * 0.3 / (0.01 + 0.09), rel=1e-2)  # I ω = m r v about the joint


def test_the_search_is_that_of_least_energy():
    random = np.random.default_rng(3)
    for _ in range(50):
        A = random.normal(size=(6, 6))
        W, b = A @ A.T + 0.1 * np.eye(6), random.normal(size=6) * 10
        f = most_dissipating(W, b, [[0, 1, 2], [3, 4, 5]], [0.7, 1.3])
        a = b - W @ f
        for at, limit in (([0, 1, 2], 0.7), ([3, 4, 5], 1.3)):
            size = np.linalg.norm(f[at])
            assert size <= limit * (1 + 1e-12)
            if size < limit * (1 - 1e-9):
                assert np.max(np.abs(a[at])) < 1e-9
            else:
                np.testing.assert_allclose(a[at], np.linalg.norm(a[at]) * f[at] / size, atol=1e-9)
    singular = in_ball(np.diag([1.0, 1e-20, 2.0]), np.array([3.0, 0, 4.0]), 100.0)
    np.testing.assert_allclose(singular, [3, 0, 2], atol=1e-9)


def test_what_it_does_not_take():
    with pytest.raises(lw.ModelError, match="joint.friction: mu is for joints of one freedom; give tau"):
        m = ball()
        m.joint.friction = lw.Coulomb(mu=0.1)
        lw.compile(m)
    with pytest.raises(lw.ModelError, match="friction: give radius"):
        joints.Cylindrical(friction=lw.Coulomb(f=2.0))


def test_a_collision_sets_it_moving():
    """The same when the blow comes from bodies that touch; a joint that holds impacts does not move."""
    for holds in (False, True):
        m = lw.Model("bump")
        m.world = lw.World(gravity=None)
        m.rail = joints.Prismatic(n=[1, 0, 0], s=0.0, v=1.0)
        m.cart, m.nose = parts.Body(m=2.0), contact.Sphere(radius=0.1)
        m.joint = joints.Spherical(friction=lw.Coulomb(tau=0.2, holds_impacts=holds))
        m.arm = parts.Body(m=1.0, r_cm=[0, 0.3, 0], inertia=[0.01] * 3)
        m.chain(m.world, m.rail, m.cart)
        m.chain(m.cart, m.joint, m.arm)
        m.connect(m.rail.frame_b, m.nose.frame_a)
        m.wall, m.place = contact.Plane(n=[-1, 0, 0]), parts.FixedTranslation(r=[0.3, 0, 0])
        m.chain(m.world, m.place, m.wall)
        m.touch = contact.Pair(m.wall, m.nose, law=contact.Rigid())
        r = lw.simulate(m, 0.25, accuracy=1e-10)
        spin = r.at(0.2001)["joint.w_rel_a"][2]
        assert spin == pytest.approx(0.0 if holds else -3.0, abs=0.05)


@pytest.mark.parametrize("method", ["rk4", "radau", "semi_implicit_euler"])
def test_other_methods_come_to_rest_too(method):
    fixed = {} if method == "radau" else {"h": 1e-3}
    r = lw.simulate(ball(w_rel_a=[3.0, 8.0, -4.0]), 1.0, method=method, **fixed)
    assert len(r.events) == 1 and r.events[0].time == pytest.approx(0.6029, abs=2e-3)
    assert np.max(np.abs(r["joint.w_rel_a"][-1])) < 1e-10


def test_what_cannot_run_it_says_so():
    with pytest.raises(lw.ModelError, match="dry friction along several directions is not in an FMU yet"):
        lw.export(ball(), "ball.fmu")
    m = ball()
    m.floor, m.skin = contact.Plane(n=[0, 0, 1]), contact.Sphere(radius=0.1)
    m.low = parts.FixedTranslation(r=[0, 0, -1])
    m.chain(m.world, m.low, m.floor)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid())
    with pytest.raises(lw.ModelError, match="joint.friction: dry friction along several directions cannot be stepped"):
        lw.simulate(m, 0.1, method="time_stepping", h=1e-3)
    with pytest.raises(lw.SimulationError, match="has no derivative here: joint.friction"):
        lw.simulate(ball(w_rel_a=[3.0, 8.0, -4.0]), 1.0, sensitivities=["body.m"])
