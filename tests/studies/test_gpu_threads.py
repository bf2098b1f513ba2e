"""A run as a thread of a GPU: its IR, run on this processor, has the bits of lanes; its PTX is strict throughout."""

import ctypes
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_lane_runs import DONE, MODELS, chain, starts

import linkwright as lw
from linkwright import rotational
from linkwright.codegen.machine import Loaded, object_code
from linkwright.device import CudaError, device
from linkwright.integrate.step_programs.step_program import STARTING
from linkwright.integrate.step_programs.thread import ROOM, rows, thread_module, thread_text, threads
from linkwright.studies.lane_runs import LaneRuns

WHOLE, POINTER = ctypes.c_int64, ctypes.c_void_p
THREAD = ctypes.CFUNCTYPE(None, POINTER, WHOLE, WHOLE, WHOLE, POINTER, WHOLE, WHOLE, POINTER)


def long_chain():
    """So long that its values have planned places."""
    return chain(16, np.eye(3))


def longer_chain():
    """So long that its bodies are the rounds of loops."""
    return chain(24, np.eye(3))


MODELS = {**MODELS, "long chain": long_chain, "longer chain": longer_chain}


def on_this_processor(runs, packed, attempts, grid=None):
    """What a GPU does, one thread after another, resting after so many attempts; `grid` has a row for each run where
    they have output times of their own."""
    step, aim = runs.program, runs._aim
    loaded = Loaded(object_code(thread_module(step), 1))
    start, thread = (THREAD(loaded.address(name)) for name in ("start", "thread"))
    places, count = rows(step), len(packed.inputs)
    memory = np.repeat(step.lasting(aim, runs._usual)[:, None], count, axis=1)
    first, size = places["at.inp"]
    memory[first : first + size] = packed.inputs.T
    memory[places["t"][0]] = packed.inputs[:, 0]
    status, steps = (memory[places[name][0]].view(np.int64) for name in ("doing", "counts.steps"))
    status[:] = STARTING
    own = int(grid is not None)
    grid = np.ascontiguousarray(grid if own else runs.grid)
    n_grid = grid.shape[-1]
    grid_x = np.full((count, n_grid, step.n + len(step.changing)), np.nan)
    for i in range(count):
        start(memory.ctypes.data, count, i, attempts, grid.ctypes.data, n_grid, own, grid_x.ctypes.data)
    while np.any(status <= 0):
        for i in range(count):
            thread(memory.ctypes.data, count, i, attempts, grid.ctypes.data, n_grid, own, grid_x.ctypes.data)
    return status, grid_x, steps


@pytest.mark.parametrize(("name", "options"), [
    ("double pendulum", {"method": "dopri5"}), ("double pendulum", {"h": 2e-3}), ("four-bar", {}),
    ("double pendulum", {"method": "radau"}), ("four-bar", {"method": "gauss4", "h": 2e-3}),
    ("free body", {}), ("longer chain", {"h": 5e-3}), ("Bricard, every stage projected", {"h": 1e-2}),
    *[pytest.param(*given, marks=pytest.mark.slow) for given in (
        ("long chain", {"h": 5e-3}), ("longer chain", {}), ("spatial chain", {"h": 2e-3}), ("driven", {}),
        *((name, {"method": "radau"}) for name in MODELS if name != "peak"))],
])  # fmt: skip
def test_a_thread_has_the_bits_of_a_lane(name, options):
    system = lw.compile(MODELS[name]())
    states = starts(system, 3)
    runs = LaneRuns(system, states[0], 0.3, step=0.02, lanes=4, **options)
    packed = runs.starts(states)
    expected = runs.run(packed)
    assert np.all(expected.status == DONE)
    for attempts in (7, 10**9):
        status, grid_x, steps = on_this_processor(runs, packed, attempts)
        np.testing.assert_array_equal(status, expected.status)
        np.testing.assert_array_equal(grid_x, expected.grid_x)
        np.testing.assert_array_equal(steps, expected.steps)


@pytest.mark.parametrize("options", [{"method": "dopri5"}, {"h": 2e-3}])
def test_runs_that_have_output_times_of_their_own(options):
    """Each run at its own times, as a lane and as an ordinary run has it: a row of times for each."""
    system = lw.compile(MODELS["double pendulum"]())
    states = starts(system, 3)
    runs = LaneRuns(system, states[0], 0.3, step=0.02, lanes=4, **options)
    grid = np.array([[0.0, 0.013, 0.11, 0.3], [0.05, 0.1, 0.2, 0.25], [0.001, 0.15, 0.29, 0.3]])
    packed = runs.starts(states)
    expected = runs.run(packed, grid=grid)
    for attempts in (7, 10**9):
        status, grid_x, _ = on_this_processor(runs, packed, attempts, grid)
        np.testing.assert_array_equal(status, expected.status)
        np.testing.assert_array_equal(grid_x, expected.grid_x)
    for state, times, found in zip(states, grid, grid_x, strict=True):
        r = lw.simulate(system, 0.3, state=state, **options)
        np.testing.assert_allclose(found, r.at(times).states, atol=1e-13)


@pytest.mark.parametrize("options", [{"h": 1e-3}, {"method": "dopri5"}, {"method": "dop853"}])
def test_loops_stay_closed(options):
    """Runs of the four-bar of the examples: the tip of the coupler stays on the crank's, far below 1e-9 m."""
    path = Path(__file__).parents[2] / "examples" / "fourbar.py"
    system = lw.compile(runpy.run_path(str(path))["model"])
    states = starts(system, 3)
    runs = LaneRuns(system, states[0], 0.3, step=0.1, **options)
    _, x, _ = on_this_processor(runs, runs.starts(states), 10**9)
    angle = dict(zip(system.part_names("q"), np.moveaxis(x, -1, 0), strict=False))
    rocker, crank = (np.exp(1j * angle[f"rev{k}.phi"]) for k in (4, 1))
    coupler = np.exp(1j * (angle["rev4.phi"] - angle["rev3.phi"]))
    assert np.abs(1 + 0.6 * rocker - 0.9 * coupler - 0.3 * crank).max() < 1e-14


@pytest.mark.parametrize("name", ["double pendulum", "four-bar"])
def test_ptx_is_strict_and_calls_nothing(name):
    system = lw.compile(MODELS[name]())
    code = threads(LaneRuns(system, system.state(), 1.0, device="gpu").program)
    assert ".visible .entry runs(" in code.ptx and "fma." not in code.ptx and ".extern" not in code.ptx
    # every operation says how it rounds, so that the driver's compiler merges none
    assert not re.search(r"\b(add|mul|div|sqrt)\.f64", code.ptx)


def test_long_code_uses_near_memory():
    system = lw.compile(long_chain())
    code = threads(LaneRuns(system, system.state(), 1.0, h=1e-3, device="gpu").program)
    assert 0 < code.near <= ROOM.near and "ld.volatile.shared" in code.ptx
    # of numbers that are put away, most are in near memory
    assert code.ptx.count("ld.volatile.shared") > 100


def test_long_code_that_needs_no_near_memory():
    """A law of many terms, of which few numbers are needed at once: none is put away, and nothing stays undefined."""
    m = chain(1, np.eye(3))
    m.motor = rotational.Torque()
    m.connect(m.j0.axis, m.motor.flange)
    sum_ = 0.0
    for k in range(700):
        sum_ = (sum_ + 1e-3 / (k + 1)) * (m.j0.phi - 1e-4 * k)
    m.motor.tau = sum_
    system = lw.compile(m)
    runs = LaneRuns(system, system.state(), 0.1, h=1e-2, device="gpu")
    text, _ = thread_text(runs.program)
    assert "@lw_near" in text.programs and text.near == 0
    assert ".extern" not in threads(runs.program).ptx


def test_a_longer_mechanism_is_no_longer_code():
    """Its bodies are rounds of loops, so that code for 24 links is hardly longer than for 20."""
    lengths = []
    for links in (20, 24):
        system = lw.compile(chain(links, np.eye(3)))
        code = threads(LaneRuns(system, system.state(), 1.0, h=1e-3, device="gpu").program)
        lengths.append(len(re.findall(r"\b(?:add|sub|mul)\.rn\.f64", code.ptx)))
    assert lengths[1] < 1.05 * lengths[0]


def test_a_long_state_is_asked_for_at_once():
    """Loops over more entries than registers hold wait for memory once in sixteen entries of three arrays or more."""
    system = lw.compile(longer_chain())
    text, _ = thread_text(LaneRuns(system, system.state(), 1.0, h=1e-3, device="gpu").program)
    blocks = re.findall(r"\.ask\d+:\n(.*?)call i1 @lw_at_once", text.functions, flags=re.S)
    assert blocks and not any("store" in block for block in blocks)
    assert max(len(re.findall("load double", block)) for block in blocks) >= 48


def test_a_machine_without_gpu_says_so():
    try:
        device()
    except CudaError as error:
        missing = str(error)
    else:
        pytest.skip("there is a GPU here")
    assert "driver" in missing or "device" in missing
    system = lw.compile(MODELS["double pendulum"]())
    with pytest.raises(lw.ModelError, match="GPU cannot be used"):
        LaneRuns(system, system.state(), 1.0, device="gpu").run([system.state()])
    with pytest.raises(lw.ModelError, match="GPU cannot be used"):
        lw.sweep(MODELS["double pendulum"](), {"b1.m": [1.0]}, 1.0, reduce={"end": lw.final("j0.phi")}, executor="gpu")
    with pytest.raises(lw.ModelError, match="GPU cannot be used"):
        lw.Simulator(MODELS["double pendulum"](), h=0.01, n=4, device="gpu")
    with pytest.raises(lw.ModelError, match="choose 'cpu' or 'gpu'"):
        lw.Simulator(MODELS["double pendulum"](), h=0.01, device="tpu")
    with pytest.raises(lw.ModelError, match="device"):
        LaneRuns(system, system.state(), 1.0, device="tpu")


def test_a_bundle_holds_all_that_another_machine_needs(tmp_path):
    system = lw.compile(MODELS["double pendulum"]())
    states = starts(system, 3)
    path = LaneRuns(system, states[0], 1.0, h=1e-2, device="gpu").bundle(tmp_path / "runs.zip", states)
    # isolated: nothing of this installation but NumPy
    blocked = "import sys; sys.modules.update(dict.fromkeys(['linkwright', 'casadi', 'llvmlite']))"
    code = f"{blocked}; import runpy; sys.argv = ['runs.zip']; runpy.run_path({str(path)!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert '"steps": 300' in done.stdout if done.returncode == 0 else "CudaError" in done.stderr


def test_a_sweep_on_a_gpu_is_that_of_lanes():
    try:
        device()
    except CudaError as error:
        pytest.skip(str(error))
    options = dict(values={"b1.m": np.linspace(1, 2, 40)}, stop=1.0, reduce={"end": lw.final("j0.phi")})
    here, there = (lw.sweep(MODELS["double pendulum"](), executor=where, **options) for where in (None, "gpu"))
    np.testing.assert_array_equal(here.data["end"], there.data["end"])


def test_a_gpu_has_the_bits_of_lanes():
    try:
        device()
    except CudaError as error:
        pytest.skip(str(error))
    for name in ("double pendulum", "four-bar", "free body"):
        system = lw.compile(MODELS[name]())
        states = starts(system, 100)
        for options in ({}, {"h": 2e-3}):
            lanes, gpu = (LaneRuns(system, states[0], 0.3, device=where, **options) for where in ("cpu", "gpu"))
            expected, got = lanes.run(states), gpu.run(states)
            np.testing.assert_array_equal(got.grid_x, expected.grid_x)
            np.testing.assert_array_equal(got.steps, expected.steps)
