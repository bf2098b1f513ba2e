"""Given motions that let go: closed forms of motors with a largest torque and cylinders with a largest force."""

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from linkwright import blocks, rotational, translational


def motor(w_ref, J=2.0, brake=None, w=None, **given):
    m = lw.Model("motor")
    m.world = lw.World()
    m.motor = rotational.Speed(w_ref=w_ref, **given)
    m.rotor = rotational.Inertia(J=J, phi=0.0, **({} if w is None else {"w": w}))
    m.connect(m.motor.flange, m.rotor.flange_a)
    if brake is not None:
        m.load = rotational.Torque(tau=brake)
        m.connect(m.rotor.flange_b, m.load.flange)
    return m


def test_a_motor_runs_up_with_its_largest_torque_and_then_holds_its_speed():
    """ω = τ t/J up to the reference; the work of the motor is the kinetic energy and what slipping lost."""
    m = motor(3.0, tau_max=4.0)
    r = lw.simulate(m, 3.0, accuracy=1e-11)
    np.testing.assert_allclose(r["rotor.w"], np.minimum(2.0 * r.t, 3.0), atol=1e-9)
    away = np.abs(r.t - 1.5) > 1e-9
    np.testing.assert_allclose(r["motor.tau"][away], np.where(r.t < 1.5, 4.0, 0.0)[away], atol=1e-9)
    lost = np.trapezoid(np.where(r.t < 1.5, r["motor.loss_power"], 0.0), r.t)
    assert lost == pytest.approx(4.0 * (3.0 * 1.5 - 1.5**2), rel=2e-3)  # ∫ τ (w_ref − ω) dt
    assert r["motor.mode"][-1] == 0 and r["motor.w_slip"][-1] == pytest.approx(0, abs=1e-12)
    assert r["rotor.w"][-1] == 3.0


def test_it_lets_go_when_the_load_asks_for_more():
    """Load 2 t against the limit 3: it holds until t = 1.5, then J ω̇ = 3 − 2 t."""
    r = lw.simulate(motor(5.0, brake=-2 * lw.time, w=5.0, tau_max=3.0), 2.5, accuracy=1e-11)
    late = np.maximum(r.t - 1.5, 0.0)
    np.testing.assert_allclose(r["rotor.w"], 5.0 - late**2 / 2, atol=1e-9)
    assert imbalances(r) == {}
    assert len(r.events) == 1 and r.events[0].time == pytest.approx(1.5, abs=1e-9)


def test_the_reference_may_move_jump_and_come_out_of_a_filter():
    w_ref = 2.0 + lw.sin(3 * lw.time)
    r = lw.simulate(motor(w_ref, w=2.0, tau_max=8.0), 2.0, accuracy=1e-11)
    np.testing.assert_allclose(r["rotor.w"], 2 + np.sin(3 * r.t), atol=1e-9)
    np.testing.assert_allclose(r["motor.tau"], 6 * np.cos(3 * r.t), atol=1e-8)
    filtered = blocks.first_order(lw.where(lw.time < 0.5, 1.0, 2.0), T=0.3, name="filter")
    r = lw.simulate(motor(filtered, w=0.0, tau_max=50.0), 2.0, accuracy=1e-11)
    np.testing.assert_allclose(r["rotor.w"], r["filter.y"], atol=1e-9)
    r = lw.simulate(motor(lw.where(lw.time < 0.5, 1.0, 2.0), w=1.0, tau_max=4.0), 2.0, accuracy=1e-11)
    np.testing.assert_allclose(r["rotor.w"], np.clip(1 + 2 * (r.t - 0.5), 1, 2), atol=1e-9)


def test_a_cylinder_slips_and_stays_off_by_what_it_slipped():
    """A stop 0.3 m ahead that a cylinder of 20 N cannot push away: it stands still there, and follows back at once."""
    m = lw.Model("press")
    m.world = lw.World()
    m.drive = translational.Position(s_ref=0.5 * lw.sin(lw.time), f_max=20.0)
    m.mass = translational.Mass(m=1.0)
    m.rail = translational.ElastoGap(c=1e5, d=1e3, s_rel0=0.0)
    m.wall = translational.Fixed(s0=0.3)
    m.connect(m.drive.flange, m.mass.flange_a)
    m.connect(m.mass.flange_b, m.rail.flange_a)
    m.connect(m.rail.flange_b, m.wall.flange)
    r = lw.simulate(m, np.pi, accuracy=1e-9)
    top = r.at(1.2)
    assert top["mass.s"] == pytest.approx(0.3, abs=3e-4)
    assert top["drive.f"] == pytest.approx(20.0)
    assert r["mass.s"][-1] == pytest.approx(0.3 - 0.5, abs=2e-3)
    assert np.max(np.abs(r["drive.f"])) <= 20.0 + 1e-9


def test_limits_that_make_no_sense():
    with pytest.raises(lw.ModelError, match="tau_max = -1 must be positive"):
        lw.compile(motor(1.0, tau_max=-1.0))
    with pytest.raises(lw.ModelError, match="motor has no tau without tau_max"):
        print(motor(1.0).motor.tau)
    m = lw.Model("jump")
    m.world = lw.World()
    m.drive = translational.Position(s_ref=lw.where(lw.time > 1, 1.0, 0.0), f_max=2.0)
    m.mass = translational.Mass(m=1.0)
    m.connect(m.drive.flange, m.mass.flange_a)
    with pytest.raises(lw.ModelError, match=r"drive.s_ref cannot follow"):
        lw.compile(m)
