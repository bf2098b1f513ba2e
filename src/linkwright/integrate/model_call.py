"""Calling the compiled model: an address of machine code `void f(const double* in, double* out, double* work)`."""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import independent, known
from .jit import call, power
from .record import NONFINITE, OK, SINGULAR, View
from .tolerances import HUGE

__all__ = ["call", "evaluate", "power"]


def evaluate(r: View, K: np.ndarray, row: known) -> int:
    """Slope at the state in the input vector into row `row` of K; says whether it can be used."""
    call(r.code.rhs, r.at.inp, K[row], r.at.work)
    r.counts.evaluations += 1
    n = r.n
    # 0·x is 0 for finite x and NaN otherwise; four sums, so that one need not wait for the other
    c0 = c1 = c2 = c3 = 0.0
    fours = n >> 2
    for i in independent(fours):
        c0 += 0.0 * K[row, 4 * i]
        c1 += 0.0 * K[row, 4 * i + 1]
        c2 += 0.0 * K[row, 4 * i + 2]
        c3 += 0.0 * K[row, 4 * i + 3]
    for i in range(4 * fours, n):
        c0 += 0.0 * K[row, i]
    status = OK if (c0 + c1) + (c2 + c3) == 0.0 else NONFINITE
    if r.has_health:
        health = K[row, n]
        status = status if health >= 0.0 and health < HUGE else SINGULAR
    return status
