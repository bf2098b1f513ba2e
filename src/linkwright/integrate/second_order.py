"""Fixed-step methods that use the structure q̇ = N(q)u, u̇ = f: semi-implicit Euler and velocity Verlet."""

from __future__ import annotations

import numpy as np

from .crossing import note_trial
from .dense import hermite
from .error_norm import group_norm
from .jit import CompiledPiece, inlined, matrix, part, piece, record, stepper, vector
from .manifold import restore, to_stage
from .methods import Facts, Model
from .model_call import call, evaluate
from .record import (
    DENSE,
    ERROR,
    FIRST,
    N_DENSE_ROWS,
    N_VECTORS,
    OK,
    SECOND,
    STEP_ON,
    X0,
    X1,
    Fields,
    View,
)
from .tableaux import MAX_STAGES
from .tolerances import CORRECTED, MAX_CORRECTIONS

OWN = Fields((), ("verlet", "slope_known"))
own_record = record(OWN)


@part
def slope_of_q(r: View, inp: np.ndarray, out: np.ndarray, K: np.ndarray) -> int:
    """K[1, :nq] = q̇ at the state in the input vector: u itself, the model's own q̇, or a whole evaluation."""
    if r.identity_qdot:
        for i in range(r.nq):
            K[SECOND, i] = inp[1 + r.nq + i]
        return OK
    if r.code.qdot == 0:
        return evaluate(r, K, SECOND)
    call(r.code.qdot, r.at.inp, r.at.out, r.at.work)
    for i in range(r.nq):
        K[SECOND, i] = out[i]
    return OK


@inlined
def semi_implicit_euler_step(r: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """u₁ = u₀ + h u̇(t₀, q₀, u₀), then q₁ = q₀ + h N(q₀)u₁; z₁ = z₀ + h ż₀."""
    nq = r.nq
    for i in range(nq, r.n):
        inp[1 + i] = V[X0, i] + h * K[FIRST, i]
    status = slope_of_q(r, inp, out, K)
    for i in range(nq):
        inp[1 + i] = V[X0, i] + h * K[SECOND, i]
    inp[0] = r.t1
    return status


@inlined
def verlet_step(r: View, own: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """Velocity Verlet (Simbody Theory Manual §10.4): kick, drift through the midpoint, trapezoidal rule for u, z.

    The second half of the kick depends on the new speeds where forces do; it is iterated until they settle.
    """
    nq, n = r.nq, r.n
    # u at the middle, and with it q at the middle and at the end
    for i in range(nq, nq + r.nu):
        inp[1 + i] = V[X0, i] + 0.5 * h * K[FIRST, i]
    status = slope_of_q(r, inp, out, K)
    if status != OK:
        return status
    if not r.identity_qdot:
        for i in range(nq):
            inp[1 + i] = V[X0, i] + 0.5 * h * K[SECOND, i]
        inp[0] = r.t0 + 0.5 * h
        status = slope_of_q(r, inp, out, K)
        if status != OK:
            return status
    for i in range(nq):
        inp[1 + i] = V[X0, i] + h * K[SECOND, i]
    inp[0] = r.t1
    # predict u and z, then correct
    for i in range(nq, n):
        inp[1 + i] = V[X0, i] + h * K[FIRST, i]
    for _ in range(MAX_CORRECTIONS):
        status = to_stage(r, inp, out)
        if status == OK:
            status = evaluate(r, K, SECOND)
        if status != OK:
            return status
        for i in range(n):
            V[ERROR, i] = 0.0
            V[X1, i] = inp[1 + i]
        for i in range(nq, n):
            value = V[X0, i] + 0.5 * h * (K[FIRST, i] + K[SECOND, i])
            V[ERROR, i] = value - inp[1 + i]
            inp[1 + i] = value
        if group_norm(r, V, ERROR, X0, X1) <= CORRECTED * r.code.tolerance:
            # the slope just computed is that of the new point, unless projection moves it
            own.slope_known = r.bare
            return OK
    r.counts.unconverged += 1
    return OK


@inlined
def step_on(r: View, own: View, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """One step from V[X0] to the input vector, with slope K[1] at its end."""
    own.slope_known = 0
    if own.verlet:
        status = verlet_step(r, own, r.length, inp, out, V, K)
    else:
        status = semi_implicit_euler_step(r, r.length, inp, out, V, K)
    if status == OK:
        status = restore(r)
    if status != OK:
        return status
    r.strain_now = r.strain
    note_trial(r, out, V)
    return OK if own.slope_known else evaluate(r, K, SECOND)


def build(stamp: int) -> CompiledPiece:
    """The piece (see `methods`); nothing is kept between steps, and dense output is the cubic through both ends."""

    @piece
    def second_order(address: int, task: int) -> int:
        if stamp < 0:
            return OK
        r = stepper(address)
        V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
        if task == STEP_ON:
            inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
            return step_on(r, own_record(r.pieces.own), inp, out, V, K)
        if task == DENSE:
            hermite(r, V, K, matrix(r.at.dense, N_DENSE_ROWS, r.n))
        return OK

    return second_order


class Own:
    """Which of the two methods it is."""

    facts, n_work = Facts(stages=1, times=(0.0,)), 0

    def __init__(self, verlet: bool, model: Model):
        self._memory, view = OWN.new()
        view.verlet = verlet
        self.address = self._memory.ctypes.data

    def begin(self) -> None:
        """Nothing is kept."""

    def help(self, record: View) -> bool:
        return False
