"""The compiled loop: attempt, restore, test, look for events, accept; until the target, an event, a failure or a pause.

A step is: advance → prescribe → project q → normalise quaternions → project u → re-evaluate → test the projected error →
look for events on the projected interpolant → accept.  Between calls the input vector holds the last accepted point and
the record everything else, so that a run may stop after any step and go on with the same bits.
"""

from __future__ import annotations

from numba import njit

from .control import SAFETY, SHRINK, next_factor, starting_step
from .dense import prepare_dense, state_at
from .error_norm import combined_norm
from .events import find_event, witness
from .explicit import estimate_error, runge_kutta_step
from .manifold import to_manifold
from .model_call import evaluate
from .record import (
    EVENT,
    FAILED,
    G_LOW,
    HELD,
    INACCURATE,
    OK,
    PAUSED,
    PROJECTION,
    REACHED,
    RUNGE_KUTTA,
    SEMI_IMPLICIT_EULER,
    X0,
    X1,
)
from .second_order import semi_implicit_euler_step, verlet_step


@njit(error_model="numpy")
def attempt(r, h, a, c, e, inp, out, quaternions, V, K):
    """One trial step from V[X0] to the input vector, with slope K[last] at its end; what went wrong, if anything."""
    if r.kind == RUNGE_KUTTA:
        status = runge_kutta_step(r, h, a, c, inp, out, V, K)
    elif r.kind == SEMI_IMPLICIT_EULER:
        status = semi_implicit_euler_step(r, h, inp, out, V, K)
    else:
        status = verlet_step(r, h, inp, out, V, K)
    if status != OK:
        return status
    status = to_manifold(r, inp, out, quaternions)
    if status != OK:
        return status
    if r.fixed or r.error_uses_last:
        status = evaluate(r, K, r.stages)
        if status != OK:
            return status
    if not r.fixed:
        for i in range(r.n):
            V[X1, i] = inp[1 + i]
        estimate_error(r, h, e, inp, out, quaternions, V, K)
        error = combined_norm(r, V, X0, X1) / r.accuracy
        if not error <= 1.0:
            # too inaccurate: shrink by what the error asks for
            shrink = SAFETY * error ** (-1.0 / r.error_order)
            r.h = h * (max(SHRINK, min(SAFETY, shrink)) if error < 1e30 else SHRINK)
            return INACCURATE
        r.error_now = error
        if not r.error_uses_last:
            status = evaluate(r, K, r.stages)
    return status


@njit(error_model="numpy")
def record_point(r, inp, carry_to, steps_t, steps_x, steps_carry):
    """Append the accepted point in the input vector to the list of steps."""
    k = r.n_steps
    steps_t[k] = inp[0]
    for i in range(r.n):
        steps_x[k, i] = inp[1 + i]
    for i in range(carry_to.shape[0]):
        steps_carry[k, i] = inp[carry_to[i]]
    r.n_steps = k + 1


@njit(error_model="numpy")
def set_state(r, t, inp, V, row):
    inp[0] = t
    for i in range(r.n):
        inp[1 + i] = V[row, i]


@njit(error_model="numpy")
def begin(r, inp, out, quaternions, V, K, G, carry_to, grid, grid_x, steps_t, steps_x, steps_carry):
    """Start, or start again after a change: consistent state, slope, witnesses, step size."""
    status = to_manifold(r, inp, out, quaternions)
    if status == OK:
        status = evaluate(r, K, 0)
    if status != OK:
        return status
    k = r.n_steps - 1
    changed = k < 0 or steps_t[k] != inp[0]
    for i in range(r.n):
        changed = changed or steps_x[k, i] != inp[1 + i]
    if changed:
        record_point(r, inp, carry_to, steps_t, steps_x, steps_carry)
    while r.grid_next < grid.shape[0] and grid[r.grid_next] <= r.t:
        for i in range(r.n):
            grid_x[r.grid_next, i] = inp[1 + i]
        r.grid_next += 1
    if r.n_events:
        witness(r, G, G_LOW)
    if not r.fixed:
        guess = starting_step(r, inp, V, K)
        r.h = guess if r.h <= 0.0 else min(r.h, guess)
    r.error_before = 1e-4
    r.fixed_start = r.t
    r.fixed_index = 0
    r.fresh = 1
    r.restart = 1
    return OK


@njit(error_model="numpy")
def choose_step(r):
    """Set t0, t1 of the next trial and return its h; the target is hit exactly."""
    r.t0 = r.t
    h = r.h
    if r.fixed:
        r.t1 = r.fixed_start + (r.fixed_index + 1) * h
        slack = 1e-6 * h
    else:
        h = min(h, r.h_max)
        r.t1 = r.t + h
        slack = 0.01 * h
    if r.t1 >= r.target - slack:
        h = r.target - r.t
        r.t1 = r.target
    return h


@njit(error_model="numpy")
def fill_grid(r, inp, out, quaternions, V, F, t_end, grid, grid_x):
    """States at the output times up to t_end, which lies in this step."""
    while r.grid_next < grid.shape[0] and grid[r.grid_next] <= t_end:
        state_at(r, (grid[r.grid_next] - r.t0) / (r.t1 - r.t0), inp, out, quaternions, V, F)
        for i in range(r.n):
            grid_x[r.grid_next, i] = inp[1 + i]
        r.grid_next += 1


@njit(error_model="numpy")
def recreate(r, a, c, d, inp, out, quaternions, V, K, F, carry_to, grid, grid_x, grid_step, steps_t, steps_x, steps_carry):
    """Dense output afterwards: states at `grid`, whose entries lie in the steps `grid_step`, by repeating those steps' stages."""
    current = -1
    for g in range(grid.shape[0]):
        k = grid_step[g]
        if k != current:
            current = k
            r.t0, r.t1 = steps_t[k], steps_t[k + 1]
            for i in range(carry_to.shape[0]):
                inp[carry_to[i]] = steps_carry[k, i]
            for i in range(r.n):
                V[X0, i], V[X1, i] = steps_x[k, i], steps_x[k + 1, i]
            set_state(r, r.t0, inp, V, X0)
            status = evaluate(r, K, 0)
            if status == OK and r.kind == RUNGE_KUTTA and r.n_dense > 0:
                status = runge_kutta_step(r, r.t1 - r.t0, a, c, inp, out, V, K)
            if status == OK:
                set_state(r, r.t1, inp, V, X1)
                status = evaluate(r, K, r.stages)
            if status == OK:
                status = prepare_dense(r, a, c, d, inp, out, V, K, F)
            if status != OK:
                r.status = status
                return FAILED
        state_at(r, (grid[g] - r.t0) / (r.t1 - r.t0), inp, out, quaternions, V, F)
        for i in range(r.n):
            grid_x[g, i] = inp[1 + i]
    return REACHED


@njit(error_model="numpy")
def advance(
    r, a, c, e, d, inp, out, quaternions, V, K, F, G,
    carry_from, carry_to, grid, grid_x, steps_t, steps_x, steps_carry,
):  # fmt: skip
    """Steps until the target, an event, a failure, or `chunk` attempts; the reason."""
    for _ in range(r.chunk):
        if not r.fresh:
            status = begin(r, inp, out, quaternions, V, K, G, carry_to, grid, grid_x, steps_t, steps_x, steps_carry)
            if status != OK:
                r.status = status
                return FAILED
        if r.t >= r.target:
            return REACHED
        if r.n_steps + 1 >= steps_t.shape[0]:
            return PAUSED
        for i in range(r.n):
            V[X0, i] = inp[1 + i]
        h = choose_step(r)
        status = attempt(r, h, a, c, e, inp, out, quaternions, V, K)
        if status == OK:
            for i in range(r.n):
                V[X1, i] = inp[1 + i]
            wanted = r.grid_next < grid.shape[0] and grid[r.grid_next] < r.t1
            if wanted or r.n_events > 0:
                status = prepare_dense(r, a, c, d, inp, out, V, K, F)
        if status != OK:
            set_state(r, r.t0, inp, V, X0)
            r.status = status
            r.rejected += 1
            if r.fixed:
                return FAILED
            if status != INACCURATE:
                r.h = h * (0.5 if status == PROJECTION else 0.25)
            r.rejected_before = 1
            if r.h < 1.8e-15 * max(abs(r.t0), 1e-3 * abs(r.target - r.t0)):
                return FAILED
            continue
        # events cut the step short
        theta = 2.0
        if r.n_events > 0:
            theta = find_event(r, inp, out, quaternions, V, F, G)
        happened = theta <= 1.0
        t_end = r.t1
        if happened:
            t_end = inp[0]
            for i in range(r.n):
                V[HELD, i] = inp[1 + i]
        fill_grid(r, inp, out, quaternions, V, F, t_end, grid, grid_x)
        # accept
        set_state(r, t_end, inp, V, HELD if happened else X1)
        r.t = t_end
        r.steps += 1
        for i in range(carry_to.shape[0]):
            inp[carry_to[i]] = K[r.stages, carry_from[i]]
        record_point(r, inp, carry_to, steps_t, steps_x, steps_carry)
        if r.fixed:
            r.fixed_index += 1
            if r.t == r.target:
                r.fixed_start = r.t
                r.fixed_index = 0
        else:
            factor = next_factor(r, r.error_now)
            if r.rejected_before:
                factor = min(factor, 1.0)
            # a step shortened to hit the target says nothing against the step planned
            r.h = max(r.h, h * factor) if h < r.h else h * factor
        r.rejected_before = 0
        r.restart = 0
        if happened:
            r.events_found += 1
            r.fresh = 0
            return EVENT
        for j in range(K.shape[1]):
            K[0, j] = K[r.stages, j]
    return PAUSED
