"""Explicit Runge–Kutta methods from their tableaux: stages, new point, error estimate, step size, dense output.

Step control: Hairer, Nørsett, Wanner I, Section II.4, with the error of the step before (II, Section IV.2).
"""

from __future__ import annotations

import numpy as np

from .dense import hermite
from .error_norm import combined_norm
from .jit import addresses, matrix, record, stepper, vector
from .manifold import project_error, restore, to_stage
from .methods import Facts, Model
from .model_call import evaluate, power
from .record import (
    ACCEPT,
    AGAIN,
    DENSE,
    ERROR,
    INACCURATE,
    INCREMENT,
    LOOK,
    N_DENSE_ROWS,
    N_VECTORS,
    OK,
    START,
    STEP_ON,
    X0,
    X1,
    Fields,
    View,
)  # fmt: skip
from .singular_positions import attainable, ends_clear, note_trial
from .stiffness import looks_stiff
from .tableaux import MAX_STAGES, Tableau
from .tolerances import ASTRAY, ASTRONOMIC, BETA, GROW, GROW_FIRST, LEAST_ERROR, REMEMBERED, SAFETY, SHRINK

OWN = Fields(("a", "c", "e", "d"), ("n_extra", "error_rows", "error_uses_last"), ("error_before",))
own_record = record(OWN)


def combine(r: View, h: float, coefficients: np.ndarray, row: int, count: int, K: np.ndarray, V: np.ndarray,
            into: int) -> None:
    """V[into] = h Σⱼ coefficients[row, j] K[j] over the first `count` stages."""
    n = r.n
    for i in range(n):
        V[into, i] = 0.0
    for j in range(count):
        a = h * coefficients[row, j]
        if a != 0.0:
            for i in range(n):
                V[into, i] += a * K[j, i]


def stage_slope(r: View, h: float, a: np.ndarray, c: np.ndarray, stage: int, inp: np.ndarray, out: np.ndarray,
                V: np.ndarray, K: np.ndarray) -> int:
    """Slope at a stage, x₀ + h Σ aⱼ kⱼ at its time."""
    set_stage(r, h, a, c, stage, inp, V, K)
    status = to_stage(r, inp, out)
    if status == OK:
        status = evaluate(r, K, stage)
    return status


def set_stage(r: View, h: float, a: np.ndarray, c: np.ndarray, stage: int, inp: np.ndarray, V: np.ndarray,
              K: np.ndarray) -> None:
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


def runge_kutta_step(r: View, h: float, a: np.ndarray, c: np.ndarray, inp: np.ndarray, out: np.ndarray, V: np.ndarray,
                     K: np.ndarray) -> int:
    """Stages 2 … s, then the new point into the input vector; K[0] holds the slope at the start."""
    for stage in range(1, r.stages):
        status = stage_slope(r, h, a, c, stage, inp, out, V, K)
        if status != OK:
            return status
    set_stage(r, h, a, c, r.stages, inp, V, K)
    inp[0] = r.t1
    return OK


def attempt(r: View, own: View, h: float, a: np.ndarray, c: np.ndarray, e: np.ndarray, inp: np.ndarray, out: np.ndarray,
            V: np.ndarray, K: np.ndarray) -> int:
    """One trial step from V[X0] to the input vector, with slope K[last] at its end; what went wrong, if anything."""
    status = runge_kutta_step(r, h, a, c, inp, out, V, K)
    if status == OK:
        status = restore(r)
    if status != OK:
        return status
    r.strain_now = r.strain
    note_trial(r, out, V)
    r.allowed = max(r.accuracy, attainable(r, V)) if r.holds.near else r.accuracy
    if r.fixed:
        return evaluate(r, K, r.stages)
    if r.drift > ASTRAY * r.allowed:
        r.h = h * 0.5
        return INACCURATE
    if not ends_clear(r, h, V):
        return INACCURATE
    if own.error_uses_last:
        status = evaluate(r, K, r.stages)
        if status != OK:
            return status
    for i in range(r.n):
        V[X1, i] = inp[1 + i]
    for row in range(own.error_rows):
        combine(r, h, e, row, r.stages + 1, K, V, ERROR + row)
        project_error(r, ERROR + row)
    error = combined_norm(r, own.error_rows, V, X0, X1) / r.allowed
    if not error <= 1.0:
        # too inaccurate: shrink in proportion to the error
        shrink = SAFETY * power(r.pieces.power, error, -1.0 / r.error_order)
        r.h = h * (max(SHRINK, min(SAFETY, shrink)) if error < ASTRONOMIC else SHRINK)
        return INACCURATE
    r.error_now = error
    if not own.error_uses_last:
        status = evaluate(r, K, r.stages)
    return status


def next_factor(r: View, own: View, error: float) -> float:
    """Factor on the step size after a step whose error is `error` accuracies; remembers it for the next time."""
    grow = GROW_FIRST if r.restart else GROW
    if error <= LEAST_ERROR:
        factor = grow
    else:
        exponent = 1.0 / r.error_order - 0.75 * BETA
        factor = SAFETY * power(r.pieces.power, error, -exponent) * power(r.pieces.power, own.error_before, BETA)
        factor = min(grow, max(SHRINK, factor))
    own.error_before = max(error, REMEMBERED)
    return factor


def prepare_dense(r: View, own: View, a: np.ndarray, c: np.ndarray, d: np.ndarray, inp: np.ndarray, out: np.ndarray,
                  V: np.ndarray, K: np.ndarray, F: np.ndarray) -> int:
    """Coefficients F of the interpolant over [t0, t1]; further stages are evaluated where the method needs them."""
    h = r.t1 - r.t0
    last = r.stages
    for stage in range(last + 1, last + 1 + own.n_extra):
        status = stage_slope(r, h, a, c, stage, inp, out, V, K)
        if status != OK:
            return status
    hermite(r, V, K, F)
    for row in range(r.n_dense):
        combine(r, h, d, row, last + 1 + own.n_extra, K, V, INCREMENT)
        for i in range(r.n):
            F[4 + row, i] = V[INCREMENT, i]
    return OK


def runge_kutta(address: int, task: int) -> int:
    """The piece (see `methods`)."""
    r = stepper(address)
    own = own_record(r.pieces.own)
    if task == START:
        own.error_before = REMEMBERED
        return OK
    if task == ACCEPT:
        r.factor = 1.0 if r.fixed else next_factor(r, own, r.error_now)
        return OK
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    a, c = matrix(own.a, MAX_STAGES, MAX_STAGES), vector(own.c, MAX_STAGES)
    if task == STEP_ON:
        return attempt(r, own, r.length, a, c, matrix(own.e, 2, MAX_STAGES), inp, out, V, K)
    if task == DENSE:
        F = matrix(r.at.dense, N_DENSE_ROWS, r.n)
        return prepare_dense(r, own, a, c, matrix(own.d, 4, MAX_STAGES), inp, out, V, K, F)
    if task == LOOK:
        return 1 if looks_stiff(r, a, K) else 0
    if task == AGAIN and r.n_dense > 0:
        return runge_kutta_step(r, r.t1 - r.t0, a, c, inp, out, V, K)
    return OK


class Own:
    """A tableau in the form that the compiled code reads."""

    def __init__(self, tableau: Tableau, model: Model):
        self.tableau = tableau
        self.n_work = 0
        self._memory, view = OWN.new()
        view.put(**addresses(a=tableau.a, c=tableau.c, e=tableau.e, d=tableau.d), n_extra=tableau.n_extra,
                 error_rows=tableau.error_rows, error_uses_last=tableau.error_uses_last,
                 error_before=REMEMBERED)
        self.view: View = view
        self.address = self._memory.ctypes.data
        self.facts = Facts(tableau.stages, tableau.n_dense, tableau.error_order,
                           times=tableau.times)

    def begin(self) -> None:
        self.view.error_before = REMEMBERED

    def help(self, record: View) -> bool:
        return False
