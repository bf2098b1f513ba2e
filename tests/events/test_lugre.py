"""Friction that bends before it slides (LuGre): a spring at rest, friction in motion, Coulomb's law in the limit."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts


def carried(joint, **body):
    m = lw.Model("carried")
    m.world = lw.World(gravity=None)
    m.joint = joint
    m.body = parts.Body(**{"m": 2.0, "r_cm": [0, 0, 0], "inertia": [0.3, 0.3, 0.3], **body})
    m.chain(m.world, m.joint, m.body)
    m.integral(m.joint.loss_power, name="lost")
    return m


def test_before_it_slides_it_is_a_spring():
    """A push that bends the bristles by a ten-thousandth of what they bear: x = v₀/ω sin ω t, ω² = σ₀/m."""
    m = carried(joints.Prismatic(s=0, v=1e-6, friction=lw.LuGre(f=20.0, sigma0=5e3)))
    r = lw.simulate(m, 0.5, accuracy=1e-10)
    omega = np.sqrt(5e3 / 2.0)
    np.testing.assert_allclose(r["joint.s"], 1e-6 / omega * np.sin(omega * r.t), atol=3e-4 * 1e-6 / omega)


@pytest.mark.parametrize("v", [0.3, -0.02])
def test_in_steady_sliding_it_is_stribecks_curve(v):
    law = lw.LuGre(f=20.0, sigma0=1e5, sigma1=50.0, viscous=4.0, peak=1.5, stribeck=0.05)
    m = lw.Model("drawn")
    m.world = lw.World(gravity=None)
    m.joint = joints.Prismatic(friction=law)
    m.body = parts.Body(m=2.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.joint, m.body)
    m.prescribe(m.joint.s, v * lw.time)
    r = lw.simulate(m, 0.5, accuracy=1e-11)
    expected = np.sign(v) * 20 * (1 + 0.5 * np.exp(-(v / 0.05) ** 2)) + 4.0 * v
    assert r["joint.f_friction"][-1] == pytest.approx(expected, rel=1e-6)
    assert r["joint.loss_power"][-1] == pytest.approx(expected * v, rel=1e-6)


def test_stiff_bristles_are_coulombs_friction():
    """A block stops after v²m/2f; how much too far falls in proportion to 1/σ₀ (the bristles bend, and give back)."""
    exact = lw.simulate(carried(joints.Prismatic(s=0, v=1.0, friction=lw.Coulomb(f=10.0))), 0.4)["joint.s"][-1]
    assert exact == pytest.approx(0.1)
    errors = [abs(lw.simulate(carried(joints.Prismatic(s=0, v=1.0, friction=lw.LuGre(f=10.0, sigma0=sigma, sigma1=20))),
                              0.4, accuracy=1e-10)["joint.s"][-1] - exact) for sigma in (2e4, 4e4)]
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.1) and errors[1] < 1e-3


def test_the_energy_is_in_the_bristles_or_warm():
    m = carried(joints.Revolute(phi=0, w=4.0, phi_max=0.6, stop=lw.CompliantStop(c=60.0, d=0.5),
                                friction=lw.LuGre(tau=1.0, sigma0=80.0, sigma1=0.5, viscous=0.05)))
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    assert np.all(r["joint.loss_power"] > -1e-9)
    np.testing.assert_allclose(r["kinetic_energy"] + r["elastic_energy"] + r["lost"], 2.4, atol=1e-8)


def ball(w, **given):
    return carried(joints.Spherical(w_rel_a=w, friction=lw.LuGre(tau=0.5, sigma0=2e3, sigma1=2.0, **given)))


def test_a_ball_prefers_no_direction():
    """25 directions of spin: the same speed left after the same time, and the torque along it, to 1e-10."""
    ends = []
    for theta, phi in zip(np.arccos(np.linspace(-1, 1, 25)), np.linspace(0, 12, 25), strict=True):
        n = np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
        r = lw.simulate(ball(2.0 * n), 0.8, accuracy=1e-13)
        w, tau = r["joint.w_rel_a"][-1], r["joint.tau_friction"][-1]
        ends.append([np.linalg.norm(w), w @ n, tau @ n])
    assert np.ptp(ends, axis=0).max() < 1e-10
    assert ends[0][0] == pytest.approx(2.0 - 0.5 / 0.3 * 0.8, abs=2e-3)


def test_a_ball_that_spins_down_about_a_moving_axis_loses_torque_times_angle():
    """∫ τ |ω| dt, but for what the bristles hold and for what bends them at the start: τ²/σ₀ and σ₁ |ω| τ/σ₀."""
    m = carried(joints.Spherical(w_rel_a=[1.0, 3.0, -1.5], friction=lw.LuGre(tau=0.5, sigma0=5e3, sigma1=1.0)),
                inertia=[0.2, 0.5, 0.6], r_cm=[0.1, 0.05, 0.0])
    w = m.joint.w_rel_b
    m.integral(0.5 * lw.sqrt(lw.dot(w, w) + 1e-16), name="expected")
    r = lw.simulate(m, 5.0, accuracy=1e-9)
    axes = r["joint.w_rel_a"][[0, 250]] / np.linalg.norm(r["joint.w_rel_a"][[0, 250]], axis=1)[:, None]
    assert axes[0] @ axes[1] < 0.99  # it does move
    np.testing.assert_allclose(r["kinetic_energy"] + r["elastic_energy"] + r["lost"], r["kinetic_energy"][0], atol=1e-7)
    sliding = r.t < 3.4
    np.testing.assert_allclose(r["lost"][sliding], r["expected"][sliding], atol=(0.5**2 + 1.0 * 3.5 * 0.5) / 5e3)
    assert r["kinetic_energy"][-1] < 1e-6


def test_a_sleeve_rubs_along_its_helix():
    """Of a Cylindrical joint f : τ/r is as the slide to r times the turn, and √(f² + (τ/r)²) is the friction."""
    m = carried(joints.Cylindrical(n=[0, 0, 1], s=0, v=0.6, phi=0, w=8.0,
                                   friction=lw.LuGre(f=6.0, sigma0=2e5, sigma1=100.0, radius=0.1)))
    r = lw.simulate(m, 0.1)
    k = len(r.t) // 2
    f, tau = r["joint.f_friction"][k], r["joint.tau_friction"][k] / 0.1
    assert np.hypot(f, tau) == pytest.approx(6.0, rel=1e-3)
    assert f / tau == pytest.approx(r["joint.v"][k] / (0.1 * r["joint.w"][k]), rel=2e-2)


def test_a_plate_rubs_against_its_motion_and_spins_freely():
    m = carried(joints.Planar(s_x=0, v_x=0.8, s_y=0, v_y=-0.6, phi=0, w=3.0, friction=lw.LuGre(f=4.0, sigma0=1e5,
                                                                                             sigma1=10.0)))
    r = lw.simulate(m, 0.3)
    np.testing.assert_allclose(r["joint.f_friction"][-1], [3.2, -2.4], rtol=1e-3)
    assert r["joint.w"][-1] == pytest.approx(3.0, abs=1e-9)
    assert np.hypot(r["joint.v_x"][-1], r["joint.v_y"][-1]) == pytest.approx(1.0 - 2.0 * 0.3, abs=1e-3)


def test_it_runs_backwards_in_derivatives():
    """A continuous law: how far a block slides over its friction, against a difference."""
    m = carried(joints.Prismatic(s=0, v=1.0, friction=lw.LuGre(f=10.0, sigma0=5e3, sigma1=50.0)))
    r = lw.simulate(m, 0.1, accuracy=1e-11, sensitivities=["joint.friction.tau"])
    ends = [lw.simulate(carried(joints.Prismatic(s=0, v=1.0, friction=lw.LuGre(f=f, sigma0=5e3, sigma1=50.0))), 0.1,
                        accuracy=1e-12)["joint.s"][-1] for f in (9.99, 10.01)]
    assert r.sensitivity("joint.s", "joint.friction.tau")[-1] == pytest.approx((ends[1] - ends[0]) / 0.02, rel=1e-4)


@pytest.mark.parametrize("make, message", [
    (lambda: joints.Revolute(friction=lw.LuGre(tau=1.0)), "LuGre needs tau, the sliding friction, and sigma0"),
    (lambda: joints.Revolute(friction=lw.LuGre(tau=-1.0, sigma0=1.0)), "tau = -1.0 must be positive"),
    (lambda: joints.Revolute(friction=lw.LuGre(tau=1.0, sigma0=1.0, peak=2.0)), "give stribeck, the speed"),
    (lambda: joints.Cylindrical(friction=lw.LuGre(f=1.0, sigma0=1.0)), "give radius, at which it turns"),
    (lambda: joints.Universal(friction=lw.LuGre(tau=1.0, sigma0=1.0)), r"expected lw\.Coulomb\(…\), got LuGre"),
    (lambda: joints.Revolute(friction=0.3), r"expected lw\.Coulomb\(…\) or lw\.LuGre\(…\), got 0\.3")])
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(lw.ModelError, match=message):
        make()
