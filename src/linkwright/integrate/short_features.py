"""Short features of laws that the stages of a step have not seen.

A force exp(−((s − 8.4)/0.001)²) is zero at all stages of a step that passes 8.4 between two of them, and nothing at the
stages tells that it was not zero in between.  Where the arguments of such functions move far in a step (they are
compared at its ends and its middle), the laws are bounded along the dense output, as witnesses are (see `enclosures`),
and parts that may hide something are sampled.  What decides is the error that the step has made there,

    ε = ∫ (f(x) − ẋ) dt     over the part, with x and ẋ of the dense output,

measured as every error (see `error_norm`).  Where it is too large, the step is taken again, with its end at the
beginning of the part, or within it.  Not found are features whose whole effect is below some tens of accuracies, or
shorter than a billionth of the step; and none is looked for in steps of fixed length.
"""

from __future__ import annotations

import numpy as np

from .dense import interpolate, state_at
from .enclosures import PIECES, POINTS, SHORT, hidden, represent
from .error_norm import group_norm
from .jit import matrix, stepper, vector
from .model_call import call, evaluate
from .record import (
    ERROR,
    FIRST,
    G_CROSSED,
    G_HIGH,
    G_LOW,
    G_SAMPLES,
    G_TRIAL,
    HELP_NEEDED,
    INACCURATE,
    MAX_STAGES,
    N_DENSE_ROWS,
    N_VECTORS,
    N_WITNESS_ROWS,
    OK,
    SUDDEN,
    X0,
    X1,
    View,
)
from .tolerances import FAR, HUGE, PART_DIFFERENCE, PARTS, SHORTEST_PART, TOO_MUCH, WIDER

LAST = MAX_STAGES - 1  # a row of the slopes that no stage uses


def laws_at(r: View, L: np.ndarray, row: int) -> None:
    """Laws, their bases, the arguments of their sharp functions and the units of these, at the state in `inp`."""
    call(r.code.laws, r.at.inp, L[row], r.at.work)


def moved_far(r: View, L: np.ndarray) -> bool:
    """Whether an argument differs by many of its units between the ends and the middle of a step."""
    first = r.n_laws + r.n_law_bases
    count = (L.shape[1] - first) // 2
    for i in range(first, first + count):
        a, b, c = L[G_LOW, i], L[G_TRIAL, i], L[G_HIGH, i]
        unit = min(L[G_LOW, i + count], L[G_TRIAL, i + count], L[G_HIGH, i + count])
        if not max(a, b, c) - min(a, b, c) <= FAR * unit:
            return True
    return False


def remember(L: np.ndarray) -> None:
    """The laws at the end of the step are those at the start of the next one."""
    L[G_LOW] = L[G_HIGH]


def sudden(r: View, L: np.ndarray, inp: np.ndarray, V: np.ndarray, K: np.ndarray) -> bool:
    """Whether the arguments of sharp functions have moved far in the step just done; the state is at its end."""
    h = r.t1 - r.t0
    laws_at(r, L, G_HIGH)
    inp[0] = r.t0 + 0.5 * h
    inp[1 : 1 + r.n] = 0.5 * (V[X0, :r.n] + V[X1, :r.n]) + 0.125 * h * (K[FIRST, :r.n] - K[r.stages, :r.n])
    laws_at(r, L, G_TRIAL)
    if moved_far(r, L):
        return True
    remember(L)
    return False


def error_within(r: View, low: float, high: float, inp: np.ndarray, V: np.ndarray, K: np.ndarray,
                 F: np.ndarray) -> float:
    """The error of the step between two fractions of it, against the accuracy; from three points."""
    h, width = r.t1 - r.t0, high - low
    row, delta = LAST, PART_DIFFERENCE * width
    V[ERROR, :r.n] = 0.0
    for j in (2, 4, 6):
        theta = low + width * POINTS[j]
        state_at(r, theta, inp, V, F)
        if evaluate(r, K, row) != OK:
            return HUGE
        for sense in (-1.0, 1.0):
            interpolate(r, theta + sense * delta, inp, F)
            V[ERROR, :r.n] += width * h / 3.0 * (0.5 * K[row, :r.n]) - sense * width / 6.0 * inp[1 : 1 + r.n] / delta
    return group_norm(r, V, ERROR, X0, X1) / r.accuracy


def sample(r: View, low: float, high: float, inp: np.ndarray, F: np.ndarray, L: np.ndarray) -> None:
    """Laws and bases between two fractions of the step, and the polynomials through them."""
    for j in range(PIECES + 1):
        interpolate(r, low + (high - low) * POINTS[j], inp, F)
        laws_at(r, L, G_SAMPLES + j)
    represent(L, r.n_laws + r.n_law_bases)


def hidden_law(r: View, L: np.ndarray, out: np.ndarray, which: int) -> float:
    """Where in what was just sampled a law may have a feature that the samples do not show; 2 for nowhere."""
    return hidden(r, r.code.law_bounds, L, out, r.n_laws, r.n_law_bases, which, 1.0)


def concealed(r: View, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray, F: np.ndarray,
              L: np.ndarray) -> int:
    """INACCURATE, with a shorter step planned, where the step has missed something; its dense output is prepared."""
    h = r.t1 - r.t0
    sample(r, 0.0, 1.0, inp, F, L)
    for which in range(r.n_laws):
        L[G_CROSSED, which] = hidden_law(r, L, out, which)
    for which in range(r.n_laws):
        low, left = L[G_CROSSED, which], PARTS
        high = low + SHORT
        while low < 1.0:
            sample(r, low, high, inp, F, L)
            if error_within(r, low, high, inp, V, K, F) > TOO_MUCH:
                r.h = h * (low if low > 0.1 * (high - low) else 0.5 * high)
                return INACCURATE
            start, width = 2.0, high - low
            if left > 0 and width > SHORTEST_PART:
                start = hidden_law(r, L, out, which)
            if start < 2.0:
                low += width * start
                high = min(high, low + width * SHORT)
                left -= 1
            else:
                low, high = high, min(1.0, high + WIDER * width)
    remember(L)
    return OK


def noticed(address: int, task: int) -> int:
    """The piece of lanes, which only notice: where something may be hidden, the ordinary run is asked to look."""
    r = stepper(address)
    if task == SUDDEN:
        V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
        L = matrix(r.at.laws, N_WITNESS_ROWS, r.at.law_width)
        return 1 if sudden(r, L, vector(r.at.inp, r.at.n_in + r.n), V, K) else 0
    return HELP_NEEDED


def features(address: int, task: int) -> int:
    """The piece: SUDDEN asks whether anything may be hidden in the step, REVEAL looks into it."""
    r = stepper(address)
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    L = matrix(r.at.laws, N_WITNESS_ROWS, r.at.law_width)
    if task == SUDDEN:
        return 1 if sudden(r, L, inp, V, K) else 0
    return concealed(r, inp, out, V, K, matrix(r.at.dense, N_DENSE_ROWS, r.n), L)
