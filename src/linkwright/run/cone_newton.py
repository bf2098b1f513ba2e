"""Impulses of many contacts at once by Newton's method, in the speeds they can change.

With M⁻¹ = L Lᵀ and u = u_free + L y, the speeds of a three of rows are v = A y + b, A = G L.  Impulses Λ obey

    y = Aᵀ Λ,        Λ = P(Λ − v/R)

for any R > 0, where P takes what a law allows: a contact presses, and rubs within its cone (Alart and Curnier 1991),

    P_n = max(0, x_n),        P_t = x_t, cut off at the length μ P_n

and so are its spin and its rolling at their arms times P_n, with an R of their own; a single row lies between two
bounds.  Where bodies rest on more points than they need, many Λ leave the same motion; so the Λ on the right is that of
the round before, beginning with none (the proximal point, Rockafellar 1976):

    y = Aᵀ P(Λ_k − v/R),       Λ_k+1 = P(Λ_k − v/R)

whose every round has one solution, found by Newton's method in y: as many unknowns as the bodies have motions, however
many points touch.  The loads are shared nearly by least squares, whatever they were a step before.

Newton begins where all hold, slide and press as they did in the step before.  Where that leads nowhere, the cone is
taken as if slipping lifted the bodies (P = the nearest point of the cone), v_n being raised by the s = μ |v_t| (and its
like of turning) that is expected: then y is the minimum of a convex function,

    ½ |y|² + Σ R (x · P(x) − ½ |P(x)|²)

which is always found (Castro, Permenter, Han 2022).  Where nothing slips it is the solution already; else Newton goes
on from there.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from ..codegen.dialect import compiled, real, reals, sqrt, whole
from ..integrate.gauss_seidel import CONTACT, TURN
from .cone_projection import looked, moved, placed, rising, sloped, taken
from .tolerances import (
    NEWTON_ARMIJO,
    NEWTON_DIRECT,
    NEWTON_FLAT,
    NEWTON_FOUND,
    NEWTON_FULL,
    NEWTON_HALVINGS,
    NEWTON_ROUNDED,
    NEWTON_ROUNDS,
    NEWTON_SOFT,
    NEWTON_STEPS,
    NEWTON_TRIES,
    TINY,
)


def lowest(y: real[:], way: real[:], X: real[:, 3], dX: real[:, 3], kinds: whole[:], partners: whole[:],
           laws: real[:, 3], R: real[:]) -> float:
    """The share of the way, up to all of it, at which the convex function is nearly least."""
    low, high, share = 0.0, 1.0, 1.0
    at_low = rising(0.0, y, way, X, dX, kinds, partners, laws, R)
    at_high = rising(1.0, y, way, X, dX, kinds, partners, laws, R)
    enough = NEWTON_FLAT * abs(at_low)
    if at_high <= enough:
        return 1.0
    for turn in range(NEWTON_HALVINGS):
        # where the line meets zero; the middle, every third time
        share = 0.5 * (low + high) if turn % 3 == 2 else low + (high - low) * at_low / (at_low - at_high)
        slope = rising(share, y, way, X, dX, kinds, partners, laws, R)
        if abs(slope) <= enough:
            break
        if slope < 0.0:
            low, at_low = share, slope
        else:
            high, at_high = share, slope
    return share


def copied(source: real[:], target: real[:]) -> None:
    """target ← source."""
    target[: len(source)] = source


def outline(places: whole[:, :], first: whole[:]) -> None:
    """Of every unknown, the first that it has an entry of H with: what lies before it stays zero (George, Liu 1981)."""
    for j in range(len(first)):
        first[j] = j
    for c in range(places.shape[0]):
        least = len(first)
        for k in range(places.shape[1]):
            if places[c, k] >= 0:
                least = min(least, places[c, k])
        for k in range(places.shape[1]):
            if places[c, k] >= 0:
                first[places[c, k]] = min(first[places[c, k]], least)


def solved(H: real[:, :], V: real[:, :], first: whole[:], right: real[:]) -> bool:
    """right ← (L U)⁻¹ right, L in place of H and Uᵀ of V within the outline; false where a pivot vanishes."""
    r = len(right)
    for i in range(r):
        for j in range(first[i], i):
            low = max(first[i], first[j])
            total, other = H[i, j], V[i, j]
            for k in range(low, j):
                total -= H[i, k] * V[j, k]
                other -= H[j, k] * V[i, k]
            H[i, j], V[i, j] = total / H[j, j], other
        total, own = H[i, i], right[i]
        for k in range(first[i], i):
            total -= H[i, k] * V[i, k]
            own -= H[i, k] * right[k]
        H[i, i], right[i] = total, own
        if not abs(total) > TINY:
            return False
    for turn in range(r):
        last = r - 1 - turn
        own = right[last] / H[last, last]
        right[last] = own
        right[first[last] : last] -= V[last, first[last] : last] * own
    return True


def expected(y: real[:], impulses: real[:, 3], A: real[:, 3, :], places: whole[:, :], b: real[:, 3], kinds: whole[:],
             partners: whole[:], laws: real[:, 3], R: real[:], X: real[:, 3], dX: real[:, 3], H: real[:, :],
             V: real[:, :], first: whole[:]) -> None:
    """y where all hold, slide and press as they do by the impulses given: one step of Newton's method from Λ = P(Λ)."""
    x, p, D = reals(6), reals(6), reals(6, 6)
    for c in range(len(kinds)):
        for i in range(3):
            # what rubs at its limit slides
            rubs = kinds[c] == TURN or kinds[c] == CONTACT and i > 0
            X[c, i] = impulses[c, i] * (1.0 + NEWTON_FULL) if rubs else impulses[c, i]
            dX[c, i] = -b[c, i] / R[c] - X[c, i]
    sloped(False, A, places, X, kinds, partners, laws, R, H, V, first)
    y[:] = 0.0
    for c in range(len(kinds)):
        if kinds[c] == TURN:
            continue
        rows = taken(c, False, True, 0.0, X, X, kinds, partners, laws, R, x, p, D)
        for i in range(rows):
            for j in range(rows):
                p[i] += D[i, j] * dX[c if j < 3 else partners[c], j % 3]
        for k in range(places.shape[1]):
            if places[c, k] < 0:
                break
            for i in range(rows):
                y[places[c, k]] += A[c if i < 3 else partners[c], i % 3, k] * p[i]
    if not solved(H, V, first, y):
        y[:] = 0.0


def descended(convex: bool, steps: int, y: real[:], A: real[:, 3, :], places: whole[:, :], b: real[:, 3],
              kinds: whole[:], partners: whole[:], laws: real[:, 3], before: real[:, 3], R: real[:], lift: real[:],
              after: real[:, 3], F: real[:], way: real[:], X: real[:, 3], dX: real[:, 3], H: real[:, :], V: real[:, :],
              first: whole[:]) -> bool:
    """Newton's method in y, with a search along the way; whether |F| is as small as rounding lets it be."""
    r, last = len(y), np.inf
    placed(y, A, places, b, before, R, lift, X)
    for _ in range(steps):
        value = looked(convex, 0.0, y, y, A, places, X, X, kinds, partners, laws, R, after, F)
        left, size = 0.0, TINY
        for j in range(r):
            left, size = max(left, abs(F[j])), max(size, abs(y[j]), abs(y[j] - F[j]))
        if left <= NEWTON_FOUND * size or left <= NEWTON_ROUNDED * size and left >= last:
            return True
        last = left
        sloped(convex, A, places, X, kinds, partners, laws, R, H, V, first)
        way[:r] = -F[:r]
        if not solved(H, V, first, way):
            return False
        moved(way, A, places, R, dX)
        share = 1.0
        if convex:
            share = lowest(y, way, X, dX, kinds, partners, laws, R)
        else:
            gains = False
            for _ in range(NEWTON_HALVINGS):
                better = looked(False, share, y, way, A, places, X, dX, kinds, partners, laws, R, after, F)
                gains = better <= value * (1.0 - 2.0 * NEWTON_ARMIJO * share)
                if gains:
                    break
                share = 0.5 * share
            if not gains:
                return left <= NEWTON_ROUNDED * size
        y[:r] += share * way[:r]
        placed(y, A, places, b, before, R, lift, X)
    return False


@compiled
def press(y: real[:], impulses: real[:, 3], A: real[:, 3, :], places: whole[:, :], b: real[:, 3], kinds: whole[:],
          partners: whole[:], laws: real[:, 3], tolerance: float, before: real[:, 3], X: real[:, 3], dX: real[:, 3],
          R: real[:], lift: real[:], none: real[:], F: real[:], way: real[:], best: real[:], H: real[:, :],
          V: real[:, :], first: whole[:]) -> tuple[int, float]:
    """Impulses (n, 3), from those that are expected, and y; how many rounds, and by which speed the last one differed.

    `A` (n, 3, w) at `places` (n, w) of y, filled from the left, then −1; `kinds`, `partners` and `laws` as in
    `gauss_seidel.sweep`, without patches; a TURN acts on the places that its CONTACT does.  What follows `tolerance` is
    room to work in.
    """
    n = len(kinds)
    outline(places, first)
    for c in range(n):
        most = 0.0
        for i in range(3):
            own = 0.0
            for k in range(places.shape[1]):
                if places[c, k] >= 0:
                    own += A[c, i, k] * A[c, i, k]
            most = max(most, own)
        R[c], lift[c], none[c] = NEWTON_SOFT * most + TINY, 0.0, 0.0
    before[:] = 0.0
    left = 0.0
    expected(y, impulses, A, places, b, kinds, partners, laws, R, X, dX, H, V, first)
    for count in range(NEWTON_ROUNDS):
        copied(y, best)
        found = descended(False, NEWTON_DIRECT, y, A, places, b, kinds, partners, laws, before, R, none, impulses, F,
                          way, X, dX, H, V, first)
        for turn in range(NEWTON_TRIES):
            if found:
                break
            copied(best, y)
            # as if slipping lifted, by as much as it slips now; the mean of that and the last, where they alternate
            placed(y, A, places, b, before, R, none, X)
            for c in range(n):
                if kinds[c] == CONTACT:
                    slip_1, slip_2 = R[c] * (before[c, 1] - X[c, 1]), R[c] * (before[c, 2] - X[c, 2])
                    slip = laws[c, 0] * sqrt(slip_1 * slip_1 + slip_2 * slip_2)
                    d = partners[c]
                    if d >= 0:
                        slip_1, slip_2 = R[d] * (before[d, 1] - X[d, 1]), R[d] * (before[d, 2] - X[d, 2])
                        slip += laws[d, 0] * R[d] * abs(before[d, 0] - X[d, 0])
                        slip += laws[d, 1] * sqrt(slip_1 * slip_1 + slip_2 * slip_2)
                    lift[c] = slip if turn == 0 else 0.5 * (lift[c] + slip)
            descended(True, NEWTON_STEPS, y, A, places, b, kinds, partners, laws, before, R, lift, impulses, F, way, X,
                      dX, H, V, first)
            copied(y, best)
            found = descended(False, NEWTON_STEPS, y, A, places, b, kinds, partners, laws, before, R, none, impulses,
                              F, way, X, dX, H, V, first)
        if not found:
            return count + 1, np.inf
        left = 0.0
        for c in range(n):
            for i in range(3):
                left = max(left, R[c] * abs(impulses[c, i] - before[c, i]))
                before[c, i] = impulses[c, i]
        if left <= tolerance:
            return count + 1, left
    return NEWTON_ROUNDS, left
