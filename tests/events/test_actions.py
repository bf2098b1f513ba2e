"""Actions, discrete variables, ends of runs and controllers."""

import traceback

import event_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import translational


def test_a_ball_bounces_at_the_exact_times_and_keeps_the_exact_energy():
    m = models.slider(s=1.0, n=(0, 1, 0))
    m.when(m.s.s < 0, {m.s.v: -0.8 * m.s.v})
    r = lw.simulate(m, 3.0, accuracy=1e-12)
    first = np.sqrt(2 / 9.81)
    exact = first + np.cumsum([0.0, *(2 * first * 0.8 ** (k + 1) for k in range(20))])
    exact = exact[exact < 3]
    np.testing.assert_allclose(models.times(r), exact, rtol=0, atol=1e-10)
    energy = r["kinetic_energy"] + r["potential_energy"]
    bounces = np.searchsorted(exact, r.t, side="right")
    np.testing.assert_allclose(energy, 9.81 * 0.64**bounces, atol=1e-9)
    assert r["s.s"].min() > -1e-12
    before, after = r.at(models.times(r)[0])["s.v"], r.at(models.times(r)[0], side="after")["s.v"]
    assert after == pytest.approx(-0.8 * before, rel=1e-14)


def test_an_action_that_lets_the_motion_pass_happens_once():
    m = models.slider(v=1.0)
    m.when(m.s.s > 1, {m.s.v: 0.5 * m.s.v})
    r = lw.simulate(m, 3.0, accuracy=1e-12)
    assert models.times(r) == pytest.approx([1.0], abs=1e-12)
    assert r["s.s"][-1] == pytest.approx(2.0, abs=1e-11)


def test_a_relay_with_hysteresis_cycles_with_the_exact_period():
    """v̇ = ±1 between v = −0.1 and 0.1: a triangle of period 0.4."""
    m = models.slider()
    mode = m.discrete("mode", 1)
    models.push(m, mode)
    m.when(m.s.v > 0.1, {mode: -1})
    m.when(m.s.v < -0.1, {mode: 1})
    r = lw.simulate(m, 2.0, accuracy=1e-12)
    np.testing.assert_allclose(models.times(r), np.arange(0.1, 2.0, 0.2), atol=1e-12)
    assert set(r["mode"]) == {-1.0, 1.0}
    assert r["mode"][r.t < 0.1].min() == 1


def test_actions_follow_each_other_in_one_instant():
    m = models.slider(v=1.0)
    a, b = m.discrete("a"), m.discrete("b")
    m.when(m.s.s > 0.5, {a: a + 1})
    m.when(lw.fmin(a, 5) > 0.5, {b: 10 * a, m.s.v: 2.0})
    r = lw.simulate(m, 1.0)
    end = r.at(1.0)
    assert end["a"] == 1 and end["b"] == 10 and end["s.v"] == pytest.approx(2.0)
    assert len({e.time for e in r.events}) == 1


def test_all_targets_are_set_from_the_same_values():
    m = models.slider()
    a, b = m.discrete("a", 1), m.discrete("b", 2)
    m.when(lw.time > 0.5, {a: b, b: a})
    r = lw.simulate(m, 1.0)
    assert (r["a"][0], r["b"][0], r["a"][-1], r["b"][-1]) == (1, 2, 2, 1)


def test_integrals_and_coordinates_can_be_reset():
    m = models.slider(v=1.0)
    e = m.integral(2.0, name="e")
    m.when(e > 1, {e: 0.25, m.s.s: m.s.s + 10})
    r = lw.simulate(m, 0.8, accuracy=1e-12)
    assert r["e"][-1] == pytest.approx(0.25 + 0.6, abs=1e-12)
    assert r["s.s"][-1] == pytest.approx(10.8, abs=1e-12)


def test_compound_conditions():
    m = models.slider(v=1.0)
    a = m.discrete("a")
    m.when(lw.logical_and(m.s.s > 0.5, lw.time > 0.7), {a: 1})
    r = lw.simulate(m, 1.0)
    assert [e.time for e in r.events if "and" in e.what] == [0.7]
    assert r["a"][-1] == 1


def test_a_run_can_end_itself():
    m = models.slider(v=1.0)
    m.terminate(m.s.s > 0.25, "arrived")
    r = lw.simulate(m, 1.0)
    assert r.t[-1] == pytest.approx(0.25, abs=1e-9) and np.all(np.diff(r.t) > 0)
    assert "arrived" in r.messages[0]


def test_a_run_whose_end_has_come_ends_at_once():
    m = models.slider(v=1.0)
    m.terminate(m.s.s < 0.25, "no need to start")
    r = lw.simulate(m, 1.0)
    assert r.t.tolist() == [0.0] and r["s.v"].tolist() == [1.0]
    assert r.messages == ["ended at t = 0 s: no need to start"] and len(r.events) == 1
    # what is true only later ends it later, what a discrete variable says too
    m = models.slider(v=1.0)
    done = m.discrete("done", 1)
    m.terminate(done > 0.5)
    assert lw.simulate(m, 1.0).t[-1] == 0 and lw.simulate(m, 1.0, inputs={"done": 0}).t[-1] == 1


def test_an_instant_at_the_very_end_still_happens():
    """What time brings at `stop`, and a state that is at its border there; output times show what was before."""
    m = models.slider(v=1.0)
    n, passed = m.discrete("n", 0), m.discrete("passed", 0)
    m.when(lw.time >= 1, {n: n + 1, m.s.v: 3.0})
    m.when(m.s.v > 2, {passed: passed + 1})
    r = lw.simulate(m, 1.0)
    assert [e.time for e in r.events] == [1.0, 1.0]
    before, after, end = r.at(1.0), r.at(1.0, side="after"), r.end
    assert before["n"] == before["passed"] == 0 and before["s.v"] == r["s.v"][-1] == 1
    assert after["n"] == after["passed"] == 1 and after["s.v"] == 3
    assert end.get("n") == end.get("passed") == 1 and end.get("s.v") == 3
    on = lw.simulate(r.system, 2.0, start=1.0, state=end)
    assert on["n"][-1] == 1 and on["s.s"][-1] == pytest.approx(4.0)
    m = models.slider(s=-1.0, v=1.0)
    m.terminate(lw.time >= 1, "time is up")
    m.when(m.s.s >= 0, {m.discrete("arrived"): 1})
    r = lw.simulate(m, 1.0)
    assert r.messages == ["ended at t = 1 s: time is up"] and r.end.get("arrived") == 1


def test_simultaneous_actions_are_ordered_by_what_they_depend_on():
    """Time before positions before speeds before accelerations; what is undone by an earlier one does not happen."""
    for reverse in (False, True):
        m = models.slider(v=1.0)
        models.push(m, 1.0)
        armed, order = m.discrete("armed", 0), m.discrete("order", 0)
        m.when(lw.time > 0.5, {armed: 1})
        later = [m.s.a > -1, m.integral(1.0, name="z") > -1, m.s.v > -1, m.s.s > -1]
        digits = [4, 3, 2, 1]
        for condition, digit in sorted(zip(later, digits, strict=True), key=lambda pair: pair[1], reverse=reverse):
            m.when(lw.logical_and(armed > 0.5, condition), {order: 10 * order + digit})
        assert lw.simulate(m, 1.0)["order"][-1] == 1234
    m = models.slider(v=1.0)
    armed, fired = m.discrete("armed", 0), m.discrete("fired", 0)
    m.when(lw.time > 0.5, {armed: 1})
    m.when(lw.logical_and(armed > 0.5, m.s.v > 0), {fired: 1})
    m.when(lw.logical_and(armed > 0.5, m.s.s > 0), {armed: 0})
    assert lw.simulate(m, 1.0)["fired"][-1] == 0


@pytest.mark.parametrize("factor, late", [(0.5, 1), (-0.5, 0)])
def test_crossings_at_one_instant_are_handled_by_stages_too(factor, late):
    """Two conditions that are one and the same, but the first to be named reads a speed: it comes later, if at all."""
    m = models.slider(v=1.0)
    seen = m.discrete("seen", 0)
    m.when(m.s.s + 1e-300 * m.s.v > 1, {seen: 1 + (m.s.v > 0.9)})
    m.when(m.s.s > 1, {m.s.v: factor * m.s.v})
    r = lw.simulate(m, 1.5)
    assert r["seen"][-1] == late and r["s.v"][-1] == factor


def test_an_action_that_only_stops_the_motion_lets_it_go_on():
    """A mass stopped where the condition becomes true is pushed over that mark at once: one event, not thousands."""
    m = models.slider(v=1.0)
    models.push(m, 2.0)
    m.when(m.s.s > 2, {m.s.v: 0.0})
    r = lw.simulate(m, 3.0, accuracy=1e-11)
    assert len(r.events) == 1
    assert r["s.s"][-1] == pytest.approx(2 + (3 - r.events[0].time) ** 2, abs=1e-9)


def test_a_sampled_controller_gives_the_exact_recursion():
    """Zero-order hold of u = −k s − c v on a unit mass: s, v follow a linear recursion."""
    m = models.slider(s=1.0)
    models.push(m, m.input("u"))
    seen = []

    @m.every(0.1)
    def control(t, y):
        seen.append(t)
        return {"u": -4 * y["s.s"] - 3 * y["s.v"]}

    r = lw.simulate(m, 2.0, step=0.1, accuracy=1e-12)
    x = np.array([1.0, 0.0])
    for k in range(20):
        np.testing.assert_allclose([r["s.s"][k], r["s.v"][k]], x, atol=1e-12)
        u = -4 * x[0] - 3 * x[1]
        x = np.array([x[0] + 0.1 * x[1] + 0.005 * u, x[1] + 0.1 * u])
    np.testing.assert_allclose(seen, 0.1 * np.arange(20), atol=1e-14)


def test_a_controller_that_raises_stops_the_run_there():
    m = models.slider(v=1.0)
    models.push(m, m.input("u"))

    @m.every(0.1)
    def control(t, y):
        return {"u": 1 / (t < 0.35)}

    with pytest.raises(lw.SimulationError, match="control.*ZeroDivisionError") as caught:
        lw.simulate(m, 1.0)
    assert caught.value.time == pytest.approx(0.4)
    assert caught.value.result.t[-1] == pytest.approx(0.4)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("when", [0.0, 0.4])
def test_an_interrupt_in_a_controller_keeps_what_was_computed(when):
    m = models.slider(v=1.0)
    models.push(m, m.input("u"))

    @m.every(0.1)
    def control(t, y):
        if t > when - 0.05:
            raise KeyboardInterrupt
        return {"u": 0.0}

    with pytest.raises(KeyboardInterrupt, match="in .result") as caught:
        lw.simulate(m, 1.0)
    result = caught.value.result
    assert result.t[-1] == pytest.approx(when)
    np.testing.assert_allclose(result["s.s"], result.t, atol=1e-12)


def test_what_cannot_be_set_is_refused():
    m = models.slider(v=1.0)
    m.when(m.s.s > 0.5, {m.s.a: 1.0})
    with pytest.raises(lw.ModelError, match="cannot be set"):
        lw.simulate(m, 1.0)
    with pytest.raises(lw.ModelError, match="comparison"):
        m.when(True, {m.s.v: 0})


def test_the_users_own_lines_are_shown_where_a_controller_fails():
    m = models.slider(v=1.0)
    models.push(m, m.input("u"))

    @m.every(0.25)
    def control(t, y):
        return {"u": [][int(t > 0.4)]} if t > 0.4 else {"u": 1.0}

    with pytest.raises(lw.SimulationError, match="control") as caught:
        lw.simulate(m, 1.0)
    shown = "".join(traceback.format_exception(caught.value))
    assert '{"u": [][int(t > 0.4)]}' in shown and "IndexError" in shown
    assert caught.value.time == 0.5 and caught.value.result["s.v"][-1] == pytest.approx(1.5, abs=1e-9)


def test_conditions_and_targets_that_make_no_sense_are_refused():
    m, other = models.slider(v=1.0), models.slider(v=1.0)
    a = m.discrete("a")
    with pytest.raises(lw.ModelError, match="comparison of variables"):
        m.when(lw.sin(1.0) > 0.5, {a: 1})
    with pytest.raises(lw.ModelError, match="never changes"):
        m.when(lw.SX(1) > 0.5 if hasattr(lw, "SX") else a * 0 + 1 > 0.5, {a: 1})
    with pytest.raises(lw.ModelError, match="sets variables such as"):
        m.when(m.s.s > 0.5, {"s.v": 1})
    m.when(m.s.s > 0.5, {other.s.v: 1})
    with pytest.raises(lw.ModelError, match="when s.s > 0.5 sets s.v, which is no variable of the model"):
        lw.simulate(m, 1.0)
    m = models.slider(v=1.0)
    m.when(other.s.s > 0.5, {m.s.v: 1})
    with pytest.raises(lw.ModelError, match="when s.s > 0.5 reads s.s, which is no variable of the model"):
        lw.simulate(m, 1.0)


def test_new_values_that_are_not_finite_end_the_run_there():
    m = models.slider(v=1.0)
    m.when(m.s.s > 0.5, {m.s.v: 1 / (m.s.v - m.s.v)})
    with pytest.raises(lw.SimulationError, match="s.s > 0.5.*not finite") as caught:
        lw.simulate(m, 1.0)
    assert caught.value.time == pytest.approx(0.5) and caught.value.result.t[-1] == pytest.approx(0.5)


def test_actions_that_undo_each_other_are_reported():
    m = models.slider(v=1.0)
    a = m.discrete("a", 0)
    m.when(lw.logical_and(m.s.s > 0.5, a < 0.5), {a: 1})
    m.when(lw.logical_and(m.s.s > 0.5, a > 0.5), {a: 0})
    with pytest.raises(lw.SimulationError, match="a < 0.5.*a > 0.5.*alternate without end") as caught:
        lw.simulate(m, 1.0)
    assert caught.value.time == pytest.approx(0.5, abs=1e-9)


def test_what_is_prescribed_cannot_be_set():
    m = models.slider(v=1.0)
    m.drive = translational.Position(s_ref=lw.sin(lw.time), exact=True)
    m.connect(m.s.axis, m.drive.flange)
    m.when(lw.time > 0.5, {m.s.v: 1.0})
    with pytest.raises(lw.ModelError, match="prescribed"):
        lw.simulate(m, 1.0)


@pytest.mark.parametrize("options", [{"method": "rk4", "h": 0.01}, {"method": "dopri5"}, {"method": "dop853"},
                                     {"method": "radau"}])
def test_every_method_sees_events(options):
    m = models.slider(s=1.0, n=(0, 1, 0))
    m.when(m.s.s < 0, {m.s.v: -0.8 * m.s.v})
    r = lw.simulate(m, 1.5, **options)
    first = np.sqrt(2 / 9.81)
    np.testing.assert_allclose(models.times(r), [first, 2.6 * first], atol=1e-9)
    assert [e.what for e in r.events] == ["s.s < 0"] * 2


def test_bounces_without_end_are_reported():
    m = models.slider(s=1.0, n=(0, 1, 0))
    m.when(m.s.s < 0, {m.s.v: -0.5 * m.s.v})
    with pytest.raises(lw.SimulationError, match="again and again"):
        lw.simulate(m, 3.0)
