"""Pausing, resuming, stopping, output, interruption, failure."""

import signal
import threading

import integrate_models as models
import numpy as np
import pytest

from linkwright.integrate import METHODS


def driven(method, **options):
    if not METHODS[method].adaptive:
        options.setdefault("h", 0.01)
    functions, x0 = {"rhs": models.driven.address}, [0.7, -0.4, 0.2]
    return models.stepper(method, functions, 5, 0, (1, 1, 1), x0, rest=[9.81], **options)


@pytest.mark.parametrize("method", METHODS)
def test_pausing_after_every_step_gives_the_same_bits(method):
    grid = np.linspace(0, 3, 77)
    whole, pieces, cut = driven(method), driven(method), driven(method)
    whole.run(3.0, grid)
    paused = []
    pieces.run(3.0, grid, on_pause=lambda s: paused.append(s.t), chunk=1)
    assert len(paused) >= whole.counters["steps"] - 1
    assert pieces.counters == whole.counters

    def stop(s):
        raise KeyboardInterrupt

    while cut.run(3.0, grid, on_pause=stop, chunk=3) == "interrupted":
        assert np.all(np.isfinite(cut.grid_x)) and cut.t < 3.0
    for s in (pieces, cut):
        np.testing.assert_array_equal(s.steps_t, whole.steps_t)
        np.testing.assert_array_equal(s.steps_x, whole.steps_x)
        np.testing.assert_array_equal(s.grid_x, whole.grid_x)


def test_interruption_keeps_what_was_computed():
    s = driven("dopri5")
    grid = np.linspace(0, 1000, 10_001)

    def stop(s):
        raise KeyboardInterrupt

    assert s.run(1000.0, grid, on_pause=stop, chunk=50) == "interrupted"
    reached = np.searchsorted(grid, s.t, side="right")
    assert len(s.grid_x) == reached and s.counters["steps"] <= 50 and s.steps_t[-1] == s.t


@pytest.fixture
def interruptible():
    """Ctrl-C counts, also where tests run in the background of a shell, which takes it away from them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_during_compiled_code_stops_at_the_next_pause(interruptible):
    grid = np.linspace(0, 20, 100)
    whole, cut = driven("rk4", h=1e-5), driven("rk4", h=1e-5)
    whole.run(20.0, grid)
    threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()  # two million steps take longer
    assert cut.run(20.0, grid) == "interrupted"
    assert 0 < cut.t < 20
    assert cut.run(20.0, grid) == "end"
    np.testing.assert_array_equal(whole.grid_x, cut.grid_x)


def test_long_runs_return_about_every_50_ms():
    s = driven("rk4", h=1e-5)
    calls = []
    s.run(10.0, on_pause=lambda s: calls.append(s.t))
    assert 3 <= len(calls) <= 60


@pytest.mark.parametrize("method", METHODS)
def test_stops_are_hit_exactly(method):
    s = driven(method)
    stops = [0.1, 1 / 3, 0.35]
    seen = []
    while (reason := s.run(1.0, pauses=stops)) == "stop":
        seen.append(s.t)
    assert reason == "end" and seen == stops and s.t == 1.0
    if not METHODS[method].adaptive:
        # the fixed step goes on from the stop
        assert s.steps_t[np.searchsorted(s.steps_t, 0.1) + 1] == pytest.approx(0.11, abs=1e-12)


def test_a_sampled_change_of_inputs_takes_effect_at_its_time():
    """Free fall whose gravity is switched off at t = 1: x(2) = −g/2 − g."""
    s = models.plain("dopri5", {"rhs": models.free_fall.address}, 4, 0, (1, 1, 0), [0.0, 0.0], rest=[9.81])
    grid = np.linspace(0, 2, 41)
    assert s.run(2.0, grid, pauses=[1.0]) == "stop"
    s.inputs[3] = 0.0
    assert s.run(2.0, grid) == "end"
    exact = np.where(grid <= 1, -0.5 * 9.81 * grid**2, -0.5 * 9.81 - 9.81 * (grid - 1))
    np.testing.assert_allclose(s.grid_x[:, 0], exact, atol=1e-9)
    # a change of inputs alone keeps the step size
    assert s.counters["steps"] < 25
    # the history knows which inputs belonged to which step
    np.testing.assert_allclose(s.dense(grid)[:, 0], exact, atol=1e-9)


def test_grid_outputs_need_no_extra_steps():
    sparse, fine = driven("dopri5"), driven("dopri5")
    sparse.run(5.0, [5.0])
    fine.run(5.0, np.linspace(0, 5, 5001))
    np.testing.assert_array_equal(sparse.steps_x, fine.steps_x)
    np.testing.assert_allclose(fine.grid_x[0], [0.7, -0.4, 0.2])
    np.testing.assert_array_equal(fine.grid_x[-1], fine.x)


def test_dense_on_both_sides_of_a_change():
    s = driven("dop853")
    s.run(1.0)
    before = s.x.copy()
    s.x = [2.0, 0.0, 0.0]
    s.run(2.0)
    np.testing.assert_array_equal(s.dense(1.0), before)
    np.testing.assert_array_equal(s.dense(1.0, side="right"), [2.0, 0.0, 0.0])
    np.testing.assert_allclose(s.dense(1.0 + 1e-9), [2.0, 0.0, 0.0], atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("model", "kind"), [("nan_after_one", "nonfinite"), ("singular_after_one", "singular")])
def test_a_failing_model_keeps_results_up_to_the_failure(method, model, kind):
    options = {} if METHODS[method].adaptive else {"h": 0.013}
    functions = {"rhs": getattr(models, model).address}
    s = models.stepper(method, functions, 3, 0, (1, 1, 0), [1.0, 0.0], **options)
    grid = np.linspace(0, 2, 101)
    assert s.run(2.0, grid) == "failed"
    time, what, text = s.failure
    assert what == kind and text
    assert (0.98 if options else 1 - 1e-9) < time <= 1.0
    assert len(s.grid_x) == np.searchsorted(grid, time, side="right")
    assert np.all(np.isfinite(s.grid_x)) and np.all(np.isfinite(s.steps_x)) and np.all(np.isfinite(s.x))
    assert np.abs(s.grid_x[:, 0] - np.cos(grid[: len(s.grid_x)])).max() < 0.02


def test_a_pole_of_the_solution_is_a_step_too_small():
    s = models.plain("dopri5", {"rhs": models.blow_up.address}, 2, 0, (0, 0, 1), [1.0])
    assert s.run(2.0) == "failed"
    assert s.failure[1] in ("step too small", "nonfinite") and s.failure[0] == pytest.approx(1.0, abs=1e-6)


def test_a_model_that_fails_at_once_says_so():
    s = models.plain("dopri5", {"rhs": models.nan_after_one.address}, 3, 0, (1, 1, 0), [1.0, 0.0], t0=1.5)
    assert s.run(2.0, [1.5, 2.0]) == "failed"
    assert s.failure[:2] == (1.5, "nonfinite") and len(s.grid_x) == 0


def test_warm_starts_are_carried_from_accepted_steps():
    functions = {"rhs": models.warm.address}
    plain = models.plain("dopri5", functions, 4, 1, (1, 1, 0), [1.0, 0.0], rest=[50.0], n_slope=4)
    warm = models.plain("dopri5", functions, 4, 1, (1, 1, 0), [1.0, 0.0], rest=[50.0], n_slope=4, carry=([3], [3]))
    plain.run(5.0)
    warm.run(5.0)
    assert warm._work[0] < 0.5 * plain._work[0]
    assert warm.inputs[3] == pytest.approx(np.sqrt(2 + warm.x[0]), abs=1e-12)
    np.testing.assert_allclose(warm.x, plain.x, atol=1e-8)


def test_steps_need_not_be_kept():
    kept, lean = driven("rk4", h=1e-3), driven("rk4", h=1e-3, keep_steps=False)
    grid = np.linspace(0, 5, 11)
    kept.run(5.0, grid, chunk=100)
    lean.run(5.0, grid, chunk=100)
    np.testing.assert_array_equal(kept.grid_x, lean.grid_x)
    assert len(kept.steps_t) == 5001 and len(lean.steps_t) < 200


def test_a_failed_run_can_be_mended_and_goes_on():
    s = models.plain("dopri5", {"rhs": models.nan_after_one.address}, 3, 0, (1, 1, 0), [1.0, 0.0])
    assert s.run(2.0) == "failed"
    s.inputs[0] = 0.0
    steps = s.counters["steps"]
    assert s.run(0.5) == "end" and s.failure is None
    assert s.counters["steps"] - steps < 100


def test_a_system_without_states_passes_time():
    s = models.plain("dopri5", {"rhs": models.nothing.address}, 1, 0, (0, 0, 0), [])
    assert s.run(3.0, [0.0, 1.0, 3.0]) == "end" and s.grid_x.shape == (3, 0) and s.t == 3.0
