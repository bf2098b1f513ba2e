"""Friction and stops of joints with several freedoms: closed forms, energy, and no direction preferred."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts


def carried(joint, gravity=None, **body):
    m = lw.Model("carried")
    m.world = lw.World(gravity=gravity)
    m.joint = joint
    m.body = parts.Body(**{"m": 2.0, "r_cm": [0, 0, 0], "inertia": [0.2, 0.3, 0.4], **body})
    m.chain(m.world, m.joint, m.body)
    return m


# --- stops ---


def test_a_cylindrical_joint_bounces_along_and_turns_on():
    """Between s_min and s_max at speed v: back and forth in 2 (s_max − s_min)/v, while it spins on at w."""
    m = carried(joints.Cylindrical(n=[0, 0, 1], s=0, v=2.0, phi=0, w=3.0, s_min=-0.5, s_max=0.5, restitution=1.0))
    r = lw.simulate(m, 2.25)
    there = np.abs((r.t * 2.0 - 0.5) % 2 - 1.0) * -1 + 0.5
    np.testing.assert_allclose(r["joint.s"], -there, atol=1e-9)
    np.testing.assert_allclose(r["joint.phi"], 3.0 * r.t, atol=1e-9)
    turning = lw.simulate(carried(joints.Cylindrical(n=[0, 0, 1], s=0, v=2.0, phi=0, w=3.0, phi_max=1.5,
                                                     restitution=0.5)), 1.0)
    np.testing.assert_allclose(turning["joint.w"], np.where(turning.t < 0.4999, 3.0, -1.5), atol=1e-9)
    np.testing.assert_allclose(turning["joint.s"], 2.0 * turning.t, atol=1e-9)


def test_a_planar_joint_runs_in_a_box():
    m = carried(joints.Planar(s_x=0, v_x=1.0, s_y=0, v_y=-0.7, phi=0, w=1.0, s_x_max=0.3, s_x_min=-0.2, s_y_min=-0.25,
                              phi_max=0.8, restitution=1.0))
    r = lw.simulate(m, 0.9, accuracy=1e-10)
    assert r["joint.s_x"].max() == pytest.approx(0.3, abs=2e-3) and r["joint.s_x"].min() > -0.2 - 1e-9
    assert r["joint.v_x"][-1] == pytest.approx(1.0) and r["joint.v_y"][-1] == pytest.approx(0.7)
    assert r["joint.w"][-1] == pytest.approx(-1.0)
    assert np.ptp(r["kinetic_energy"]) < 1e-9


def test_a_ball_twists_to_its_stop_and_back():
    """Spinning about n at ω between twist_min and twist_max: a triangle; the swing stays none."""
    m = carried(joints.Spherical(n=[0, 0, 1], w_rel_a=[0, 0, 4.0], twist_min=-0.5, twist_max=1.5, swing_max=0.4,
                                 restitution=1.0))
    r = lw.simulate(m, 1.2)
    w = np.where((r.t < 0.375) | (r.t > 0.875), 4.0, -4.0)
    np.testing.assert_allclose(r["joint.w_rel_a"][:, 2], w, atol=1e-8)
    assert len([event for event in r.events if "twist" in event.what]) >= 2


def swung(direction, **given):
    """Thrown out of rest on the axis of the cone, sideways."""
    side = np.array([np.cos(direction), np.sin(direction), 0.0])
    m = carried(joints.Spherical(n=[0, 0, 1], w_rel_a=2.0 * side, **given), inertia=[0.3, 0.3, 0.1])
    return m


@pytest.mark.parametrize("given", [{"restitution": 1.0}, {"stop": lw.CompliantStop(c=50.0)}], ids=["hard", "elastic"])
def test_a_cone_of_swing_has_no_preferred_direction(given):
    """In 25 directions the angle to the stop, the time there and the speed back are the same."""
    ends = []
    for direction in np.linspace(0, 2 * np.pi, 25):
        r = lw.simulate(swung(direction, swing_max=0.6, **given), 0.5, accuracy=1e-12)
        R = r["body.frame_a.R.T"]
        ends.append([np.arccos(R[-1, 2, 2]), np.linalg.norm(r["joint.w_rel_a"][-1])])
    ends = np.array(ends)
    assert np.ptp(ends, axis=0).max() < 1e-10
    if "restitution" in given:  # out to 0.6 in 0.3 s, and back
        np.testing.assert_allclose(ends[0], [0.2, 2.0], atol=1e-9)


def test_a_ball_with_an_elastic_cone_keeps_its_energy():
    m = carried(joints.Spherical(n=[0, -1, 0], w_rel_a=[2.0, 0.5, 1.5], swing_max=0.5, twist_max=0.3, twist_min=-0.3,
                                 stop=lw.CompliantStop(c=80.0)), gravity="uniform", r_cm=[0, -0.4, 0])
    r = lw.simulate(m, 3.0, accuracy=1e-10)
    energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    assert np.ptp(energy) < 1e-7 and r["joint.energy"].max() > 0.1


def test_what_an_elastic_stop_loses_is_told():
    m = carried(joints.Planar(s_x=0, v_x=1.0, s_y=0, v_y=0.5, phi=0, w=2.0, s_x_max=0.2, phi_max=0.3,
                              stop=lw.CompliantStop(c=500.0, d=8.0), stop_phi=lw.CompliantStop(c=40.0, d=0.5)))
    m.integral(m.joint.loss_power, name="lost")
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    np.testing.assert_allclose(r["kinetic_energy"] + r["elastic_energy"] + r["lost"], r["kinetic_energy"][0], atol=1e-8)
    assert r["lost"][-1] > 0.2 and r["joint.v_y"][-1] == pytest.approx(0.5)


def test_a_conical_pendulum_rests_on_its_cone():
    """Circling with no friction on the stop at the angle α: m g sin α − m ω² l sin α cos α presses outwards not at all
    where ω² = g/(l cos α), and more where it is faster."""
    alpha, length = 0.5, 0.8
    fast = 1.3 * np.sqrt(9.80665 / (length * np.cos(alpha)))
    m = lw.Model("cone")
    m.world = lw.World(n=[0, 0, -1])
    m.joint = joints.Spherical(n=[0, 0, -1], angles=[0, alpha, 0], w_rel_a=[0, 0, fast], sequence_start=(1, 2, 3),
                               swing_max=alpha)
    m.body = parts.Body(m=2.0, r_cm=[0, 0, -length], inertia=[0.01] * 3)
    m.chain(m.world, m.joint, m.body)
    r = lw.simulate(m, 1.0, accuracy=1e-9)
    height = r["body.frame_a.R.T"][:, 2, 2] * -length
    np.testing.assert_allclose(height, -length * np.cos(alpha), atol=1e-7)
    assert np.ptp(r["kinetic_energy"]) < 1e-7


# --- bearings ---


def test_every_bearing_of_a_universal_joint_rubs_by_itself():
    """φ_a alone, by a massless second axis at rest: it stops after J w/τ; the other one holds."""
    m = carried(joints.Universal(phi_a=0, w_a=4.0, phi_b=0, w_b=0, friction=lw.Coulomb(tau=0.5)))
    r = lw.simulate(m, 3.0)
    np.testing.assert_allclose(r["joint.w_a"], np.maximum(4.0 - 0.5 / 0.2 * r.t, 0), atol=1e-8)
    assert np.all(r["joint.phi_b"] == 0) and np.all(r["joint.friction_mode"][-1] == 0)


@pytest.mark.parametrize("joint", [
    lambda: joints.Universal(phi_a=0.2, w_a=4.0, phi_b=-0.3, w_b=-3.0, friction=lw.Coulomb(tau=0.3, viscous=0.02)),
    lambda: joints.Gimbal(q=[0.1, -0.4, -0.2], u=[1.5, 0.4, 0.6], friction=lw.Coulomb(tau=0.3, viscous=0.02))],
    ids=["universal", "gimbal"])
def test_bearings_lose_torque_times_angle(joint):
    m = carried(joint(), r_cm=[0.05, 0.02, 0.1])
    speeds = [m.joint.w_a, m.joint.w_b] if "Universal" in repr(m.joint) else [m.joint.u[k] for k in range(3)]
    m.integral(sum(0.3 * lw.fabs(w) + 0.02 * w * w for w in speeds), name="expected")
    m.integral(m.joint.loss_power, name="lost")
    r = lw.simulate(m, 4.0, accuracy=1e-10)
    np.testing.assert_allclose(r["kinetic_energy"] + r["lost"], r["kinetic_energy"][0], atol=1e-8)
    np.testing.assert_allclose(r["lost"], r["expected"], atol=1e-7)
    assert r["kinetic_energy"][-1] < 1e-12
    assert np.all(np.abs(r["joint.tau_friction"]) < 0.3 + 0.02 * 5)


def test_bearings_hold_what_they_can():
    """A weight of m g l on a horizontal axis: held below the limit, falling above it."""
    def hung(tau):
        return lw.simulate(carried(joints.Universal(n_a=[0, 0, 1], n_b=[1, 0, 0], phi_a=0, w_a=0, phi_b=0, w_b=0,
                                                    friction=lw.Coulomb(tau=tau)),
                                   gravity="uniform", r_cm=[0.1, 0, 0]), 0.5)

    load = 2.0 * 9.80665 * 0.1
    held, falls = hung(1.001 * load), hung(0.999 * load)
    assert np.all(held["joint.phi_a"] == 0) and held["joint.tau_friction"][-1, 0] == pytest.approx(-load)
    assert falls["joint.phi_a"][-1] < -1e-5


# --- a thread ---

PITCH, RADIUS, MASS, INERTIA = 0.004, 0.012, 50.0, 0.03


def jack(mu, **start):
    m = lw.Model("jack")
    m.world = lw.World(n=[0, 0, -1])
    m.thread = joints.Screw(n=[0, 0, 1], pitch=PITCH, friction=lw.Coulomb(mu=mu, radius=RADIUS), phi=0, **start)
    m.load = parts.Body(m=MASS, r_cm=[0, 0, 0], inertia=[0.1, 0.1, INERTIA])
    m.chain(m.world, m.thread, m.load)
    return m


def test_a_thread_locks_itself_where_friction_exceeds_its_slope():
    t = PITCH / RADIUS
    held = lw.simulate(jack(1.01 * t, w=0), 0.5)
    assert np.all(held["thread.phi"] == 0)
    assert held["thread.tau_friction"][-1] == pytest.approx(-MASS * 9.80665 * PITCH)
    assert lw.simulate(jack(0.99 * t, w=0), 0.5)["thread.phi"][-1] < -1e-4


@pytest.mark.parametrize("w, sign", [(20.0, 1), (-20.0, -1)], ids=["raising", "lowering"])
def test_a_thread_raises_and_lowers_as_in_textbooks(w, sign):
    """Torque on the nut −F r (t ± μ)/(1 ∓ μ t), with the axial force F = m (g + p φ̈)."""
    mu, t = 0.1, PITCH / RADIUS
    r = lw.simulate(jack(mu, w=w), 0.01)
    torque = RADIUS * (t + sign * mu) / (1 - sign * mu * t)
    expected = -MASS * 9.80665 * torque / (INERTIA + MASS * PITCH * torque)
    assert r["thread.a"][0] == pytest.approx(expected, rel=1e-8)


# --- refused ---


def test_what_makes_no_sense_is_refused():
    with pytest.raises(lw.ModelError, match=r"s_min = 1.0 must lie below s_max = 0.5"):
        joints.Cylindrical(s_min=1.0, s_max=0.5)
    with pytest.raises(lw.ModelError, match=r"stop_phi: give phi_min or phi_max"):
        joints.Cylindrical(s_max=0.5, stop_phi=lw.CompliantStop(c=1.0))
    with pytest.raises(lw.ModelError, match=r"swing_max = 4 must lie between 0 and π"):
        joints.Spherical(swing_max=4.0)
    with pytest.raises(lw.ModelError, match=r"twist_min = 1.0 must lie below twist_max = 0.5"):
        joints.Spherical(twist_min=1.0, twist_max=0.5)
    with pytest.raises(lw.ModelError, match=r"friction: mu is for joints with one bearing"):
        joints.Universal(friction=lw.Coulomb(mu=0.1))
    with pytest.raises(lw.ModelError, match=r"jams: mu pitch/radius must be below 1"):
        joints.Screw(pitch=0.1, friction=lw.Coulomb(mu=0.5, radius=0.01))
    with pytest.raises(AttributeError, match=r"has no tau_friction without friction"):
        joints.Gimbal().tau_friction  # noqa: B018
