"""The loop around a step, for lanes of this processor: begin, attempt, output, commit; finished lanes are refilled.

Compiled by Numba once per installation; it runs without Python's lock, and may stop after any step and go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ...cache_folder import kept_loop
from .step_program import DONE, IDLE, RUNNING, STARTING

REAL1, REAL2, REAL3, WHOLE1 = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1], types.int64[::1]


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


#: of `drive`, in order
ARGUMENTS = (
    "functions", "S", "work", "places", "settings", "usual", "starts", "times", "rests", "grid", "grid_x", "final",
    "counts", "lane_run", "lane_next", "progress", "attempts", "changing", "grid_changing", "resting", "instants",
)  # fmt: skip


@kept_loop(
    types.int64(
        types.uint64[::1], REAL2, REAL1, WHOLE1, REAL1, REAL2, REAL2, REAL1, REAL2, REAL2, REAL3, REAL2, REAL2,
        WHOLE1, WHOLE1, WHOLE1, types.int64, WHOLE1, REAL3, REAL2, REAL2,
    ),
    nogil=True, error_model="numpy", no_cfunc_wrapper=True,
)  # fmt: skip
def drive(
    functions: np.ndarray, S: np.ndarray, work: np.ndarray, places: np.ndarray, settings: np.ndarray, usual: np.ndarray,
    starts: np.ndarray, times: np.ndarray, rests: np.ndarray, grid: np.ndarray, grid_x: np.ndarray, final: np.ndarray,
    counts: np.ndarray, lane_run: np.ndarray, lane_next: np.ndarray, progress: np.ndarray, attempts: int,
    changing: np.ndarray, grid_changing: np.ndarray, resting: np.ndarray, instants: np.ndarray,
) -> int:  # fmt: skip
    """At most so many attempts; how many runs are not yet finished.

    `functions` are the addresses of begin, attempt, interpolant, point, commit, and where there are events locate and
    at_event; `places` where in a lane lie status, cause, t, target, h, h_max, accuracy, tolerance, time_scale,
    boundary, patience, steps, rejected, t0, t1, trial, theta, wanted, weight, x0, x1, input, hold_most, the end of the
    step, event_found, reached, n_events, then n, n_in, n_holds; `settings` the values of target … patience, the
    stiffness boundary and `weight`; `usual` how well constraints hold, `grid` the output times of all runs or, with a
    row each, of every run. `counts` receives status, cause, time, steps, rejected steps and the number of events of
    every run, `final` the state it came to and the rest of its inputs, `grid_changing` the slots `changing` of the
    input as they are in force at output times, `resting` the memory of lanes that were not finished, `instants` how
    many events there were, and when.
    """
    (status, cause, t, target, h, h_max, accuracy, tolerance, time_scale, boundary, patience, steps, rejected, t0, t1,
     trial, theta, wanted, weight, x0, x1, given, hold_most, grid_next, end, event_found, reached, n_events, n,
     n_in, n_holds) = (
        places[0], places[1], places[2], places[3], places[4], places[5], places[6], places[7], places[8], places[9],
        places[10], places[11], places[12], places[13], places[14], places[15], places[16], places[17], places[18],
        places[19], places[20], places[21], places[22], places[23], places[24], places[25], places[26], places[27],
        places[28], places[29], places[30])
    width, n_runs, n_grid, own = S.shape[1], starts.shape[0], grid.shape[1], grid.shape[0] > 1
    memory, workspace = S.ctypes.data, work.ctypes.data
    switching = functions.shape[0] > 5
    alive = 0
    for l in range(width):
        if lane_run[l] >= 0:
            alive += 1
    for _ in range(attempts):
        # refill
        begun = False
        for l in range(width):
            if lane_run[l] < 0 and progress[0] < n_runs:
                run = progress[0]
                progress[0] += 1
                lane_run[l], lane_next[l] = run, 0
                alive += 1
                begun = True
                S[status, l], S[t, l] = STARTING, times[run]
                S[target, l], S[h, l], S[h_max, l], S[accuracy, l] = settings[0], settings[1], settings[2], settings[3]
                S[tolerance, l], S[time_scale, l], S[boundary, l] = settings[4], settings[5], settings[6]
                S[patience, l] = settings[7]
                for i in range(n):
                    S[weight + i, l], S[x0 + i, l] = settings[8 + i], starts[run, i]
                for i in range(n_in - 1 - n):
                    S[given + 1 + n + i, l] = rests[run, i]
                for k in range(n_holds):
                    S[hold_most + k, l] = usual[0, k]
        if begun:
            call(functions[0], memory, workspace)
            for l in range(width):
                if lane_run[l] >= 0 and S[t, l] == times[lane_run[l]] and lane_next[l] == 0:
                    row = lane_run[l] if own else 0
                    while lane_next[l] < n_grid and grid[row, lane_next[l]] <= S[t, l]:
                        for i in range(n):
                            grid_x[lane_run[l], lane_next[l], i] = S[x0 + i, l]
                        for k in range(changing.shape[0]):
                            grid_changing[lane_run[l], lane_next[l], k] = S[given + changing[k], l]
                        lane_next[l] += 1
        if alive == 0:
            break
        call(functions[1], memory, workspace)
        # output inside the step
        inside = False
        for l in range(width):
            S[wanted, l] = 0.0
            row = lane_run[l] if own else 0
            accepted = S[status, l] == RUNNING and S[trial, l] == 0.0
            if accepted and (switching or lane_next[l] < n_grid and grid[row, lane_next[l]] < S[t1, l]):
                S[wanted, l] = 1.0
                inside = True
        if inside:
            call(functions[2], memory, workspace)
        if switching:
            call(functions[5], memory, workspace)
        while inside:
            inside = False
            for l in range(width):
                S[wanted, l] = 0.0
                if S[status, l] == RUNNING and S[trial, l] == 0.0 and lane_next[l] < n_grid:
                    at = grid[lane_run[l] if own else 0, lane_next[l]]
                    if at <= S[end, l]:
                        S[theta, l] = (at - S[t0, l]) / (S[t1, l] - S[t0, l])
                        if S[theta, l] < 1.0:
                            S[wanted, l] = 1.0
                            inside = True
            if inside:
                call(functions[3], memory, workspace)
                for l in range(width):
                    if S[wanted, l] != 0.0:
                        for i in range(n):
                            grid_x[lane_run[l], lane_next[l], i] = S[given + 1 + i, l]
                        for k in range(changing.shape[0]):
                            grid_changing[lane_run[l], lane_next[l], k] = S[given + changing[k], l]
                        lane_next[l] += 1
        # at its end
        for l in range(width):
            if S[status, l] == RUNNING and S[trial, l] == 0.0:
                row = lane_run[l] if own else 0
                while lane_next[l] < n_grid and grid[row, lane_next[l]] <= S[end, l]:
                    for i in range(n):
                        grid_x[lane_run[l], lane_next[l], i] = S[x1 + i, l]
                    for k in range(changing.shape[0]):
                        grid_changing[lane_run[l], lane_next[l], k] = S[given + changing[k], l]
                    lane_next[l] += 1
        call(functions[4], memory, workspace)
        if switching:
            some = False
            for l in range(width):
                if S[status, l] == RUNNING and (S[event_found, l] != 0.0 or S[reached, l] != 0.0):
                    some = True
                    run = lane_run[l]
                    # the first number of a row is how many there are
                    if instants[run, 0] < instants.shape[1] - 1:
                        instants[run, 1 + int(instants[run, 0])] = S[t, l]
                    instants[run, 0] += 1
            if some:
                call(functions[6], memory, workspace)
        for l in range(width):
            if lane_run[l] >= 0 and S[status, l] != RUNNING:
                run = lane_run[l]
                counts[run, 0], counts[run, 1], counts[run, 2] = S[status, l], S[cause, l], S[t, l]
                counts[run, 3], counts[run, 4] = S[steps, l], S[rejected, l]
                counts[run, 5] = S[n_events, l] if switching else 0.0
                for i in range(n):
                    final[run, i] = S[x0 + i, l]
                for i in range(n_in - 1 - n):
                    final[run, n + i] = S[given + 1 + n + i, l]
                if S[status, l] != DONE:
                    S[grid_next, l] = lane_next[l]
                    for i in range(S.shape[0]):
                        resting[run, i] = S[i, l]
                lane_run[l] = -1
                S[status, l] = IDLE
                alive -= 1
    return n_runs - progress[0] + alive
