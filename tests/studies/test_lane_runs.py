"""Runs in lanes have the bits of ordinary runs, whatever the model, the method and the number of lanes."""

import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, integrate, joints, parts, translational
from linkwright.codegen import Table
from linkwright.run import make_stepper
from linkwright.start import prepare
from linkwright.studies.lane_runs import LaneRuns, Starts

EXAMPLES = Path(__file__).parents[2] / "examples"
DONE, FAILED, NEAR_SINGULAR, STIFF = 1, 2, 3, 5


def example(name):
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    return found.get("model") or found["m"]


def chain(n, axes=((0, 0, 1),), first=0.3):
    m = lw.Model(f"chain of {n}")
    m.world = lw.World(g=9.81)
    last = m.world.frame_b
    for i in range(n):
        joint = joints.Revolute(n=axes[i % len(axes)], phi=first + 0.2 * i, w=0.0 if first else lw.guess(0.0))
        body = parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.1, 0.02, 0.1])
        setattr(m, f"j{i}", joint)
        setattr(m, f"b{i}", body)
        m.connect(last, joint.frame_a)
        m.connect(joint.frame_b, body.frame_a)
        last = body.frame_b
    return m


def driven():
    """A pendulum on an arm whose angle is given; a table gives the torque between them."""
    m = chain(2, first=0.0)
    m.prescribe(m.j0.phi, 0.5 * lw.sin(3 * lw.time))
    table = Table([-3, -1, 0, 1, 3], [4, 1, 0, -1, -5], "smooth")
    m.torque = forces.Torque(torque=[0, 0, table(m.j1.phi)])
    m.connect(m.b0.frame_b, m.torque.frame_a)
    m.connect(m.b1.frame_a, m.torque.frame_b)
    return m


def peak():
    """An oscillator that remembers how far it came."""
    m = lw.Model("peak")
    m.world = lw.World()
    m.mass = translational.Mass(m=1.0, s=0.2, v=0)
    m.spring, m.wall = translational.SpringDamper(c=30.0, d=0.1), translational.Fixed()
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.mass.flange_a)
    largest = m.discrete("peak", 0.0)
    m.each_step({largest: lw.fmax(largest, m.mass.s)})
    return m


MODELS = {
    "double pendulum": lambda: chain(2),
    "spatial chain": lambda: chain(7, np.eye(3)),
    "free body": lambda: example("free_body"),
    "four-bar": lambda: example("fourbar"),
    "four-bar by projection": lambda: lw.compile(example("fourbar"), formulation="projection"),
    "Bricard, every stage projected": lambda: example("bricard"),
    "masses on lines, algebraic unknowns": lambda: example("three_springs"),
    "driven": driven,
    "peak": peak,
}
METHODS = {
    **{name: {"method": name} | ({} if method.adaptive else {"h": 2e-3}) for name, method in integrate.METHODS.items()},
    "auto": {},
    "coarse dopri5": {"method": "dopri5", "accuracy": 1e-6},
    "largest norm": {"norm": "max", "time_scale": 0.1},
    "implicit steps of one length": {"method": "radau", "h": 2e-3},
}


def starts(system, count):
    """States to start from: other speeds, loops closed."""
    rng, states = np.random.default_rng(0), []
    for _ in range(count):
        state = system.state().copy()
        state.u = state.u * (1 + 0.3 * rng.normal()) if system.mechanism.constraints else rng.normal(size=len(state.u))
        states.append(prepare(system, state, 0.0, {}))
    return states


def ordinary(system, state, runs, stop, options):
    """The ordinary stepper over the same grid."""
    o = {"method": "auto", "accuracy": 1e-8, "h": None, "time_scale": None, "norm": "rms"} | options
    stepper = make_stepper(system, state.copy(), o["method"], o["accuracy"], o["h"], {}, o["time_scale"], o["norm"])
    return stepper, stepper.run(stop, grid=runs.grid)


def compare(model, stop, count, lanes, options):
    system = model if isinstance(model, lw.System) else lw.compile(model)
    states = starts(system, count)
    runs = LaneRuns(system, states[0], stop, step=stop / 40, lanes=lanes, **options)
    results = runs.run(states)
    for i, state in enumerate(states):
        stepper, reason = ordinary(system, state, runs, stop, options)
        assert reason == "end" and results.status[i] == DONE, results.reason(i)
        np.testing.assert_array_equal(results.grid_x[i], stepper.grid_x)
        np.testing.assert_array_equal(results.x[i], stepper.x)
        np.testing.assert_array_equal(results.rest[i], stepper.inputs[1 + stepper.n :])
        assert (results.steps[i], results.rejected[i]) == (stepper.counters["steps"], stepper.counters["rejected"])
    return results


@pytest.mark.parametrize("name", MODELS)
def test_lanes_have_the_bits_of_ordinary_runs(name):
    compare(MODELS[name](), 0.6, 5, 4, {})


@pytest.mark.parametrize("method", METHODS)
def test_so_has_every_method(method):
    compare(chain(2), 1.0, 11, 8, METHODS[method])
    compare(example("fourbar"), 0.4, 3, 2, METHODS[method])


def test_so_has_verlet_where_momenta_are_kept():
    compare(example("free_body"), 0.4, 5, 4, METHODS["verlet"])


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_every_model_by_every_method_in_every_width(name, method, lanes):
    compare(MODELS[name](), 0.5, 2 * lanes + 1, lanes, METHODS[method])


def test_parameters_differ_from_lane_to_lane():
    system = lw.compile(chain(2), tunable=["b1.m", "world.g"])
    states = starts(system, 6)
    for k, state in enumerate(states):
        state.set("b1.m", 1.0 + k)
        state.set("world.g", 9.0 - k)
    runs = LaneRuns(system, states[0], 1.0, lanes=4)
    results = runs.run(states)
    for i, state in enumerate(states):
        stepper, _ = ordinary(system, state, runs, 1.0, {})
        np.testing.assert_array_equal(results.grid_x[i], stepper.grid_x)
    assert len(np.unique(results.x[:, 0])) == 6


def test_what_is_updated_at_steps_is_there_at_output_times():
    results = compare(peak(), 0.6, 3, 2, {})
    assert np.all(np.diff(results.grid_changing[:, :, 0], axis=1) >= 0) and results.grid_changing[:, -1].min() > 0


def test_threads_may_share_the_code():
    """Each takes every other run; the processor's lock is released meanwhile."""
    system = lw.compile(chain(2))
    states = starts(system, 24)
    runs = LaneRuns(system, states[0], 1.0, lanes=4)
    whole = runs.run(states)
    with ThreadPoolExecutor(2) as pool:
        halves = list(pool.map(runs.run, (states[::2], states[1::2])))
    for k, half in enumerate(halves):
        np.testing.assert_array_equal(half.grid_x, whole.grid_x[k::2])


def test_an_interrupt_keeps_what_is_done():
    system = lw.compile(chain(7, np.eye(3)))
    states = starts(system, 200)
    runs = LaneRuns(system, states[0], 20.0, step=20.0, lanes=4)
    packed, looks = runs.starts(states), []

    def interrupt(left):
        looks.append(left)
        if left < 190:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        runs.run(packed, interrupt)
    found = caught.value.results
    done = found.status == DONE
    assert 10 < done.sum() < 200 and np.all(found.status[~done] == 0) and looks == sorted(looks, reverse=True)
    again = runs.run(Starts(packed.inputs[done][:3], packed.suits[done][:3]))
    np.testing.assert_array_equal(again.x, found.x[done][:3])


def test_a_run_that_fails_leaves_the_others_alone():
    """A mass is drawn to a pole of its law: one run comes to it in time, the others do not."""
    m = lw.Model("pole")
    m.world = lw.World()
    m.mass = translational.Mass(m=1.0, s=1.0, v=0)
    m.force = translational.Force(f=0.1 / (2.0 - m.mass.s) ** 3)
    m.connect(m.force.flange, m.mass.flange_a)
    system = lw.compile(m)
    states = [system.state().copy() for _ in range(3)]
    states[1].u[:] = 5.0
    runs = LaneRuns(system, states[0], 2.0, method="dopri5", lanes=4)
    results = runs.run(states)
    assert results.status.tolist() == [DONE, FAILED, DONE]
    stepper, reason = ordinary(system, states[1], runs, 2.0, {"method": "dopri5"})
    assert reason == "failed" and stepper.failure[2] == results.reason(1)
    assert stepper.t == results.t[1]
    reached = stepper.grid_x
    np.testing.assert_array_equal(results.grid_x[1, : len(reached)], reached)
    assert np.all(np.isnan(results.grid_x[1, len(reached) :]))


def test_what_needs_the_ordinary_run_is_said():
    """A parallelogram comes to the line of its links; a stiff line asks for an implicit method."""
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
    system = lw.compile(m)
    state = prepare(system, None, 0.0, {})
    results = LaneRuns(system, state, 1.0, lanes=2).run([state])
    assert results.unfinished.tolist() == [0] and results.reason(0) != "done"


def test_a_stiff_run_is_handed_over():
    m = lw.Model("stiff")
    m.world = lw.World()
    m.mass = translational.Mass(m=1.0, s=0.1, v=0)
    m.spring, m.wall = translational.SpringDamper(c=1e7, d=1e6), translational.Fixed()
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.mass.flange_a)
    system = lw.compile(m)
    results = LaneRuns(system, system.state(), 10.0, lanes=2).run([system.state()])
    assert results.status.tolist() == [STIFF] and "stiff" in results.reason(0)


def test_what_cannot_go_through_lanes_is_refused_before_anything_runs():
    controlled = chain(1)
    controlled.every(0.1)(lambda t, read: {})
    system = lw.compile(controlled)
    with pytest.raises(lw.ModelError, match="cannot go through lanes: controllers in Python"):
        LaneRuns(system, system.state(), 1.0)
    system = lw.compile(chain(2))
    runs = LaneRuns(system, system.state(), 1.0)
    with pytest.raises(lw.ModelError, match="'gauss4' takes steps of one length: give fixed_step"):
        LaneRuns(system, system.state(), 1.0, method="gauss4")
    with pytest.raises(lw.ModelError, match="finite"):
        broken = system.state().copy()
        broken.q[0] = np.nan
        runs.run([broken])
