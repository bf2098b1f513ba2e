"""Blocks that remember: delays against closed forms of delay equations, samples, hysteresis."""

from math import factorial

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, joints, parts, rotational

ACCURACY = 1e-10


def rotor():
    """A rotor that turns by itself, and signals beside it."""
    m = lw.Model("rotor")
    m.world = lw.World()
    m.load = rotational.Inertia(J=1.0, phi=0, w=1.0)
    return m


def driven(torque_of):
    """A rotor under a torque that is made from it."""
    m = rotor()
    m.motor = rotational.Torque()
    m.motor.tau = torque_of(m)
    m.connect(m.motor.flange, m.load.flange_a)
    return m


def test_a_delayed_sine_is_the_sine_of_earlier():
    m = rotor()
    m.output("y", blocks.delay(lw.sin(3 * lw.time + 1), 0.3, name="late"))
    r = lw.simulate(m, 5.0, accuracy=ACCURACY)
    assert r["y"] == pytest.approx(np.sin(3 * np.maximum(r.t - 0.3, 0) + 1), abs=1e-9)
    assert r["late.u"] == pytest.approx(np.sin(3 * r.t + 1)) and r["late"] == pytest.approx(r["y"])


def test_a_delay_equation_has_its_polynomials():
    """ẇ = −w(t − 1), w = 1 before: w = Σ (−1)ᵏ (t − k + 1)ᵏ/k! over k − 1 < t."""
    m = driven(lambda m: -blocks.delay(m.load.w, 1.0, name="late"))
    r = lw.simulate(m, 6.0, accuracy=ACCURACY)
    exact = sum(np.where(r.t > k - 1, (-1) ** k * np.maximum(r.t - k + 1, 0) ** k / factorial(k), 0) for k in range(8))
    assert r["load.w"] == pytest.approx(exact, abs=1e-9)


def test_the_delayed_feedback_of_an_oscillation_turns_at_the_closed_rate():
    """ẇ = −k w(t − T) with k T = π/2 oscillates for ever: w = cos k t fits from the past on."""
    k, T = 2.0, np.pi / 4
    m = rotor()
    m.motor = rotational.Torque(tau=lw.where(lw.time < T, -k * lw.cos(k * (lw.time - T)),
                                             -k * blocks.delay(m.load.w, T, name="late")))
    m.connect(m.motor.flange, m.load.flange_a)
    r = lw.simulate(m, 8.0, accuracy=ACCURACY)
    assert r["load.w"] == pytest.approx(np.cos(k * r.t), abs=1e-8)


def test_jumps_come_back_as_jumps():
    m = driven(lambda m: blocks.delay(blocks.pulse(2.0, 0.25, 1.0), 0.1, name="late"))
    r = lw.simulate(m, 3.0, accuracy=ACCURACY)
    for edge, before, after in ((0.35, 2, 0), (1.1, 0, 2), (1.35, 2, 0), (2.1, 0, 2)):
        at = [e for e, _ in r._history if abs(e - edge) < 1e-9][0]
        assert r.at(at)["motor.tau"] == pytest.approx(before, abs=1e-9)
        assert r.at(at, side="after")["motor.tau"] == pytest.approx(after, abs=1e-9)
    # the speed is the integral of pulses that lie where they should
    assert r["load.w"][-1] == pytest.approx(1 + 0.1 * 2 + 3 * 0.25 * 2, abs=1e-9)


def test_a_ring_over_a_delay_alone_is_a_map():
    m = rotor()
    m.motor = rotational.Torque()
    m.connect(m.motor.flange, m.load.flange_a)
    m.motor.tau = blocks.delay(1 - 0.5 * m.motor.tau, 0.4, start=0.0)
    r = lw.simulate(m, 2.0)
    expected, value = [], 0.0
    for _ in range(6):
        expected.append(value)
        value = 1 - 0.5 * value
    inside = np.abs(r.t / 0.4 % 1 - 0.5) < 0.4
    assert r["motor.tau"][inside] == pytest.approx(np.array(expected)[(r.t[inside] / 0.4).astype(int)], abs=1e-12)
    # without a start the past is where the ring rests
    m.motor.tau = blocks.delay(1 - 0.5 * m.motor.tau, 0.4)
    assert lw.simulate(m, 2.0)["motor.tau"] == pytest.approx(2 / 3, abs=1e-9)


def test_two_delays_in_a_row_add_up():
    m = driven(lambda m: blocks.delay(blocks.delay(lw.sin(2 * lw.time), 0.3), 0.2) - m.load.w)
    r = lw.simulate(m, 3.0, accuracy=ACCURACY)
    assert r["delay1.y"] + r["delay2.y"] == pytest.approx(
        np.sin(2 * np.maximum(r.t - 0.3, 0)) + np.sin(2 * np.maximum(r.t - 0.5, 0)), abs=1e-9)


@pytest.mark.parametrize("start", (None, 0.25))
def test_a_run_that_goes_on_begins_with_a_new_past(start):
    m = rotor()
    m.output("y", blocks.delay(m.load.phi, 0.5, start=start, name="late"))
    system = lw.compile(m)
    first = lw.simulate(system, 1.3)
    r = lw.simulate(system, 3.0, start=1.3, state=first.end)
    before = 1.3 if start is None else start
    np.testing.assert_allclose(r["y"][1:], np.where(r.t[1:] < 1.8, before, r.t[1:] - 0.5), atol=1e-7)


def test_an_equilibrium_knows_no_delay():
    m = lw.Model("arm")
    m.world = lw.World(g=10)
    m.rev = joints.Revolute(phi=lw.guess(0.1))
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque(tau=blocks.delay(-20 * m.rev.phi, 0.5))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.motor.flange, m.rev.axis)
    s = lw.equilibrium(lw.compile(m))
    assert 20 * s.get("rev.phi") == pytest.approx(-5 * np.cos(s.get("rev.phi")), abs=1e-9)


def test_a_hold_samples_at_multiples_of_its_period():
    m = driven(lambda m: blocks.zero_order_hold(lw.cos(lw.time), 0.25, name="held"))
    r = lw.simulate(m, 2.0, accuracy=ACCURACY)
    inside = r.t % 0.25 > 1e-9
    assert r["held"][inside] == pytest.approx(np.cos(0.25 * np.floor(r.t[inside] / 0.25)), abs=1e-12)
    assert r["held"][0] == 1
    assert r["load.w"][-1] == pytest.approx(1 + 0.25 * np.cos(0.25 * np.arange(8)).sum(), abs=1e-10)


def test_hysteresis_switches_at_its_two_values():
    m = driven(lambda m: blocks.hysteresis(lw.sin(lw.time), upper=0.5, lower=-0.25, high=2.0, low=-1.0, name="relay"))
    r = lw.simulate(m, 12.0, accuracy=ACCURACY)
    up, down = np.pi / 6, np.pi + np.arcsin(0.25)
    high = ((r.t % (2 * np.pi)) > up) & ((r.t % (2 * np.pi)) < down)
    assert r["relay"] == pytest.approx(np.where(high, 2.0, -1.0))
    turned = [2 * np.pi * k + t for k in range(2) for t in (up, down)]
    times = np.array([e.time for e in r.events])
    assert all(np.abs(times - t).min() < 1e-9 for t in turned)


@pytest.mark.parametrize("start, first", [(False, 0.0), (True, 1.0)])
def test_hysteresis_begins_as_told_between_its_values_and_as_it_must_beyond(start, first):
    for shift, expected in ((0.0, first), (3.0, 1.0), (-3.0, 0.0)):
        m = driven(lambda m, s=shift: blocks.hysteresis(s + 0.1 * lw.sin(lw.time), 1, -1, start=start, name="relay"))
        assert lw.simulate(m, 1.0)["relay"] == pytest.approx(expected)


def test_a_thermostat_cycles_with_the_closed_period():
    """ẇ = 3 on − 1 between 0 and 1: down in one second, up in half of one."""
    m = driven(lambda m: 3 * blocks.hysteresis(-m.load.w, upper=0, lower=-1, name="relay") - 1)
    r = lw.simulate(m, 10.0, accuracy=ACCURACY)
    phase = (r.t - 1) % 1.5
    assert r["load.w"] == pytest.approx(np.where(phase < 0.5, 2 * phase, 1.5 - phase), abs=1e-9)


@pytest.mark.parametrize("make, said", [
    (lambda: blocks.delay(1.0, 0.0), "delay: T = 0.0 must be a positive"),
    (lambda: blocks.delay(1.0, lw.time), "positive number"),
    (lambda: blocks.zero_order_hold(1.0, -1, name="z"), "z: period = -1"),
    (lambda: blocks.hysteresis(1.0, 0, 1), "lower = 1 must lie below upper = 0"),
])
def test_memories_that_make_no_sense_are_refused(make, said):
    with pytest.raises(lw.ModelError, match=said):
        make()


@pytest.mark.parametrize("signal", [lambda m: lw.where(lw.time > 0.5, 1.0, 0.0),
                                    lambda m: lw.where(m.load.phi > 0.5, 1.0, 0.0)], ids=["of time", "of a state"])
def test_a_delayed_jump_that_only_an_output_reads_is_a_jump(signal):
    m = rotor()
    m.output("y", blocks.delay(signal(m), 0.3, name="late"))
    r = lw.simulate(m, 1.0, step=0.01)
    assert len(r.events) == 1 and r.events[0].time == pytest.approx(0.5, abs=1e-12)
    assert r["y"] == pytest.approx(np.where(r.t > 0.8 + 1e-9, 1.0, 0.0), abs=1e-12)
