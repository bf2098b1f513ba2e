"""Dense output: the state between the two ends of a step.

All methods share one nested form (see tableaux): Hermite cubic from both ends and both end slopes, plus rows of higher
order where the method has them.  Built from the projected end points, so the interpolant passes through them.
"""

from __future__ import annotations

from .jit import part
from .manifold import to_manifold, to_stage
from .model_call import evaluate
from .record import INCREMENT, OK, X0, X1
from .runge_kutta import combine, set_stage


@part
def prepare_dense(r, a, c, d, inp, out, quaternions, V, K, F):
    """Coefficients F of the interpolant over [t0, t1]; further stages are evaluated where the method needs them."""
    h = r.t1 - r.t0
    last = r.stages
    for stage in range(last + 1, last + 1 + r.n_extra):
        set_stage(r, h, a, c, stage, inp, V, K)
        status = to_stage(r, inp, out, quaternions)
        if status == OK:
            status = evaluate(r, K, stage)
        if status != OK:
            return status
    for i in range(r.n):
        difference = V[X1, i] - V[X0, i]
        bend = h * K[0, i] - difference
        F[0, i] = V[X0, i]
        F[1, i] = difference
        F[2, i] = bend
        F[3, i] = difference - h * K[last, i] - bend
    for row in range(r.n_dense):
        combine(r, h, d, row, last + 1 + r.n_extra, K, V, INCREMENT)
        for i in range(r.n):
            F[4 + row, i] = V[INCREMENT, i]
    return OK


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
