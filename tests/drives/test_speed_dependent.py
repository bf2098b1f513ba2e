"""Torques over speed, a vehicle on its road, a gearbox, flanges as signals: formulas of the Modelica Standard Library 4
and closed forms."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import heat, rotational, translational


def over_speed(part, top=2.0):
    """(speed, torque that it drives with) of a source on a shaft that is swept through speeds."""
    m = lw.Model("sweep")
    m.world = lw.World()
    m.sweep = rotational.Speed(w_ref=top * lw.sin(lw.time), exact=True)
    m.source = part
    m.connect(m.sweep.flange, m.source.flange)
    r = lw.simulate(m, 2 * np.pi)
    return r["sweep.w"], -r["source.flange.tau"]


def test_inverse_torque_is_constant_power():
    w, tau = over_speed(rotational.InverseSpeedDependentTorque(tau_nominal=3.0, w_nominal=2.0, w0=0.5))
    np.testing.assert_allclose(tau, np.where(np.abs(w) < 0.5, 3.0 * 2.0 / 0.5, 6.0 / np.maximum(np.abs(w), 0.5)))
    w, tau = over_speed(rotational.InverseSpeedDependentTorque(tau_nominal=3.0, w_nominal=2.0, w0=0.5,
                                                               torque_direction=False))
    fast = np.abs(w) > 0.5
    np.testing.assert_allclose((tau * w)[fast], 6.0)
    np.testing.assert_allclose(tau[~fast], 6.0 * w[~fast] / 0.25, atol=1e-12)


@pytest.mark.parametrize("reg, formula", [
    ("exp", lambda x: 2 / (1 + np.exp(-100 * x)) - 1), ("sine", lambda x: np.sin(np.pi / 2 * np.clip(x, -1, 1))),
    ("linear", lambda x: np.clip(x, -1, 1)),
    ("cosine", lambda x: np.sign(x) * (1 - np.cos(np.pi / 2 * np.clip(x, -1, 1))))])
def test_sign_is_rounded_off_as_in_modelica(reg, formula):
    w, tau = over_speed(rotational.SignTorque(tau_nominal=-3.0, reg=reg, w0=0.4))
    np.testing.assert_allclose(tau, -3.0 * formula(w / 0.4), atol=1e-12)


def test_eddy_current_brake_follows_kloss():
    part = rotational.EddyCurrentTorque(tau_nominal=5.0, w_nominal=0.8, excitation=0.9, alpha20=4e-3, T_ref=313.15,
                                        T=373.15)
    w, tau = over_speed(part)
    at_reference = 4e-3 / (1 + 4e-3 * 20)
    x = w / (0.8 * (1 + at_reference * 60))
    np.testing.assert_allclose(tau, -2 * 5.0 * 0.81 * x / (1 + x * x), atol=1e-12)


def test_eddy_current_brake_warms_up_and_grips_later():
    """J ẇ = −2 τ r/(1 + r²) stops by ½ r² + ln r; the heat is the energy, and a warm disc has its peak elsewhere."""
    m = lw.Model("brake")
    m.world = lw.World()
    m.wheel = rotational.Inertia(J=2.0, phi=0, w=40.0)
    m.brake = rotational.EddyCurrentTorque(tau_nominal=10.0, w_nominal=20.0, alpha20=4e-3, T_ref=293.15)
    m.disc = heat.HeatCapacitor(C=40.0)
    m.connect(m.wheel.flange_b, m.brake.flange)
    cold = lw.simulate(m, 10.0, accuracy=1e-10)
    r = cold["wheel.w"] / 20
    np.testing.assert_allclose(r**2 / 2 + np.log(r), 2.0 + np.log(2) - 2 * 10 * cold.t / (2.0 * 20), atol=1e-7)
    m.connect(m.brake.heat_port, m.disc.port)
    warm = lw.simulate(m, 10.0, accuracy=1e-10)
    lost = 2.0 * (40.0**2 - warm["wheel.w"] ** 2) / 2
    np.testing.assert_allclose(40.0 * (warm["disc.T"] - 293.15), lost, atol=1e-5)
    x = warm["wheel.w"] / (20 * (1 + 4e-3 * (warm["disc.T"] - 293.15)))
    np.testing.assert_allclose(warm["brake.tau"], 20 * x / (1 + x * x), atol=1e-9)
    assert warm["disc.T"][-1] > 310


# --- a vehicle ---


def car(**given):
    m = lw.Model("car")
    m.world = lw.World()
    m.car = translational.Vehicle(m=1200.0, J=8.0, R=0.3, A=2.0, Cd=0.3, **given)
    return m


def test_coasting_against_drag_and_rolling():
    """(m + J/R²) v̇ = −k v² − F: v = √(F/k) tan(arctan(v₀√(k/F)) − t√(kF)/M), and then it stands."""
    m = car(s=0, v=30.0, cr=0.012)
    r = lw.simulate(m, 200.0, accuracy=1e-10)
    k, F, M = 0.3 * 2.0 * 1.2 / 2, 0.012 * 1200 * 9.80665, 1200 + 8.0 / 0.09
    phase = np.arctan(30 * np.sqrt(k / F)) - r.t * np.sqrt(k * F) / M
    np.testing.assert_allclose(r["car.v"], np.sqrt(F / k) * np.tan(np.maximum(phase, 0)), atol=1e-6)
    assert r["car.v"][-1] == 0 and r.at(250.0 / 2)["car.v"] > 0
    np.testing.assert_allclose(r["car.flange_r.phi"] * 0.3, r["car.s"], atol=1e-9)


def test_a_slope_holds_or_lets_go():
    """Rolling resistance holds up to tan α = cr; beyond, (sin α − cr cos α) g accelerates it, less what turns."""
    held = lw.simulate(car(s=0, v=0, inclination=0.0149), 5.0)
    assert np.all(held["car.s"] == 0)
    assert held["car.f"][-1] == pytest.approx(-1200 * 9.80665 * np.sin(np.arctan(0.0149)))
    m = car(s=0, v=0, inclination=0.1)
    rolls = lw.simulate(m, 1.0)
    alpha = np.arctan(0.1)
    expected = -1200 * 9.80665 * (np.sin(alpha) - 0.015 * np.cos(alpha)) / (1200 + 8.0 / 0.09)
    assert rolls["car.a"][0] == pytest.approx(expected)
    creeping = lw.simulate(car(s=0, v=0, inclination=0.0149, reg="linear"), 5.0)  # Modelica's
    assert -6e-3 < creeping["car.s"][-1] < -1e-3


def test_wind_carries_it_and_wheels_drive_it():
    m = car(s=0, v=0, cr=0.0, v_wind=10.0)
    assert lw.simulate(m, 1e-3)["car.a"][0] == pytest.approx(0.36 * 100 / (1200 + 8.0 / 0.09))
    m.motor = rotational.Torque(tau=300.0)
    m.connect(m.motor.flange, m.car.flange_r)
    assert lw.simulate(m, 1e-3)["car.a"][0] == pytest.approx((36 + 300 / 0.3) / (1200 + 8.0 / 0.09))


def test_an_unknown_way_to_round_off_is_refused():
    with pytest.raises(lw.ModelError, match=r"reg = 'exponential': choose one of 'stick', 'exp'"):
        translational.RollingResistance(f_weight=1.0, reg="exponential")
    with pytest.raises(lw.ModelError, match=r"reg = 'stick': choose one of 'exp'"):
        rotational.SignTorque(tau_nominal=1.0, reg="stick")


# --- a gearbox ---


def test_a_gearbox_is_a_lossy_gear_with_play_behind_it():
    def line(make):
        m = lw.Model("line")
        m.world = lw.World()
        m.motor, m.load = rotational.Inertia(J=0.01, phi=0, w=0), rotational.Inertia(J=2.0, phi=0, w=0)
        m.drive = rotational.Torque(tau=2 * lw.sin(2 * lw.time))
        m.connect(m.drive.flange, m.motor.flange_a)
        make(m)
        return lw.simulate(m, 2.0, accuracy=1e-9)

    table = [[0, 0.9, 0.85, 0.02, 0.03]]

    def whole(m):
        m.gear = rotational.Gearbox(ratio=10, loss_table=table, c=3e3, d=5.0, b=0.01)
        m.oil = heat.HeatCapacitor(C=100.0)
        m.connect(m.motor.flange_b, m.gear.flange_a)
        m.connect(m.gear.flange_b, m.load.flange_a)
        m.connect(m.gear.heat_port, m.oil.port)
        m.integral(m.gear.lossy_gear.loss_power + m.gear.elasto_backlash.loss_power, name="lost")

    def in_parts(m):
        m.gear = rotational.LossyGear(ratio=10, loss_table=table)
        m.play = rotational.ElastoBacklash(c=3e3, d=5.0, b=0.01)
        m.connect(m.motor.flange_b, m.gear.flange_a)
        m.connect(m.gear.flange_b, m.play.flange_a)
        m.connect(m.play.flange_b, m.load.flange_a)

    a, b = line(whole), line(in_parts)
    assert a["load.phi"][-1] == pytest.approx(b["load.phi"][-1], abs=1e-7)
    assert a["gear.phi_rel"][-1] == pytest.approx(b["play.phi_rel"][-1], abs=1e-7)
    np.testing.assert_allclose(100.0 * (a["oil.T"] - 293.15), a["lost"], atol=1e-7)
    assert a["lost"][-1] > 0.1 and np.all(a["gear.loss_power"] >= -1e-12)


# --- flanges as signals ---


def coupled(couple):
    m = lw.Model("coupled")
    m.world = lw.World()
    m.first, m.second = rotational.Inertia(J=1.5, phi=0, w=0), rotational.Inertia(J=0.5)
    m.push = rotational.Torque(tau=lw.sin(3 * lw.time))
    m.load = rotational.Damper(d=0.4)
    m.wall = rotational.Fixed()
    m.connect(m.push.flange, m.first.flange_a)
    m.connect(m.second.flange_b, m.load.flange_a)
    m.connect(m.load.flange_b, m.wall.flange)
    couple(m)
    return lw.simulate(m, 2.0, accuracy=1e-10)


@pytest.mark.parametrize("general", ["", "General"])
def test_signals_couple_as_a_shaft_does(general):
    """Modelica Rotational.Examples.GenerationOfFMUs: an inertia, and another that is moved by its signals."""
    def by_signals(m):
        m.out, m.back = (getattr(rotational, f"{general}{name}")() for name in ("TorqueToAngleAdaptor",
                                                                               "AngleToTorqueAdaptor"))
        m.out.tau = m.back.tau
        m.back.phi, m.back.w, m.back.a = m.out.phi, m.out.w, m.out.a
        m.connect(m.first.flange_b, m.out.flange)
        m.connect(m.back.flange, m.second.flange_a)

    a, b = coupled(by_signals), coupled(lambda m: m.connect(m.first.flange_b, m.second.flange_a))
    np.testing.assert_allclose(a.at(b.t)["first.w"], b["first.w"], atol=1e-8)
    np.testing.assert_allclose(a.at(b.t)["back.tau"], -b["first.flange_b.tau"], atol=1e-8)
