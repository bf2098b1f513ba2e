"""Faces on faces: what is held between two pads, or lies flush on its like, neither slips nor turns nor flickers."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, geometry, joints, parts, rotational, translational
from linkwright.algebra import Transform, rotation_from_angles

LAW = contact.Rigid(mu=0.6)
PAD, SKIN = [0.012, 0.03, 0.05], [0.12, 0.06, 0.06]


def turned(r):
    """rad: how far the box has turned."""
    return 2 * np.linalg.norm(r["box.Q"][-1][1:])


def pads():
    """Two fingers that press with 8 N each hold a box, while the hand goes up and down."""
    m = lw.Model("pads")
    m.world = lw.World(n=[0, 0, -1])
    m.up, m.hand = joints.Prismatic(n=[0, 0, 1]), parts.Body(m=1)
    m.chain(m.world, m.up, m.hand)
    m.prescribe(m.up.s, 0.05 * (1 - lw.cos(3 * lw.time)))
    m.rail = [joints.Prismatic(n=[side, 0, 0], s=0.066) for side in (1, -1)]
    m.finger = [parts.Body(m=0.1) for _ in range(2)]
    m.pad = [contact.Box(size=PAD) for _ in range(2)]
    m.push = [translational.Force(f=-8.0) for _ in range(2)]
    m.box, m.skin = parts.Body(m=0.3, inertia=[5e-4] * 3, r_0=[0, 0, 0]), contact.Box(size=SKIN)
    m.connect(m.box.frame_a, m.skin.frame_a)
    for rail, finger, pad, push in zip(m.rail, m.finger, m.pad, m.push, strict=True):
        m.connect(m.hand.frame_a, rail.frame_a)
        m.connect(rail.frame_b, finger.frame_a, pad.frame_a)
        m.connect(rail.axis, push.flange)
    m.hold = [contact.Pair(pad, m.skin, law=LAW) for pad in m.pad]
    return m


def test_a_box_held_between_two_pads_stays_in_the_hand():
    """The friction of 8 N on either side holds three times the weight."""
    r = lw.simulate(pads(), 2.5)
    assert len(r.events) == 0
    assert np.abs(r["box.r_0"] - r["hand.frame_a.r_0"]).max() < 1e-9
    assert turned(r) < 1e-6
    # four corners of each pad press with a quarter of 8 N, and together bear the weight and what the hand accelerates
    np.testing.assert_allclose(r["hold[0].f_n"][:, :4], 2.0, rtol=1e-6)
    lifted = sum(r[f"hold[{k}].f_t"].sum(axis=1)[:, 2] for k in range(2))
    np.testing.assert_allclose(lifted, 0.3 * (9.80665 + 0.45 * np.cos(3 * r.t)), rtol=1e-6)


@pytest.mark.parametrize("h", [1e-3, 2e-3, 4e-3])
def test_a_box_held_between_two_pads_stays_there_when_stepped(h):
    """Loads are shared by the four corners of a face, so that friction bears moments about its normal."""
    r = lw.simulate(pads(), 100 * h, method="time_stepping", fixed_step=h)
    assert np.abs(r["box.r_0"] - r["hand.frame_a.r_0"]).max() < 1e-6
    assert turned(r) < 1e-9
    np.testing.assert_allclose(r["up.v"], 0.15 * np.sin(3 * r.t), atol=0.45 * h)
    assert r["up.v"][-1] == pytest.approx(0.15 * np.sin(300 * h), abs=1e-12)  # a motion that is given is as given
    assert np.abs(r["hold[0].f_n"][-1][:4] - 2.0).max() < 1e-5  # the box has sunk by 1e-7 m of 0.05 m


def gripper():
    """Fingers closed by one crank through two loops."""
    m = lw.Model("gripper")
    m.world, m.lift = lw.World(n=[0, 0, -1]), joints.Prismatic(n=[0, 0, 1], s=0.0, v=0.0)
    m.hand = parts.BodyBox(r=[0, 0, 0.02], width=0.2, height=0.06, width_direction=[1, 0, 0], density=2700)
    m.chain(m.world, m.lift, m.hand)
    m.crank, m.disc = joints.Revolute(n=[0, 1, 0], phi=0.3, w=0.0), parts.Body(m=0.05, inertia=[2e-5] * 3)
    m.connect(m.hand.frame_a, m.crank.frame_a)
    m.connect(m.crank.frame_b, m.disc.frame_a)
    m.pin = [parts.FixedTranslation(r=[0, 0, side * 0.03]) for side in (1, -1)]
    m.big, m.small = ([joints.Revolute(n=[0, 1, 0]) for _ in range(2)] for _ in range(2))
    m.rod = [parts.BodyBox(r=[side * 0.08, 0, 0], width=0.006, density=2700) for side in (1, -1)]
    m.rail = [joints.Prismatic(n=[side, 0, 0], s=lw.guess(0.08)) for side in (1, -1)]
    m.finger = [parts.BodyBox(r=[0, 0, -0.12], width=0.03, height=0.012, width_direction=[0, 1, 0], density=2700)
                for _ in range(2)]
    m.pad = [contact.Box(size=PAD) for _ in range(2)]
    for pin, big, rod, small, rail, finger, pad in zip(m.pin, m.big, m.rod, m.small, m.rail, m.finger, m.pad,
                                                       strict=True):
        m.chain(m.disc, pin, big, rod, small)
        m.connect(small.frame_b, finger.frame_a)
        m.connect(m.hand.frame_a, rail.frame_a)
        m.connect(rail.frame_b, finger.frame_a)
        m.connect(finger.frame_b, pad.frame_a)
    m.motor = rotational.Torque()
    m.connect(m.crank.axis, m.motor.flange)
    m.motor.tau = -lw.fmax(lw.fmin(2.0 * lw.time, 0.4), 0) - 0.02 * m.crank.w
    m.box, m.skin = parts.Body(m=0.3, inertia=[2.5e-4] * 3, r_0=[0, 0, -0.12]), contact.Box(size=SKIN)
    m.under, m.floor = parts.FixedTranslation(r=[0, 0, -0.15]), contact.Plane(n=[0, 0, 1])
    m.connect(m.box.frame_a, m.skin.frame_a)
    m.chain(m.world, m.under, m.floor)
    m.stand = contact.Pair(m.floor, m.skin, law=LAW)
    m.hold = [contact.Pair(pad, m.skin, law=LAW) for pad in m.pad]
    m.winch = translational.Force()
    m.connect(m.lift.axis, m.winch.flange)
    risen = (1 - lw.cos(np.pi * (lw.time - 0.8))) / 2
    up = lw.smooth_where(lw.time < 0.8, 0, lw.smooth_where(lw.time < 1.8, risen, 1))
    m.winch.f = 4000 * (0.2 * up - m.lift.s) - 150 * m.lift.v + 9.80665 * 2.3
    return m


@pytest.mark.slow
def test_a_gripper_driven_by_a_crank_lifts_a_box_from_the_floor():
    """The fingers touch one after the other, hold, and lift."""
    r = lw.simulate(gripper(), 3.0)
    place = (r["box.r_0"] - r["hand.frame_a.r_0"])[r.t > 0.9]
    assert r["box.r_0"][-1][2] > 0.05  # lifted
    assert np.abs(place - place[0]).max() < 1e-9
    assert turned(r) < 1e-6


@pytest.mark.parametrize("h", [pytest.param(1e-3, marks=pytest.mark.slow), 2e-3,
                               pytest.param(4e-3, marks=pytest.mark.slow)])
def test_a_gripper_holds_what_it_lifts_when_stepped(h):
    """The pressure on the pads is statically indeterminate: shared evenly, friction keeps the box from turning."""
    r = lw.simulate(gripper(), 1.4, method="time_stepping", fixed_step=h)
    place = (r["box.r_0"] - r["hand.frame_a.r_0"])[r.t > 0.75]
    assert r["box.r_0"][-1][2] > -0.05  # lifted
    assert np.abs(place - place[0]).max() < 1e-8
    assert turned(r) < 1e-8


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sizes", [((0.1, 0.1, 0.1), (0.1, 0.1, 0.1)), ((0.1, 0.2, 0.3), (0.3, 0.1, 0.1))])
def test_the_gap_of_flush_faces_changes_as_the_bodies_move(sizes, seed):
    """d gap/dt = n·(v_b − v_a) of every point that touches, where several directions are the best at once.

    Which of them is ahead by rounding is drawn: poses differ by 1e-16.
    """
    rng = np.random.default_rng(seed)
    pair = geometry.pair(*[geometry.Box(size) for size in sizes])
    X_WA = Transform(rotation_from_angles((1, 2, 3), rng.uniform(-1, 1, 3)), rng.normal(size=3))
    height = (sizes[0][0] + sizes[1][0]) / 2
    noise = rotation_from_angles((1, 2, 3), 1e-16 * rng.normal(size=3))
    X_WB = Transform(X_WA.R @ noise, X_WA.p + X_WA.R @ (np.array([height, 0, 0]) + 1e-16 * rng.normal(size=3)))
    w, v = rng.normal(size=3), rng.normal(size=3)
    touching = [k for k, touch in enumerate(pair.evaluate(X_WA, X_WB)) if abs(touch.gap) < 1e-12]
    assert len(touching) >= 4
    ahead = symbolic_rates(pair, X_WA, X_WB, w, v)
    for k in touching:
        touch = pair.evaluate(X_WA, X_WB)[k]
        expected = touch.normal @ (v + np.cross(w, touch.point_b - X_WB.p))
        assert abs(ahead[k] - expected) < 1e-9


def symbolic_rates(pair, X_WA, X_WB, w, v):
    """d gap/dt of all points by differentiating the formulas, as rows of contact have it."""
    s = ca.SX.sym("s")
    skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    X = Transform(ca.SX(X_WB.R) + s * (ca.SX(skew) @ X_WB.R), ca.SX(X_WB.p) + s * v)
    gaps = ca.vertcat(*[ca.SX(touch.gap) for touch in pair.evaluate(Transform(ca.SX(X_WA.R), ca.SX(X_WA.p)), X)])
    return np.array(ca.Function("f", [s], [ca.jacobian(gaps, s)])(0.0)).ravel()
