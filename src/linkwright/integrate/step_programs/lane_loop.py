"""The loop around a step, for lanes of this processor: begin, attempt, output, commit; finished lanes are refilled.

Compiled by Numba once per installation; it runs without Python's lock, and may stop after any step and go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from ...cache_folder import kept_loop
from .step_program import DONE, IDLE, RUNNING, STARTING

WHOLE, ADDRESSES, WHOLES = types.int64, types.uint64[::1], types.int64[::1]
ROW, TABLE, BLOCK = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1]


class Places(NamedTuple):
    """Where in the memory of a lane its numbers lie, and how many there are of some."""

    status: int
    cause: int
    t: int
    steps: int
    rejected: int
    t0: int
    t1: int
    trial: int
    theta: int
    wanted: int
    weight: int
    x0: int
    x1: int
    input: int
    hold_most: int
    grid_next: int
    t_end: int  # of the step, where an event may cut it short
    event_found: int
    reached: int
    n_events: int
    n: int
    n_rest: int  # inputs behind time and state
    n_holds: int


class Work(NamedTuple):
    """Lanes at work: the addresses of their functions (begin, attempt, interpolant, point, commit and, where there are
    events, locate and at_event), their memory and workspace; for every lane its run (−1: none) and next output."""

    functions: np.ndarray
    memory: np.ndarray
    space: np.ndarray
    run: np.ndarray
    output: np.ndarray
    begun: np.ndarray  # one number: how many runs have been begun


class Runs(NamedTuple):
    """A row for every run: where it starts, and what became of it."""

    starts: np.ndarray
    times: np.ndarray
    rests: np.ndarray
    final: np.ndarray  # the state it came to, and the rest of its inputs
    counts: np.ndarray  # status, cause, time, steps, rejected steps, n_events
    resting: np.ndarray  # the memory of lanes that were not finished
    instants: np.ndarray  # how many events there were, and when


class Common(NamedTuple):
    """What all runs share: settings and where they lie, weights of states, how well constraints usually hold."""

    places: np.ndarray
    settings: np.ndarray
    weights: np.ndarray
    usual: np.ndarray


class Outputs(NamedTuple):
    """Output times, of all runs or a row for each; the states there, and the slots of the input that change."""

    times: np.ndarray
    x: np.ndarray
    slots: np.ndarray
    changing: np.ndarray


SIGNATURE = WHOLE(
    types.NamedTuple([ADDRESSES, TABLE, ROW, WHOLES, WHOLES, WHOLES], Work),
    types.NamedUniTuple(WHOLE, len(Places._fields), Places),
    types.NamedTuple([TABLE, ROW, TABLE, TABLE, TABLE, TABLE, TABLE], Runs),
    types.NamedTuple([WHOLES, ROW, ROW, ROW], Common),
    types.NamedTuple([TABLE, BLOCK, WHOLES, BLOCK], Outputs),
    WHOLE,
)
#: a part of the loop, inlined: as a call its record of arrays would be copied for every output
part = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True)


@intrinsic
def call(typing_context: Any, address: Any, memory: Any, work: Any) -> tuple[Any, Callable[..., Any]]:
    """Call `void f(ptr, ptr)`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.DoubleType().as_pointer()
        function_type = ir.FunctionType(ir.VoidType(), [pointer] * 2)
        function = builder.inttoptr(arguments[0], function_type.as_pointer())
        builder.call(function, [builder.inttoptr(a, pointer) for a in arguments[1:]])
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), generate


@part
def accepted(S: np.ndarray, p: Places, l: int) -> bool:
    """Whether the lane has just accepted a step."""
    return S[p.status, l] == RUNNING and S[p.trial, l] == 0.0


@part
def next_output(work: Work, outputs: Outputs, l: int) -> float:
    """The next output time of the run in this lane; infinite where none is left."""
    row = work.run[l] if outputs.times.shape[0] > 1 else 0
    return outputs.times[row, work.output[l]] if work.output[l] < outputs.times.shape[1] else np.inf


@part
def put_out(work: Work, p: Places, outputs: Outputs, l: int, state: int) -> None:
    """Keep what lies from place `state` of the lane on as its next output."""
    run, k = work.run[l], work.output[l]
    for i in range(p.n):
        outputs.x[run, k, i] = work.memory[state + i, l]
    for i in range(outputs.slots.shape[0]):
        outputs.changing[run, k, i] = work.memory[p.input + outputs.slots[i], l]
    work.output[l] += 1


@part
def take_up(work: Work, p: Places, runs: Runs, common: Common, l: int) -> None:
    """The next run begins in this lane."""
    S, run = work.memory, work.begun[0]
    work.begun[0] += 1
    work.run[l], work.output[l] = run, 0
    S[p.status, l], S[p.t, l] = STARTING, runs.times[run]
    for i in range(common.settings.shape[0]):
        S[common.places[i], l] = common.settings[i]
    for i in range(p.n):
        S[p.weight + i, l], S[p.x0 + i, l] = common.weights[i], runs.starts[run, i]
    for i in range(p.n_rest):
        S[p.input + 1 + p.n + i, l] = runs.rests[run, i]
    for i in range(p.n_holds):
        S[p.hold_most + i, l] = common.usual[i]


@part
def leave(work: Work, p: Places, runs: Runs, l: int, switching: bool) -> None:
    """The run in this lane is over: what became of it; the lane is free."""
    S, run = work.memory, work.run[l]
    counts, final = runs.counts[run], runs.final[run]
    counts[0], counts[1], counts[2] = S[p.status, l], S[p.cause, l], S[p.t, l]
    counts[3], counts[4], counts[5] = S[p.steps, l], S[p.rejected, l], S[p.n_events, l] if switching else 0.0
    for i in range(p.n):
        final[i] = S[p.x0 + i, l]
    for i in range(p.n_rest):
        final[p.n + i] = S[p.input + 1 + p.n + i, l]
    if S[p.status, l] != DONE:
        S[p.grid_next, l] = work.output[l]
        for i in range(S.shape[0]):
            runs.resting[run, i] = S[i, l]
    work.run[l] = -1
    S[p.status, l] = IDLE


@part
def note_instants(work: Work, p: Places, runs: Runs) -> bool:
    """Keep when there was an event; whether there is one in any lane."""
    S, some = work.memory, False
    for l in range(S.shape[1]):
        if S[p.status, l] == RUNNING and (S[p.event_found, l] != 0.0 or S[p.reached, l] != 0.0):
            some = True
            instants = runs.instants[work.run[l]]
            if instants[0] < instants.shape[0] - 1:
                instants[1 + int(instants[0])] = S[p.t, l]
            instants[0] += 1
    return some


@kept_loop(SIGNATURE, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)
def drive(work: Work, p: Places, runs: Runs, common: Common, outputs: Outputs, attempts: int) -> int:
    """At most so many attempts; how many runs are not yet finished."""
    S, functions = work.memory, work.functions
    width, n_runs = S.shape[1], runs.starts.shape[0]
    memory, space = S.ctypes.data, work.space.ctypes.data
    switching = functions.shape[0] > 5
    alive = 0
    for l in range(width):
        alive += work.run[l] >= 0
    for _ in range(attempts):
        # free lanes take up the next runs
        begun = False
        for l in range(width):
            if work.run[l] < 0 and work.begun[0] < n_runs:
                take_up(work, p, runs, common, l)
                alive += 1
                begun = True
        if begun:
            call(functions[0], memory, space)
            for l in range(width):
                if work.run[l] >= 0 and S[p.t, l] == runs.times[work.run[l]] and work.output[l] == 0:
                    while next_output(work, outputs, l) <= S[p.t, l]:
                        put_out(work, p, outputs, l, p.x0)
        if alive == 0:
            break
        call(functions[1], memory, space)
        # output inside the step
        inside = False
        for l in range(width):
            wanted = accepted(S, p, l) and (switching or next_output(work, outputs, l) < S[p.t1, l])
            S[p.wanted, l] = 1.0 if wanted else 0.0
            inside |= wanted
        if inside:
            call(functions[2], memory, space)
        if switching:
            call(functions[5], memory, space)
        while inside:
            inside = False
            for l in range(width):
                S[p.wanted, l] = 0.0
                if accepted(S, p, l) and next_output(work, outputs, l) <= S[p.t_end, l]:
                    S[p.theta, l] = (next_output(work, outputs, l) - S[p.t0, l]) / (S[p.t1, l] - S[p.t0, l])
                    if S[p.theta, l] < 1.0:
                        S[p.wanted, l] = 1.0
                        inside = True
            if inside:
                call(functions[3], memory, space)
                for l in range(width):
                    if S[p.wanted, l] != 0.0:
                        put_out(work, p, outputs, l, p.input + 1)
        # and at its end
        for l in range(width):
            if accepted(S, p, l):
                while next_output(work, outputs, l) <= S[p.t_end, l]:
                    put_out(work, p, outputs, l, p.x1)
        call(functions[4], memory, space)
        if switching and note_instants(work, p, runs):
            call(functions[6], memory, space)
        for l in range(width):
            if work.run[l] >= 0 and S[p.status, l] != RUNNING:
                leave(work, p, runs, l, switching)
                alive -= 1
    return n_runs - work.begun[0] + alive
