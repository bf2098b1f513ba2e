"""Dense output afterwards: the stages of stored steps are computed again, so that no coefficients need be stored.

Methods whose steps are expensive (implicit ones) store their interpolants with the steps instead.
"""

from __future__ import annotations

import numpy as np

from .dense import state_at, take_dense
from .jit import ask, integers, matrix, stepper, vector
from .model_call import evaluate
from .record import AGAIN, DENSE, FAILED, FIRST, MAX_STAGES, N_DENSE_ROWS, N_KEPT, N_VECTORS, OK, REACHED, X0, X1, View
from .step import set_state


def interpolant(r: View, inp: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """The interpolant of the step between V[X0] and V[X1], from both its ends and its stages."""
    set_state(r, r.t0, inp, V, X0)
    status = evaluate(r, K, FIRST)
    if status == OK:
        status = ask(r.pieces.method, r, AGAIN)
    if status == OK:
        set_state(r, r.t1, inp, V, X1)
        status = evaluate(r, K, r.stages)
    if status == OK:
        status = ask(r.pieces.method, r, DENSE)
    return status


def repeat(address: int, task: int) -> int:
    """The piece: states at the times `grid`, which lie in the stored steps `grid_step`."""
    r = stepper(address)
    inp = vector(r.at.inp, r.at.n_in + r.n)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    F, carry_to = matrix(r.at.dense, N_DENSE_ROWS, r.n), integers(r.at.carry_to, r.at.n_carry)
    grid, grid_x = vector(r.at.grid, r.at.n_grid), matrix(r.at.grid_x, r.at.n_grid, r.n)
    grid_step = integers(r.at.grid_step, r.at.n_grid)
    steps_t, steps_x = vector(r.at.steps_t, r.at.capacity), matrix(r.at.steps_x, r.at.capacity, r.n)
    steps_carry = matrix(r.at.steps_carry, r.at.capacity, r.at.n_carry)
    current = -1
    for g in range(r.at.n_grid):
        k = grid_step[g]
        if k != current:
            current = k
            r.t0, r.t1 = steps_t[k], steps_t[k + 1]
            r.length = r.t1 - r.t0
            for i in range(r.at.n_carry):
                inp[carry_to[i]] = steps_carry[k, i]
            V[X0, :r.n] = steps_x[k]
            V[X1, :r.n] = steps_x[k + 1]
            if r.keeps:
                take_dense(r, k, F, steps_x, matrix(r.at.steps_dense, r.at.capacity, N_KEPT * r.n))
            else:
                status = interpolant(r, inp, V, K)
                if status != OK:
                    r.status = status
                    return FAILED
        state_at(r, (grid[g] - r.t0) / (r.t1 - r.t0), inp, V, F)
        grid_x[g, :r.n] = inp[1 : 1 + r.n]
    return REACHED
