"""The pieces of a step: start, choose h, attempt, fill the output grid, record."""

from __future__ import annotations

from .concealed import laws_at
from .control import SAFETY, SHRINK, starting_step
from .crossing import astride, attainable, ends_clear, forget_holds, note_trial
from .dense import state_at
from .error_norm import combined_norm
from .jit import inlined, part
from .manifold import ASTRAY, to_manifold
from .model_call import call, evaluate, power
from .record import G_LOW, INACCURATE, OK, RUNGE_KUTTA, SEMI_IMPLICIT_EULER, X0, X1
from .root_finding import witness
from .runge_kutta import estimate_error, runge_kutta_step
from .second_order import semi_implicit_euler_step, verlet_step


@inlined
def attempt(r, h, a, c, e, inp, out, quaternions, V, K):
    """One trial step from V[X0] to the input vector, with slope K[last] at its end; what went wrong, if anything."""
    r.slope_known = 0
    if r.kind == RUNGE_KUTTA:
        status = runge_kutta_step(r, h, a, c, inp, out, quaternions, V, K)
    elif r.kind == SEMI_IMPLICIT_EULER:
        status = semi_implicit_euler_step(r, h, inp, out, V, K)
    else:
        status = verlet_step(r, h, inp, out, quaternions, V, K)
    if status != OK:
        return status
    status = to_manifold(r, inp, out, quaternions)
    if status != OK:
        return status
    r.strain_now = r.strain
    note_trial(r, out, V)
    r.allowed = max(r.accuracy, attainable(r, V)) if r.near else r.accuracy
    if not r.fixed and r.drift > ASTRAY * r.allowed:
        r.h = h * 0.5
        return INACCURATE
    if not r.fixed and not ends_clear(r, h, V):
        return INACCURATE
    if (r.fixed or r.error_uses_last) and not r.slope_known:
        status = evaluate(r, K, r.stages)
        if status != OK:
            return status
    if not r.fixed:
        for i in range(r.n):
            V[X1, i] = inp[1 + i]
        estimate_error(r, h, e, inp, out, quaternions, V, K)
        error = combined_norm(r, V, X0, X1) / r.allowed
        if not error <= 1.0:
            # too inaccurate: shrink by what the error asks for
            shrink = SAFETY * power(r.power, error, -1.0 / r.error_order)
            r.h = h * (max(SHRINK, min(SAFETY, shrink)) if error < 1e30 else SHRINK)
            return INACCURATE
        r.error_now = error
        if not r.error_uses_last:
            status = evaluate(r, K, r.stages)
    return status


@inlined
def record_point(r, inp, carry_to, steps_t, steps_x, steps_carry):
    """Append the accepted point in the input vector to the list of steps."""
    k = r.n_steps
    steps_t[k] = inp[0]
    for i in range(r.n):
        steps_x[k, i] = inp[1 + i]
    for i in range(carry_to.shape[0]):
        steps_carry[k, i] = inp[carry_to[i]]
    r.n_steps = k + 1


@inlined
def carry(inp, K, row, carry_from, carry_to):
    """Outputs of the model that are inputs of the next step: warm starts of its own iterations."""
    for i in range(carry_from.shape[0]):
        inp[carry_to[i]] = K[row, carry_from[i]]


@part
def update(r, inp, out, carry_from, carry_to):
    """Inputs that the model itself gives new values at a completed step; whether one has changed."""
    changed = False
    if r.update != 0:
        call(r.update, r.p_in, r.p_out, r.p_work)
        first = carry_from.shape[0]
        for i in range(first, carry_to.shape[0]):
            changed = changed or inp[carry_to[i]] != out[i - first]
            inp[carry_to[i]] = out[i - first]
    return changed


@part
def set_state(r, t, inp, V, row):
    inp[0] = t
    for i in range(r.n):
        inp[1 + i] = V[row, i]


@inlined
def begin(r, inp, out, quaternions, V, K, G, L, carry_from, carry_to, grid, grid_x, steps_t, steps_x, steps_carry):
    """Start, or start again after a change or an event: consistent state, slope, witnesses, step size."""
    # a state left alone since its event is on the manifold; moving it could undo the crossing
    status = to_manifold(r, inp, out, quaternions) if r.changed else OK
    if status == OK:
        status = evaluate(r, K, 0)
    if status != OK:
        return status
    carry(inp, K, 0, carry_from, carry_to)
    if r.n_steps == 0 and update(r, inp, out, carry_from, carry_to):
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
    if r.n_laws:
        laws_at(r, L, G_LOW)
    # a jump of the state asks for a new estimate; after a change of inputs only, error control knows better, but for
    # steps that lead far beyond what has just begun
    if r.target > r.t:
        if not r.fixed and (r.jumped or r.changed and r.kind == RUNGE_KUTTA or r.h <= 0.0):
            guess, longest = starting_step(r, inp, V, K)
            if r.h <= 0.0:
                r.h = guess
            else:
                r.h = min(r.h, guess if r.jumped else longest)
        if r.jumped:
            forget_holds(r, V)
        r.jumped = 0
    r.changed = 0
    r.error_before = 1e-4
    r.fixed_start = r.t
    r.fixed_index = 0
    # at the target already, there is no step to choose yet
    r.fresh = 1 if r.fixed or r.h > 0.0 else 0
    r.restart = 1
    # what an implicit method has kept belongs to the motion before
    r.jacobian_known = 0
    r.h_before = 0.0
    return OK


@inlined
def choose_step(r, V):
    """Set t0, t1 of the next trial and return its h; the target is hit exactly."""
    r.t0 = r.t
    h = planned = r.h
    if r.fixed:
        r.t1 = r.fixed_start + (r.fixed_index + 1) * h
        slack = 1e-6 * h
    else:
        planned = min(h, r.h_max)
        h = astride(r, planned, V) if r.n_holds else planned
        r.t1 = r.t + h
        slack = 0.01 * h
    if r.t1 >= r.target - slack:
        h = r.target - r.t
        r.t1 = r.target
    elif not r.fixed and r.t1 + h > r.target and h == planned:
        # two equal steps to the target rather than a long and a tiny one
        h = 0.5 * (r.target - r.t)
        r.t1 = r.t + h
    return h


@inlined
def fill_grid(r, inp, out, quaternions, V, F, t_end, grid, grid_x):
    """States at the output times up to t_end, which lies in this step."""
    while r.grid_next < grid.shape[0] and grid[r.grid_next] <= t_end:
        state_at(r, (grid[r.grid_next] - r.t0) / (r.t1 - r.t0), inp, out, quaternions, V, F)
        for i in range(r.n):
            grid_x[r.grid_next, i] = inp[1 + i]
        r.grid_next += 1
