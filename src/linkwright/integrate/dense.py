"""Dense output: the state between the two ends of a step.

All methods share one nested form (see tableaux): Hermite cubic from both ends and both end slopes, plus rows of higher
order where the method has them.  Built from the projected end points, so the interpolant passes through them.

Where constraints are weak the stages say nothing of what lies between them: their slopes across the constraints grow
without bound.  There the interpolant goes through points reached by steps of their own.
"""

from __future__ import annotations

import numpy as np

from .explicit import combine, runge_kutta_step, set_stage
from .jit import part
from .manifold import to_manifold, to_stage
from .model_call import evaluate
from .record import INCREMENT, OK, X0, X1

#: where further points are taken, by the number of rows of higher order, and from values there to the rows
POINTS1, POINTS4 = np.array([0.5]), np.array([0.2, 0.4, 0.6, 0.8])
ROWS1 = np.eye(1)
ROWS4 = np.linalg.inv(np.stack([np.ones(4), POINTS4, POINTS4 * (1 - POINTS4), POINTS4**2 * (1 - POINTS4)], axis=1))


@part
def prepare_dense(r, a, c, d, inp, out, quaternions, V, K, F):
    """Coefficients F of the interpolant over [t0, t1]; further stages are evaluated where the method needs them."""
    h = r.t1 - r.t0
    last = r.stages
    if r.speed_tolerance > r.tolerance and r.n_dense == 4:
        return dense_through(r, a, c, inp, out, quaternions, V, K, F, POINTS4, ROWS4)
    if r.speed_tolerance > r.tolerance and r.n_dense == 1:
        return dense_through(r, a, c, inp, out, quaternions, V, K, F, POINTS1, ROWS1)
    for stage in range(last + 1, last + 1 + r.n_extra):
        set_stage(r, h, a, c, stage, inp, V, K)
        status = to_stage(r, inp, out, quaternions)
        if status == OK:
            status = evaluate(r, K, stage)
        if status != OK:
            return status
    cubic(r, h, V, K, F)
    for row in range(r.n_dense):
        combine(r, h, d, row, last + 1 + r.n_extra, K, V, INCREMENT)
        for i in range(r.n):
            F[4 + row, i] = V[INCREMENT, i]
    return OK


@part
def cubic(r, h, V, K, F):
    """The rows of the Hermite cubic."""
    for i in range(r.n):
        difference = V[X1, i] - V[X0, i]
        bend = h * K[0, i] - difference
        F[0, i] = V[X0, i]
        F[1, i] = difference
        F[2, i] = bend
        F[3, i] = difference - h * K[r.stages, i] - bend


@part
def dense_through(r, a, c, inp, out, quaternions, V, K, F, points, rows):
    """Coefficients F of the interpolant through both ends and through steps of their own to the given points.

    A point is reached from either end; of the two, the one that comes nearer to the cubic has not met a singularity.
    """
    h, count = r.t1 - r.t0, points.shape[0]
    cubic(r, h, V, K, F)
    for j in range(count):
        x, best = points[j], -1.0
        for end in range(2):
            status = runge_kutta_step(r, x * h if end == 0 else (x - 1.0) * h, a, c, inp, out, quaternions, V, K)
            inp[0] = r.t0 + (x * h if end == 0 else (x - 1.0) * h)
            if status == OK:
                status = to_manifold(r, inp, out, quaternions)
            if status == OK:
                away = 0.0
                for i in range(r.n):
                    value = F[0, i] + x * (F[1, i] + (1.0 - x) * (F[2, i] + x * F[3, i]))
                    away += (inp[1 + i] - value) ** 2
                if best < 0.0 or away < best:
                    best = away
                    for i in range(r.n):
                        value = F[0, i] + x * (F[1, i] + (1.0 - x) * (F[2, i] + x * F[3, i]))
                        F[4 + j, i] = (inp[1 + i] - value) / (x * (1.0 - x)) ** 2
            turn_round(r, V, K)
        if best < 0.0:
            return status
    for i in range(r.n):
        for j in range(count):
            out[j] = F[4 + j, i]
        for j in range(count):
            F[4 + j, i] = 0.0
            for k in range(count):
                F[4 + j, i] += rows[j, k] * out[k]
    return OK


@part
def turn_round(r, V, K):
    """Swap the ends of a step."""
    r.t0, r.t1 = r.t1, r.t0
    for i in range(r.n):
        V[X0, i], V[X1, i] = V[X1, i], V[X0, i]
        K[0, i], K[r.stages, i] = K[r.stages, i], K[0, i]


@part
def state_at(r, theta, inp, out, quaternions, V, F):
    """Put the state at t0 + θ(t1 − t0) into the input vector: interpolated, then brought onto the manifold."""
    if theta >= 1.0:
        inp[0] = r.t1
        for i in range(r.n):
            inp[1 + i] = V[X1, i]
        return
    interpolate(r, theta, inp, F)
    to_manifold(r, inp, out, quaternions)


@part
def interpolate(r, theta, inp, F):
    """Put the interpolated state at t0 + θ(t1 − t0) into the input vector."""
    inp[0] = r.t0 + theta * (r.t1 - r.t0)
    top = 3 + r.n_dense
    for i in range(r.n):
        value = F[top, i]
        for row in range(top - 1, -1, -1):
            value = F[row, i] + value * (theta if row % 2 == 0 else 1.0 - theta)
        inp[1 + i] = value
