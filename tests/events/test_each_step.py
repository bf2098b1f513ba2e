"""Discrete variables that update themselves whenever a step is completed."""

import event_models as models
import numpy as np
import pytest

import linkwright as lw


def oscillator():
    """s = sin(3 t)/3."""
    m = models.slider(v=1.0)
    return models.push(m, -9 * m.s.s)


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "h": 0.01}, {"method": "verlet", "h": 0.01},
                                     {"method": "radau"}])
def test_a_peak_is_kept(options):
    m = oscillator()
    peak = m.discrete("peak", 0.0)
    m.each_step({peak: lw.fmax(peak, m.s.s)})
    r = lw.simulate(m, 2.0, **options)
    assert np.all(np.diff(r["peak"]) >= 0) and np.all(r["peak"] <= 1 / 3 + 1e-4)
    # the largest value at the end of a step up to then
    steps_t, steps_s = r._stepper.steps_t, r._stepper.steps_x[:, 0]
    for t in (0.3, 1.0, 1.7):
        assert r.at(t)["peak"] == max(0.0, steps_s[steps_t < t].max())
    assert r.at(1.9)["peak"] == pytest.approx(1 / 3, abs=2e-3) and not r.events


def test_it_counts_the_start_and_every_step_once():
    m = oscillator()
    n, sum_of_s = m.discrete("n", 0), m.discrete("sum", 0.0)
    m.each_step({n: n + 1, sum_of_s: sum_of_s + m.s.s})
    r = lw.simulate(m, 1.0, method="rk4", h=0.1)
    assert r.end.d[list(r.system.part_names("d")).index("n")] == 11  # t = 0 and ten steps
    assert r.at(1.0)["n"] == 10  # before the last one
    s = np.sin(3 * 0.1 * np.arange(10)) / 3
    assert r.at(1.0)["sum"] == pytest.approx(s.sum(), abs=1e-4)


def test_laws_follow_it_and_their_conditions_are_noticed():
    """A spring that doubles once the deflection has passed 0.2: the force jumps at the end of that step."""
    m = models.slider(v=1.0)
    peak = m.discrete("peak", 0.0)
    models.push(m, -9 * m.s.s * lw.where(peak > 0.2, 2, 1))
    m.each_step({peak: lw.fmax(peak, m.s.s)})
    m.terminate(peak > 0.25, "far enough")
    r = lw.simulate(m, 2.0, method="rk4", h=0.01)
    assert [e.what for e in r.events] == ["peak > 0.2", "peak > 0.25"]
    assert r.events[0].time == pytest.approx(0.22) and np.arcsin(0.6) / 3 < 0.22  # the first step beyond
    assert r.at(0.22)["s.a"] == pytest.approx(-9 * r.at(0.22)["s.s"], rel=1e-9)
    assert r.at(0.22, side="after")["s.a"] == pytest.approx(-18 * r.at(0.22)["s.s"], rel=1e-9)
    assert r.t[-1] == r.events[1].time < 2 and "far enough" in r.messages[0]


def test_results_between_steps_repeat_what_was_in_force():
    m = oscillator()
    side = m.discrete("side", 0.0)
    m.each_step({side: lw.where(m.s.v > 0, 1, -1)})
    m.integral(side, name="signed")
    r = lw.simulate(m, 2.0, accuracy=1e-8)
    times = np.linspace(0, 2, 1001)
    at = r.at(times)
    rate = np.diff(at["signed"]) / np.diff(times)
    assert np.all(np.abs(rate) <= 1 + 1e-9)
    inside = np.isclose(np.abs(rate), 1, atol=1e-6)
    assert inside.mean() > 0.97 and np.all(rate[inside] * at["side"][1:][inside] > 0)


def test_only_discrete_variables_update_themselves():
    m = oscillator()
    m.each_step({m.s.v: 0.0})
    with pytest.raises(lw.ModelError, match="each_step sets discrete variables"):
        lw.simulate(m, 1.0)
    m = oscillator()
    a = m.discrete("a")
    m.each_step({a: 1})
    m.each_step({a: 2})
    with pytest.raises(lw.ModelError, match="sets a twice"):
        lw.simulate(m, 1.0)
    with pytest.raises(lw.ModelError, match="each_step needs a dict"):
        m.each_step(a)
