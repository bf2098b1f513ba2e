"""Sweeps of models whose contacts are stepped: they go through lanes, and every run has the bits of its own."""

import numpy as np
import pytest
from test_stepped_simulator import pushed

import linkwright as lw
from linkwright.integrate.step_programs import gpu_lanes

STEPPED = {"method": "time_stepping", "fixed_step": 5e-3, "output_step": 0.04}


def the_same(study):
    for k in range(study.data.sizes["run"]):
        r, row = study.result(k), study.data.isel(run=k)
        for name in ("rail.s", "touch.f_n"):
            np.testing.assert_array_equal(row[name], r[name])
        assert row["steps"] == r.counters["steps"] and row["far"] == lw.largest("rail.s").value(r)
    return study.data


def test_runs_of_a_sweep_go_through_lanes_with_the_bits_of_their_own():
    found = the_same(lw.sweep(pushed(), {"pull": [2.0, 20.0, 30.0], "body.m": [2.0, 1.0, 3.0]}, 1.0, paired=True,
                              outputs=["rail.s", "touch.f_n"], reduce={"far": lw.largest("rail.s")}, **STEPPED))
    assert np.all(np.isnan(found["handed_over"]))  # by lanes, all of them
    assert np.all(found["far"][1:] == pytest.approx(0.9, abs=1e-8)) and found["far"][0] == pytest.approx(0.5, rel=0.01)


def test_what_lanes_cannot_do_goes_by_the_ordinary_run():
    """The last of them begins in the wall."""
    study = lw.sweep(pushed(), {"rail.s": [0.0, 0.95]}, 0.1, reduce={"mean": lw.mean("rail.v")}, **STEPPED)
    assert list(study.data["status"].values) == ["ok", "failed"] and "inside" in str(study.data["message"].values[1])
    assert not np.any(np.isnan(study.data["handed_over"]))
    study = lw.sweep(pushed(), {"rail.s": [0.0, 0.95]}, 0.1, reduce={"end": lw.final("rail.v")}, **STEPPED)
    assert list(study.data["status"].values) == ["ok", "failed"] and "inside" in str(study.data["message"].values[1])
    np.testing.assert_array_equal(np.isnan(study.data["handed_over"]), [True, False])


def test_a_gpu_says_what_it_cannot_do(monkeypatch):
    monkeypatch.setattr(gpu_lanes, "device", lambda: None)
    m = pushed()
    m.terminate(m.rail.s > 0.5, "far enough")
    for model, reduced, said in ((m, lw.final("rail.s"), "actions act between"), (pushed(), lw.mean("rail.s"), "mean")):
        with pytest.raises(lw.ModelError, match=f"cannot go to a GPU.*{said}.*Leave it out"):
            lw.sweep(model, {"pull": [1.0, 2.0]}, 0.1, reduce={"it": reduced}, executor="gpu", **STEPPED)
