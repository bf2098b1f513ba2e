"""Dense output afterwards: the stages of stored steps are computed again, so that no coefficients need be stored.

An implicit step is dear, and its coefficients were kept with it.
"""

from __future__ import annotations

from .dense import prepare_dense, state_at
from .jit import inlined
from .model_call import evaluate
from .record import FAILED, OK, REACHED, RUNGE_KUTTA, X0, X1
from .runge_kutta import runge_kutta_step
from .step import set_state


@inlined
def repeat(
    r, a, c, d, inp, out, quaternions, V, K, F, carry_to, grid, grid_x, grid_step, steps_t, steps_x, steps_carry
):
    """States at the times `grid`, which lie in the steps `grid_step`."""
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
                status = runge_kutta_step(r, r.t1 - r.t0, a, c, inp, out, quaternions, V, K)
            if status == OK:
                set_state(r, r.t1, inp, V, X1)
                status = evaluate(r, K, r.stages)
            if status == OK:
                status = prepare_dense(r, a, c, d, inp, out, quaternions, V, K, F)
            if status != OK:
                r.status = status
                return FAILED
        state_at(r, (grid[g] - r.t0) / (r.t1 - r.t0), inp, out, quaternions, V, F)
        for i in range(r.n):
            grid_x[g, i] = inp[1 + i]
    return REACHED


@inlined
def repeat_radau(
    r, inp, out, quaternions, V, F, carry_to, grid, grid_x, grid_step, steps_t, steps_x, steps_carry, steps_dense
):
    """States at the times `grid`, which lie in the steps `grid_step` of the implicit method."""
    current, n = -1, r.n
    for g in range(grid.shape[0]):
        k = grid_step[g]
        if k != current:
            current = k
            r.t0, r.t1 = steps_t[k], steps_t[k + 1]
            for i in range(carry_to.shape[0]):
                inp[carry_to[i]] = steps_carry[k, i]
            for i in range(n):
                V[X1, i] = steps_x[k + 1, i]
                F[0, i] = steps_x[k, i]
                F[1, i] = V[X1, i] - F[0, i]
                for row in range(3):
                    F[2 + row, i] = steps_dense[k + 1, row * n + i]
        state_at(r, (grid[g] - r.t0) / (r.t1 - r.t0), inp, out, quaternions, V, F)
        for i in range(n):
            grid_x[g, i] = inp[1 + i]
    return REACHED
