"""Events in lanes: located, switched and resumed with the bits of the ordinary run."""

import numpy as np
import pytest
from test_gpu_threads import on_this_processor
from test_lane_runs import DONE, chain, example, starts

import linkwright as lw
from linkwright import blocks, contact, parts, rotational, translational
from linkwright.studies.lane_runs import LaneRuns, refusal

EVENTFUL, UNDECIDED = 7, 8


def driven_by(m, tau):
    m.motor = rotational.Torque(tau=tau)
    m.connect(m.j0.axis, m.motor.flange)
    return m


def switched():
    """A torque that depends on a side, and on an instant that is known beforehand."""
    m = chain(2)
    return driven_by(m, lw.where(m.j0.phi > 0.2, 3.0, -1.0) * lw.where(lw.time > 0.5, 2, 1))


def stairs():
    """Signs and floors, of the motion and of time."""
    m = chain(2)
    return driven_by(m, -2 * lw.sign(m.j0.phi) + 0.2 * lw.floor(3 * m.j1.phi) + 0.3 * lw.floor(4 * lw.time))


def ball():
    """A mass thrown back by an action, which counts."""
    m = lw.Model("ball")
    m.world, m.mass = lw.World(), translational.Mass(m=1.0, s=1.0, v=0)
    m.force = translational.Force(f=-9.81 - 0.1 * m.mass.v)
    m.connect(m.force.flange, m.mass.flange_a)
    hits = m.discrete("hits", 0)
    m.when(m.mass.s < 0, {m.mass.v: -0.8 * m.mass.v, hits: hits + 1})
    return m


def hysteresis():
    """Two actions that switch a torque, and one with a condition made of several that slows a joint."""
    m = chain(2)
    on = m.discrete("on", 0.0)
    m.when(m.j0.phi > 0.1, {on: 1})
    m.when(m.j0.phi < -0.1, {on: 0})
    m.when((m.j1.w > 0) & (on > 0.5), {m.j1.w: 0.9 * m.j1.w})
    return driven_by(m, 4 * on - 2)


def counts():
    """An action that other actions bring about, each time anew: its condition is false between."""
    m = chain(2)
    on, times = m.discrete("on", 0.0), m.discrete("times", 0.0)
    m.when(m.j0.phi > 0.1, {on: 1})
    m.when(m.j0.phi < -0.1, {on: 0})
    m.when(on > 0.5, {times: times + 1, m.j1.w: 0.8 * m.j1.w})
    return driven_by(m, -4 * lw.sign(m.j0.phi))


def remembers():
    """A relation of what is updated at completed steps: it may switch at once."""
    m = chain(2)
    widest = m.discrete("widest", 0.0)
    m.each_step({widest: lw.fmax(widest, lw.fabs(m.j0.phi))})
    return driven_by(m, lw.where(widest > 0.5, 1.0, -1.0) + lw.where(m.j0.w > 0, 0.5, 0))


def pressed():
    """A ball on a compliant floor."""
    m = lw.Model("compliant ball")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.ball, m.skin = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0, 0.3, 0]), contact.Sphere(radius=0.1)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.HuntCrossley(stiffness=1e4, dissipation=0.1))
    return m


MODELS = {"switched": switched, "stairs": stairs, "ball": ball, "hysteresis": hysteresis, "counts": counts,
          "remembers": remembers, "pressed": pressed, "V6": lambda: example("engine_v6")}
METHODS = {"auto": {}, "rk4": {"h": 2e-3}, "dopri5": {"method": "dopri5", "accuracy": 1e-6}}


def compare(model, stop, count, lanes, options):
    """Lanes and ordinary runs: states and discrete variables at output times, steps, what happened."""
    system = lw.compile(model)
    states = starts(system, count)
    runs = LaneRuns(system, states[0], stop, step=stop / 40, lanes=lanes, **options)
    results, first = runs.run(states), system.layout.places["d"].start
    changing = [slot - first for slot in runs.program.changing]
    for i, state in enumerate(states):
        r = lw.simulate(system, stop, state=state, step=stop / 40, **options)
        assert results.status[i] == DONE, results.reason(i)
        np.testing.assert_array_equal(results.grid_x[i], r.states)
        d = np.broadcast_to(r._d, (len(r.t), system.layout.size("d")))
        np.testing.assert_array_equal(results.grid_changing[i], d[:, changing])
        assert (results.steps[i], results.events[i]) == (r.counters["steps"], len(r.events))
    return results


@pytest.mark.parametrize("name", MODELS)
def test_lanes_switch_where_ordinary_runs_do(name):
    found = compare(MODELS[name](), 0.2 if name == "V6" else 1.0, 5, 4, {})
    assert found.events.sum() > 4


def test_what_other_actions_bring_about_happens_as_often_as_they_do():
    """A condition that was false between is true anew; in a lane as in the ordinary run."""
    r = lw.simulate(counts(), 4.0)
    assert r["times"][-1] >= 2 and r["times"][-1] == sum("on > 0.5" in event.what for event in r.events)
    compare(counts(), 4.0, 3, 2, {})


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_so_they_do_by_every_method(method):
    for name in ("switched", "hysteresis"):
        compare(MODELS[name](), 2.0, 3, 2, METHODS[method])


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_every_model_by_every_method_in_several_widths(name, method, lanes):
    compare(MODELS[name](), 0.2 if name == "V6" else 2.0, 2 * lanes + 1, lanes, METHODS[method])


@pytest.mark.parametrize("name", ["stairs", "remembers"])
def test_a_thread_switches_as_a_lane_does(name):
    system = lw.compile(MODELS[name]())
    states = starts(system, 2)
    runs = LaneRuns(system, states[0], 0.6, step=0.02, lanes=2)
    packed = runs.starts(states)
    expected = runs.run(packed)
    for attempts in (5, 10**9):
        status, grid, steps = on_this_processor(runs, packed, attempts)
        np.testing.assert_array_equal(status, expected.status)
        np.testing.assert_array_equal(grid[:, :, : runs.program.n], expected.grid_x)
        np.testing.assert_array_equal(grid[:, :, runs.program.n :], expected.grid_changing)
        np.testing.assert_array_equal(steps, expected.steps)


def test_an_early_end_and_events_without_end_are_handed_over():
    m = chain(2)
    m.terminate(m.j0.phi < 0.2, "there")
    rubbing = driven_by(chain(2), 0.0)
    rubbing.motor.tau = -2 * lw.sign(rubbing.j0.w)
    for model, status in ((m, EVENTFUL), (rubbing, UNDECIDED)):
        system = lw.compile(model)
        states = starts(system, 2)
        results = LaneRuns(system, states[0], 2.0, lanes=2).run(states)
        assert results.status.tolist() == [status, status]


def test_sweeps_of_switched_mechanisms_are_those_of_ordinary_runs():
    m = ball()
    study = lw.sweep(m, {"mass.s": [0.5, 1.0, 1.5]}, 1.5, outputs=["mass.s", "hits"], reduce={"n": lw.final("hits")})
    for k in range(3):
        r = study.result(k)
        np.testing.assert_array_equal(study.data["mass.s"].values[k], r["mass.s"])
        np.testing.assert_array_equal(study.data["hits"].values[k], r["hits"])
        assert study.data["events"].values[k] == len(r.events) > 0 and study.data["n"].values[k] == r["hits"][-1]


def refused():
    sampled = chain(1)
    push = sampled.input("push", default=0.0)
    driven_by(sampled, push)
    sampled.every(0.1)(lambda t, y: {"push": -y["j0.phi"]})
    delayed = chain(1)
    driven_by(delayed, blocks.delay(delayed.j0.phi, 0.1, name="late"))
    return [(sampled, "controllers"), (delayed, "delays")]


def test_what_the_ordinary_run_has_to_decide_is_refused_by_name():
    for model, said in refused():
        assert said in refusal(lw.compile(model))
