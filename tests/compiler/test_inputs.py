"""Inputs over time: their derivatives, short pulses, and what a table cannot represent."""

import math
import pickle
import random

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational, translational
from linkwright.compiler import given_inputs


def slider():
    m = lw.Model("slider")
    m.world = lw.World(g=0.0)
    m.slide = joints.Prismatic()
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.slide, m.body)
    m.force = translational.Force(f=m.input("push"))
    m.connect(m.force.flange, m.slide.axis)
    return m


def turned(given):
    m = lw.Model("turned")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.motion = rotational.Position(phi_ref=m.input("angle"), exact=True)
    m.connect(m.motion.flange, m.rev.axis)
    return lw.simulate(m, 1.0, inputs={"angle": given})


def test_derivatives_of_inputs_hold_to_the_last_instant():
    m = slider()
    m.output("rate", lw.der(m.input("u")))
    r = lw.simulate(m, 1.0, inputs={"u": lambda t: math.sin(3 * t)})
    assert r["rate"] == pytest.approx(3 * np.cos(3 * r.t), abs=1e-6)
    r = lw.simulate(m, 1.0, inputs={"u": ([0, 0.5, 1], [0, 1, 4])})
    assert (r["rate"][0], r["rate"][-1]) == pytest.approx((2, 6))


def test_a_sampled_function_is_followed_exactly():
    r = turned(lambda t: math.sin(3 * t))
    assert r["rev.phi"] == pytest.approx(np.sin(3 * r.t), abs=1e-6)
    assert r["rev.a"] == pytest.approx(-9 * np.sin(3 * r.t), abs=1e-3)


def test_a_series_cannot_be_differentiated_twice():
    with pytest.raises(lw.ModelError, match="angle: this input is differentiated twice"):
        turned(([0, 0.5, 1], [0, 1, 4]))


@pytest.mark.parametrize("pulse", [
    lambda t: 500.0 if 1.2341 < t < 1.2351 else 0.0,
    ([0, 1.2341, 1.2342, 1.2351, 1.2352, 3], [0, 0, 500, 500, 0, 0]),
], ids=["function", "series"])
def test_a_short_pulse_is_not_stepped_over(pulse):
    r = lw.simulate(slider(), 2.0, inputs={"push": pulse})
    assert r["slide.v"][-1] == pytest.approx(0.5, abs=1e-5)
    assert r.messages == []


def test_a_function_that_no_table_represents_is_named():
    noise = random.Random(1)
    r = lw.simulate(slider(), 1.0, accuracy=1e-2, inputs={"push": lambda t: noise.random()})
    assert "push:" in r.messages[0] and "lw.where" in r.messages[0]


def test_a_law_that_stops_being_finite_is_named():
    m = slider()
    m.brake = translational.Force(f=lw.sqrt(0.5 - lw.time))
    m.connect(m.brake.flange, m.slide.axis)
    with pytest.raises(lw.SimulationError, match="brake.f: the value is not finite") as caught:
        lw.simulate(m, 1.0)
    assert caught.value.time == pytest.approx(0.5, abs=1e-3)


def followed(source):
    """A wheel on a spring whose other end follows the input u exactly."""
    m = lw.Model("followed")
    m.world = lw.World()
    u = m.input("u", default=0.0)
    m.drive = rotational.Speed(w_ref=u, exact=True) if source == "Speed" else rotational.Position(phi_ref=u, exact=True)
    m.spring = rotational.Spring(c=1.0)
    m.wheel = rotational.Inertia(J=1.0, phi=0, w=0)
    m.connect(m.drive.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.wheel.flange_a)
    return m


@pytest.mark.parametrize(("source", "w"), [("Speed", 3 * (1 - np.cos(1))), ("Position", 3 * np.sin(1))])
def test_what_follows_an_input_exactly_starts_from_the_value_of_the_run(source, w):
    """ω̇ = φ_drive − φ with φ_drive = 3t or 3."""
    r = lw.simulate(followed(source), 1.0, inputs={"u": 3.0})
    assert r["wheel.w"][-1] == pytest.approx(w, abs=1e-7)
    assert r["drive.phi"][0] == (0.0 if source == "Speed" else 3.0)


def test_initial_equations_hold_for_the_inputs_of_the_run():
    m = lw.Model("hung")
    m.world = lw.World()
    load = m.input("load", default=1.0)
    m.spring = translational.Spring(c=10.0)
    m.wall = translational.Fixed()
    m.mass = translational.Mass(m=1.0, v=0)
    m.pull = translational.Force(f=load)
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.mass.flange_a)
    m.connect(m.pull.flange, m.mass.flange_b)
    m.init(10 * m.mass.s, load)
    system = lw.compile(m, tunable=["spring.c"])
    assert lw.simulate(system, 1.0)["mass.s"] == pytest.approx(np.full(501, 0.1), abs=1e-9)
    assert lw.simulate(system, 1.0, inputs={"load": 5.0})["mass.s"] == pytest.approx(np.full(501, 0.5), abs=1e-9)
    stiffer = lw.simulate(system, 1.0, inputs={"spring.c": 20.0})["mass.s"]
    assert stiffer[0] == pytest.approx(0.1)  # no initial condition reads it


def pushed():
    m = lw.Model("pushed")
    m.world = lw.World(gravity=None)
    m.mass, m.force = translational.Mass(m=2.0, s=0, v=0), translational.Force()
    m.connect(m.mass.flange_b, m.force.flange)
    return m


def test_an_input_is_an_expression_of_time():
    """v = ∫ f/m dt, in simulate, in a sweep, in what is differentiated, and after a trip to another process."""
    m, course = pushed(), 2 * lw.cos(3 * lw.time)
    exact = 2 / 3 * np.sin(3.0)
    r = lw.simulate(m, 1.0, inputs={"force.f": course})
    assert r["mass.v"][-1] == pytest.approx(exact / 2, abs=1e-9)
    np.testing.assert_allclose(r["force.f"], 2 * np.cos(3 * r.t), atol=1e-12)
    study = lw.sweep(m, {"mass.m": [1.0, 2.0, 4.0]}, 1.0, inputs={"force.f": course}, reduce={"v": lw.final("mass.v")})
    np.testing.assert_allclose(study.data["v"], exact / np.array([1.0, 2.0, 4.0]), atol=1e-9)
    value, slope = lw.gradient(m, lw.final("mass.v"), 1.0, ["mass.m"], inputs={"force.f": course})
    assert (value, slope[0]) == pytest.approx((exact / 2, -exact / 4), abs=1e-9)
    sent = pickle.loads(pickle.dumps(given_inputs({"force.f": course})))
    assert lw.simulate(m, 1.0, inputs=sent)["mass.v"][-1] == r["mass.v"][-1]


def test_a_switch_in_an_input_is_located():
    r = lw.simulate(pushed(), 1.0, inputs={"force.f": lw.where(lw.time > 0.3, 2.0, 0.0)})
    assert r["mass.v"][-1] == pytest.approx(0.7, abs=1e-12)
    assert [event.time for event in r.events] == pytest.approx([0.3], abs=1e-15)


def test_an_expression_of_a_vector():
    m = lw.Model("pulled")
    m.world = lw.World(gravity=None)
    m.body, m.force = parts.Body(m=1.0), forces.WorldForce()
    m.connect(m.force.frame_b, m.body.frame_a)
    r = lw.simulate(m, 1.0, inputs={"force.force": [lw.sin(lw.time), 1.0, lw.time**2]})
    np.testing.assert_allclose(r["body.v_0"][-1], [1 - np.cos(1.0), 1.0, 1 / 3], atol=1e-9)


def test_an_input_does_not_follow_the_motion():
    m = pushed()
    with pytest.raises(lw.ModelError, match=r"force\.f: .*lw\.time alone, and mass\.s is in this one"):
        lw.simulate(m, 1.0, inputs={"force.f": -m.mass.s})
    assert lw.simulate(m, 1.0, inputs={"force.f": 3.0 + 0 * lw.time})["mass.v"][-1] == pytest.approx(1.5, abs=1e-12)


def test_steps_land_on_the_corners_of_a_table():
    """A force that is linear from point to point moves a mass along cubics, which the method follows exactly.

    So the error is that of rounding, whatever the accuracy, if no step goes across a corner; else about the accuracy.
    """
    t, f = np.array([0.0, 0.37, 0.81, 1.3, 2.0]), np.array([0.0, 3.0, -2.0, 1.0, 0.5])
    r = lw.simulate(slider(), 2.0, inputs={"push": (t, f)}, accuracy=1e-3, step=0.1)

    def place(at):
        """∬ f dt²; over h with f0, f1 at its ends: s += v h + (2 f0 + f1) h²/6, v += (f0 + f1) h/2."""
        s, v, ends = 0.0, 0.0, np.append(t[t < at], at)
        for f0, f1, h in zip(np.interp(ends[:-1], t, f), np.interp(ends[1:], t, f), np.diff(ends), strict=True):
            s, v = s + v * h + (2 * f0 + f1) * h * h / 6, v + (f0 + f1) * h / 2
        return s

    np.testing.assert_allclose(r["slide.s"], [place(at) for at in r.t], atol=1e-12)
