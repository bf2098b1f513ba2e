"""Events are found where they are, all of them, in order, in the right sense."""

import integrate_models as models
import numpy as np
import pytest

from linkwright.integrate import METHODS


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_bounces_at_the_exact_times(method):
    g, restitution, start = 9.81, 0.8, 1.0
    functions = {"rhs": models.free_fall.address, "events": models.height.address}
    fixed = {} if METHODS[method].adaptive else {"h": 1e-4 if METHODS[method].order == 1 else 0.01}
    tolerance = 2e-3 if METHODS[method].order == 1 else 1e-9
    s = models.stepper(
        method, functions, 4, 0, (1, 1, 0), [start, 0.0], rest=[g], n_events=1, senses=[-1], accuracy=1e-10, **fixed
    )
    grid = np.linspace(0, 2.5, 251)
    bounces = []
    while (reason := s.run(2.5, grid)) == "event":
        bounces.append(s.t)
        assert s.event.crossings == [(0, -1)]
        assert s.event.x_before[0] >= 0 >= s.event.x_after[0]
        assert s.event.t - s.event.t_before < 1e-14
        s.x[1] *= -restitution
    assert reason == "end"
    first = np.sqrt(2 * start / g)
    exact = first + np.cumsum([0.0] + [2 * first * restitution ** (k + 1) for k in range(20)])
    exact = exact[exact < 2.5]
    np.testing.assert_allclose(bounces, exact, atol=tolerance)
    assert len(s.grid_x) == 251 and s.grid_x[:, 0].min() > -1e-9
    assert s.counters["events_found"] == len(bounces)


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau"])
def test_all_crossings_in_order_and_sense(method):
    """q = cos t against 0, ½, −½ over several turns."""
    functions = {"rhs": models.oscillator.address, "events": models.cosines.address}
    s = models.stepper(method, functions, 3, 0, (1, 1, 0), [1.0, 0.0], n_events=3, accuracy=1e-11)
    found = []
    while s.run(13.0) == "event":
        found += [(s.t, *c) for c in s.event.crossings]
    expected = []
    for turn in range(3):
        for angle, which, sense in (
            (np.pi / 3, 1, -1), (np.pi / 2, 0, -1), (2 * np.pi / 3, 2, -1),
            (4 * np.pi / 3, 2, 1), (3 * np.pi / 2, 0, 1), (5 * np.pi / 3, 1, 1),
        ):  # fmt: skip
            expected.append((2 * np.pi * turn + angle, which, sense))
    expected = [e for e in expected if e[0] < 13.0]
    assert [f[1:] for f in found] == [e[1:] for e in expected]
    np.testing.assert_allclose([f[0] for f in found], [e[0] for e in expected], atol=1e-9)
    times = np.linspace(0, 13, 500)
    np.testing.assert_allclose(s.dense(times)[:, 0], np.cos(times), atol=1e-9)


def test_only_the_wanted_sense_stops():
    functions = {"rhs": models.oscillator.address, "events": models.cosines.address}
    s = models.plain("dopri5", functions, 3, 0, (1, 1, 0), [1.0, 0.0], n_events=3, senses=[1, 1, 1])
    found = []
    while s.run(6.2) == "event":
        found += s.event.crossings
    assert found == [(2, 1), (0, 1), (1, 1)]


@pytest.mark.parametrize("method", METHODS)
def test_several_roots_in_one_step(method):
    """ẋ = 1 lets steps grow at will; sin 7t has a root every π/7, several in one step of length 1."""
    functions = {"rhs": models.steady.address, "events": models.fast_wave.address}
    options = {} if METHODS[method].adaptive else {"h": 1.0}
    s = models.stepper(method, functions, 2, 0, (1, 0, 0), [0.1], n_events=1, **options)
    times = []
    while s.run(4.0) == "event":
        times.append(s.t)
    np.testing.assert_allclose(times, np.arange(1, 10) * np.pi / 7 - 0.1, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("below", [1e-2, 1e-5, 1e-8, 1e-11])
def test_a_level_just_below_the_top_of_a_throw_is_passed_twice(method, below):
    """The step may be as long as the throw; for 1e-11 the height is above the level for a 150 000th of it."""
    g, level = 10.0, 5.0 - below
    options = {} if METHODS[method].adaptive else {"h": 0.7 if METHODS[method].order > 1 else 1e-4}
    functions = {"rhs": models.free_fall.address, "events": models.above.address}
    s = models.stepper(method, functions, 5, 0, (1, 1, 0), [0.0, 10.0], rest=[g, level], n_events=1, **options)
    times = []
    while s.run(2.0) == "event":
        times.append(s.t)
    if METHODS[method].order > 1:
        np.testing.assert_allclose(times, 1 + np.array([-1, 1]) * np.sqrt(2 * below / g), atol=3e-9)
    else:
        top = s.steps_x[:, 0].max()
        assert len(times) == (2 if top > level else 0)


def test_no_event_of_a_wave_is_missed_however_long_the_steps_are():
    """ẋ = 1: nothing but the witness asks for steps shorter than the whole run, 3183 periods long."""
    functions = {"rhs": models.steady.address, "events": models.wave.address}
    s = models.plain("dop853", functions, 2, 0, (1, 0, 0), [0.0], n_events=1)
    times = []
    while s.run(100.0) == "event":
        times.append(s.t)
    first, width = np.arcsin(0.9) / 200, 2 * np.arccos(0.9) / 200
    starts = first + 2 * np.pi / 200 * np.arange(3184)
    expected = np.sort(np.concatenate([starts, starts + width]))
    np.testing.assert_allclose(times, expected[expected < 100], atol=1e-12)


def test_an_event_is_not_found_twice_and_leaves_a_sensible_step():
    functions = {"rhs": models.oscillator.address, "events": models.height.address}
    s = models.plain("dop853", functions, 3, 0, (1, 1, 0), [1.0, 0.0], n_events=1)
    s.run(10.0)
    steps = s.counters["steps"]
    assert s.t == pytest.approx(np.pi / 2, abs=1e-8)
    assert s.run(10.0) == "event" and s.t == pytest.approx(3 * np.pi / 2, abs=1e-8)
    assert s.counters["steps"] - steps < 12


def test_the_window_can_be_widened():
    functions = {"rhs": models.oscillator.address, "events": models.height.address}
    s = models.plain("dopri5", functions, 3, 0, (1, 1, 0), [1.0, 0.0], n_events=1, event_tolerance=1e-3)
    s.run(10.0)
    assert abs(s.t - np.pi / 2) < 1e-3 and s.event.t_before <= np.pi / 2 <= s.event.t


def test_very_small_bounces_are_not_lost():
    """Bounces that shrink by half each time, down to a flight of some microseconds: the ball never falls through."""
    functions = {"rhs": models.free_fall.address, "events": models.height.address}
    s = models.plain("auto", functions, 4, 0, (1, 1, 0), [1.0, 0.0], rest=[9.81], n_events=1, senses=[-1])
    for _ in range(18):
        assert s.run(10.0) == "event"
        s.x[1] *= -0.5
    assert 0 < s.x[1] < 5e-5 and abs(s.x[0]) < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_events_on_a_projected_motion_alternate(method):
    """A Cartesian pendulum passes below its pivot once per half swing, from alternating sides, at equal intervals."""
    functions = {
        "rhs": models.circle.address, "project": models.circle_project.address, "events": models.height.address,
    }  # fmt: skip
    fixed = {} if METHODS[method].adaptive else {"h": 1e-3}
    s = models.stepper(method, functions, 5, 0, (2, 2, 0), [np.sin(0.5), -np.cos(0.5), 0.0, 0.0], n_events=1, **fixed)
    times, senses = [], []
    while s.run(20.0) == "event":
        times.append(s.t)
        senses.append(s.event.crossings[0][1])
        assert abs(np.hypot(*s.x[:2]) - 1) < 1e-10
    assert senses == [-1, 1] * 10
    half_period = np.pi / np.sqrt(9.81) / agm(1.0, np.cos(0.25))
    tolerance = {1: 5e-3, 2: 2e-5}.get(METHODS[method].order, 1e-7)
    np.testing.assert_allclose(np.diff(times), half_period, atol=tolerance)


def agm(a, b):
    """Arithmetic–geometric mean; the period of a pendulum of amplitude φ is 2π √(l/g) / agm(1, cos φ/2)."""
    for _ in range(6):
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return a


def test_a_guard_that_starts_at_zero_and_falls_is_found_at_once():
    """Two modes that end at one instant: rounding may leave the second a hair on the wrong side when it goes on."""
    for start in (0.0, -1e-18, 1e-18):
        s = models.plain("dop853", {"rhs": models.free_fall.address, "events": models.height.address}, 4, 1, (1, 1, 0),
                    [start, 0.0], rest=[9.81], n_events=1, senses=[-2.0])
        assert s.run(1.0) == "event"
        assert s.t < 1e-5
    s = models.plain("dop853", {"rhs": models.free_fall.address, "events": models.height.address}, 4, 1, (1, 1, 0),
                [-0.5, 0.0], rest=[9.81], n_events=1, senses=[-2.0])
    assert s.run(1.0) == "end"  # well below from the start is no crossing
