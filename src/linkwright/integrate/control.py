"""Step-size control: the first step and the next step.

Reference: Hairer, Nørsett, Wanner I, Section II.4 (starting step, step control) and IV.2 of volume II (PI control).
"""

from __future__ import annotations

from math import sqrt

from .error_norm import group_norm
from .jit import inlined
from .model_call import evaluate, power
from .record import ERROR, OK, X0, X1

SAFETY, SHRINK, GROW, GROW_FIRST, BETA = 0.9, 0.2, 6.0, 10.0, 0.04
BENT = 0.1  # part of x by which ẍ may change it in the first step


@inlined
def starting_step(r, inp, V, K):
    """A first step from the sizes of x, ẋ and ẍ, and what no step may be longer than.

    The state is in the input vector and its slope in K[0].  In the longest step ẍ changes x by no more than a part: the
    stages of longer ones may be thrown so far that they find no force there, and no error either.
    """
    n = r.n
    for i in range(n):
        V[X0, i] = inp[1 + i]
        V[X1, i] = V[X0, i]
        V[ERROR, i] = K[0, i]
    d0 = group_norm(r, V, X0, X0, X0) / r.accuracy
    d1 = group_norm(r, V, ERROR, X0, X0) / r.accuracy
    h0 = 1e-6 * r.time_scale if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, r.h_max, r.target - r.t)
    # one Euler step estimates the second derivative
    inp[0] = r.t + h0
    for i in range(n):
        inp[1 + i] = V[X0, i] + h0 * K[0, i]
    status = evaluate(r, K, 1)
    inp[0] = r.t
    for i in range(n):
        inp[1 + i] = V[X0, i]
        V[ERROR, i] = (K[1, i] - K[0, i]) / h0
    if status != OK:
        return h0 * 1e-3, h0 * 1e-3
    d2 = group_norm(r, V, ERROR, X0, X0) / r.accuracy
    largest = max(d1, d2)
    h1 = max(1e-6 * r.time_scale, h0 * 1e-3)
    if largest > 1e-15:
        h1 = power(r.power, 0.01 / largest, 1.0 / r.error_order)
    longest = max(sqrt(BENT * d0 / d2), h0 * 1e-3) if d0 >= 1e-5 and d2 > 1e-15 else r.h_max
    return min(100.0 * h0, h1, longest, r.h_max), longest


@inlined
def next_factor(r, error):
    """Factor on the step size after a step whose error is `error` accuracies; remembers it for the next time."""
    grow = GROW_FIRST if r.steps == 0 or r.restart else GROW
    if error <= 1e-12:
        factor = grow
    else:
        # remembering the last error saves the order-8 pair four out of five rejections (7-link chain, α = 1e-8)
        exponent = 1.0 / r.error_order - 0.75 * BETA
        factor = SAFETY * power(r.power, error, -exponent) * power(r.power, r.error_before, BETA)
        factor = min(grow, max(SHRINK, factor))
    r.error_before = max(error, 1e-4)
    return factor
