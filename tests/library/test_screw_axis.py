"""The screw axis of a motion over time, and joints made of poses by the exponential of motors."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, sensors
from linkwright.algebra import Transform, axis_rotation


def test_a_rolling_wheel_turns_about_its_contact_point():
    """Its screw axis runs through the point of contact, along the axle, without pitch."""
    m = lw.Model("wheel")
    m.world = lw.World(n=[0, 0, -1])
    m.track = joints.Prismatic(n=[1, 0, 0], s=0, v=2.0)
    m.up, m.axle = parts.FixedTranslation(r=[0, 0, 0.4]), joints.Revolute(n=[0, 1, 0])
    m.wheel = parts.Body(m=1.0, r_cm=[0.1, 0, 0.2], inertia=[0.1, 0.2, 0.1])
    m.gear = lw.rotational.IdealRollingWheel(radius=0.4)
    m.screw = sensors.ScrewAxis(resolve_in_frame="world")
    m.chain(m.world, m.track, m.up, m.axle, m.wheel)
    m.connect(m.gear.flange_r, m.axle.axis)
    m.connect(m.gear.flange_t, m.track.axis)
    m.connect(m.world.frame_b, m.screw.frame_a)
    m.connect(m.wheel.frame_a, m.screw.frame_b)
    r = lw.simulate(m, 1.0)
    contact = np.column_stack([r["track.s"], 0 * r.t, 0 * r.t])
    np.testing.assert_allclose(r["screw.r"], contact, atol=1e-10)
    np.testing.assert_allclose(r["screw.n"], np.broadcast_to([0, 1, 0], (len(r.t), 3)), atol=1e-12)
    np.testing.assert_allclose(r["screw.pitch"], 0, atol=1e-12)
    np.testing.assert_allclose(r["screw.w"], r["track.v"] / 0.4, atol=1e-10)


def bolt(joint):
    m = lw.Model("bolt")
    m.world = lw.World(n=[0, 0, -1])
    m.carrier = joints.Revolute(n=[1, 0, 0], phi=0.2, w=1.5)
    m.arm = parts.BodyShape(r=[0.2, 0.3, -0.1], m=1.0, r_cm=[0.1, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.joint = joint
    m.nut = parts.Body(m=0.4, r_cm=[0.05, 0, 0], inertia=[0.01, 0.02, 0.03])
    m.screw = sensors.ScrewAxis()
    m.chain(m.world, m.carrier, m.arm, m.joint, m.nut)
    m.connect(m.arm.frame_a, m.screw.frame_a)
    m.connect(m.nut.frame_a, m.screw.frame_b)
    return m


def test_a_bolt_has_the_pitch_of_its_thread():
    """On a carrier that turns: the motion relative to the carrier is what counts."""
    m = bolt(joints.Screw(n=[0, 0, 1], pitch=0.03, phi=0.1, w=4.0))
    r = lw.simulate(m, 0.5)
    np.testing.assert_allclose(r["screw.pitch"], 0.03, rtol=1e-9)
    np.testing.assert_allclose(r["screw.r"], np.broadcast_to([0.2, 0.3, 0.0], (len(r.t), 3)), atol=1e-9)
    np.testing.assert_allclose(r["screw.n"], np.sign(r["joint.w"])[:, None] * [0, 0, 1], atol=1e-9)


def test_a_motion_that_only_slides_has_no_axis():
    m = lw.Model("slide")
    m.world = lw.World()
    m.rail = joints.Prismatic(n=[0, 1, 0], s=0, v=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0])
    m.screw = sensors.ScrewAxis()
    m.chain(m.world, m.rail, m.body)
    m.connect(m.world.frame_b, m.screw.frame_a)
    m.connect(m.body.frame_a, m.screw.frame_b)
    r = lw.simulate(m, 0.2)
    for name in ("r", "n", "pitch", "w"):
        assert np.all(r[f"screw.{name}"] == 0)


FIRST = Transform(axis_rotation([1, 1, 0], 0.4), [0.1, 0, 0.2])
LAST = Transform(axis_rotation([0, 1, 2], 1.9), [0.5, -0.3, 0.4])


class Between(joints.Joint):
    """1 dof: from one pose (q = 0) to another (q = 1) by the screw motion between them."""

    dof = 1

    def transform(self, q):
        return FIRST.interpolate(LAST, q[0])


def test_a_joint_may_run_from_one_pose_to_another():
    """It is a screw: axis and pitch of log(X⁻¹ Y), and its poses are the ones it was made of."""
    m = lw.Model("between")
    m.world = lw.World()
    m.joint = Between(q=0.0, u=0.6)
    m.body = parts.Body(m=1.0, r_cm=[0.1, 0.2, 0], inertia=[0.1, 0.2, 0.3])
    m.screw = sensors.ScrewAxis()
    m.chain(m.world, m.joint, m.body)
    m.connect(m.world.frame_b, m.screw.frame_a)
    m.connect(m.body.frame_a, m.screw.frame_b)
    r = lw.simulate(m, 0.4, accuracy=1e-10)
    V = FIRST @ (FIRST.inverse() @ LAST).log()
    point, direction = V.axis()
    np.testing.assert_allclose(r["screw.pitch"], V.pitch(), rtol=1e-8)
    np.testing.assert_allclose(r["screw.r"], np.broadcast_to(point, (len(r.t), 3)), atol=1e-8)
    np.testing.assert_allclose(r["screw.n"], np.sign(r["joint.u"])[:, None] * direction, atol=1e-8)
    np.testing.assert_allclose(r["screw.w"], np.abs(r["joint.u"]) * np.linalg.norm(V.resultant), rtol=1e-8)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.ptp(energy) < 1e-8
    here = FIRST.interpolate(LAST, float(r["joint.q"][-1]))
    np.testing.assert_allclose(r["body.frame_a.r_0"][-1], here.p, atol=1e-9)
    np.testing.assert_allclose(r["body.frame_a.R.T"][-1], here.R.T, atol=1e-9)


def test_a_screw_motion_is_that_of_the_algebra():
    """A free body that spins about a principal axis while it flies: its pose is exp(t V) of its start."""
    m = lw.Model("flight")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0], inertia=[0.1, 0.1, 0.3], v_0=[0.2, 0.1, 0.7], w_a=[0, 0, 2.0])
    m.screw = sensors.ScrewAxis()
    m.connect(m.world.frame_b, m.screw.frame_a)
    m.connect(m.body.frame_a, m.screw.frame_b)
    r = lw.simulate(m, 1.0)
    assert r["screw.pitch"] == pytest.approx(0.35)
    np.testing.assert_allclose(r["screw.r"][0], [-0.05, 0.1, 0], atol=1e-12)  # and it travels with the body
    np.testing.assert_allclose(r["screw.r"][-1], [0.15, 0.2, 0], atol=1e-9)
