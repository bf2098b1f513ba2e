"""The first step size.

Reference: Hairer, Nørsett, Wanner I, Section II.4.
"""

from __future__ import annotations

from math import inf

import numpy as np

from ..codegen.dialect import sqrt
from .error_norm import group_norm
from .model_call import evaluate, power
from .record import ERROR, FIRST, OK, SECOND, X0, X1, View
from .tolerances import BENT, FIRST_LONGER, FIRST_SHARE, FIRST_SHORTER, FIRST_STEP, NO_SLOPE, SAYS_NOTHING


def starting_step(r: View, inp: np.ndarray, V: np.ndarray, K: np.ndarray) -> tuple[float, float]:
    """A first step size, from the sizes of x, ẋ and ẍ; and the greatest one.

    The state is in the input vector and its slope in K[0].  In the greatest step ẍ changes x by a limited part of it.
    The stages of a longer step could lie so far away that there is no force, and hence no error to be seen.
    """
    n = r.n
    V[X0, :n] = inp[1 : 1 + n]
    V[X1, :n] = V[X0, :n]
    V[ERROR, :n] = K[FIRST, :n]
    d0 = group_norm(r, V, X0, X0, X0) / r.accuracy
    d1 = group_norm(r, V, ERROR, X0, X0) / r.accuracy
    h0 = FIRST_STEP * r.time_scale if d0 < SAYS_NOTHING or d1 < SAYS_NOTHING else FIRST_SHARE * d0 / d1
    h0 = min(h0, r.target - r.t)
    # one Euler step estimates the second derivative
    inp[0] = r.t + h0
    inp[1 : 1 + n] = V[X0, :n] + h0 * K[FIRST, :n]
    status = evaluate(r, K, SECOND)
    inp[0] = r.t
    inp[1 : 1 + n] = V[X0, :n]
    V[ERROR, :n] = (K[SECOND, :n] - K[FIRST, :n]) / h0
    if status != OK:
        return h0 * FIRST_SHORTER, h0 * FIRST_SHORTER
    d2 = group_norm(r, V, ERROR, X0, X0) / r.accuracy
    largest = max(d1, d2)
    h1 = max(FIRST_STEP * r.time_scale, h0 * FIRST_SHORTER)
    if largest > NO_SLOPE:
        h1 = power(r.pieces.power, FIRST_SHARE / largest, 1.0 / r.error_order)
    bends = d0 >= SAYS_NOTHING and d2 > NO_SLOPE
    longest = max(sqrt(BENT * d0 / d2), h0 * FIRST_SHORTER) if bends else inf
    return min(FIRST_LONGER * h0, h1, longest), longest
