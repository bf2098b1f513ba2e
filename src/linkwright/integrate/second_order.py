"""Fixed-step methods that use the structure q̇ = N(q)u, u̇ = f: semi-implicit Euler and velocity Verlet."""

from __future__ import annotations

from .error_norm import group_norm
from .jit import inlined, part
from .manifold import to_stage
from .model_call import call, evaluate
from .record import ERROR, OK, X0, X1

MAX_CORRECTIONS = 10


@part
def slope_of_q(r, inp, out, K, row):
    """K[row, :nq] = q̇ at the state in the input vector: u itself, the model's own q̇, or a whole evaluation."""
    if r.identity_qdot:
        for i in range(r.nq):
            K[row, i] = inp[1 + r.nq + i]
        return OK
    if r.qdot == 0:
        return evaluate(r, K, row)
    call(r.qdot, r.p_in, r.p_out, r.p_work)
    for i in range(r.nq):
        K[row, i] = out[i]
    return OK


@inlined
def semi_implicit_euler_step(r, h, inp, out, V, K):
    """u₁ = u₀ + h u̇(t₀, q₀, u₀), then q₁ = q₀ + h N(q₀)u₁; z₁ = z₀ + h ż₀."""
    nq = r.nq
    for i in range(nq, r.n):
        inp[1 + i] = V[X0, i] + h * K[0, i]
    status = slope_of_q(r, inp, out, K, 1)
    for i in range(nq):
        inp[1 + i] = V[X0, i] + h * K[1, i]
    inp[0] = r.t1
    return status


@inlined
def verlet_step(r, h, inp, out, quaternions, V, K):
    """Velocity Verlet (Simbody Theory Manual §10.4): kick, drift through the midpoint, trapezoidal rule for u, z.

    The second half of the kick depends on the new speeds where forces do; it is iterated until they settle.
    """
    nq, n = r.nq, r.n
    # u at the middle, and with it q at the middle and at the end
    for i in range(nq, nq + r.nu):
        inp[1 + i] = V[X0, i] + 0.5 * h * K[0, i]
    status = slope_of_q(r, inp, out, K, 1)
    if status != OK:
        return status
    if not r.identity_qdot:
        for i in range(nq):
            inp[1 + i] = V[X0, i] + 0.5 * h * K[1, i]
        inp[0] = r.t0 + 0.5 * h
        status = slope_of_q(r, inp, out, K, 1)
        if status != OK:
            return status
    for i in range(nq):
        inp[1 + i] = V[X0, i] + h * K[1, i]
    inp[0] = r.t1
    # predict u and z, then correct
    for i in range(nq, n):
        inp[1 + i] = V[X0, i] + h * K[0, i]
    for _ in range(MAX_CORRECTIONS):
        status = to_stage(r, inp, out, quaternions)
        if status == OK:
            status = evaluate(r, K, 1)
        if status != OK:
            return status
        for i in range(n):
            V[ERROR, i] = 0.0
            V[X1, i] = inp[1 + i]
        for i in range(nq, n):
            value = V[X0, i] + 0.5 * h * (K[0, i] + K[1, i])
            V[ERROR, i] = value - inp[1 + i]
            inp[1 + i] = value
        if group_norm(r, V, ERROR, X0, X1) <= 0.01 * r.tolerance:
            # the slope just computed is that of the new point, unless projection moves it
            r.slope_known = r.bare
            return OK
    r.unconverged += 1
    return OK
