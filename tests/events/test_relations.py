"""Comparisons in laws switch at the exact instants, and cost nothing where there are none."""

import event_models as models
import numpy as np
import pytest
from scipy.special import ellipk, ellipkinc

import linkwright as lw
from linkwright import forces, joints, parts, rotational


def test_a_force_that_switches_at_a_position_does_so_at_the_exact_time():
    m = models.slider()
    models.push(m, lw.where(lw.time > 1, 5, 0) - lw.where(m.s.s > 1, 20, 0))
    r = lw.simulate(m, 2.5, accuracy=1e-12)
    reached = 1 + np.sqrt(2 / 5)
    back = reached + 2 * np.sqrt(10) / 15  # with 5 − 20 on the mass, at speed √10
    np.testing.assert_allclose(models.times(r), [1.0, reached, back], rtol=0, atol=1e-10)
    assert models.times(r)[0] == 1.0
    assert [e.direction for e in r.events] == [1, 1, -1]
    assert r.at(2.0)["s.s"] == pytest.approx(1 + np.sqrt(10) * (2 - reached) - 7.5 * (2 - reached) ** 2, abs=1e-11)


def test_both_sides_of_an_event_can_be_asked_for():
    m = models.push(models.slider(), lw.where(lw.time > 1, 5, 0))
    r = lw.simulate(m, 2.0)
    assert r.at(1.0)["s.a"] == 0 and r.at(1.0, side="after")["s.a"] == 5
    # on the grid the value before the event stands
    assert r["s.a"][r.t <= 1].max() == 0 and r["s.a"][r.t > 1].min() == 5


def test_all_roots_in_one_step_are_found():
    """A free mass takes steps as long as it likes; its force-free path crosses many marks in one of them."""
    m = models.slider(v=1.0)
    marks = [0.3, 0.31, 0.3100001, 0.9]
    e = m.integral(sum(lw.where(m.s.s > mark, 1, 0) for mark in marks), name="e")
    assert e is not None
    r = lw.simulate(m, 2.0, accuracy=1e-12)
    np.testing.assert_allclose(models.times(r), marks, atol=1e-10)
    assert r["e"][-1] == pytest.approx(sum(2 - mark for mark in marks), abs=1e-11)


@pytest.mark.parametrize("gap", [0.1, 0.01, 1e-3, 1e-5])
def test_three_roots_close_together_are_all_found(gap):
    """(x − 1)(x − 1 − g)(x − 1 − 2g) at speed 1: from afar it changes sign once."""
    m = models.slider(v=1.0)
    n, x = m.discrete("n", 0), m.s.s
    cubic = (x - 1) * (x - 1 - gap) * (x - 1 - 2 * gap)
    m.when(cubic > 0, {n: n + 1})
    m.when(cubic < 0, {n: n + 10})
    system = lw.compile(m)
    for accuracy in (1e-6, 1e-8, 1e-12):
        r = lw.simulate(system, 3.0, accuracy=accuracy)
        np.testing.assert_allclose(models.times(r), [1, 1 + gap, 1 + 2 * gap], atol=1e-9)
        assert r["n"][-1] == 12


def test_a_ripple_makes_a_ramp_cross_more_than_once():
    """x − 1 + sin(500 x)/250 rises through zero twice."""
    m = models.slider(v=1.0)
    n = m.discrete("n", 0)
    m.when(m.s.s - 1 + lw.sin(500 * m.s.s) / 250 > 0, {n: n + 1})
    r = lw.simulate(m, 3.0)
    x = np.array(models.times(r))
    assert r["n"][-1] == 2 and np.abs(x - 1 + np.sin(500 * x) / 250).max() < 1e-11


def test_roots_that_come_and_go_in_one_step():
    """sin(20 t) > 0.99 is true for 14 ms at a time."""
    m = models.slider(v=1.0)
    m.integral(lw.where(lw.sin(20 * m.s.s) > 0.99, 1, 0), name="e")
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    width = np.arccos(0.99) / 10
    # centres at 20 t = π/2 + 2π k
    centres = (np.pi / 2 + 2 * np.pi * np.arange(4)) / 20
    centres = centres[centres < 1]
    expected = np.sort(np.concatenate([centres - width / 2, centres + width / 2]))
    np.testing.assert_allclose(models.times(r), expected, atol=1e-10)
    assert r["e"][-1] == pytest.approx(width * len(centres), abs=1e-10)


@pytest.mark.parametrize("level", [0.999, 1 - 1e-6, 1 - 1e-9])
def test_a_condition_that_is_true_for_a_moment_is_not_missed(level):
    """A throw that stays above the level for a small part of a step: the top is at v²/2g = 1."""
    m = models.slider(n=(0, 1, 0), v=4.0, g=8.0)
    m.integral(lw.where(m.s.s > level, 1, 0), name="above")
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    half = np.sqrt((1 - level) / 4)
    np.testing.assert_allclose(models.times(r), [0.5 - half, 0.5 + half], atol=1e-10)
    assert r["above"][-1] == pytest.approx(2 * half, abs=1e-11)


def test_a_fast_wave_in_a_slow_motion_is_seen_in_full():
    """A free mass takes steps as long as the run, with thousands of periods in them."""
    m = models.slider(v=1.0)
    m.integral(lw.where(lw.sin(200 * m.s.s) > 0, 1, 0), name="e")
    r = lw.simulate(m, 20.0, step=20.0)
    np.testing.assert_allclose(models.times(r)[1:], np.pi / 200 * np.arange(1, 1274), atol=1e-10)
    assert r["e"][-1] == pytest.approx(637 * np.pi / 200, abs=1e-8)  # of 1273 half waves the odd ones


def test_events_of_a_swinging_pendulum_come_at_the_times_of_the_elliptic_integrals():
    """Passing 0.5 rad with amplitude 2 rad: t = (K(k) ∓ F(φ, k))/ω₀ + …, over eight swings."""
    m = lw.Model("pendulum")
    m.world = lw.World(g=9.81)
    m.rev = joints.Revolute(phi=2.0, w=0.0)
    m.body = parts.Body(m=1.0, r_cm=[0, -0.7, 0], inertia=[0, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.integral(lw.where(m.rev.phi > 0.5, 1, 0) + lw.where(m.rev.frame_a.f[1] > 20, 1, 0), name="e")
    r = lw.simulate(m, 20.0, accuracy=1e-12)
    k, rate = np.sin(1.0), np.sqrt(9.81 / 0.7)
    period, away = 4 * ellipk(k * k) / rate, ellipkinc(np.arcsin(np.sin(0.25) / k), k * k) / rate
    exact = np.sort(np.concatenate([period / 4 - away + period * np.arange(9),
                                    3 * period / 4 + away + period * np.arange(9)]))
    np.testing.assert_allclose(models.times(r, "phi"), exact[exact < 20], rtol=0, atol=1e-10)


def test_sign_and_floor():
    m = models.slider(v=1.0)
    m.integral(lw.floor(m.s.s * 3), name="steps")
    m.integral(lw.sign(m.s.s - 0.5), name="side")
    m.integral(lw.floor(lw.time / 0.25), name="clock")
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    assert r["steps"][-1] == pytest.approx(1 / 3 * (0 + 1 + 2), abs=1e-12)
    assert r["side"][-1] == pytest.approx(0.0, abs=1e-12)
    assert r["clock"][-1] == pytest.approx(0.25 * (0 + 1 + 2 + 3), abs=1e-12)
    assert models.times(r, "time")[:3] == [0.25, 0.5, 0.75]


def test_leaving_the_boundary_is_noticed():
    """From rest exactly on the boundary, towards the side where the comparison is true."""
    m = models.slider(v=1.0)
    m.integral(lw.where(m.s.s > 0, 1, 0), name="e")
    r = lw.simulate(m, 1.0)
    assert r["e"][-1] == pytest.approx(1.0, abs=1e-9)


def test_conditions_inside_conditions():
    m = models.slider(v=1.0)
    inner = lw.where(m.s.s > 0.5, 0.8, 0.2)
    m.integral(lw.where(m.s.s > inner, 1, 0), name="e")
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    # true from 0.2 to 0.5 and from 0.8 on
    assert r["e"][-1] == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(sorted(set(np.round(models.times(r), 9))), [0.2, 0.5, 0.8], atol=1e-9)


def test_smooth_selects_and_plain_models_have_no_events():
    m = models.slider(v=1.0)
    m.integral(lw.smooth_where(m.s.s > 0.5, m.s.s - 0.5, 0) + lw.fabs(m.s.s - 0.3), name="e")
    system = lw.compile(m)
    assert not system.mechanism.events and not system.mechanism.discretes
    r = lw.simulate(system, 1.0)
    assert r.events == [] and r.counters["witnesses"] == 0
    assert r["e"][-1] == pytest.approx(0.125 + 0.045 + 0.245, abs=1e-7)


def test_chattering_is_reported_with_the_two_modes():
    m = models.slider(s=0.1)
    models.push(m, lw.where(m.s.v + m.s.s > 0, -1, 1))
    with pytest.raises(lw.SimulationError, match="alternate") as caught:
        lw.simulate(m, 5.0)
    assert "s.v" in str(caught.value) and "hysteresis" in str(caught.value)
    assert 0 < caught.value.time < 5 and caught.value.result["s.s"][0] == 0.1


def test_modes_of_a_state_follow_it():
    m = models.slider()
    models.push(m, lw.where(m.s.s > 1, 3, 7))
    system = lw.compile(m)
    s = system.state()
    assert system.evaluate(s, "s.a") == 7
    s.set("s.s", 2.0)
    assert system.evaluate(s, "s.a") == 3


def test_events_carry_the_names_that_people_write():
    m = lw.Model("rotor")
    m.world = lw.World()
    m.rotor = rotational.Inertia(J=1.0, phi=0.0, w=1.0)
    m.brake = rotational.Torque(tau=-lw.where(m.rotor.w > 0, 1.0, 0.0) - lw.where(m.rotor.phi > 0.2, 1.0, 0.0))
    m.connect(m.brake.flange, m.rotor.flange_b)
    assert {event.what for event in lw.simulate(m, 1.0).events} == {"rotor.w > 0", "rotor.phi > 0.2"}


class Rope(forces.LineForce):
    """Pulls where it is taut."""

    def force(self, s, v):
        return lw.where(s > 1.2, 100 * (s - 1.2), 0)


def test_what_a_component_compares_by_itself_carries_its_path():
    m = lw.Model("tethered")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3, w=1.0)
    m.rod = parts.BodyShape(r=[0, -1, 0], m=1.0, r_cm=[0, -1, 0])
    m.fixed = parts.Fixed(r=[0.5, 0.3, 0])
    m.rope = Rope()
    m.chain(m.world, m.rev, m.rod)
    m.connect(m.fixed.frame_b, m.rope.frame_a)
    m.connect(m.rod.frame_b, m.rope.frame_b)
    assert {event.what for event in lw.simulate(m, 1.0).events} == {"rope"}
