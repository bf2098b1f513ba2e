"""Runs whose contacts are stepped, in lanes and as threads of a GPU: the bits of `simulate`, whatever memory held."""

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts
from linkwright.codegen.machine import Loaded, object_code
from linkwright.errors import ModelError
from linkwright.integrate.step_programs.far_thread import STRIDE, far_module, rows
from linkwright.integrate.step_programs.step_program import STARTING
from linkwright.start import prepare
from linkwright.studies.stepped_runs import SteppedRuns

sys.path.append(str(Path(__file__).parents[1] / "contact"))
from test_stepped import four_bar, heap
from test_stepped_step import limping

THREAD = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3, ctypes.c_void_p, *[ctypes.c_int64] * 2,
                          *[ctypes.c_void_p] * 3)


def pile():
    """Three boxes on one another that are thrown on the floor; so many contacts that they are stepped by themselves."""
    m = lw.Model("pile")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.box = [parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[0.02 * k, 0.11 + 0.21 * k, 0], v_0=[0, -1, 0])
             for k in range(3)]
    m.skin = [contact.Box(size=[0.2] * 3) for _ in m.box]
    for box, skin in zip(m.box, m.skin, strict=True):
        m.connect(box.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    return m


MODELS = {"pile": pile, "limping": lambda: limping(contact.Rigid(mu=0.4)),
          "turning": lambda: limping(contact.Rigid(mu=0.4, rolling=2e-3, spinning=1e-3)),
          "loop": lambda: four_bar(contact.Rigid(mu=0.3)), "heap": lambda: heap(2)}
SOON = ("pile", "limping", "loop")
CASES = [pytest.param(name, marks=() if name in SOON else pytest.mark.slow) for name in MODELS]
STOP, STEPPED = 0.25, {"h": 5e-3, "step": 0.017}


def runs_and_states(name):
    system = lw.compile(MODELS[name]())
    states = [prepare(system, None, 0.0, {})]
    for k in range(1, 3):
        state = states[0].copy()
        state.u = state.u * (1 + 0.2 * k)
        states.append(prepare(system, state, 0.0, {}))
    return SteppedRuns(system, states[0], STOP, **STEPPED), states


def by_threads(runs, states):
    """What a GPU does, one thread after another, resting after some steps; memory holds anything at first."""
    step, packed = runs.program, runs.starts(states)
    loaded = Loaded(object_code(far_module(step), 1))
    start, thread = (THREAD(loaded.address(name)) for name in ("start", "thread"))
    places, count, given = rows(step), len(packed.inputs), step.lasting(runs._aim)
    n_rows = sum(size for _, size in places.values())
    memory, first = np.repeat(given[:n_rows, None], count, axis=1), np.ascontiguousarray(given[n_rows:])
    far = np.full(step.memory.slots * STRIDE, np.nan)
    at, size = places["at.inp"]
    memory[at : at + size] = packed.inputs.T
    memory[places["t"][0]] = packed.inputs[:, 0]
    status, steps = (memory[places[name][0]].view(np.int64) for name in ("doing", "counts.steps"))
    status[:] = STARTING
    grid_x = np.full((count, len(runs.grid), step.n + len(step.changing)), np.nan)
    function = start
    while np.any(status <= 0):
        for i in range(count):
            function(memory.ctypes.data, count, i, 15, runs.grid.ctypes.data, len(runs.grid), 0, grid_x.ctypes.data,
                     far.ctypes.data, first.ctypes.data)
        function = thread
    return status, grid_x, steps


@pytest.mark.parametrize("name", CASES)
def test_runs_in_lanes_are_those_of_simulate(name):
    runs, states = runs_and_states(name)
    found = runs.run(states)
    assert np.all(found.status == 1)
    d = [slot - runs.system.layout.places["d"].start for slot in runs.program.changing]
    for k, state in enumerate(states):
        r = lw.simulate(runs.system, STOP, state=state, method="time_stepping", fixed_step=5e-3, output_step=0.017)
        np.testing.assert_array_equal(found.grid_x[k], r.states)
        np.testing.assert_array_equal(found.grid_changing[k], np.atleast_2d(r._d)[:, d])
        assert found.steps[k] == r.counters["steps"]


@pytest.mark.parametrize("name", CASES)
def test_a_thread_has_the_bits_of_a_lane(name):
    runs, states = runs_and_states(name)
    found = runs.run(states)
    status, grid_x, steps = by_threads(runs, states)
    assert np.all(status == 1) and np.array_equal(steps, found.steps)
    np.testing.assert_array_equal(grid_x[:, :, : runs.program.n], found.grid_x)
    np.testing.assert_array_equal(grid_x[:, :, runs.program.n :], found.grid_changing)


def test_what_needs_python_is_refused_by_name():
    m = pile()
    m.terminate(m.box[0].r_0[1] < 0, "gone")
    system = lw.compile(m)
    with pytest.raises(ModelError, match="actions act between the steps"):
        SteppedRuns(system, system.state(), STOP)
