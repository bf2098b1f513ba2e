"""Rigid contact in lanes: impacts, sliding, sticking and rest are decided there as in the ordinary run, bit by bit."""

import sys
from pathlib import Path

import numpy as np
import pytest
from test_gpu_threads import on_this_processor
from test_lane_events import compare
from test_lane_runs import starts

import linkwright as lw
from linkwright.studies.lane_runs import LaneRuns

sys.path.insert(0, str(Path(__file__).parent.parent / "contact"))
from test_contact_instant import ball, slope

DONE = 1
MODELS = {"ball": ball, "smooth": lambda: ball(mu=0.0, v=0.0), "newton": lambda: ball(law="newton"), "slope": slope,
          "stays": lambda: slope(mu=0.8, angle=0.3)}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "slope" else pytest.mark.slow)
                                  for name in MODELS])
def test_lanes_strike_slide_and_stick_where_ordinary_runs_do(name):
    found = compare(MODELS[name](), 1.2, 3, 2, {})
    assert np.all(found.status == DONE) and found.events.sum() > 4


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("options", [{}, {"h": 2e-3}, {"method": "dopri5", "accuracy": 1e-6}])
def test_so_they_do_in_every_width_and_by_every_method(lanes, options):
    compare(slope(), 0.6, lanes + 1, lanes, options)


@pytest.mark.slow
def test_a_thread_decides_as_a_lane_does():
    system = lw.compile(ball())
    states = starts(system, 2)
    runs = LaneRuns(system, states[0], 1.0, step=0.02, lanes=2)
    packed = runs.starts(states)
    expected = runs.run(packed)
    status, grid, steps = on_this_processor(runs, packed, 10**9)
    np.testing.assert_array_equal(status, expected.status)
    np.testing.assert_array_equal(grid[:, :, : runs.program.n], expected.grid_x)
    np.testing.assert_array_equal(steps, expected.steps)


def test_sweeps_of_contacts_are_those_of_ordinary_runs():
    study = lw.sweep(ball(), {"body.v_0[0]": [0.3, 0.6, 0.9]}, 1.0, outputs=["body.r_0"])
    for k in range(3):
        r = study.result(k)
        np.testing.assert_array_equal(study.data["body.r_0"].values[k], r["body.r_0"])
        assert study.data["events"].values[k] == len(r.events) > 0
    assert np.all(np.isnan(study.data["handed_over"].values))
