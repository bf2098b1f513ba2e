"""A run that a lane has left is finished by the ordinary run, from there on, with the bits of a whole ordinary run."""

import numpy as np
import pytest
from test_lane_events import driven_by
from test_lane_runs import DONE, chain, starts

import linkwright as lw
from linkwright import joints, parts, translational
from linkwright.studies.lane_runs import LaneRuns


def parallelogram():
    """Its links come into line: other states, then a singular position."""
    m = lw.Model("parallelogram")
    m.world = lw.World(g=0)
    m.rev1, m.rev2 = joints.Revolute(phi=1.0, w=-3.0), joints.Revolute(phi=lw.guess(-1.0))
    m.rev3, m.rev4 = joints.Revolute(), joints.Revolute(phi=lw.guess(1.0))
    m.crank, m.coupler, m.rocker = (parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0])
                                    for length in (0.5, 1.0, 0.5))
    m.ground = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev1, m.crank, m.rev2, m.coupler, m.rev3)
    m.chain(m.world, m.ground, m.rev4, m.rocker)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    return m


def stiff():
    """A hard damper: the implicit method goes on."""
    m = lw.Model("stiff")
    m.world, m.mass = lw.World(), translational.Mass(m=1.0, s=0.1, v=0)
    m.spring, m.wall = translational.SpringDamper(c=1e7, d=1e6), translational.Fixed()
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.mass.flange_a)
    return m


def ends():
    """A run that is over before its time, a mode having switched on the way."""
    m = chain(2)
    m.terminate(m.j0.phi < 0.2, "there")
    seen = m.discrete("seen", 0.0)
    m.when(m.j1.phi < 0.45, {seen: 1.0})
    return m


def pole():
    """A mass that is drawn to a pole of its law, where the run fails."""
    m = lw.Model("pole")
    m.world, m.mass = lw.World(), translational.Mass(m=1.0, s=1.0, v=5.0)
    m.force = translational.Force(f=0.1 / (2.0 - m.mass.s) ** 3)
    m.connect(m.force.flange, m.mass.flange_a)
    return m


MODELS = {"parallelogram": (parallelogram, 2.0), "stiff": (stiff, 20.0), "ends": (ends, 2.0), "pole": (pole, 1.0)}


@pytest.mark.parametrize("name", MODELS)
def test_the_ordinary_run_goes_on_where_the_lane_has_left(name):
    model, stop = MODELS[name]
    system = lw.compile(model())
    states = starts(system, 3) if name != "pole" else [system.state().copy()]
    runs = LaneRuns(system, states[0], stop, step=stop / 50, lanes=4)
    results = runs.run(states)
    assert np.all(results.status != DONE)
    for i, state in enumerate(states):
        finished = runs.finish(results, i, state)
        try:
            r, said = lw.simulate(system, stop, state=state, step=stop / 50), ""
        except lw.SimulationError as error:
            r, said = error.result, str(error)
        assert finished.since > 0 and finished.rows == len(r.t) and finished.ended == r.t[-1]
        assert str(finished.error or "") == said
        np.testing.assert_array_equal(results.grid_x[i, : len(r.t)], r.states)
        assert (results.steps[i], results.events[i]) == (r.counters["steps"], len(r.events))


def test_the_dataset_says_which_runs_were_handed_over():
    m = ends()
    study = lw.sweep(m, {"j0.phi": [0.25, 0.3, 0.1]}, 1.0, outputs=["j0.phi", "seen"],
                     reduce={"end": lw.final("j0.phi")})
    handed = study.data["handed_over"].values
    assert study.data.attrs["ordinary_runs"] == 3 and handed[0] > 0 and handed[2] == 0  # the last ends before it begins
    for k in range(3):
        r = study.result(k)
        assert study.data["status"].values[k] == "ok" and study.data["ended"].values[k] == r.t[-1] < 1.0
        assert study.data["end"].values[k] == r["j0.phi"][-1]
        for name in ("j0.phi", "seen"):
            np.testing.assert_array_equal(study.data[name].values[k, : len(r.t)], r[name])


def test_what_cannot_be_taken_over_is_made_from_the_start():
    m = driven_by(chain(2), 0.0)
    m.motor.tau = -2 * lw.sign(m.j0.w)  # comes to chatter about rest
    study = lw.sweep(m, {"j0.phi": [0.3, 0.4]}, 3.0, reduce={"end": lw.final("j0.phi")})
    assert (study.data["status"] == "failed").all()
    assert all("alternate" in text for text in study.data["message"].values)
    with pytest.raises(lw.SimulationError, match="alternate"):
        study.result(0)
