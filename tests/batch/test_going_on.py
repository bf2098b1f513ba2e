"""A run that goes on from where one ended: nothing is moved by a bit, so steps of a Simulator are segments of runs."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import parts
from linkwright.start import prepare

EXAMPLES = Path(__file__).parents[2] / "examples"


def tumbling():
    m = lw.Model("tumbling")
    m.world = lw.World()
    m.body = parts.Body(m=1.0, inertia=[0.1, 0.2, 0.35], r_0=[0, 0, 0], v_0=[1, 2, 0], angles=[0.3, 0.2, -0.4],
                        w_a=[0.1, 3.0, 0.2])
    return m


def of_example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["m"]


#: quaternions; unknowns that are solved for at every instant; states that count turns
MODELS = {"tumbling": tumbling, "three_springs": lambda: of_example("three_springs"),
          "crane_with_hoist": lambda: of_example("crane_with_hoist")}


@pytest.mark.parametrize("name", MODELS)
def test_steps_of_a_simulator_are_segments_of_runs_to_the_last_bit(name):
    m, h = MODELS[name](), 0.05
    system = lw.compile(m)
    sim, state = lw.Simulator(system, h, n=2), system.state()
    for _ in range(6):
        sim.step()
        result = lw.simulate(system, state.t + h, start=state.t, state=state, output_step=h)
        state = result.end
        for row in sim._instances.rows:
            assert np.array_equal(row, system.layout.pack(state))
        shown = result.at(result.t[-1], side="after")
        for variable in (*system.part_names("q"), "kinetic_energy", "udot"):
            if variable in result:
                assert np.array_equal(np.asarray(shown[variable]), sim[variable][0]), variable


@pytest.mark.parametrize("name", [*MODELS, "muscle_arm"])
def test_a_state_that_is_prepared_again_is_that_state(name):
    system = lw.compile(MODELS[name]() if name in MODELS else of_example(name))
    for state in (system.state(), lw.simulate(system, 0.3).end):
        state.forget_start()
        once = prepare(system, state, state.t, {})
        again = prepare(system, once, state.t, {})
        assert np.array_equal(system.layout.pack(again), system.layout.pack(once))
        if not system.mechanism.start.windings:
            assert np.array_equal(system.layout.pack(once), system.layout.pack(state))
    begun = system.state()
    begun.forget_start()
    assert np.array_equal(system.layout.pack(prepare(system, begun, 0.0, {})), system.layout.pack(system.state()))


def test_the_unknowns_at_the_end_are_those_of_the_run_also_in_a_copy():
    import pickle

    r = lw.simulate(of_example("three_springs"), 0.3)
    again = pickle.loads(pickle.dumps(r))
    assert len(r.end.y) and np.array_equal(r.end.y, again.end.y)
    assert r["y"][-1] == pytest.approx(r.end.y, abs=1e-12)
    early = r.until(10)
    assert np.array_equal(early.end.y, early["y"][-1])
