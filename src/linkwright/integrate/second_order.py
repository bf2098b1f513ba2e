"""Fixed-step methods that use the structure q̇ = N(q)u, u̇ = f: semi-implicit Euler and velocity Verlet."""

from __future__ import annotations

import numpy as np

from .dense import hermite
from .error_norm import group_norm
from .jit import matrix, record, stepper, vector
from .manifold import restore, to_stage
from .methods import Facts, Stepped
from .model_call import call, evaluate
from .record import (
    DENSE,
    ERROR,
    FIRST,
    INCREMENT,
    MAX_STAGES,
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
from .singular_positions import note_trial
from .tolerances import CORRECTED, MAX_CORRECTIONS

OWN = Fields((), ("verlet", "slope_known"))
own_record = record(OWN)


def slope_of_q(r: View, inp: np.ndarray, out: np.ndarray, K: np.ndarray) -> int:
    """K[1, :nq] = q̇ at the state in the input vector: u itself, the model's own q̇, or a whole evaluation."""
    if r.identity_qdot:
        K[SECOND, :r.nq] = inp[1 + r.nq : 1 + 2 * r.nq]
        return OK
    if r.code.qdot == 0:
        return evaluate(r, K, SECOND)
    call(r.code.qdot, r.at.inp, r.at.out, r.at.work)
    K[SECOND, :r.nq] = out[:r.nq]
    return OK


def semi_implicit_euler_step(r: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """u₁ = u₀ + h u̇(t₀, q₀, u₀), then q₁ = q₀ + h N(q₀)u₁; z₁ = z₀ + h ż₀."""
    nq = r.nq
    inp[1 + nq : 1 + r.n] = V[X0, nq:r.n] + h * K[FIRST, nq:r.n]
    status = slope_of_q(r, inp, out, K)
    inp[1 : 1 + nq] = V[X0, :nq] + h * K[SECOND, :nq]
    inp[0] = r.t1
    return status


# --- velocity Verlet ---


def half_kick(r: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> None:
    """V[INCREMENT] = w + ½h ẇ at the start of a step: of speeds, momenta in their place, and z."""
    V[INCREMENT, r.nq:r.n] = V[X0, r.nq:r.n] + 0.5 * h * K[FIRST, r.nq:r.n]
    if r.code.momenta != 0:
        momenta(r, FIRST, inp, K)
        V[INCREMENT, r.nq : r.nq + r.nu] = out[:r.nu] + 0.5 * h * out[r.nu : 2 * r.nu]


def other_half_kick(r: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> None:
    """Speeds and z at the end of a step into the input vector, by the slope K[1] there."""
    if r.code.momenta != 0:
        momenta(r, SECOND, inp, K)
        inp[1 + r.nq : 1 + r.nq + r.nu] = V[INCREMENT, r.nq : r.nq + r.nu] + 0.5 * h * out[r.nu : 2 * r.nu]
        to_speeds(r, inp, out)
    first = r.nq if r.code.momenta == 0 else r.nq + r.nu
    inp[1 + first : 1 + r.n] = V[INCREMENT, first:r.n] + 0.5 * h * K[SECOND, first:r.n]


def momenta(r: View, row: int, inp: np.ndarray, K: np.ndarray) -> None:
    """The model's (w, ẇ) at the state in the input vector, whose slope is in a row of K."""
    inp[r.at.n_in : r.at.n_in + r.n] = K[row, :r.n]
    call(r.code.momenta, r.at.inp, r.at.out, r.at.work)


def to_speeds(r: View, inp: np.ndarray, out: np.ndarray) -> None:
    """Momenta in the input vector, where there are some, become speeds."""
    if r.code.speeds != 0:
        call(r.code.speeds, r.at.inp, r.at.out, r.at.work)
        inp[1 + r.nq : 1 + r.nq + r.nu] = out[:r.nu]


def middle_slope(r: View, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """K[1, :nq] = q̇ at the coordinates in the input vector, with the speeds or momenta of the middle of the step."""
    inp[1 + r.nq : 1 + r.nq + r.nu] = V[INCREMENT, r.nq : r.nq + r.nu]
    to_speeds(r, inp, out)
    return slope_of_q(r, inp, out, K)


def drift(r: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """q₁ = q₀ + h q̇((q₀ + q₁)/2, w) into the input vector: the implicit midpoint rule, where q̇ is not u itself.

    It is its own inverse with −h, so that a motion run backwards returns along its path; and it keeps the length of
    quaternions.
    """
    status = middle_slope(r, inp, out, V, K)
    if status != OK:
        return status
    settled = bool(r.identity_qdot)
    inp[0] = r.t0 + 0.5 * h
    V[ERROR, r.nq:r.n] = 0.0
    tries = 0
    while tries < MAX_CORRECTIONS:
        tries += 1
        if settled:
            break
        V[ERROR, :r.nq] = K[SECOND, :r.nq]
        inp[1 : 1 + r.nq] = V[X0, :r.nq] + 0.5 * h * K[SECOND, :r.nq]
        status = middle_slope(r, inp, out, V, K)
        if status != OK:
            return status
        V[ERROR, :r.nq] = h * (K[SECOND, :r.nq] - V[ERROR, :r.nq])
        settled = group_norm(r, V, ERROR, X0, X0) <= CORRECTED * r.code.tolerance
    if not settled:
        r.counts.unconverged += 1
    inp[1 : 1 + r.nq] = V[X0, :r.nq] + h * K[SECOND, :r.nq]
    inp[0] = r.t1
    return OK


def verlet_step(r: View, own: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """Velocity Verlet: half a kick, drift, half a kick by the forces at the end (Simbody Theory Manual §10.4).

    The last half depends on the new speeds where forces do, and the drift on the new coordinates where q̇ does; both
    are iterated until they converge, which makes the step reversible.  For floating bodies the kicks change momenta
    instead of speeds.  Speeds are measured in axes that turn, and kicking them would let momentum and energy drift.
    """
    nq, n = r.nq, r.n
    half_kick(r, h, inp, out, V, K)
    status = drift(r, h, inp, out, V, K)
    if status != OK:
        return status
    # predict u and z, then correct
    inp[1 + nq : 1 + n] = V[X0, nq:n] + h * K[FIRST, nq:n]
    tries = 0
    while tries < MAX_CORRECTIONS:
        tries += 1
        status = to_stage(r, inp, out)
        if status == OK:
            status = evaluate(r, K, SECOND)
        if status != OK:
            return status
        V[ERROR, :n] = 0.0
        V[X1, :n] = inp[1 : 1 + n]
        other_half_kick(r, h, inp, out, V, K)
        V[ERROR, nq:n] = inp[1 + nq : 1 + n] - V[X1, nq:n]
        if group_norm(r, V, ERROR, X0, X1) <= CORRECTED * r.code.tolerance:
            # the slope just computed is that of the new point, unless projection moves it
            own.slope_known = r.bare
            return OK
    r.counts.unconverged += 1
    return OK


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


def second_order(address: int, task: int) -> int:
    """The piece (see `methods`); nothing is kept between steps, and dense output is the cubic through both ends."""
    r = stepper(address)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    if task == STEP_ON:
        inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
        return step_on(r, own_record(r.pieces.own), inp, out, V, K)
    if task == DENSE:
        hermite(r, r.stages, V, K, matrix(r.at.dense, N_DENSE_ROWS, r.n))
    return OK


class Own:
    """Which of the two methods it is."""

    facts, n_work, fields = Facts(stages=1, times=(0.0,)), 0, OWN
    scratch: tuple[str, ...] = ()

    def __init__(self, verlet: bool, model: Stepped):
        self.known = {"verlet": int(verlet)}
        self._memory, view = OWN.new()
        view.verlet = verlet
        self.address = self._memory.ctypes.data

    def begin(self) -> None:
        """Nothing is kept."""
