"""Shafts without inertia between springs and dampers, against the same thing with the shafts eliminated by hand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import blocks, rotational, translational


def row(*elements, mass=2.0, s=0.0, v=1.0):
    """Elements in series between the ground and a mass."""
    m = lw.Model("row")
    m.world = lw.World()
    m.ground, m.mass = translational.Fixed(), translational.Mass(m=mass, s=s, v=v)
    before = m.ground.flange
    for k, element in enumerate(elements):
        setattr(m, f"e{k}", element)
        m.connect(before, element.flange_a)
        before = element.flange_b
    m.connect(before, m.mass.flange_a)
    return m


def ode(f, y0, t):
    return solve_ivp(f, (t[0], t[-1]), y0, t_eval=t, rtol=1e-11, atol=1e-12, method="DOP853").y


@pytest.mark.parametrize("kinds", ("sds", "dss", "sdsd", "sdds", "dsd", "sdsds", "ddss"))
def test_springs_and_dampers_in_series_are_one_spring_and_one_damper(kinds):
    """1/c = Σ 1/c_k, 1/d = Σ 1/d_k: ḟ/c + f/d = v, however they are mixed."""
    stiffness = {"s": [30.0, 60.0, 90.0], "d": [4.0, 7.0, 5.0]}
    count = {"s": 0, "d": 0}
    elements = []
    for kind in kinds:
        value = stiffness[kind][count[kind]]
        count[kind] += 1
        elements.append(translational.Spring(c=value) if kind == "s" else translational.Damper(d=value))
    r = lw.simulate(row(*elements), 2.0, accuracy=1e-10)
    c, d = (1 / sum(1 / value for value in stiffness[kind][: count[kind]]) for kind in "sd")
    y = ode(lambda t, y: [y[1], -y[2] / 2, c * (y[1] - y[2] / d)], [0, 1, 0], r.t)
    assert r["mass.s"] == pytest.approx(y[0], abs=1e-8)
    for k in range(len(kinds)):
        assert r[f"e{k}.f"] == pytest.approx(y[2], abs=1e-7)


def test_a_damper_behind_a_gear_between_light_shafts():
    """spring – shaft – damper – gear – spring: the combination that moves has the ratio in it."""
    m = lw.Model("geared")
    m.world = lw.World()
    m.ground, m.load = rotational.Fixed(), rotational.Inertia(J=2.0, phi=0, w=1.0)
    m.one, m.damper, m.two = rotational.Spring(c=30.0), rotational.Damper(d=4.0), rotational.Spring(c=60.0)
    m.gear = rotational.IdealGear(ratio=3.0)
    m.connect(m.ground.flange, m.one.flange_a)
    m.connect(m.one.flange_b, m.damper.flange_a)
    m.connect(m.damper.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.two.flange_a)
    m.connect(m.two.flange_b, m.load.flange_a)
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    # seen from the slow side spring and damper are nine times as strong
    c, d = 1 / (1 / 270 + 1 / 60), 36.0
    y = ode(lambda t, y: [y[1], -y[2] / 2, c * (y[1] - y[2] / d)], [0, 1, 0], r.t)
    assert r["load.phi"] == pytest.approx(y[0], abs=1e-8)
    assert r["one.tau"] == pytest.approx(y[2] / 3, abs=1e-7)


def test_the_speed_of_a_light_shaft_can_be_used():
    """Between two springs it moves in proportion to the mass; in a state, a filter and a force."""
    m = row(translational.Spring(c=10.0), translational.Spring(c=20.0), mass=1.0, s=0.3, v=0.0)
    m.sensor = translational.SpeedSensor()
    m.connect(m.sensor.flange, m.e0.flange_b)
    m.integral(m.sensor.v, name="way")
    m.output("filtered", blocks.first_order(m.sensor.v, T=0.1))
    m.brake = translational.Force(f=-0.5 * m.sensor.v)
    m.connect(m.brake.flange, m.mass.flange_b)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    y = ode(lambda t, y: [y[1], -20 / 3 * y[0] - 0.5 * 2 / 3 * y[1], (2 / 3 * y[1] - y[2]) / 0.1], [0.3, 0, 0], r.t)
    assert r["mass.s"] == pytest.approx(y[0], abs=1e-9)
    assert r["way"] == pytest.approx(2 / 3 * (y[0] - 0.3), abs=1e-9)
    assert r["filtered"] == pytest.approx(y[2], abs=1e-9)


def test_a_tunable_damper_keeps_its_combination():
    results = []
    for d in (4.0, 8.0, 2.0):
        r = lw.simulate(row(translational.Spring(c=30.0), translational.Damper(d=d), translational.Spring(c=60.0)), 1.0)
        y = ode(lambda t, y, d=d: [y[1], -y[2] / 2, 20 * (y[1] - y[2] / d)], [0, 1, 0], r.t)
        assert r["mass.s"] == pytest.approx(y[0], abs=1e-6)
        results.append(r)
    assert results[1].system.code is results[2].system.code and np.ptp(results[0]["e1.f"]) > 0
