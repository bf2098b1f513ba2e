"""The loop around a step, for lanes of this processor: begin, attempt, output, commit; finished lanes are refilled.

It runs without Python's lock, and may stop after any step and go on.  Arrays, with l for a lane:

    functions  addresses of begin, attempt, interpolant, point, commit and, where there are events, locate and at_event
    S, space   memory of the lanes [place, l], and their workspace
    run, output, begun       the run of a lane (−1: none), its next output; one number: how many runs have been begun
    starts, times, rests     where every run starts: states, time, the tail of the inputs
    final, counts            the state it came to and the rest of its inputs; status, cause, time, steps, rejected,
                             events
    resting, instants        the memory of lanes that were not finished; how many events there were, and when
    places, settings, weights, usual    what all runs share: settings and where they lie, weights of states, how well
                                        constraints usually hold
    grid, grid_x, slots, changing       output times, of all runs or a row for each; the states there, the slots of the
                                        input that change, and their values there
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ...codegen.dialect import ByAddress, compiled, real, record, whole
from .step_program import DONE, IDLE, RUNNING, STARTING

#: a function of the step, of the lanes' memory and workspace
call = ByAddress(None, real, real)


@record
class Places:
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


def accepted(S: real[:, :], p: Places, l: int) -> bool:
    """Whether the lane has just accepted a step."""
    return S[p.status, l] == RUNNING and S[p.trial, l] == 0.0


def next_output(grid: real[:, :], run: int, k: int) -> float:
    """Output time k of a run; infinite where none is left."""
    row = run if grid.shape[0] > 1 else 0
    return grid[row, k] if k < grid.shape[1] else inf


def put_out(S: real[:, :], p: Places, run: whole[:], output: whole[:], grid_x: real[:, :, :], slots: whole[:],
            changing: real[:, :, :], l: int, state: int) -> None:
    """Keep what lies from place `state` of the lane on as its next output."""
    r, k = run[l], output[l]
    for i in range(p.n):
        grid_x[r, k, i] = S[state + i, l]
    for i in range(len(slots)):
        changing[r, k, i] = S[p.input + slots[i], l]
    output[l] += 1


def take_up(S: real[:, :], p: Places, run: whole[:], output: whole[:], begun: whole[:], starts: real[:, :],
            times: real[:], rests: real[:, :], places: whole[:], settings: real[:], weights: real[:], usual: real[:],
            l: int) -> None:
    """The next run begins in this lane."""
    r = begun[0]
    begun[0] += 1
    run[l], output[l] = r, 0
    S[p.status, l], S[p.t, l] = STARTING, times[r]
    for i in range(len(settings)):
        S[places[i], l] = settings[i]
    for i in range(p.n):
        S[p.weight + i, l], S[p.x0 + i, l] = weights[i], starts[r, i]
    for i in range(p.n_rest):
        S[p.input + 1 + p.n + i, l] = rests[r, i]
    for i in range(p.n_holds):
        S[p.hold_most + i, l] = usual[i]


def leave(S: real[:, :], p: Places, run: whole[:], output: whole[:], final: real[:, :], counts: real[:, 6],
          resting: real[:, :], l: int, switching: bool) -> None:
    """The run in this lane is over: what became of it; the lane is free."""
    r = run[l]
    counts[r, 0], counts[r, 1], counts[r, 2] = S[p.status, l], S[p.cause, l], S[p.t, l]
    counts[r, 3], counts[r, 4], counts[r, 5] = S[p.steps, l], S[p.rejected, l], S[p.n_events, l] if switching else 0.0
    for i in range(p.n):
        final[r, i] = S[p.x0 + i, l]
    for i in range(p.n_rest):
        final[r, p.n + i] = S[p.input + 1 + p.n + i, l]
    if S[p.status, l] != DONE:
        S[p.grid_next, l] = output[l]
        for i in range(S.shape[0]):
            resting[r, i] = S[i, l]
    run[l] = -1
    S[p.status, l] = IDLE


def note_instants(S: real[:, :], p: Places, run: whole[:], instants: real[:, :]) -> bool:
    """Keep when there was an event; whether there is one in any lane."""
    some = False
    for l in range(S.shape[1]):
        if S[p.status, l] == RUNNING and (S[p.event_found, l] != 0.0 or S[p.reached, l] != 0.0):
            some = True
            r = run[l]
            if instants[r, 0] < instants.shape[1] - 1:
                instants[r, 1 + int(instants[r, 0])] = S[p.t, l]
            instants[r, 0] += 1
    return some


@compiled
def drive(functions: whole[:], S: real[:, :], space: real[:], run: whole[:], output: whole[:], begun: whole[:],
          p: Places, starts: real[:, :], times: real[:], rests: real[:, :], final: real[:, :], counts: real[:, 6],
          resting: real[:, :], instants: real[:, :], places: whole[:], settings: real[:], weights: real[:],
          usual: real[:], grid: real[:, :], grid_x: real[:, :, :], slots: whole[:], changing: real[:, :, :],
          attempts: int) -> int:
    """At most so many attempts; how many runs are not yet finished."""
    width, n_runs, switching = S.shape[1], len(starts), len(functions) > 5
    alive = 0
    for l in range(width):
        alive += run[l] >= 0
    for _ in range(attempts):
        # free lanes take up the next runs
        fresh = False
        for l in range(width):
            if run[l] < 0 and begun[0] < n_runs:
                take_up(S, p, run, output, begun, starts, times, rests, places, settings, weights, usual, l)
                alive += 1
                fresh = True
        if fresh:
            call(functions[0], S, space)
            for l in range(width):
                if run[l] >= 0 and S[p.t, l] == times[run[l]] and output[l] == 0:
                    while next_output(grid, run[l], output[l]) <= S[p.t, l]:
                        put_out(S, p, run, output, grid_x, slots, changing, l, p.x0)
        if alive == 0:
            break
        call(functions[1], S, space)
        # output inside the step
        inside = False
        for l in range(width):
            wanted = accepted(S, p, l) and (switching or next_output(grid, run[l], output[l]) < S[p.t1, l])
            S[p.wanted, l] = 1.0 if wanted else 0.0
            inside |= wanted
        if inside:
            call(functions[2], S, space)
        if switching:
            call(functions[5], S, space)
        while inside:
            inside = False
            for l in range(width):
                S[p.wanted, l] = 0.0
                if accepted(S, p, l) and next_output(grid, run[l], output[l]) <= S[p.t_end, l]:
                    S[p.theta, l] = (next_output(grid, run[l], output[l]) - S[p.t0, l]) / (S[p.t1, l] - S[p.t0, l])
                    if S[p.theta, l] < 1.0:
                        S[p.wanted, l] = 1.0
                        inside = True
            if inside:
                call(functions[3], S, space)
                for l in range(width):
                    if S[p.wanted, l] != 0.0:
                        put_out(S, p, run, output, grid_x, slots, changing, l, p.input + 1)
        # and at its end
        for l in range(width):
            if accepted(S, p, l):
                while next_output(grid, run[l], output[l]) <= S[p.t_end, l]:
                    put_out(S, p, run, output, grid_x, slots, changing, l, p.x1)
        call(functions[4], S, space)
        if switching and note_instants(S, p, run, instants):
            call(functions[6], S, space)
        for l in range(width):
            if run[l] >= 0 and S[p.status, l] != RUNNING:
                leave(S, p, run, output, final, counts, resting, l, switching)
                alive -= 1
    return n_runs - begun[0] + alive
