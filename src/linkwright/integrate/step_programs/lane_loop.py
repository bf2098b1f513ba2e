"""The loop around lanes of this processor: free lanes take up runs, all lanes step, those at an instant decide it.

It runs without Python's lock, and may stop after any step and go on.  Arrays, with l for a lane:

    functions  addresses of begin and step (`lane`) and, where there are events, of decide (`instants`)
    S          memory of the lanes [place, l]; whole numbers are there by their bits
    run, begun          the run of a lane (−1: none); one number: how many runs have been begun
    templates           the memory of a lane that has not begun: of all runs, or a row for each, with its past
    starts, rests       where every run starts: time and state, the tail of the inputs
    ends                when runs end: one time for all, or one for each
    grid, grid_x        output times, of all runs or a row for each; states there, and inputs that change on the way
    final, counts       the input vector it came to; what it was doing then, and why it failed if it did, time, steps,
                        rejected, events
    resting, instants   the memory of lanes that were not finished, or of all that have a past; how many events there
                        were, and when
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ...codegen.dialect import ByAddress, bits, compiled, from_bits, real, record, whole
from ..tolerances import WAITED
from .step_program import DONE, IDLE, INSTANT, RUNNING, STARTING

#: a function of lanes, of their memory
call = ByAddress(None, real)


@record
class Places:
    """Where in the memory of a lane its numbers lie, and how many there are of some."""

    doing: int
    status: int
    t: int
    target: int
    horizon: int
    steps: int
    rejected: int
    happened: int
    inp: int
    grid: int
    grid_x: int
    n_in: int
    n: int


def take_up(S: real[:, :], p: Places, run: whole[:], begun: whole[:], templates: real[:, :], starts: real[:, :],
            rests: real[:, :], ends: real[:], grid: int, grid_x: int, own_times: int, outputs: int, l: int) -> None:
    """The next run begins in this lane; `grid`, `grid_x` are addresses, the others bytes from one run to the next."""
    r = begun[0]
    begun[0] += 1
    run[l] = r
    own = r if len(templates) > 1 else 0
    for i in range(templates.shape[1]):
        S[i, l] = templates[own, i]
    S[p.doing, l], S[p.t, l] = from_bits(STARTING), starts[r, 0]
    S[p.target, l] = S[p.horizon, l] = ends[r if len(ends) > 1 else 0]
    S[p.grid, l], S[p.grid_x, l] = from_bits(grid + r * own_times), from_bits(grid_x + r * outputs)
    for i in range(1 + p.n):
        S[p.inp + i, l] = starts[r, i]
    for i in range(p.n_in - 1 - p.n):
        S[p.inp + 1 + p.n + i, l] = rests[r, i]


def leave(S: real[:, :], p: Places, run: whole[:], final: real[:, :], counts: real[:, 6], resting: real[:, :],
          past: int, l: int) -> None:
    """The run in this lane is over: what became of it; the lane is free."""
    r = run[l]
    counts[r, 0], counts[r, 1], counts[r, 2] = float(bits(S[p.doing, l])), float(bits(S[p.status, l])), S[p.t, l]
    counts[r, 3], counts[r, 4] = float(bits(S[p.steps, l])), float(bits(S[p.rejected, l]))
    counts[r, 5] = float(bits(S[p.happened, l]))
    for i in range(p.n_in):
        final[r, i] = S[p.inp + i, l]
    if past != 0 or bits(S[p.doing, l]) != DONE:
        for i in range(resting.shape[1]):
            resting[r, i] = S[i, l]
    run[l] = -1
    S[p.doing, l] = from_bits(IDLE)


def count(S: real[:, :], p: Places, doing: int) -> int:
    """How many lanes do this."""
    found = 0
    for l in range(S.shape[1]):
        found += bits(S[p.doing, l]) == doing
    return found


def note_instants(S: real[:, :], p: Places, run: whole[:], instants: real[:, :]) -> None:
    """Keep when there was an event."""
    for l in range(S.shape[1]):
        if bits(S[p.doing, l]) == INSTANT:
            r = run[l]
            if instants[r, 0] < instants.shape[1] - 1:
                instants[r, 1 + int(instants[r, 0])] = S[p.t, l]
            instants[r, 0] += 1


@compiled
def drive(functions: whole[:], S: real[:, :], run: whole[:], begun: whole[:], p: Places, templates: real[:, :],
          starts: real[:, :], rests: real[:, :], ends: real[:], grid: int, grid_x: int, own_times: int, outputs: int,
          final: real[:, :], counts: real[:, 6], resting: real[:, :], instants: real[:, :], past: int,
          attempts: int) -> int:
    """At most so many attempts; how many runs are not yet finished.  With a `past` all runs leave their memory."""
    width, n_runs = S.shape[1], len(starts)
    alive, waited = 0, 0
    for l in range(width):
        alive += run[l] >= 0
    for _ in range(attempts):
        # free lanes take up the next runs
        fresh = False
        for l in range(width):
            if run[l] < 0 and begun[0] < n_runs:
                take_up(S, p, run, begun, templates, starts, rests, ends, grid, grid_x, own_times, outputs, l)
                alive += 1
                fresh = True
        if alive == 0:
            break
        if fresh:
            call(functions[0], S)
        call(functions[1], S)
        # instants are decided in all lanes that have come to one; to decide takes as long for one lane as for all, so
        # those that come first wait for others, but not for much longer than to decide would take
        waiting = count(S, p, INSTANT)
        waited += waiting
        if waiting > 0 and (waited >= WAITED * width or count(S, p, RUNNING) == 0):
            note_instants(S, p, run, instants)
            call(functions[2], S)
            waited = 0
        for l in range(width):
            doing = bits(S[p.doing, l])
            if run[l] >= 0 and doing != RUNNING and doing != INSTANT:
                leave(S, p, run, final, counts, resting, past, l)
                alive -= 1
    return n_runs - begun[0] + alive
