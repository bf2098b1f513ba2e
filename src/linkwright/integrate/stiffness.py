"""Noticing that a motion is stiff for an explicit method, and that it no longer is.

Explicit: the last stage and the end of a step lie at the same time but at different states, and the slopes there tell
how strongly the equations pull along that difference, which stiff parts dominate (Hairer and Wanner II, Section IV.2):

    ρ ≈ |f(x₁) − f(g)| / |x₁ − g|

Where hρ stays at the boundary of the stability region, stability and not accuracy limits the steps.  At fine accuracies
stiff parts limit them before, since they magnify rounding, and a part of the boundary is suspicious already; motions
that are not stiff have hρ = 0.4 in dop853 at accuracy 1e-9, 0.16 at 1e-12.

Implicit: ρ(J) by the growth of |Jᵏ v|, products by differences of the right-hand side (as in RKC; Sommeijer, Shampine,
Verwer 1997).  Where h̄ρ lies well inside the region of the explicit method, that one would take such steps too.  h̄ is
the time gained per attempt since the last look: single steps may be short for a while, after an event or at an instant
to be hit, in the stiffest of motions.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from .error_norm import group_norm
from .jit import inlined, part
from .model_call import evaluate, power
from .record import ERROR, OK, X1

WORTH = 10_000  # steps to the end: fewer are done before the implicit method is ready
WORTH_AGAIN = 500  # once it is ready
LOOK = 8  # steps between looks while nothing is suspicious
FINE = 1e-8  # accuracy below which rounding may limit the steps
FORGET = 6  # looks without suspicion after which those before are forgotten
LOOK_BACK = 25  # implicit steps between looks
POWERS = 10  # products J v
INSIDE = 0.5  # of the boundary
STEP = 1e-7  # of the differences, in unit changes


@part
def pull(r, h, a, K):
    """hρ from the last two stages of an explicit step."""
    last = r.stages
    top = bottom = 0.0
    for i in range(r.n):
        apart = 0.0
        for j in range(last):
            apart += (a[last, j] - a[last - 1, j]) * K[j, i]
        top += (K[last, i] - K[last - 1, i]) ** 2
        bottom += apart * apart
    return sqrt(top / bottom) if bottom > 0.0 else 0.0


@inlined
def looks_stiff(r, h, a, K):
    """Whether the steps have been limited by stability often enough to change the method."""
    if r.suspicions == 0 and r.steps < r.next_look:
        return False
    r.next_look = r.steps + LOOK
    if r.horizon - r.t < (WORTH if r.linearised == 0 else WORTH_AGAIN) * h:
        return False
    if pull(r, h, a, K) > r.boundary * min(1.0, power(r.power, r.accuracy / FINE, 0.2)):
        r.suspicions += 1
        r.doubts = 0
        return r.suspicions >= r.patience
    r.doubts += 1
    if r.doubts >= FORGET:
        r.suspicions = 0
        r.doubts = 0
    return False


@part
def spectral_radius(r, inp, V, K, S):
    """ρ(J) at the point in the input vector, with slope K[3]; infinite where it cannot be told.

    Every look begins with the same direction of no special kind: one from an earlier look, or one in which all parts
    move alike, may not feel the stiff parts at all.
    """
    n = r.n
    for i in range(n):
        V[X1, i] = inp[1 + i]
        V[ERROR, i] = S.v[i]
    grown = 1.0
    for _ in range(POWERS):
        size = group_norm(r, V, ERROR, X1, X1)
        if size == 0.0:
            return 0.0
        if not size < 1e300:
            return np.inf
        for i in range(n):
            V[ERROR, i] *= STEP / size
            inp[1 + i] = V[X1, i] + V[ERROR, i]
        status = evaluate(r, K, 1)
        for i in range(n):
            inp[1 + i] = V[X1, i]
        if status != OK:
            return np.inf
        for i in range(n):
            V[ERROR, i] = K[1, i] - K[3, i]
        grown *= power(r.power, group_norm(r, V, ERROR, X1, X1) / STEP, 1.0 / POWERS)
    return grown


@inlined
def looks_easy(r, inp, V, K, S):
    """Whether an explicit method would have taken as long steps as the last ones, at two looks in a row."""
    if r.steps < r.next_look:
        return False
    h = (r.t - r.looked) / (r.steps + r.rejected - r.tried)
    r.next_look, r.tried, r.looked = r.steps + LOOK_BACK, r.steps + r.rejected, r.t
    rho = spectral_radius(r, inp, V, K, S)
    r.suspicions = r.suspicions + 1 if rho * h < INSIDE * r.boundary else 0
    return r.suspicions >= 2
