"""The step exists once: a line that is changed in it changes the ordinary run, lanes and threads alike."""

import functools
import weakref

import numpy as np
import pytest
from test_gpu_threads import on_this_processor
from test_lane_events import ball
from test_lane_runs import DONE, starts

import linkwright as lw
from linkwright.codegen.dialect import Machine, source
from linkwright.integrate import jit, root_finding, runge_kutta
from linkwright.integrate.record import BEFORE
from linkwright.integrate.root_finding import crossings, state_at
from linkwright.integrate.tolerances import REMEMBERED
from linkwright.studies.lane_runs import LaneRuns


def steady_factor(r, own, error: float) -> float:
    """Acceptance, changed: steps grow by little, whatever their error."""
    own.error_before = max(error, REMEMBERED)
    return 1.125


def not_narrowed(r, low: float, high: float, inp, V, F, G) -> float:
    """Location, changed: the end of the piece in which a witness crosses is good enough."""
    crossings(r, G, root_finding.G_LOW, root_finding.G_HIGH)
    state_at(r, low, inp, V, F)
    r.t_before = inp[0]
    for i in range(r.n):
        V[BEFORE, i] = inp[1 + i]
    state_at(r, high, inp, V, F)
    return high


def runs_everywhere():
    """States at output times of a ball that is thrown back: ordinary run, two lanes, threads."""
    system = lw.compile(ball())
    states, n = starts(system, 2), 2
    runs = LaneRuns(system, states[0], 1.0, step=0.05, lanes=2, method="dopri5")
    packed = runs.starts(states)
    lanes = runs.run(packed)
    assert np.all(lanes.status == DONE)
    _, threads, _ = on_this_processor(runs, packed, 10**9)
    ordinary = [lw.simulate(system, 1.0, state=state, step=0.05, method="dopri5").states for state in states]
    return [np.array(ordinary), lanes.grid_x, threads[:, :, :n]]


@pytest.fixture(scope="module")
def unchanged():
    found = runs_everywhere()
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    return found[0]


@pytest.mark.parametrize(("module", "name", "changed"), [
    pytest.param(runge_kutta, "next_factor", steady_factor, id="acceptance"),
    pytest.param(root_finding, "narrow", not_narrowed, id="location")])
def test_a_changed_line_changes_every_target_alike(module, name, changed, unchanged, monkeypatch):
    monkeypatch.setattr(module, name, changed)
    monkeypatch.setattr(source, "_sources", weakref.WeakKeyDictionary())  # names are looked up anew
    monkeypatch.setattr(jit, "load", functools.cache(Machine))  # not those that travel with the package
    ordinary, lanes, threads = runs_everywhere()
    assert not np.array_equal(ordinary, unchanged)
    np.testing.assert_array_equal(lanes, ordinary)
    np.testing.assert_array_equal(threads, ordinary)
