"""The pieces of a step that no method knows of: start, choose h, fill the output grid, record."""

from __future__ import annotations

import numpy as np

from .dense import state_at
from .first_step import starting_step
from .jit import ask, integers, matrix, vector
from .manifold import restore
from .model_call import call, evaluate
from .record import FIRST, G_LOW, MAX_STAGES, N_DENSE_ROWS, N_VECTORS, N_WITNESS_ROWS, OK, START, View
from .root_finding import witness
from .short_features import laws_at
from .singular_positions import astride, forget_holds
from .tolerances import STRETCH, STRETCH_FIXED


def record_point(r: View, inp: np.ndarray, carry_to: np.ndarray) -> None:
    """Append the accepted point in the input vector to the list of steps; a rolling one moves up, and forgets."""
    steps_t, steps_x = vector(r.at.steps_t, r.at.capacity), matrix(r.at.steps_x, r.at.capacity, r.n)
    steps_carry = matrix(r.at.steps_carry, r.at.capacity, r.at.n_carry)
    k = r.at.capacity - 1 if r.at.rolling else r.n_steps
    if r.at.rolling:
        for row in range(k):
            steps_t[row] = steps_t[row + 1]
            steps_x[row] = steps_x[row + 1]
            steps_carry[row] = steps_carry[row + 1]
    if r.at.capacity > 0:
        steps_t[k] = inp[0]
        steps_x[k] = inp[1 : 1 + r.n]
        for i in range(carry_to.shape[0]):
            steps_carry[k, i] = inp[carry_to[i]]
    r.n_steps += 1


def carry(inp: np.ndarray, K: np.ndarray, row: int, carry_from: np.ndarray, carry_to: np.ndarray) -> None:
    """Copy outputs of the model that are inputs of the next step: where its own iterations begin."""
    for i in range(carry_from.shape[0]):
        inp[carry_to[i]] = K[row, carry_from[i]]


def update(r: View, inp: np.ndarray, out: np.ndarray, carry_from: np.ndarray, carry_to: np.ndarray) -> bool:
    """Give new values to inputs that the model itself updates at completed steps; whether one has changed."""
    changed = False
    if r.code.update != 0:
        call(r.code.update, r.at.inp, r.at.out, r.at.work)
        first = carry_from.shape[0]
        for i in range(first, carry_to.shape[0]):
            changed = changed or inp[carry_to[i]] != out[i - first]
            inp[carry_to[i]] = out[i - first]
    return changed


def moved(r: View, inp: np.ndarray) -> bool:
    """Whether the point in the input vector is not the last one of the list of steps."""
    if r.at.capacity == 0:
        return True
    steps_t, steps_x = vector(r.at.steps_t, r.at.capacity), matrix(r.at.steps_x, r.at.capacity, r.n)
    k = r.at.capacity - 1 if r.at.rolling else r.n_steps - 1
    changed = r.n_steps == 0 or steps_t[k] != inp[0]
    for i in range(r.n):
        changed = changed or steps_x[k, i] != inp[1 + i]
    return changed


def put_out(r: View, inp: np.ndarray) -> None:
    """The state in the input vector, and inputs beside it that change on the way, are the next output."""
    changing = integers(r.at.changing, r.at.n_changing)
    grid_x = matrix(r.at.grid_x, r.at.n_grid, r.n + r.at.n_changing)
    grid_x[r.grid_next, :r.n] = inp[1 : 1 + r.n]
    for i in range(changing.shape[0]):
        grid_x[r.grid_next, r.n + i] = inp[changing[i]]
    r.grid_next += 1


def set_state(r: View, t: float, inp: np.ndarray, V: np.ndarray, row: int) -> None:
    inp[0] = t
    inp[1 : 1 + r.n] = V[row, :r.n]


def begin(r: View, inp: np.ndarray, out: np.ndarray, V: np.ndarray) -> int:
    """Start, or start again after a change or an event: consistent state, slope, witnesses, step size."""
    K = matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    carry_from, carry_to = integers(r.at.carry_from, r.at.n_carried), integers(r.at.carry_to, r.at.n_carry)
    # a state that was not changed since its event is on the manifold; moving it could undo the crossing
    status = restore(r) if r.changed else OK
    if status == OK:
        status = evaluate(r, K, FIRST)
    if status != OK:
        return status
    carry(inp, K, FIRST, carry_from, carry_to)
    if r.n_steps == 0 and update(r, inp, out, carry_from, carry_to):
        status = evaluate(r, K, FIRST)
        if status != OK:
            return status
    if moved(r, inp):
        record_point(r, inp, carry_to)
    grid = vector(r.at.grid, r.at.n_grid)
    while r.grid_next < grid.shape[0] and grid[r.grid_next] <= r.t:
        put_out(r, inp)
    if r.n_events:
        witness(r, matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width), G_LOW)
    if r.n_laws:
        laws_at(r, matrix(r.at.laws, N_WITNESS_ROWS, r.at.law_width), G_LOW)
    # after a jump of the state the step size is estimated anew; after a change of inputs only, the one planned by error
    # control is better, unless it is far too long for what has just begun
    if r.target > r.t:
        if not r.fixed and (r.jumped or r.changed and r.explicit or r.h <= 0.0):
            guess, longest = starting_step(r, inp, V, K)
            if r.h <= 0.0:
                r.h = guess
            else:
                r.h = min(r.h, guess if r.jumped else longest)
        if r.jumped:
            forget_holds(r, V)
        r.jumped = 0
    r.changed = 0
    r.fixed_start = r.t
    r.fixed_index = 0
    # at the target already, there is no step to choose yet
    r.fresh = 1 if r.fixed or r.h > 0.0 else 0
    r.restart = 1
    # what a method has stored belongs to the motion before
    ask(r.pieces.method, r, START)
    return OK


def choose_step(r: View, V: np.ndarray) -> None:
    """Set t0, t1 and length of the next trial; the target is hit exactly."""
    r.t0 = r.t
    h = planned = r.h
    if r.fixed:
        r.t1 = r.fixed_start + (r.fixed_index + 1) * h
        slack = STRETCH_FIXED * h
    else:
        h = astride(r, planned, V) if r.holds.count else planned
        r.t1 = r.t + h
        slack = STRETCH * h
    if r.t1 >= r.target - slack:
        h = r.target - r.t
        r.t1 = r.target
    elif not r.fixed and r.t1 + h > r.target and h == planned:
        # two equal steps to the target rather than a long and a tiny one
        h = 0.5 * (r.target - r.t)
        r.t1 = r.t + h
    r.length = h


def fill_grid(r: View, t_end: float) -> None:
    """States at the output times up to t_end, which lies in this step."""
    grid, inp = vector(r.at.grid, r.at.n_grid), vector(r.at.inp, r.at.n_in + r.n)
    while r.grid_next < grid.shape[0] and grid[r.grid_next] <= t_end:
        state_at(r, (grid[r.grid_next] - r.t0) / (r.t1 - r.t0), inp,
                 matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.dense, N_DENSE_ROWS, r.n))
        put_out(r, inp)
