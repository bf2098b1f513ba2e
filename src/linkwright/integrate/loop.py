"""The compiled loop: attempt, test, look for events, accept; until the target, an event, a failure or a pause.

A step is: advance → prescribe → project q → normalise quaternions → project u → re-evaluate → test the projected error
→ look for events on the projected interpolant → accept.  The method in use does the first six (see `methods`); the loop
knows no method by name.  Between calls the input vector holds the last accepted point and the record everything else,
so that a run may stop after any step and go on with the same bits.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import independent, known
from .dense import keep_dense
from .jit import ask, integers, matrix, stepper, vector
from .model_call import evaluate
from .record import (
    ACCEPT,
    CHANGED,
    DENSE,
    EVENT,
    FAILED,
    FIRST,
    HELD,
    HELP,
    HELP_NEEDED,
    INACCURATE,
    JUMPED,
    LOCATE,
    LOOK,
    MAX_STAGES,
    N_DENSE_ROWS,
    N_KEPT,
    N_VECTORS,
    OK,
    ON,
    OTHER_METHOD,
    PAUSED,
    PROJECTION,
    REACHED,
    REVEAL,
    STEP_ON,
    STRAINED,
    SUDDEN,
    TRIED,
    UNSOLVED,
    X0,
    X1,
    View,
)  # fmt: skip
from .singular_positions import forget_holds, is_near, note_coarse, note_holds
from .step import begin, carry, choose_step, fill_grid, record_point, set_state, update
from .tolerances import SHORTEST_SHARE, SHORTEST_STEP


def attempt(r: View, inp: np.ndarray, V: np.ndarray, grid: np.ndarray) -> int:
    """One trial step, with its dense output where that is wanted; what went wrong, if anything."""
    V[X0, :r.n] = inp[1 : 1 + r.n]
    choose_step(r, V)
    status = ask(r.pieces.method, r, STEP_ON)
    if status == OK:
        looked = r.n_laws > 0 and not r.fixed
        if looked or not r.explicit:
            keep_end(r, inp, V)
        doubtful = looked and ask(r.pieces.features, r, SUDDEN) != 0
        due = r.grid_next < grid.shape[0] and grid[r.grid_next] <= r.t1
        if due or doubtful or r.shows or r.n_events > 0:
            if not looked and r.explicit:
                keep_end(r, inp, V)
            status = look_inside(r, doubtful, due, inp, V, grid)
        elif looked:
            set_state(r, r.t1, inp, V, X1)
    return status


def keep_end(r: View, inp: np.ndarray, V: np.ndarray) -> None:
    """The end of the step, for those who look inside it."""
    V[X1, :r.n] = inp[1 : 1 + r.n]


def look_inside(r: View, doubtful: bool, due: bool, inp: np.ndarray, V: np.ndarray, grid: np.ndarray) -> int:
    """Dense output of a step, for those who ask; what it gives at output times, where no event can cut it short.

    All in one place, since a GPU thread holds the interpolant in registers from where it may be made to where it may
    be used.
    """
    status, cut = OK, r.shows or r.n_events > 0
    if cut or doubtful or grid[r.grid_next] < r.t1:
        status = ask(r.pieces.method, r, DENSE)
    if status == OK and doubtful:
        status = ask(r.pieces.features, r, REVEAL)
    if status == OK and not cut:
        if due:
            fill_grid(r, r.t1)
        set_state(r, r.t1, inp, V, X1)
    return status


def reject(r: View, status: int) -> bool:
    """Plan a shorter step after a trial that failed; False where a shorter one would be too short."""
    r.status = status
    r.counts.rejected += 1
    if r.fixed:
        return False
    if status != INACCURATE:
        r.h = r.length * (0.5 if status in (PROJECTION, UNSOLVED) else 0.25)
    r.rejected_before = 1
    if r.h < SHORTEST_STEP * max(abs(r.t0), SHORTEST_SHARE * abs(r.target - r.t0)):
        # if something is changed and the step tried again, it starts with a new estimate of the step size
        r.h = 0.0
        r.fresh = 0
        return False
    return True


def plan(r: View) -> None:
    """The next step size, after an accepted step."""
    ask(r.pieces.method, r, ACCEPT)
    if r.fixed:
        r.fixed_index += 1
        if r.t == r.target:
            r.fixed_start = r.t
            r.fixed_index = 0
    else:
        # a step that had to be repeated does not grow at once: the next one would be rejected again
        factor = min(r.factor, 1.0) if r.rejected_before else r.factor
        # a step shortened to hit the target says nothing against the step planned
        r.h = max(r.h, r.length * factor) if r.length < r.h else r.length * factor
    r.rejected_before = 0
    r.restart = 0


def try_step(r: View, accepted: known) -> int:
    """Begin where that is needed, then one attempt; ON, or why the loop returns.

    A good step is accepted.  If it is not to be `accepted` yet, it is TRIED: its end is in `t_end` and, at an event,
    V[HELD].
    """
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    V = matrix(r.at.vectors, N_VECTORS, r.at.vector_width)
    grid = vector(r.at.grid, r.at.n_grid)
    if r.begins and not r.fresh:
        status = begin(r, inp, out, V)
        if status != OK:
            r.status = status
            return FAILED
    if r.t >= r.target:
        return REACHED
    if r.n_steps + 1 >= r.at.capacity and not r.at.rolling:
        return PAUSED
    status = attempt(r, inp, V, grid)
    if status != OK:
        set_state(r, r.t0, inp, V, X0)
        if status == HELP_NEEDED:
            return HELP
        return ON if reject(r, status) else FAILED
    # events cut the step short
    r.theta, r.t_end = 2.0, r.t1
    if r.n_events > 0:
        ask(r.pieces.locate, r, LOCATE)
        if r.theta <= 1.0:
            r.t_end = inp[0]
            V[HELD, :r.n] = inp[1 : 1 + r.n]
    if not accepted:
        return TRIED
    if r.n_events > 0:
        fill_grid(r, r.t_end)
    return accept(r)


def accept(r: View) -> int:
    """Accept the step that was tried, up to its end: ON, or why the loop returns."""
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    carry_from, carry_to = integers(r.at.carry_from, r.at.n_carried), integers(r.at.carry_to, r.at.n_carry)
    event_found = r.n_events > 0 and r.theta <= 1.0
    inp[0] = r.t_end
    if r.shows or r.n_events > 0:
        # others have looked at points within the step
        for i in independent(r.n):
            inp[1 + i] = V[HELD, i] if event_found else V[X1, i]
    r.t = r.t_end
    r.counts.steps += 1
    carry(inp, K, r.stages, carry_from, carry_to)
    updated = update(r, inp, out, carry_from, carry_to)
    record_point(r, inp, carry_to)
    if r.keeps:
        keep_dense(r, r.theta, matrix(r.at.dense, N_DENSE_ROWS, r.n),
                   matrix(r.at.steps_dense, r.at.capacity, N_KEPT * r.n))
    plan(r)
    if r.holds.followed and r.holds.count:
        note_holds(r, V)
        note_coarse(r)
    if event_found:
        r.counts.events_found += 1
        r.fresh = 0
        if r.holds.count:
            forget_holds(r, V)
        return EVENT
    better = 0
    if r.stiffness.watched and not updated and not r.holds.near:
        better = ask(r.pieces.method, r, LOOK)
    K[FIRST] = K[r.stages]
    if updated:
        # the laws may have changed with it, and a witness may have crossed
        ask(r.pieces.method, r, CHANGED)
        status = evaluate(r, K, FIRST)
        if status != OK:
            r.status = status
            return FAILED
        if r.n_events > 0 and ask(r.pieces.locate, r, JUMPED) != 0:
            r.counts.events_found += 1
            r.fresh = 0
            return EVENT
    if r.watch_strain and r.strain_now > 0.0:
        r.counts.exchanges += 1
        return STRAINED
    if r.holds.followed and r.holds.count:
        near = is_near(r, V)
        if near != r.holds.near:
            r.holds.near = near
            return STRAINED
    if r.t >= r.target:
        return REACHED
    return OTHER_METHOD if better != 0 else ON


def advance(address: int, task: int) -> int:
    """The piece: up to `chunk` attempted steps; says why it returned."""
    r = stepper(address)
    for _ in range(r.chunk):
        reason = try_step(r, 1)
        if reason != ON:
            return reason
    return PAUSED
