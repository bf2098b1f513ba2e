"""Stiff machines: the same answer as by explicit methods, in a fraction of the steps, and the result says so."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational, translational


def drive_line() -> lw.Model:
    """A driven mass, a light coupling and a load, joined by springs of 1e7 N/m; the load hangs on a soft spring."""
    m = lw.Model("drive line")
    m.world = lw.World()
    m.motor = translational.Force(f=20 * lw.sin(6 * lw.time))
    m.drive = translational.Mass(m=1.0, s=0, v=0)
    m.front = translational.SpringDamper(c=1e7, d=2e3)
    m.coupling = translational.Mass(m=0.01)
    m.rear = translational.SpringDamper(c=1e7, d=2e3)
    m.load = translational.Mass(m=2.0)
    m.soft, m.wall = translational.SpringDamper(c=400.0, d=2.0), translational.Fixed()
    m.connect(m.motor.flange, m.drive.flange_a)
    line = (m.drive, m.front, m.coupling, m.rear, m.load, m.soft)
    for left, right in zip(line, line[1:], strict=False):
        m.connect(left.flange_b, right.flange_a)
    m.connect(m.soft.flange_b, m.wall.flange)
    return m


@pytest.fixture(scope="module")
def line():
    return lw.compile(drive_line())


def test_a_stiff_spring_in_a_drive_line(line):
    """At most a fiftieth of the explicit steps, and the same answer to 1e-6."""
    r, explicit = lw.simulate(line, 1.0), lw.simulate(line, 1.0, method="dop853")
    assert 50 * r.counters["steps"] < explicit.counters["steps"]
    np.testing.assert_allclose(r.states, explicit.states, atol=1e-6)
    times = np.linspace(0, 1, 777)
    np.testing.assert_allclose(r.at(times)["drive.s"], explicit.at(times)["drive.s"], atol=1e-6)
    assert explicit.messages == [] and explicit.counters["implicit_steps"] == 0
    (message,) = r.messages
    assert "stiff for dop853" in message and "radau" in message
    assert r.counters["steps"] - r.counters["implicit_steps"] < 50


@pytest.mark.parametrize(("masses", "damping"), [((1.0, 1.0), 1e4), ((0.1, 1.0), 1e4), ((0.01, 1.0), 1e2)])
def test_masses_that_run_away_together_stay_stiff(masses, damping):
    """All parts may move alike without feeling the spring between them: that does not make it any softer."""
    m = lw.Model("two masses")
    m.world = lw.World()
    m.a, m.b = (translational.Mass(m=mass, s=0, v=0) for mass in masses)
    m.spring, m.motor = translational.SpringDamper(c=1e7, d=damping), translational.Force(f=10 * lw.sin(lw.time))
    m.connect(m.motor.flange, m.a.flange_a)
    m.connect(m.a.flange_b, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.b.flange_a)
    system = lw.compile(m)
    r, explicit = lw.simulate(system, 10.0), lw.simulate(system, 10.0, method="dop853")
    assert 50 * r.counters["steps"] < explicit.counters["steps"] and len(r.messages) == 1
    np.testing.assert_allclose(r["b.s"], explicit["b.s"], atol=1e-6)


def rubbing_line(sampled: bool) -> lw.Model:
    """Two masses joined by a stiff spring, pushed back and forth, the second against stick-slip friction."""
    m = lw.Model("rubbing line")
    m.world = lw.World()
    m.a, m.b = translational.Mass(m=1.0, s=0, v=0), translational.Mass(m=2.0)
    m.coupling = translational.SpringDamper(c=1e7, d=2e4)
    m.push = translational.Force(f=m.input("u") if sampled else 20 * lw.sin(3 * lw.time))
    m.connect(m.push.flange, m.a.flange_a)
    m.connect(m.a.flange_b, m.coupling.flange_a)
    m.connect(m.coupling.flange_b, m.b.flange_a)
    if sampled:
        m.every(0.01)(lambda t, y: {"u": 100 * (0.5 - y["b.s"]) - 30 * y["b.v"]})
    else:
        m.friction = translational.SupportFriction(f_pos=[[0, 5.0]], peak=1.3)
        m.connect(m.b.flange_b, m.friction.flange_a)
    return m


@pytest.mark.parametrize(("sampled", "accuracy", "gain"), [(False, 1e-8, 50), (False, 1e-10, 15), (False, 1e-12, 10),
                                                           (True, 1e-8, 12)])
def test_events_samples_and_fine_accuracies_do_not_drive_back_to_the_explicit_method(sampled, accuracy, gain):
    """About as many steps as by radau alone; explicit ones are limited by the spring, or by the rounding it magnifies.

    A millionth: the load tears loose at 6.5 N, and 1e-8 m of the spring are 0.1 N, reached in milliseconds.
    """
    system = lw.compile(rubbing_line(sampled))
    r, radau, explicit = (lw.simulate(system, 3.0 if sampled else 8.0, method=method, accuracy=accuracy)
                          for method in ("auto", "radau", "dop853"))
    steps = r.counters["steps"]
    assert steps < 1.4 * radau.counters["steps"] + 100 and gain * steps < explicit.counters["steps"]
    truth = lw.simulate(system, r.t[-1], method="radau", accuracy=1e-12)
    np.testing.assert_allclose(r["b.s"], truth["b.s"], atol=2e-6)
    assert [e.what for e in r.events] == [e.what for e in truth.events]


def test_a_run_goes_on_from_where_a_stiff_one_ended(line):
    whole = lw.simulate(line, 1.0, method="radau", accuracy=1e-9, step=0.01)
    first = lw.simulate(line, 0.5, method="radau", accuracy=1e-9, step=0.01)
    second = lw.simulate(line, 1.0, start=0.5, state=first.end, method="radau", accuracy=1e-9, step=0.01)
    np.testing.assert_allclose(second.states, whole.states[50:], atol=1e-8)


def four_bar(stiffness: float | None) -> lw.Model:
    """A four-bar linkage whose crank is held by a spring, on a shaft joined to it by a stiff, damped bushing."""
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.crank, m.coupler, m.rocker = (parts.BodyCylinder(r=[length, 0, 0], diameter=0.04) for length in (0.3, 0.8, 0.6))
    m.base = parts.FixedTranslation(r=[0.9, 0, 0])
    m.a, m.d = joints.Revolute(phi=1.0), joints.Revolute(phi=lw.guess(1.8))
    m.b, m.c = joints.Revolute(), joints.Revolute()
    m.chain(m.world, m.a, m.crank, m.b, m.coupler, m.c)
    m.connect(m.c.frame_b, m.rocker.frame_b)
    m.chain(m.world, m.base, m.d, m.rocker)
    start = {} if stiffness is None else {"phi": 1.0, "w": 0.0}
    m.shaft, m.wall = rotational.Inertia(J=1e-4, **start), rotational.Fixed()
    m.spring = rotational.SpringDamper(c=60.0, d=0.5)
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.shaft.flange_a)
    if stiffness is None:
        m.connect(m.shaft.flange_b, m.a.axis)
        return m
    m.bushing = rotational.SpringDamper(c=stiffness, d=1e-3 * stiffness)
    m.connect(m.shaft.flange_b, m.bushing.flange_a)
    m.connect(m.bushing.flange_b, m.a.axis)
    return m


@pytest.mark.parametrize("formulation", ["projection", "minimal"])
def test_a_closed_loop_with_a_stiff_bushing(formulation):
    """λ ≈ d/J = 1e7/s; the motion is that of a rigid joint, less what the bushing gives way."""
    system = lw.compile(four_bar(1e6), formulation=formulation)
    r = lw.simulate(system, 2.0, accuracy=1e-7)
    assert r.counters["steps"] < 3000 and any("radau" in message for message in r.messages)
    assert r.closure < 1e-8
    rigid = lw.simulate(four_bar(None), 2.0, accuracy=1e-9)
    # 60 N m over 1e6 N m/rad
    np.testing.assert_allclose(r["a.phi"], rigid["a.phi"], atol=3e-4)
    finer = lw.simulate(system, 2.0, accuracy=1e-9, method="radau")
    np.testing.assert_allclose(r["a.phi"], finer["a.phi"], atol=1e-6)


def test_energy_of_a_stiff_free_body():
    """A spinning body on a stiff, undamped tether: quaternions, a fast motion that must be followed, no loss."""
    m = lw.Model("tethered")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=1.0, r_cm=[0.2, 0, 0], inertia=[0.02, 0.03, 0.04], r_0=[1.0, 0, 0], v_0=[1.0, 1.0, 0.2],
                        w_0=[3.0, 1.0, 2.0])
    m.tether = lw.forces.Spring(c=1e4, s_unstretched=1.0)
    m.connect(m.world.frame_b, m.tether.frame_a)
    m.connect(m.tether.frame_b, m.body.frame_a)
    r = lw.simulate(m, 1.0, method="radau", accuracy=1e-9)
    stored = 0.5e4 * (np.linalg.norm(r["body.r_0"], axis=1) - 1.0) ** 2
    energy = r["kinetic_energy"] + stored
    assert np.ptp(stored) > 0.05 and np.ptp(energy) < 1e-5


def test_controllers_events_and_friction_on_stiff_lines():
    """A sampled controller drives a load against friction and a stop through a stiff shaft."""
    def run(method):
        m = lw.Model("positioning")
        m.world = lw.World()
        m.motor, m.load = rotational.Inertia(J=0.02, phi=0, w=0), rotational.Inertia(J=0.05)
        m.shaft = rotational.SpringDamper(c=1e6, d=1e3)
        m.torque = rotational.Torque(tau=m.input("tau"))
        m.brake = rotational.BearingFriction(tau_pos=[[0, 0.3], [1, 0.35]])
        m.connect(m.torque.flange, m.motor.flange_a)
        m.connect(m.motor.flange_b, m.shaft.flange_a)
        m.connect(m.shaft.flange_b, m.load.flange_a)
        m.connect(m.load.flange_b, m.brake.flange_a)
        crossed = m.discrete("crossed", 0)
        m.when(m.load.phi > 0.5, {crossed: crossed + 1})

        @m.every(0.01)
        def control(t, y):
            return {"tau": 4.0 * (0.8 - y["motor.phi"]) - 0.5 * y["motor.w"]}

        return lw.simulate(m, 2.0, method=method, accuracy=1e-9)

    implicit, explicit = run("radau"), run("dop853")
    np.testing.assert_allclose(implicit["load.phi"], explicit["load.phi"], atol=1e-7)
    assert [e.what for e in implicit.events] == [e.what for e in explicit.events]
    np.testing.assert_allclose([e.time for e in implicit.events], [e.time for e in explicit.events], atol=1e-6)
    assert implicit["crossed"][-1] == 1
    assert 5 * implicit.counters["steps"] < explicit.counters["steps"]


def test_errors_name_the_methods_and_the_remedy():
    m = lw.Model("relay")
    m.world = lw.World()
    m.mass = translational.Mass(m=1e-3, s=0, v=1.0)
    m.force = translational.Force(f=-1e6 * lw.tanh(1e6 * m.mass.v))
    m.connect(m.force.flange, m.mass.flange_a)
    with pytest.raises(lw.ModelError, match="radau"):
        lw.simulate(m, 1.0, method="radau5")
    with pytest.raises(lw.SimulationError, match="smaller h"):
        lw.simulate(m, 1.0, method="radau", h=0.1)
