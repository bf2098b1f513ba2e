"""Blocks against closed forms: step responses, frequency responses, profiles."""

import numpy as np
import pytest
from scipy import signal

import linkwright as lw
from linkwright import blocks, joints, parts, rotational, translational

ACCURACY = 1e-11


def run(stop=1.0, **outputs):
    """Signals over time, in a model that is nothing but signals and a rotor."""
    m = lw.Model("signals")
    m.world = lw.World()
    m.load = rotational.Inertia(J=1.0, w=1.0)
    for name, expression in outputs.items():
        m.output(name, expression)
    return lw.simulate(m, stop, accuracy=ACCURACY)


def test_lags_answer_a_step():
    r = run(2.0, a=blocks.first_order(1.0, k=3, T=0.4, name="lag"), b=blocks.second_order(1.0, w=6, D=0.3, name="osc"),
            c=blocks.integrator(2.0, k=0.5, start=0.25), d=blocks.pi(1.0, k=4, T=0.5, name="pi"))
    assert r["a"] == pytest.approx(3 * (1 - np.exp(-r.t / 0.4)), abs=1e-9)
    assert r["lag.y"] == pytest.approx(r["a"]) and r["lag"] == pytest.approx(r["a"])
    damped = 6 * np.sqrt(1 - 0.09)
    ring = np.exp(-1.8 * r.t) * (np.cos(damped * r.t) + 1.8 / damped * np.sin(damped * r.t))
    assert r["b"] == pytest.approx(1 - ring, abs=1e-8)
    assert r["osc.x"].shape == (len(r.t), 2)
    assert r["c"] == pytest.approx(0.25 + r.t, abs=1e-10)
    assert r["integrator1"] == pytest.approx(r["c"])
    assert r["d"] == pytest.approx(4 * (1 + 2 * r.t), abs=1e-9)


def test_bounded_states_stop_and_leave_again_at_once():
    """Up at rate 1 to 0.5, which it stands at until 1 s, then down at once; the lag stops where it would leave."""
    u = lw.where(lw.time < 1, 1.0, -1.0)
    r = run(2.2, a=blocks.integrator(u, name="i", y_max=0.5), b=blocks.first_order(3 * u, T=0.3, name="lag", y_max=0.9,
                                                                                  y_min=-2))
    t = r.t
    np.testing.assert_allclose(r["a"], np.where(t < 1, np.minimum(t, 0.5), np.maximum(1.5 - t, -0.5)), atol=1e-9)
    lag = np.where(t < 1, np.minimum(3 - 3 * np.exp(-t / 0.3), 0.9), np.maximum(-3 + 3.9 * np.exp(-(t - 1) / 0.3), -2))
    np.testing.assert_allclose(r["b"], lag, atol=1e-6)
    with pytest.raises(lw.ModelError, match="y_min = 2 must lie below y_max = 1"):
        blocks.integrator(1.0, name="i", y_max=1, y_min=2)


def test_transfer_function_and_state_space_agree_with_scipy():
    b, a = [2, 3, 1], [1, 4, 6, 8]
    A, B, C, D = signal.tf2ss(b, a)
    r = run(3.0, tf=blocks.transfer_function(1.0, b, a), ss=blocks.state_space(1.0, A, B, C, D),
            proper=blocks.transfer_function(1.0, [1, 0], [1, 5]))
    _, y = signal.step((b, a), T=r.t)
    assert r["tf"] == pytest.approx(y, abs=1e-7)
    assert r["ss"].ravel() == pytest.approx(r["tf"], abs=1e-9)
    assert r["proper"] == pytest.approx(np.exp(-5 * r.t), abs=1e-9)


@pytest.mark.parametrize("filter", (blocks.critical_damping, blocks.bessel, blocks.butterworth))
@pytest.mark.parametrize("n", (1, 2, 3))
def test_filters_pass_half_the_power_at_their_corner(filter, n):
    """Amplitude and phase read off the last periods of a sine at the corner, f = 4 Hz."""
    r = run(8.0, y=filter(lw.sin(2 * np.pi * 4 * lw.time), n=n, f=4.0))
    last = r.t > 6.0
    basis = np.column_stack([np.sin(8 * np.pi * r.t[last]), np.cos(8 * np.pi * r.t[last])])
    sine, cosine = np.linalg.lstsq(basis, r["y"][last], rcond=None)[0]
    assert np.hypot(sine, cosine) == pytest.approx(np.sqrt(0.5), abs=1e-6)


def test_filtered_derivative_tends_to_the_derivative():
    r = run(3.0, y=blocks.derivative(lw.sin(lw.time), T=1e-3))
    late = r.t > 0.1
    assert r["y"][late] == pytest.approx(np.cos(r.t[late]), abs=2e-3)


def test_pid_without_limits_is_linear_and_with_limits_does_not_wind_up():
    free = dict(k=2.0, Ti=0.5, Td=0.1, Nd=10)
    r = run(3.0, y=blocks.pid(1.0, **free), z=blocks.pid(1 - 0.9 * lw.time, y_max=1.5, Ni=0.01, **free, name="held"))
    T = 0.01
    assert r["y"] == pytest.approx(2 * (1 + r.t / 0.5 + 10 * np.exp(-r.t / T)), abs=1e-6)
    assert np.abs(r["z"]).max() <= 1.5 + 1e-12
    # the integral follows the limit instead of growing: it leaves the limit soon after the error changes sign
    assert r["z"][np.searchsorted(r.t, 1.6)] < 1.0


def test_pid_of_set_point_and_measurement_weighs_them_as_told():
    """Against the equations of Modelica's LimPID, integrated elsewhere."""
    from scipy.integrate import solve_ivp

    k, Ti, Td, Nd, Ni, wp, wd = 3.0, 0.4, 0.2, 8.0, 0.7, 0.6, 0.2
    m = lw.Model("loop")
    m.world = lw.World()
    m.load, m.motor = rotational.Inertia(J=1.0, phi=0, w=0), rotational.Torque()
    m.connect(m.motor.flange, m.load.flange_a)
    m.motor.tau = blocks.pid(1.0, k, Ti, Td, Nd, y_max=1.2, y_min=-0.4, Ni=Ni, measured=m.load.phi, wp=wp, wd=wd,
                             name="control")
    r = lw.simulate(m, 6.0, accuracy=ACCURACY)

    def f(t, s):
        phi, w, i, x = s
        v = k * (wp - phi + i + Nd * (wd - phi - x))
        y = np.clip(v, -0.4, 1.2)
        return [w, y, (1 - phi + (y - v) / (k * Ni)) / Ti, (wd - phi - x) * Nd / Td]

    s = solve_ivp(f, (0, 6), [0, 0, 0, 0], t_eval=r.t, rtol=1e-11, atol=1e-12, max_step=0.01).y
    assert r["load.phi"] == pytest.approx(s[0], abs=1e-7)
    assert r["control.x"] == pytest.approx(s[2:].T, abs=1e-6)


def test_parts_of_a_pid_can_be_left_out():
    r = run(1.0, p=blocks.pid(2.0, k=3, Ti=None, Td=None), pi=blocks.pid(1.0, k=2, Ti=0.5, Td=None, start=0.25),
            pd=blocks.pid(1.0, k=2, Ti=None, Td=0.1, Nd=10))
    assert r["p"] == pytest.approx(6.0)
    assert r["pi"] == pytest.approx(2 * (1.25 + r.t / 0.5), abs=1e-9)
    assert r["pd"] == pytest.approx(2 * (1 + 10 * np.exp(-r.t / 0.01)), abs=1e-7)
    with pytest.raises(lw.ModelError, match="y_min = 2 must lie below y_max = 1"):
        blocks.pid(1.0, y_max=1, y_min=2)


def test_rate_limiter_and_limiter():
    r = run(2.0, y=blocks.rate_limiter(blocks.step(1.0, 0.5), rising=2.0, Td=1e-3),
            z=blocks.limiter(2 * lw.sin(lw.time * 3), 1.0), d=blocks.dead_zone(3 * lw.time - 3, 1.0))
    inside = (r.t > 0.51) & (r.t < 0.99)
    assert r["y"][inside] == pytest.approx(2 * (r.t[inside] - 0.5), abs=1e-6)
    assert r["z"] == pytest.approx(np.clip(2 * np.sin(3 * r.t), -1, 1), abs=1e-12)
    x = 3 * r.t - 3
    assert r["d"] == pytest.approx(x - np.clip(x, -1, 1), abs=1e-12)


def test_sources_of_time():
    r = run(4.0, step=blocks.step(2, 1.0, 0.5), ramp=blocks.ramp(3, 2, 1), sine=blocks.sine(2, 0.5, 0.3, 1, 1.003),
            pulse=blocks.pulse(2, 0.25, 1.0, 0.501), hat=blocks.trapezoid(1, 0.2, 0.3, 0.1, 1.0),
            linear=blocks.table([0, 1, 3], [0, 2, 1]), smooth=blocks.table([0, 1, 2, 3], [0, 1, 4, 9], kind="smooth"))
    t = r.t
    assert r["step"] == pytest.approx(np.where(t < 1, 0.5, 2.5))
    assert r["ramp"] == pytest.approx(3 * np.clip((t - 1) / 2, 0, 1))
    assert r["sine"] == pytest.approx(np.where(t < 1.003, 1, 1 + 2 * np.sin(np.pi * (t - 1.003) + 0.3)))
    phase = (t - 0.501) % 1.0
    assert r["pulse"] == pytest.approx(np.where((t >= 0.501) & (phase < 0.25), 2, 0))
    near = np.interp(t % 1.0, [0, 0.2, 0.5, 0.6, 1], [0, 1, 1, 0, 0])
    assert r["hat"][:-1] == pytest.approx(near[:-1], abs=1e-9)
    assert r["linear"] == pytest.approx(np.interp(t, [0, 1, 3], [0, 2, 1]))
    assert r["smooth"][t == 2.0] == pytest.approx(4.0)


def test_point_to_point_motion_keeps_its_limits_and_all_axes_together():
    end, speed, acceleration = np.array([1.0, -2.0, 0.1]), np.array([1.0, 1.5, 2.0]), np.array([4.0, 3.0, 5.0])
    motion = blocks.kinematic_ptp(end, qd_max=speed, qdd_max=acceleration, start_time=0.2)
    r = run(3.0, q=motion.q, qd=motion.qd, qdd=motion.qdd)
    assert r["q"][-1] == pytest.approx(end) and r["q"][0] == pytest.approx(np.zeros(3))
    assert np.all(np.abs(r["qd"]) <= speed + 1e-12) and np.abs(r["qd"][:, 1]).max() == pytest.approx(1.5)
    assert np.all(np.abs(r["qdd"]) <= acceleration + 1e-12)
    assert r["q"] == pytest.approx(np.outer(r["q"][:, 0], end), abs=1e-12)
    # the slowest axis: 2 rad at 1.5 rad/s and 3 rad/s²
    assert motion.end_time == pytest.approx(0.2 + 2 / 1.5 + 0.5)
    moved = np.cumsum(r["qd"], axis=0) * (r.t[1] - r.t[0])
    assert r["q"] == pytest.approx(moved, abs=0.02)


def test_states_of_a_controller_are_found_through_the_signal():
    """A pendulum under PI control keeps its angle: the integral carries its weight."""
    m = lw.Model("controlled")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0, w=0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.motor.flange, m.rev.axis)
    error = blocks.first_order(0.3 - m.rev.phi, T=0.001, name="sensor")
    m.motor.tau = blocks.pi(error, k=40, T=0.2, name="control") - 6 * m.rev.w
    r = lw.simulate(m, 8.0)
    assert r["rev.phi"][-1] == pytest.approx(0.3, abs=1e-6)
    assert r["control.x"][-1].item() * 40 == pytest.approx(9.80665 * 0.5 * np.cos(0.3), abs=1e-4)


def test_other_numbers_in_a_block_are_another_model():
    one, two = (run(1.0, y=blocks.first_order(1.0, T=T, name="lag"))["y"][-1] for T in (0.5, 0.25))
    assert one == pytest.approx(1 - np.exp(-2)) and two == pytest.approx(1 - np.exp(-4))


def test_derivatives_in_signals_are_told_apart():
    m = [run(1.0, y=lw.der(e))["y"][-1] for e in (lw.sin(lw.time), lw.cos(lw.time))]
    assert m == pytest.approx([np.cos(1), -np.sin(1)])


def test_exact_position_follows_a_filter():
    """The reference is a state of a block: it is differentiated along its own equation."""
    m = lw.Model("follow")
    m.world = lw.World()
    m.load = rotational.Inertia(J=1.0)
    m.source = rotational.Position(phi_ref=blocks.second_order(lw.sin(lw.time), w=5, D=0.7, name="ref"), exact=True)
    m.connect(m.source.flange, m.load.flange_a)
    r = lw.simulate(m, 2.0, accuracy=ACCURACY)
    assert r["load.phi"] == pytest.approx(r["ref.y"], abs=1e-8)


def test_steady_start_begins_at_the_first_input():
    """The filtered torque of a braked rotor begins at the torque itself."""
    m = lw.Model("filtered")
    m.world = lw.World()
    m.load, m.rotor = rotational.Inertia(J=1.0, phi=0, w=2.0), rotational.Inertia(J=0.5)
    m.brake = rotational.QuadraticSpeedDependentTorque(tau_nominal=-3, w_nominal=1)
    m.sensor = rotational.TorqueSensor()
    m.connect(m.brake.flange, m.load.flange_b)
    m.connect(m.sensor.flange_b, m.load.flange_a)
    m.connect(m.sensor.flange_a, m.rotor.flange_a)
    m.output("y", blocks.critical_damping(m.sensor.tau, n=2, f=5, start="steady", name="filter"))
    r = lw.simulate(m, 0.5)
    assert r["sensor.tau"][0] == pytest.approx(0.5 * 12 / 1.5)
    assert r["filter.x"][0] == pytest.approx([4.0, 4.0]) and r["load.w"][0] == pytest.approx(2.0)


def test_a_name_used_twice_is_refused():
    with pytest.raises(lw.ModelError, match="load: a block of this name"):
        run(0.1, y=blocks.first_order(1.0, name="load"))


class Servo(lw.Model):
    """A sub-model with a controller of its own, named inside it."""

    def __init__(self, gain, wanted, name=None):
        super().__init__(name)
        self.load = rotational.Inertia(J=1.0, phi=0, w=0)
        self.motor = rotational.Torque(tau=blocks.pi(wanted - self.load.w, k=gain, T=0.5, name="speed"))
        self.connect(self.motor.flange, self.load.flange_a)


def test_blocks_of_sub_models_are_named_inside_them():
    m = lw.Model("two")
    m.world = lw.World()
    wanted = blocks.first_order(1.0, T=0.1, name="wanted")
    m.a, m.b = Servo(2.0, wanted), Servo(4.0, wanted)
    r = lw.simulate(m, 5.0)
    assert {"wanted.y", "a.speed.x", "b.speed.y", "b.speed"} <= set(r.names)
    assert r["a.speed.y"] == pytest.approx(r["a.motor.tau"]) and r["a.speed.y"][20] != r["b.speed.y"][20]
    assert r["a.load.w"][-1] == pytest.approx(1.0, abs=1e-2)


def test_a_sub_model_that_ran_by_itself_keeps_its_blocks():
    servo = Servo(2.0, 1.0)
    with pytest.warns(UserWarning, match="no World"):
        alone = lw.simulate(servo, 1.0)["speed.x"][-1]
    m = lw.Model("whole")
    m.world, m.servo = lw.World(), servo
    assert lw.simulate(m, 1.0)["servo.speed.x"][-1] == pytest.approx(alone)


def test_two_tables_in_one_model():
    """Forces of 1 and 2 t N from tables on two sliders of 1 kg: t²/2 and t³/3."""
    m = lw.Model("tables")
    m.world = lw.World()
    for name, values in (("one", [1, 1]), ("two", [0, 6])):
        slider, push = translational.Mass(m=1, s=0, v=0), translational.Force(f=blocks.table([0, 3], values))
        setattr(m, name, slider)
        setattr(m, f"push_{name}", push)
        m.connect(slider.flange_a, push.flange)
    r = lw.simulate(m, 3.0)
    assert [r["one.s"][-1], r["two.s"][-1]] == pytest.approx([4.5, 9.0], abs=1e-8)


@pytest.mark.parametrize(("make", "said"), [
    (lambda: blocks.limiter(lw.time, -1, 1), "lies above upper"),
    (lambda: blocks.rate_limiter(lw.time, rising=-1), "rising must be positive"),
    (lambda: blocks.trapezoid(rising=1, width=1, falling=1, period=2), "fit into the period"),
    (lambda: blocks.bessel(lw.time, n=0), "from 1 to 24"),
    (lambda: blocks.butterworth(lw.time, n=1.5), "from 1 to 24"),
    (lambda: blocks.kinematic_ptp([1, 2], qd_max=[1, 1, 1]), "one per axis"),
    (lambda: blocks.kinematic_ptp([float("nan")]), "kinematic_ptp: q_end = .* must be finite"),
    (lambda: blocks.kinematic_ptp("a"), "kinematic_ptp: q_end: expected numbers"),
    (lambda: blocks.sine(f=float("nan")), "sine.f is nan"),
    (lambda: blocks.sine(f="1"), "sine.f: expected a number"),
    (lambda: blocks.step(float("nan")), "step.height is nan"),
    (lambda: blocks.pulse(period=0), "pulse: period = 0 must be positive"),
    (lambda: blocks.table([0, 1], [0, 1], u="a"), "table.u: expected a number"),
    (lambda: blocks.bessel(lw.time, f=0), "bessel: f = 0 must be positive"),
    (lambda: blocks.butterworth(lw.time, f=-1), "butterworth: f = -1 must be positive"),
    (lambda: blocks.rate_limiter(lw.time, Td=0), "rate_limiter: Td = 0 must be positive"),
    (lambda: blocks.pid(lw.time, y_min=0), "pid: y_min = 0 needs y_max too"),
    (lambda: blocks.integrator(lw.time, start=[1, 2]), "integrator: start is one number"),
    (lambda: blocks.integrator(lw.time, start="a", name="sum"), "sum: start is a number"),
    (lambda: blocks.integrator(lw.time, k="a"), "integrator.k: expected a number"),
    (lambda: blocks.delay(lw.time, 1.0, start="a"), "delay.start: expected a number"),
    (lambda: blocks.zero_order_hold(lw.time, "a"), "period = a must be a positive number"),
])
def test_blocks_that_make_no_sense_are_refused(make, said):
    with pytest.raises(lw.ModelError, match=said):
        make()


def test_friction_that_would_drive_is_refused():
    with pytest.raises(lw.ModelError, match="cannot be negative"):
        rotational.BearingFriction(tau_pos=[[0, -1]])
