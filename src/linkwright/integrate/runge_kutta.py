"""One step of an explicit Runge–Kutta method from its tableau: stages, new point, error estimate."""

from __future__ import annotations

from .jit import inlined, part
from .manifold import project_error, to_stage
from .model_call import evaluate
from .record import ERROR, INCREMENT, OK, X0


@part
def combine(r, h, coefficients, row, count, K, V, into):
    """V[into] = h Σⱼ coefficients[row, j] K[j] over the first `count` stages."""
    n = r.n
    for i in range(n):
        V[into, i] = 0.0
    for j in range(count):
        a = h * coefficients[row, j]
        if a != 0.0:
            for i in range(n):
                V[into, i] += a * K[j, i]


@inlined
def set_stage(r, h, a, c, stage, inp, V, K):
    """Put the state of a stage (x₀ + h Σ aⱼ kⱼ at its time) into the input vector."""
    n, last = r.n, stage - 1
    inp[0] = r.t0 + c[stage] * h
    newest = h * a[stage, last]
    begun = False
    for j in range(last):
        b = h * a[stage, j]
        if b != 0.0:
            if begun:
                for i in range(n):
                    V[INCREMENT, i] += b * K[j, i]
            else:
                for i in range(n):
                    V[INCREMENT, i] = b * K[j, i]
                begun = True
    # the newest slope goes straight in: the only one in the stages of RK4
    if begun:
        for i in range(n):
            inp[1 + i] = V[X0, i] + (V[INCREMENT, i] + newest * K[last, i])
    else:
        for i in range(n):
            inp[1 + i] = V[X0, i] + newest * K[last, i]


@part
def runge_kutta_step(r, h, a, c, inp, out, quaternions, V, K):
    """Stages 2 … s, then the new point into the input vector; K[0] holds the slope at the start."""
    for stage in range(1, r.stages):
        set_stage(r, h, a, c, stage, inp, V, K)
        status = to_stage(r, inp, out, quaternions)
        if status == OK:
            status = evaluate(r, K, stage)
        if status != OK:
            return status
    set_stage(r, h, a, c, r.stages, inp, V, K)
    inp[0] = r.t1
    return OK


@inlined
def estimate_error(r, h, e, inp, out, quaternions, V, K):
    """The error estimates of the step, projected like the step itself; the new point is in the input vector."""
    for row in range(r.error_rows):
        combine(r, h, e, row, r.stages + 1, K, V, ERROR + row)
        project_error(r, inp, out, quaternions, V, ERROR + row)
