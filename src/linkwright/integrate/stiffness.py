"""Noticing that a motion is stiff for an explicit method, and that it no longer is.

Explicit: the last stage and the end of a step lie at the same time but at different states, and the slopes there tell
how strongly the equations act along that difference, which stiff components dominate (Hairer and Wanner II, Section
IV.2):

    ρ ≈ |f(x₁) − f(g)| / |x₁ − g|

Where hρ stays at the boundary of the stability region, stability and not accuracy limits the steps.  At fine accuracies
stiff components limit them earlier, since they magnify rounding; then a fraction of the boundary already counts.  For
comparison, motions that are not stiff have hρ = 0.4 in dop853 at accuracy 1e-9, and 0.16 at 1e-12.

Implicit: ρ(J) by the growth of |Jᵏ v|, products by differences of the right-hand side (as in RKC; Sommeijer, Shampine,
Verwer 1997).  Where h̄ρ lies well inside the region of the explicit method, that method could take such steps too.  h̄
is the mean progress per attempt since the last test: single steps may be short, after an event or before a given
instant, even in a very stiff motion.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import known, sqrt
from .error_norm import group_norm
from .model_call import evaluate, power
from .record import ERROR, OK, SECOND, X1, View
from .tolerances import (
    FINE,
    FORGET,
    HUGE,
    INSIDE,
    LOOK_BACK,
    LOOK_EVERY,
    POWERS,
    PRODUCT_DIFFERENCE,
    WORTH,
    WORTH_AGAIN,
)


def begin_again(r: View) -> None:
    """Tests begin anew, with a method that has just come into use."""
    s = r.stiffness
    s.suspicions = s.doubts = 0
    s.next_look = 0 if r.explicit else r.counts.steps + LOOK_BACK
    s.tried, s.looked = r.counts.steps + r.counts.rejected, r.t


def pull(r: View, last: known, a: np.ndarray, K: np.ndarray) -> float:
    """hρ from the last two stages of an explicit step."""
    top = bottom = 0.0
    for i in range(r.n):
        apart = 0.0
        for j in range(last):
            apart += (a[last, j] - a[last - 1, j]) * K[j, i]
        top += (K[last, i] - K[last - 1, i]) ** 2
        bottom += apart * apart
    return sqrt(top / bottom) if bottom > 0.0 else 0.0


def looks_stiff(r: View, last: known, a: np.ndarray, K: np.ndarray) -> bool:
    """Whether the steps have been limited by stability often enough to change the method."""
    s = r.stiffness
    if s.suspicions == 0 and r.counts.steps < s.next_look:
        return False
    s.next_look = r.counts.steps + LOOK_EVERY
    if r.horizon + s.beyond - r.t < (WORTH_AGAIN if s.prepared else WORTH) * r.length:
        return False
    if pull(r, last, a, K) > s.boundary * min(1.0, power(r.pieces.power, r.accuracy / FINE, 0.2)):
        s.suspicions += 1
        s.doubts = 0
        return s.suspicions >= s.patience
    s.doubts += 1
    if s.doubts >= FORGET:
        s.suspicions = 0
        s.doubts = 0
    return False


def spectral_radius(r: View, direction: np.ndarray, inp: np.ndarray, V: np.ndarray, K: np.ndarray, end: int) -> float:
    """ρ(J) at the point in the input vector, with slope K[end]; infinite where it cannot be told.

    Every test begins with the same arbitrary direction: one from an earlier test, or one in which all bodies move
    alike, may have no stiff component at all.
    """
    n = r.n
    V[X1, :n] = inp[1 : 1 + n]
    V[ERROR, :n] = direction[:n]
    grown = 1.0
    for _ in range(POWERS):
        size = group_norm(r, V, ERROR, X1, X1)
        if size == 0.0:
            return 0.0
        if not size < HUGE:
            return np.inf
        V[ERROR, :n] *= PRODUCT_DIFFERENCE / size
        inp[1 : 1 + n] = V[X1, :n] + V[ERROR, :n]
        status = evaluate(r, K, SECOND)
        inp[1 : 1 + n] = V[X1, :n]
        if status != OK:
            return np.inf
        V[ERROR, :n] = K[SECOND, :n] - K[end, :n]
        grown *= power(r.pieces.power, group_norm(r, V, ERROR, X1, X1) / PRODUCT_DIFFERENCE, 1.0 / POWERS)
    return grown


def looks_easy(r: View, direction: np.ndarray, inp: np.ndarray, V: np.ndarray, K: np.ndarray, end: int) -> bool:
    """Whether an explicit method could have taken the last steps as well, at two tests in a row."""
    s = r.stiffness
    if r.counts.steps < s.next_look:
        return False
    h = (r.t - s.looked) / (r.counts.steps + r.counts.rejected - s.tried)
    s.next_look, s.tried, s.looked = r.counts.steps + LOOK_BACK, r.counts.steps + r.counts.rejected, r.t
    rho = spectral_radius(r, direction, inp, V, K, end)
    s.suspicions = s.suspicions + 1 if rho * h < INSIDE * s.boundary else 0
    return s.suspicions >= 2
