"""Conditions that hold for a tiny part of a step are found, however little of them the samples of the step show."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks
from linkwright import translational as T

#: condition of s, a place c and a width; at how many widths from c it becomes true and false
SHAPES = {
    "bell": (lambda s, c, w: lw.exp(-(((s - c) / w) ** 2)) > 0.5, np.sqrt(np.log(2)) * np.array([-1, 1])),
    "line": (lambda s, c, w: 1 / (1 + ((s - c) / w) ** 2) > 0.5, np.array([-1, 1])),
    "hat": (lambda s, c, w: lw.fmax(0, 1 - lw.fabs(s - c) / w) > 0.5, np.array([-0.5, 0.5])),
    "window": (lambda s, c, w: lw.tanh((s - c) / w) + lw.tanh(3 - (s - c) / w) > np.tanh(1) + np.tanh(2), [1, 2]),
    "table": (lambda s, c, w: blocks.table([0, c - w, c, c + w, 10], [0, 0, 1, 0, 0], s) > 0.5, np.array([-0.5, 0.5])),
}


def flight(condition, start=0.0):
    """A mass in free flight, s = t: nothing but the condition asks for short steps."""
    m = lw.Model("flight")
    m.world = lw.World()
    m.x = T.Mass(m=1, s=start, v=1)
    seen = m.discrete("seen", 0)
    m.when(condition(m), {seen: seen + 1})
    m.integral(lw.where(condition(m), 1, 0), name="while")
    return m


@pytest.mark.parametrize("width", [0.2, 1e-2, 1e-4])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_hump_is_found_with_both_its_sides(shape, width):
    make, sides = SHAPES[shape]
    for centre in (1.7, 8.4):
        r = lw.simulate(flight(lambda m, c=centre: make(m.x.s, c, width)), 10.0)
        assert r["seen"][-1] == 1
        assert r.events[0].time == pytest.approx(centre + width * sides[0], abs=1e-9)
        assert r["while"][-1] == pytest.approx(width * (sides[1] - sides[0]), abs=1e-9)


@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-5])
def test_humps_of_time_close_together_are_told_apart(width):
    def bells(m):
        return sum(size * lw.exp(-(((lw.time - c) / width) ** 2))
                   for size, c in ((1, 2.2), (0.45, 3.3), (1, 5.5), (1, 5.5 + 5 * width))) > 0.5

    r = lw.simulate(flight(bells), 10.0)
    assert r["seen"][-1] == 3  # the one of 0.45 is no event
    half = width * np.sqrt(np.log(2))
    starts = sorted({e.time for e in r.events})[::2]
    np.testing.assert_allclose(starts, np.array([2.2, 5.5, 5.5 + 5 * width]) - half, atol=1e-7 * width + 1e-10)


@pytest.mark.parametrize("width", [0.1, 1e-3])
def test_a_hump_within_another_function(width):
    """Every passage of sin s through zero, seen through a narrow bell."""
    r = lw.simulate(flight(lambda m: lw.exp(-((lw.sin(m.x.s) / width) ** 2)) > 0.5, start=1.0), 20.0)
    assert r["seen"][-1] == 6
    starts = sorted({e.time for e in r.events})[::2]
    np.testing.assert_allclose(starts, np.pi * np.arange(1, 7) - np.arcsin(width * np.sqrt(np.log(2))) - 1, atol=1e-8)


@pytest.mark.parametrize("options", [{"method": "dopri5"}, {"method": "radau"}, {"method": "rk4", "h": 2.0}])
def test_by_every_method(options):
    r = lw.simulate(flight(lambda m: lw.exp(-(((m.x.s - 8.4) / 1e-3) ** 2)) > 0.5), 10.0, **options)
    assert r["seen"][-1] == 1 and r.events[0].time == pytest.approx(8.4 - 1e-3 * np.sqrt(np.log(2)), abs=1e-8)


def test_a_condition_that_cannot_come_true_costs_no_samples():
    """A wave as fast as it may be, far from its level: the bounds say so at once."""
    r = lw.simulate(flight(lambda m: lw.tanh(lw.sin(1e4 * m.x.s)) > 2), 10.0)
    assert not r.events and r.counters["witnesses"] < 20 * r.counters["steps"]
