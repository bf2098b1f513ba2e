"""Signals are expressions: variables, time, derivatives, integrals, inputs, conditions."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import forces, joints, parts, rotational, sensors

G = 9.80665


def run(f, y0, t, **options):
    return solve_ivp(f, (0, t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=t, **options).y


def pendulum():
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0, 0, 1], phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


def test_signals_of_the_reference_page():
    """Motor torque, a push from t = 1 on, added inertia, an integral, a derivative and an input: as by hand."""
    m = pendulum()
    m.motor = rotational.Torque()
    m.motor.tau = 20 * (lw.sin(lw.time) - m.rev.phi) - 2 * m.rev.w
    m.connect(m.rev.axis, m.motor.flange)
    m.push = forces.WorldForce(force=[0, lw.where(lw.time > 1, 5, 0), 0])
    m.connect(m.body.frame_a, m.push.frame_b)
    m.drag = forces.WorldTorque(torque=[0, 0, -0.1 * m.rev.a])
    m.connect(m.body.frame_a, m.drag.frame_b)
    e = m.integral(m.rev.phi - 0.5, name="e")
    v = lw.der(m.body.r_0)
    u = m.input("brake", default=0.0)
    m.friction = forces.WorldTorque(torque=[0, 0, -u * m.rev.w - 0.3 * e])
    m.connect(m.body.frame_a, m.friction.frame_b)
    m.output("v", v)
    m.output("double", 2 * m.rev.phi)
    r = lw.simulate(m, 2.0, accuracy=1e-11, inputs={"brake": 0.7})

    def f(t, y):
        phi, w, e = y
        torque = 20 * (np.sin(t) - phi) - 2 * w - G * 0.5 * np.cos(phi) - 0.7 * w - 0.3 * e
        return [w, torque / (0.001 + 0.25 + 0.1), phi - 0.5]

    phi, _, e = run(f, [1, 0, 0], r.t)
    # the push acts at the pivot and moves nothing
    assert r["rev.phi"] == pytest.approx(phi, abs=1e-8)
    assert r["e"] == pytest.approx(e, abs=1e-8)
    assert r["v"] == pytest.approx(r["body.v_0"], abs=1e-12)
    assert r["double"] == pytest.approx(2 * phi, abs=1e-8)
    assert r["motor.tau"] == pytest.approx(20 * (np.sin(r.t) - r["rev.phi"]) - 2 * r["rev.w"], abs=1e-9)


def test_derivatives_of_everything_that_has_one():
    m = pendulum()
    e = m.integral(lw.sin(m.rev.phi), name="e", start=0.2)
    m.look = sensors.RelativeSensor(resolve_in_frame="frame_b")
    m.connect(m.world.frame_b, m.look.frame_a)
    m.connect(m.body.frame_a, m.look.frame_b)
    m.output("phi dot", lw.der(m.rev.phi**2 + lw.time))
    m.output("w dot", lw.der(m.rev.w * m.rev.phi))
    m.output("e dot", lw.der(e * m.rev.phi))
    m.output("R dot", lw.der(m.body.frame_a.R_WF[0, 1]))
    m.output("twice", lw.der(lw.der(m.body.frame_a.R_WF[0, 1])))
    r = lw.simulate(m, 1.0)
    phi, w, a = r["rev.phi"], r["rev.w"], r["rev.a"]
    assert r["phi dot"] == pytest.approx(2 * phi * w + 1, abs=1e-10)
    assert r["w dot"] == pytest.approx(a * phi + w * w, abs=1e-10)
    assert r["e dot"] == pytest.approx(np.sin(phi) * phi + r["e"] * w, abs=1e-10)
    assert r["R dot"] == pytest.approx(-np.cos(phi) * w, abs=1e-10)
    assert r["twice"] == pytest.approx(np.sin(phi) * w**2 - np.cos(phi) * a, abs=1e-10)


def test_derivative_through_an_unknown():
    """y + 0.1 y³ = x gives ẏ = ẋ/(1 + 0.3 y²), in a law that damps the unknown."""

    class Hidden(forces.LineForce):
        def force(self, s, v):
            y = self.unknown("y", residual=lambda y: y + 0.1 * y**3 - s)
            return 40 * (y - 0.4) + 3 * lw.der(y)

    m = lw.Model("hidden")
    m.world = lw.World(gravity=None)
    m.slide = joints.Prismatic(s=0.9)
    m.body = parts.Body(m=2)
    m.law = Hidden()
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.law.frame_a)
    m.connect(m.body.frame_a, m.law.frame_b)
    r = lw.simulate(m, 1.0, accuracy=1e-11)

    def f(t, x):
        y = x[0]
        for _ in range(50):
            y -= (y + 0.1 * y**3 - x[0]) / (1 + 0.3 * y * y)
        return [x[1], -(40 * (y - 0.4) + 3 * x[1] / (1 + 0.3 * y * y)) / 2]

    assert r["slide.s"] == pytest.approx(run(f, [0.9, 0], r.t)[0], abs=1e-8)


@pytest.mark.parametrize("given", (
    lambda t: 2 * lw.sin(3 * t), lambda t: 2 * np.sin(3 * t), lambda t: 2 * math.sin(3 * t),
    lambda t: 2 * math.sin(3 * t) if t < 10 else 0.0,
), ids=("symbols", "numpy", "math", "branches"))
def test_functions_as_inputs(given):
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("drive"))
    m.connect(m.rev.axis, m.motor.flange)
    r = lw.simulate(m, 0.5, accuracy=1e-9, inputs={"drive": given})
    phi = run(lambda t, y: [y[1], (2 * np.sin(3 * t) - G * 0.5 * np.cos(y[0])) / 0.251], [1, 0], r.t)[0]
    assert r["rev.phi"] == pytest.approx(phi, abs=2e-7)
    assert r["drive"] == pytest.approx(2 * np.sin(3 * r.t), abs=1e-7)


def test_series_as_inputs_are_linear_between_points():
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("drive") + m.input("bias", default=0.5))
    m.connect(m.rev.axis, m.motor.flange)
    times, values = np.linspace(0, 2, 41), np.cos(np.linspace(0, 6, 41))
    system = lw.compile(m)
    r = lw.simulate(system, 2.0, accuracy=1e-10, inputs={"drive": (times, values), "bias": 0.25})
    phi = run(lambda t, y: [y[1], (np.interp(t, times, values) + 0.25 - G * 0.5 * np.cos(y[0])) / 0.251], [1, 0], r.t,
              max_step=0.05)[0]
    assert r["rev.phi"] == pytest.approx(phi, abs=1e-6)
    # a state of the compiled system starts the run with inputs too
    state = system.state().set("rev.phi", 0.2)
    again = lw.simulate(system, 0.5, state=state, inputs={"drive": (times, values)})
    assert again["rev.phi"][0] == pytest.approx(0.2)


@pytest.mark.parametrize("given, message", (
    (lambda t: math.nan, "drive: the function given for this input is nan"),
    (lambda t: [1][5], "drive: the function given for this input failed: IndexError"),
    (([0, 1, 1], [0, 1, 2]), "drive: an input over time is"),
    (([0, 1], [0, 1, 2]), "drive: an input over time is"),
))
def test_bad_inputs_are_named(given, message):
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("drive"))
    m.connect(m.rev.axis, m.motor.flange)
    with pytest.raises(lw.ModelError, match=message):
        lw.simulate(m, 1.0, inputs={"drive": given})


def test_unknown_inputs_suggest_near_ones():
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("drive"))
    m.connect(m.rev.axis, m.motor.flange)
    for value in (1.0, lambda t: t):
        with pytest.raises(lw.ModelError, match="drive"):
            lw.simulate(m, 1.0, inputs={"driv": value})


def test_integrals_and_inputs_of_sub_models_have_paths():
    class Motor(lw.Model):
        def __init__(self):
            super().__init__()
            self.flange = rotational.Flange()
            self.torque = rotational.Torque()
            self.torque.tau = self.input("current") * 2
            self.connect(self.flange, self.torque.flange)
            self.integral(self.torque.tau, name="impulse")

    m = pendulum()
    m.motor = Motor()
    m.connect(m.rev.axis, m.motor.flange)
    r = lw.simulate(m, 1.0, inputs={"motor.current": lambda t: 3 * t})
    assert r["motor.impulse"] == pytest.approx(3 * r.t**2, abs=1e-7)
    assert r["motor.current"] == pytest.approx(3 * r.t, abs=1e-12)


def test_der_of_an_acceleration_is_refused():
    m = pendulum()
    m.output("jerk", lw.der(m.rev.a))
    with pytest.raises(lw.ModelError, match="acceleration"):
        lw.simulate(m, 0.1)["jerk"]
