"""A freewheel never turns backwards: where it would, an impulse brings both shafts to one speed."""

import pytest

import linkwright as lw
from linkwright import rotational


def shafts(w1, w2, press=0.0):
    m = lw.Model("shafts")
    m.world = lw.World()
    m.one, m.two = rotational.Inertia(J=2.0, phi=0, w=w1), rotational.Inertia(J=1.0, phi=0, w=w2)
    m.clutch = rotational.OneWayClutch(fn_max=1.0, f_normalized=press)
    m.connect(m.one.flange_b, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.two.flange_a)
    return m


def test_a_start_backwards_takes_an_impulse():
    """Momentum is kept, J_reduced w²/2 of the energy is lost."""
    r = lw.simulate(shafts(3.0, 0.0), 1.0)
    assert r["one.w"][-1] == pytest.approx(2.0) and r["two.w"][-1] == pytest.approx(2.0)
    assert r["one.w"][0] == 3.0 and r["kinetic_energy"][0] - r["kinetic_energy"][-1] == pytest.approx(2 / 3 * 9 / 2)


def test_a_start_forwards_takes_none():
    r = lw.simulate(shafts(1.0, 3.0), 1.0)
    assert r["two.w"] == pytest.approx(3.0) and r["one.w"] == pytest.approx(1.0) and not r.events


def test_a_reset_that_would_turn_it_backwards_takes_an_impulse_too():
    m = shafts(1.0, 1.0)
    m.when(lw.time > 0.5, {m.one.w: 4.0})
    r = lw.simulate(m, 1.0)
    assert r.at(0.4)["two.w"] == pytest.approx(1.0) and r["two.w"][-1] == pytest.approx(3.0)


def test_it_lets_go_when_the_driver_slows_down():
    m = shafts(1.0, 1.0)
    m.motor = rotational.Torque(tau=lw.where(lw.time < 1, 3.0, -6.0))
    m.connect(m.motor.flange, m.one.flange_a)
    r = lw.simulate(m, 2.0)
    assert r["two.w"][-1] == pytest.approx(2.0) and r["one.w"][-1] == pytest.approx(-1.0)
