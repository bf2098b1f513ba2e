"""A freewheel never turns backwards: where it would, an impulse brings both shafts to one speed."""

import numpy as np
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


@pytest.mark.parametrize("press", [0.0, 1.0])
def test_a_backstop_holds_a_load_that_grows(press):
    """However large the load, and whether it grew beyond the friction limit slowly or at once."""
    m = lw.Model("backstop")
    m.world = lw.World()
    m.ground, m.drum, m.load = rotational.Fixed(), rotational.Inertia(J=2.0), rotational.Torque(tau=-lw.time)
    m.stop = rotational.OneWayClutch(fn_max=1.0, f_normalized=press)
    m.connect(m.ground.flange, m.stop.flange_a)
    m.connect(m.stop.flange_b, m.drum.flange_a)
    m.connect(m.load.flange, m.drum.flange_b)
    r = lw.simulate(m, 3.0)
    assert not r.events and set(r["drum.w"]) == {0.0} and r["stop.tau"] == pytest.approx(-r.t)


def test_it_lets_go_of_a_load_that_swings_where_friction_no_longer_holds():
    """A motor 3 sin 2t: a third of it passes to the other shaft, until it pulls back by more than mu fn."""
    m = shafts(0.0, 0.0, press=0.1)
    m.motor = rotational.Torque(tau=3 * lw.sin(2 * lw.time))
    m.connect(m.motor.flange, m.one.flange_a)
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    assert [e.time for e in r.events] == pytest.approx([(np.pi + np.arcsin(0.05)) / 2], abs=1e-8)
    assert r["clutch.w_rel"].min() == 0
