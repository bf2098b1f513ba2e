"""Explicit Runge–Kutta methods from their tableaux: stages, new point, error estimate, step size, dense output.

Step control: Hairer, Nørsett, Wanner I, Section II.4, with the error of the step before (II, Section IV.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.dialect import Table, independent, known
from .dense import hermite
from .error_norm import combined_norm
from .jit import addresses, matrix, record, stepper, vector
from .manifold import project_error, restore, to_stage
from .methods import Facts, Stepped
from .model_call import evaluate, power
from .record import (
    ACCEPT,
    AGAIN,
    DENSE,
    ERROR,
    FIRST,
    INACCURATE,
    INCREMENT,
    LOOK,
    MAX_STAGES,
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
from .tableaux import Tableau
from .tolerances import ASTRAY, ASTRONOMIC, BETA, GROW, GROW_FIRST, LEAST_ERROR, REMEMBERED, SAFETY, SHRINK

OWN = Fields(
    ("a", "c", "e", "d"),
    ("stages", "n_dense", "n_extra", "error_order", "error_rows", "error_uses_last", "chained"),
    ("error_before",))
own_record = record(OWN)


def combine(r: View, h: float, coefficients: np.ndarray, row: known, count: known, K: np.ndarray, V: np.ndarray,
            into: known) -> None:
    """V[into] = h Σⱼ coefficients[row, j] K[j] over the first `count` stages."""
    for i in range(r.n):
        total = 0.0
        for j in range(count):
            if coefficients[row, j] != 0.0:
                total += h * coefficients[row, j] * K[j, i]
        V[into, i] = total


def stage_slope(r: View, h: float, a: np.ndarray, c: np.ndarray, stage: known, inp: np.ndarray, out: np.ndarray,
                V: np.ndarray, K: np.ndarray) -> int:
    """Slope at a stage, x₀ + h Σ aⱼ kⱼ at its time."""
    set_stage(r, h, a, c, stage, inp, V, K)
    status = to_stage(r, inp, out)
    if status == OK:
        status = evaluate(r, K, stage)
    return status


def set_stage(r: View, h: float, a: np.ndarray, c: np.ndarray, stage: known, inp: np.ndarray, V: np.ndarray,
              K: np.ndarray) -> None:
    """Put the state of a stage (x₀ + h Σ aⱼ kⱼ at its time) into the input vector."""
    last = stage - 1
    inp[0] = r.t0 + c[stage] * h
    newest = h * a[stage, last]
    for i in range(r.n):
        increment, begun = 0.0, False
        for j in range(last):
            if a[stage, j] != 0.0:
                term = h * a[stage, j] * K[j, i]
                increment = increment + term if begun else term
                begun = True
        # the newest slope comes last: the only one in the stages of RK4
        increment = increment + newest * K[last, i] if begun else newest * K[last, i]
        inp[1 + i] = V[X0, i] + increment


def runge_kutta_step(r: View, own: View, h: float, a: np.ndarray, c: np.ndarray, inp: np.ndarray, out: np.ndarray,
                     V: np.ndarray, K: np.ndarray) -> int:
    """Stages 2 … s, then the new point into the input vector; K[0] holds the slope at the start.

    After a stage that fails the others are of no use, but they do no harm, and lanes and GPUs go on without branches.
    """
    status = OK
    for stage in range(1, own.stages):
        here = stage_slope(r, h, a, c, stage, inp, out, V, K)
        status = here if status == OK else status
    set_stage(r, h, a, c, own.stages, inp, V, K)
    inp[0] = r.t1
    return status


def chained_step(r: View, own: View, h: float, a: np.ndarray, c: np.ndarray, inp: np.ndarray, out: np.ndarray,
                 V: np.ndarray, K: np.ndarray) -> int:
    """A whole step of fixed length, where every stage needs the newest slope only, as in RK4: up to K[stages].

    Only the newest slope is kept, and the sum of the step is built up as slopes come.  A loop with a single evaluation
    in it is short enough for the registers and the instruction memory of a GPU.
    """
    last, stage, status = own.stages, 1, OK
    share, newest = h * a[last, 0], h * a[1, 0]
    inp[0] = r.t1 if last == 1 else r.t0 + c[1] * h
    for i in independent(r.n):
        V[INCREMENT, i] = share * K[FIRST, i]
        inp[1 + i] = V[X0, i] + newest * K[FIRST, i]
    while stage <= last:
        here = to_stage(r, inp, out) if stage < last else arrive(r, out, V)
        status = here if status == OK else status
        here = evaluate(r, K, last)
        status = here if status == OK else status
        if stage < last - 1:
            share, newest = h * a[last, stage], h * a[stage + 1, stage]
            inp[0] = r.t0 + c[stage + 1] * h
            for i in independent(r.n):
                V[INCREMENT, i] += share * K[last, i]
                inp[1 + i] = V[X0, i] + newest * K[last, i]
        elif stage < last:
            share = h * a[last, stage]
            inp[0] = r.t1
            inp[1 : 1 + r.n] = V[X0, :r.n] + (V[INCREMENT, :r.n] + share * K[last, :r.n])
        stage += 1
    return status


def arrive(r: View, out: np.ndarray, V: np.ndarray) -> int:
    """The new point in the input vector is brought onto the manifold."""
    status = restore(r)
    if status == OK:
        r.strain_now = r.strain
        r.allowed = r.accuracy
        if r.holds.count:
            note_trial(r, out, V)
            r.allowed = max(r.accuracy, attainable(r, V)) if r.holds.near else r.accuracy
    return status


def attempt(r: View, own: View, h: float, a: np.ndarray, c: np.ndarray, e: np.ndarray, inp: np.ndarray, out: np.ndarray,
            V: np.ndarray, K: np.ndarray) -> int:
    """One trial step from V[X0] to the input vector, with slope K[last] at its end; what went wrong, if anything."""
    if own.chained and r.fixed:
        return chained_step(r, own, h, a, c, inp, out, V, K)
    status = runge_kutta_step(r, own, h, a, c, inp, out, V, K)
    if status == OK:
        status = arrive(r, out, V)
    if status != OK:
        return status
    if r.fixed:
        return evaluate(r, K, own.stages)
    if r.code.project != 0 and r.drift > ASTRAY * r.allowed:
        r.h = h * 0.5
        return INACCURATE
    if r.holds.count and not ends_clear(r, h, V):
        return INACCURATE
    if own.error_uses_last:
        status = evaluate(r, K, own.stages)
        if status != OK:
            return status
    V[X1, :r.n] = inp[1 : 1 + r.n]
    for row in range(own.error_rows):
        combine(r, h, e, row, own.stages + 1, K, V, ERROR + row)
        project_error(r, ERROR + row)
    error = combined_norm(r, own.error_rows, V, X0, X1) / r.allowed
    if not error <= 1.0:
        # too inaccurate: shrink in proportion to the error
        shrink = SAFETY * power(r.pieces.power, error, -1.0 / own.error_order)
        r.h = h * (max(SHRINK, min(SAFETY, shrink)) if error < ASTRONOMIC else SHRINK)
        return INACCURATE
    r.error_now = error
    if not own.error_uses_last:
        status = evaluate(r, K, own.stages)
    return status


def next_factor(r: View, own: View, error: float) -> float:
    """Factor on the step size after a step whose error is `error` accuracies; remembers it for the next time."""
    grow = GROW_FIRST if r.restart else GROW
    if error <= LEAST_ERROR:
        factor = grow
    else:
        exponent = 1.0 / own.error_order - 0.75 * BETA
        factor = SAFETY * power(r.pieces.power, error, -exponent) * power(r.pieces.power, own.error_before, BETA)
        factor = min(grow, max(SHRINK, factor))
    own.error_before = max(error, REMEMBERED)
    return factor


def prepare_dense(r: View, own: View, a: np.ndarray, c: np.ndarray, d: np.ndarray, inp: np.ndarray, out: np.ndarray,
                  V: np.ndarray, K: np.ndarray, F: np.ndarray) -> int:
    """Coefficients F of the interpolant over [t0, t1]; further stages are evaluated where the method needs them."""
    h = r.t1 - r.t0
    last = own.stages
    for stage in range(last + 1, last + 1 + own.n_extra):
        status = stage_slope(r, h, a, c, stage, inp, out, V, K)
        if status != OK:
            return status
    hermite(r, last, V, K, F)
    for row in range(own.n_dense):
        combine(r, h, d, row, last + 1 + own.n_extra, K, V, INCREMENT)
        F[4 + row] = V[INCREMENT, :r.n]
    return OK


def runge_kutta(address: int, task: known) -> int:
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
        return 1 if looks_stiff(r, own.stages, a, K) else 0
    if task == AGAIN and own.n_dense > 0:
        return runge_kutta_step(r, own, r.t1 - r.t0, a, c, inp, out, V, K)
    return OK


class Own:
    """A tableau in the form that the compiled code reads."""

    fields = OWN
    scratch: tuple[str, ...] = ()

    def __init__(self, tableau: Tableau, model: Stepped):
        self.n_work = 0
        self._tables = {"a": tableau.a, "c": tableau.c, "e": tableau.e, "d": tableau.d}
        self._numbers = {"stages": tableau.stages, "n_dense": tableau.n_dense, "n_extra": tableau.n_extra,
                         "error_order": tableau.error_order, "error_rows": tableau.error_rows,
                         "error_uses_last": int(tableau.error_uses_last), "chained": int(tableau.chained)}
        self._memory, view = OWN.new()
        view.put(**addresses(**self._tables), **self._numbers, error_before=REMEMBERED)
        self.view: View = view
        self.address = self._memory.ctypes.data
        self.facts = Facts(tableau.stages, tableau.n_dense, tableau.error_order,
                           times=tableau.times)

    @property
    def known(self) -> dict[str, Any]:
        """The tableau itself."""
        return {**{name: Table(numbers) for name, numbers in self._tables.items()}, **self._numbers}

    def begin(self) -> None:
        self.view.error_before = REMEMBERED
