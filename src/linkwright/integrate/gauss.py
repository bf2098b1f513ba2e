"""The Gauss method with two stages, order 4: implicit, symmetric, symplectic, with steps of fixed length.

    kᵢ = f(t₀ + cᵢ h, x₀ + h Σ aᵢⱼ kⱼ),      x₁ = x₀ + h (k₁ + k₂)/2

Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed. 2006, Section II.1.3 (coefficients, eq. 1.17) and
VIII.6 (fixed-point iteration, which converges where h times the largest rate of the motion is below one).
"""

from __future__ import annotations

from math import sqrt
from typing import Any, ClassVar

import numpy as np

from .dense import hermite
from .error_norm import group_norm
from .jit import matrix, stepper, vector
from .manifold import restore, to_stage
from .methods import Facts, Stepped
from .model_call import evaluate
from .record import (
    DENSE,
    ERROR,
    FIRST,
    MAX_STAGES,
    N_DENSE_ROWS,
    N_VECTORS,
    OK,
    SECOND,
    STEP_ON,
    THIRD,
    UNSOLVED,
    X0,
    X1,
    Fields,
    View,
)
from .singular_positions import note_trial
from .tolerances import CORRECTED, MAX_FIXED_POINT

A11, A12, A21, A22 = 0.25, 0.25 - sqrt(3.0) / 6.0, 0.25 + sqrt(3.0) / 6.0, 0.25
C1, C2 = 0.5 - sqrt(3.0) / 6.0, 0.5 + sqrt(3.0) / 6.0
END = 3  # row of the slope at the end of a step


def stage(r: View, row: int, c: float, a: float, b: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray,
          K: np.ndarray) -> int:
    """Slope at x₀ + h (a k₁ + b k₂) into K[row]; V[ERROR] is its change since the last iteration, times h."""
    h = r.length
    inp[0] = r.t0 + c * h
    inp[1 : 1 + r.n] = V[X0, :r.n] + h * (a * K[SECOND, :r.n] + b * K[THIRD, :r.n])
    V[ERROR, :r.n] = K[row, :r.n]
    status = to_stage(r, inp, out)
    if status == OK:
        status = evaluate(r, K, row)
    V[ERROR, :r.n] = h * (K[row, :r.n] - V[ERROR, :r.n])
    return status


def step_on(r: View, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """One step from V[X0] to the input vector, with slope K[3] at its end."""
    n = r.n
    K[SECOND, :n] = K[THIRD, :n] = K[FIRST, :n]
    V[X1, :n] = V[X0, :n]
    solved = False
    for _ in range(MAX_FIXED_POINT):
        change = 0.0
        status = stage(r, SECOND, C1, A11, A12, inp, out, V, K)
        if status != OK:
            return status
        change = max(change, group_norm(r, V, ERROR, X0, X1))
        status = stage(r, THIRD, C2, A21, A22, inp, out, V, K)
        if status != OK:
            return status
        change = max(change, group_norm(r, V, ERROR, X0, X1))
        if change <= CORRECTED * r.code.tolerance:
            solved = True
            break
    if not solved:
        return UNSOLVED
    inp[0] = r.t1
    inp[1 : 1 + n] = V[X0, :n] + 0.5 * r.length * (K[SECOND, :n] + K[THIRD, :n])
    status = restore(r)
    if status != OK:
        return status
    r.strain_now = r.strain
    note_trial(r, out, V)
    return evaluate(r, K, END)


def gauss(address: int, task: int) -> int:
    """The piece (see `methods`); nothing is kept between steps, and dense output is the cubic through both ends."""
    r = stepper(address)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    if task == STEP_ON:
        return step_on(r, vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out), V, K)
    if task == DENSE:
        hermite(r, r.stages, V, K, matrix(r.at.dense, N_DENSE_ROWS, r.n))
    return OK


class Own:
    """The method keeps nothing of its own."""

    facts, n_work, address = Facts(stages=3, times=(C1, C2)), 0, 0
    fields = Fields()
    known: ClassVar[dict[str, Any]] = {}
    scratch: tuple[str, ...] = ()

    def __init__(self, model: Stepped):
        """Nothing is kept."""

    def begin(self) -> None:
        """Nothing is kept."""
