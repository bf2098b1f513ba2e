"""Impulses of many contacts at once by Newton's method, in the speeds they can change.

With M⁻¹ = L Lᵀ and u = u_free + L y, the speeds of a three of rows are v = A y + b, A = G L.  Impulses Λ obey

    y = Aᵀ Λ,        Λ = P(Λ − v/R)

for any R > 0, where P takes what a law allows: a contact presses, and rubs within its cone (Alart and Curnier 1991),

    P_n = max(0, x_n),        P_t = x_t, cut off at the length μ P_n

and a single row lies between two bounds.  Where bodies rest on more points than they need, many Λ leave the same
motion; so the Λ on the right is that of the round before, beginning with none (the proximal point, Rockafellar 1976):

    y = Aᵀ P(Λ_k − v/R),       Λ_k+1 = P(Λ_k − v/R)

whose every round has one solution, found by Newton's method in y: as many unknowns as the bodies have motions, however
many points touch.  The loads are shared nearly by least squares, whatever they were a step before.

Newton begins where the cone is taken as if slipping lifted the bodies (P = the nearest point of the cone), v_n being
raised by the s = μ |v_t| that is expected: then y is the minimum of a convex function,

    ½ |y|² + Σ R (x · P(x) − ½ |P(x)|²)

which is always found (Castro, Permenter, Han 2022).  Where nothing slips it is the solution already.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from ..codegen.dialect import compiled, real, reals, sqrt, whole
from ..integrate.gauss_seidel import CONTACT
from .tolerances import (
    NEWTON_ARMIJO,
    NEWTON_FOUND,
    NEWTON_HALVINGS,
    NEWTON_ROUNDED,
    NEWTON_ROUNDS,
    NEWTON_SOFT,
    NEWTON_STEPS,
    NEWTON_TRIES,
    TINY,
)


def allowed(kind: int, convex: bool, x: real[3], one: float, other: float, p: real[3], D: real[3, 3]) -> None:
    """p = P(x) and D = ∂P/∂x; `one` is μ or the lower bound, `other` the upper bound."""
    p[:] = 0.0
    D[:] = 0.0
    if kind != CONTACT:
        p[0] = min(max(x[0], one), other)
        D[0, 0] = 1.0 if one < x[0] and x[0] < other else 0.0
        return
    rub = sqrt(x[1] * x[1] + x[2] * x[2])
    if convex and one * rub <= -x[0] or not convex and x[0] <= 0.0:
        return
    if rub <= one * x[0]:
        for i in range(3):
            p[i], D[i, i] = x[i], 1.0
        return
    t_1, t_2 = x[1] / rub, x[2] / rub
    push = (x[0] + one * rub) / (1.0 + one * one) if convex else x[0]
    p[0], p[1], p[2] = push, one * push * t_1, one * push * t_2
    across = one * push / rub
    along = one * one / (1.0 + one * one) if convex else 0.0
    D[0, 0] = 1.0 / (1.0 + one * one) if convex else 1.0
    lean = one * D[0, 0]
    D[1, 0], D[2, 0] = lean * t_1, lean * t_2
    if convex:
        D[0, 1], D[0, 2] = D[1, 0], D[2, 0]
    D[1, 1] = along * t_1 * t_1 + across * t_2 * t_2
    D[2, 2] = along * t_2 * t_2 + across * t_1 * t_1
    D[1, 2] = (along - across) * t_1 * t_2
    D[2, 1] = D[1, 2]


def tried(c: int, y: real[:], A: real[:, 3, :], places: whole[:, :], b: real[:, 3], before: real[:, 3], R: real[:],
          lift: real[:], x: real[3]) -> None:
    """x = Λ_k − v/R of a three, v_n raised by its lift."""
    for i in range(3):
        total = b[c, i]
        for k in range(places.shape[1]):
            if places[c, k] >= 0:
                total += A[c, i, k] * y[places[c, k]]
        x[i] = before[c, i] - (total + (lift[c] if i == 0 else 0.0)) / R[c]


def looked(convex: bool, slopes: bool, y: real[:], A: real[:, 3, :], places: whole[:, :], b: real[:, 3],
           kinds: whole[:], laws: real[:, 3], before: real[:, 3], R: real[:], lift: real[:], after: real[:, 3],
           F: real[:], H: real[:, :], V: real[:, :], first: whole[:]) -> float:
    """Λ = P(x) at y, F = y − Aᵀ Λ and (if asked for) H = ∂F/∂y; the convex function, or ½ |F|².

    H holds the entries up to the diagonal, V those above it, turned over.
    """
    n, r, width = len(kinds), len(y), places.shape[1]
    x, p, D, row = reals(3), reals(3), reals(3, 3), reals(3)
    energy = 0.0
    for j in range(r):
        F[j] = y[j]
        energy += 0.5 * y[j] * y[j]
        if slopes:
            for k in range(first[j], j):
                H[j, k], V[j, k] = 0.0, 0.0
            H[j, j] = 1.0
    for c in range(n):
        tried(c, y, A, places, b, before, R, lift, x)
        allowed(kinds[c], convex, x, laws[c, 0], laws[c, 1], p, D)
        for i in range(3):
            after[c, i] = p[i]
            energy += R[c] * (x[i] * p[i] - 0.5 * p[i] * p[i])
        if p[0] == 0.0 and p[1] == 0.0 and p[2] == 0.0 and D[0, 0] == 0.0:
            continue
        for k in range(width):
            at = places[c, k]
            if at < 0:
                continue
            F[at] -= A[c, 0, k] * p[0] + A[c, 1, k] * p[1] + A[c, 2, k] * p[2]
            if slopes:
                for i in range(3):
                    row[i] = (A[c, 0, k] * D[0, i] + A[c, 1, k] * D[1, i] + A[c, 2, k] * D[2, i]) / R[c]
                for l in range(width):
                    to = places[c, l]
                    if to >= 0:
                        entry = row[0] * A[c, 0, l] + row[1] * A[c, 1, l] + row[2] * A[c, 2, l]
                        if to <= at:
                            H[at, to] += entry
                        else:
                            V[to, at] += entry
    if convex:
        return energy
    total = 0.0
    for j in range(r):
        total += 0.5 * F[j] * F[j]
    return total


def copied(source: real[:], target: real[:]) -> None:
    """target ← source."""
    for j in range(len(source)):
        target[j] = source[j]


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
        total = H[i, i]
        for k in range(first[i], i):
            total -= H[i, k] * V[i, k]
            right[i] -= H[i, k] * right[k]
        H[i, i] = total
        if not abs(total) > TINY:
            return False
    for turn in range(r):
        last = r - 1 - turn
        right[last] /= H[last, last]
        for k in range(first[last], last):
            right[k] -= V[last, k] * right[last]
    return True


def descended(convex: bool, y: real[:], A: real[:, 3, :], places: whole[:, :], b: real[:, 3], kinds: whole[:],
              laws: real[:, 3], before: real[:, 3], R: real[:], lift: real[:], after: real[:, 3], F: real[:],
              way: real[:], next_y: real[:], H: real[:, :], V: real[:, :], first: whole[:]) -> bool:
    """Newton's method in y, with a search along the way; whether |F| is as small as rounding lets it be."""
    r = len(y)
    value = looked(convex, False, y, A, places, b, kinds, laws, before, R, lift, after, F, H, V, first)
    for _ in range(NEWTON_STEPS):
        left, size = 0.0, TINY
        for j in range(r):
            left, size = max(left, abs(F[j])), max(size, abs(y[j]), abs(y[j] - F[j]))
        if left <= NEWTON_FOUND * size:
            return True
        looked(convex, True, y, A, places, b, kinds, laws, before, R, lift, after, F, H, V, first)
        slope = 0.0
        for j in range(r):
            way[j] = -F[j]
        if not solved(H, V, first, way):
            return False
        for j in range(r):
            slope += way[j] * F[j]
        slope = slope if convex else -2.0 * value
        share, better, gains = 1.0, value, False
        for _ in range(NEWTON_HALVINGS):
            for j in range(r):
                next_y[j] = y[j] + share * way[j]
            better = looked(convex, False, next_y, A, places, b, kinds, laws, before, R, lift, after, F, H, V, first)
            # near the end the gain is below the rounding of the value, and what is left of F says more
            ahead = 0.0
            for j in range(r):
                ahead = max(ahead, abs(F[j]))
            gains = better <= value + NEWTON_ARMIJO * share * slope or ahead <= 0.5 * left
            if gains:
                break
            share = 0.5 * share
        if not gains:
            return left <= NEWTON_ROUNDED * size
        copied(next_y, y)
        value = better
    return False


@compiled
def factored(G: real[:, 3, :], g_places: whole[:, :], factors: real[:, :, :], block_of: whole[:], place_in: whole[:],
             members: whole[:, :], A: real[:, 3, :], places: whole[:, :]) -> None:
    """A = G L of rows, by `factors` F (m, c, c) with FᵀF = M⁻¹ of what hangs together; y has the places of u.

    `members` (m, c) are the places of a block in u, `block_of` and `place_in` say where each speed is.  A row reads the
    speeds of two blocks at most.
    """
    size = members.shape[1]
    for c in range(G.shape[0]):
        A[c], places[c] = 0.0, -1
        first, second = -1, -1
        for k in range(g_places.shape[1]):
            at = g_places[c, k]
            if at < 0:
                continue
            block = block_of[at]
            if first < 0:
                first = block
            elif block != first:
                second = block
        for side in range(2):
            block = first if side == 0 else second
            if block < 0:
                continue
            start = side * size
            for j in range(size):
                places[c, start + j] = members[block, j]
            for i in range(3):
                for k in range(g_places.shape[1]):
                    at = g_places[c, k]
                    if at >= 0 and block_of[at] == block and G[c, i, k] != 0.0:
                        for j in range(size):
                            A[c, i, start + j] += factors[block, j, place_in[at]] * G[c, i, k]


@compiled
def press(y: real[:], impulses: real[:, 3], A: real[:, 3, :], places: whole[:, :], b: real[:, 3], kinds: whole[:],
          laws: real[:, 3], tolerance: float, before: real[:, 3], R: real[:], lift: real[:], none: real[:], F: real[:],
          way: real[:], next_y: real[:], best: real[:], H: real[:, :], V: real[:, :],
          first: whole[:]) -> tuple[int, float]:
    """Impulses (n, 3) and y, from the y that is expected; how many rounds, and by which speed the last one differed.

    `A` (n, 3, w) at `places` (n, w) of y, −1 being none; `kinds` and `laws` as in `gauss_seidel.sweep`, without TURN.
    What follows `tolerance` is room to work in.
    """
    n = len(kinds)
    x = reals(3)
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
    for count in range(NEWTON_ROUNDS):
        found = False
        for turn in range(NEWTON_TRIES):
            # as if slipping lifted, by as much as it slips now; the mean of that and the last, where they alternate
            for c in range(n):
                if kinds[c] == CONTACT:
                    tried(c, y, A, places, b, before, R, lift, x)
                    slip_1, slip_2 = R[c] * (before[c, 1] - x[1]), R[c] * (before[c, 2] - x[2])
                    slip = laws[c, 0] * sqrt(slip_1 * slip_1 + slip_2 * slip_2)
                    lift[c] = slip if turn == 0 else 0.5 * (lift[c] + slip)
            descended(True, y, A, places, b, kinds, laws, before, R, lift, impulses, F, way, next_y, H, V,
                      first)
            copied(y, best)
            found = descended(False, y, A, places, b, kinds, laws, before, R, none, impulses, F, way, next_y, H, V,
                      first)
            if found:
                break
            copied(best, y)
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
