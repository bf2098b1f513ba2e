"""The stages of an implicit step by simplified Newton.

The eigenvectors of A⁻¹ (one real μ, one pair) decouple the equations z = h (A ⊗ 1) f(x₀ + zᵢ) of the three stages: with
z = v w + 2 Re(v_c c) Newton's method is (Hairer and Wanner II, Section IV.8)

    (μ/h − J) Δw = l·f − μ/h w,        (μ_c/h − J) Δc = l_c·f − μ_c/h c.

J is exact (see `implicit`).  It and its factors are kept over several steps, as long as Newton's method converges.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import floor, sqrt
from .collocation import L_PAIR, L_REAL, MU, MU_PAIR, NODES, V_PAIR, V_REAL
from .dense_lu import factorise_wholly, solve_wholly, spread
from .error_norm import group_norm
from .jit import complexes, integers, matrix, vector
from .manifold import prescribe
from .model_call import call, evaluate
from .record import ERROR, HELP_NEEDED, NONFINITE, OK, SECOND, SINGULAR, UNSOLVED, X0, View
from .sparse_lu import factorise, solve
from .tolerances import ASIDE, EPSILON, GROWTH, MAX_ITERATIONS, ROUNDED


def radau_stages(r: View, own: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray,
                 F: np.ndarray) -> int:
    """The stages by Newton's method; with a new Jacobian where it does not converge with the old one."""
    while True:
        if not own.jacobian_known:
            status = linearise(r, own, inp, V)
            if status != OK:
                return status
        if own.factored_h != h:
            status = factors(r, own, h)
            if status != OK:
                return status
        predict(r, own, h, V, F)
        status = newton(r, own, h, inp, out, V, K)
        if status != UNSOLVED or own.jacobian_fresh:
            return status
        own.jacobian_known = 0


def linearise(r: View, own: View, inp: np.ndarray, V: np.ndarray) -> int:
    """Entries of P and Q at the start of the step, or beside it where a law has no derivative (|v| at rest)."""
    entries = vector(own.entries, own.n_entries)
    scale = vector(own.scale, own.n_entries)
    inp[0] = r.t0
    for aside in (0.0, ASIDE):
        for i in range(r.n):
            inp[1 + i] = V[X0, i] + aside * (1.0 + (0.618 * i - floor(0.618 * i))) * max(1.0, abs(V[X0, i]))
        call(own.linearised, r.at.inp, own.entries, r.at.work)
        r.counts.jacobians += 1
        check = 0.0
        for k in range(entries.shape[0]):
            entries[k] *= scale[k]
            check += 0.0 * entries[k]
        if check == 0.0:
            own.jacobian_known = 1
            own.jacobian_fresh = 1
            own.factored_h = 0.0
            return OK
    return NONFINITE


def factors(r: View, own: View, h: float) -> int:
    """Factors of [μ/h P 0] − Q for both μ: by the pivots of the start, or of the whole matrix where these do not suit.

    They hardly will before laws change, and are not tried again until then.
    """
    start, column = integers(own.start, own.size + 1), integers(own.column, own.n_factors)
    real, real_side = vector(own.real, own.n_factors), vector(own.real_side, own.size)
    pair, pair_side = complexes(own.pair, own.n_factors), complexes(own.pair_side, own.size)
    own.factored_h = 0.0
    r.counts.factorisations += 1
    assemble(own, h, real, pair)
    if own.pivoted and not own.whole:
        diagonal = integers(own.diagonal, own.size)
        growth = factorise(start, column, diagonal, real, real_side)
        growth = max(growth, factorise(start, column, diagonal, pair, pair_side))
        if growth > GROWTH:
            own.whole = 1
            assemble(own, h, real, pair)
    if own.whole or not own.pivoted:
        if own.room < own.size:
            return HELP_NEEDED
        own.whole = 1
        A, C = matrix(own.real_whole, own.room, own.room), complexes(own.pair_whole, own.room, own.room)
        spread(start, column, real, A)
        spread(start, column, pair, C)
        regular = factorise_wholly(A, integers(own.real_order, own.room), real_side)
        if not (factorise_wholly(C, integers(own.pair_order, own.room), real_side) and regular):
            return SINGULAR
    own.factored_h = h
    return OK


def assemble(own: View, h: float, real: np.ndarray, pair: np.ndarray) -> None:
    """[μ/h P 0] − Q for both μ, at the places that the pattern has for its entries."""
    entries, slot = vector(own.entries, own.n_entries), integers(own.slot, own.n_entries)
    real[:] = 0.0
    pair[:] = 0.0
    for k in range(own.n_P):
        real[slot[k]] += (MU / h) * entries[k]
        pair[slot[k]] += (MU_PAIR / h) * entries[k]
    for k in range(own.n_P, own.n_entries):
        real[slot[k]] -= entries[k]
        pair[slot[k]] -= entries[k]


def predict(r: View, own: View, h: float, V: np.ndarray, F: np.ndarray) -> None:
    """First guess of the stages: the cubic of the step before, continued; from a standing start zero."""
    Z = matrix(own.Z, 3, r.n)
    w = vector(own.w, r.n)
    c = complexes(own.c, r.n)
    guess = vector(own.guess, r.n)
    n = r.n
    for s in range(3):
        theta = 1.0 + NODES[s] * h / own.h_before if own.h_before > 0.0 else 0.0
        for i in range(n):
            z = 0.0
            if own.h_before > 0.0:
                inner = F[2, i] + theta * (F[3, i] + (1.0 - theta) * F[4, i])
                z = F[0, i] + theta * (F[1, i] + (1.0 - theta) * inner) - V[X0, i]
            Z[s, i] = z
    guess[:] = Z[2]
    w[:] = L_REAL[0] * Z[0] + L_REAL[1] * Z[1] + L_REAL[2] * Z[2]
    c[:] = L_PAIR[0] * Z[0] + L_PAIR[1] * Z[1] + L_PAIR[2] * Z[2]


def set_implicit_stage(r: View, own: View, s: int, h: float, inp: np.ndarray, V: np.ndarray) -> None:
    """Put stage s into the input vector."""
    Z = matrix(own.Z, 3, r.n)
    inp[0] = r.t0 + NODES[s] * h
    inp[1 : 1 + r.n] = V[X0, :r.n] + Z[s]


def newton(r: View, own: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """Solve for the stages; UNSOLVED where the iteration does not converge fast enough."""
    Z = matrix(own.Z, 3, r.n)
    w = vector(own.w, r.n)
    c = complexes(own.c, r.n)
    dw = vector(own.dw, r.n)
    dc = complexes(own.dc, r.n)
    tolerance = max(10.0 * EPSILON / r.accuracy, min(0.03, sqrt(r.accuracy)))
    before = 0.0
    for iteration in range(MAX_ITERATIONS):
        for s in range(3):
            set_implicit_stage(r, own, s, h, inp, V)
            prescribe(r, inp, out)
            status = evaluate(r, K, SECOND + s)
            if status != OK:
                return status
        dw[:] = L_REAL[0] * K[1, :r.n] + L_REAL[1] * K[2, :r.n] + L_REAL[2] * K[3, :r.n] - MU / h * w
        dc[:] = L_PAIR[0] * K[1, :r.n] + L_PAIR[1] * K[2, :r.n] + L_PAIR[2] * K[3, :r.n] - MU_PAIR / h * c
        solve_real(own, dw)
        solve_pair(own, dc)
        change = 0.0
        for s in range(3):
            for i in range(r.n):
                V[ERROR, i] = V_REAL[s] * dw[i] + 2.0 * (V_PAIR[s] * dc[i]).real
                Z[s, i] += V[ERROR, i]
            size = group_norm(r, V, ERROR, X0, X0) / r.accuracy
            change = size if not size <= change else change
        w[:] += dw
        c[:] += dc
        own.newton_count = iteration + 1
        if change == 0.0:
            own.newton_rate = 0.0
            return OK
        # one change alone says nothing: where the Jacobian is wrong it may be small too
        if iteration > 0:
            rate = change / before
            left = change
            for _ in range(iteration + 1, MAX_ITERATIONS):
                left *= rate
            if not rate < 1.0 or left / (1.0 - rate) > tolerance:
                return OK if change <= min(1.0, ROUNDED * rounding(r, own, h, V)) else UNSOLVED
            own.newton_rate = rate
            if rate / (1.0 - rate) * change <= tolerance:
                return OK
        before = change
    return UNSOLVED


def rounding(r: View, own: View, h: float, V: np.ndarray) -> float:
    """What rounding of the state, ε, changes in the stages, in accuracies: (μ/h − J)⁻¹ J ε."""
    dw = vector(own.dw, r.n)
    v = vector(own.v, r.n)
    V[ERROR, :r.n] = EPSILON * v * V[X0, :r.n]
    dw[:] = MU / h * V[ERROR, :r.n]
    solve_real(own, dw)
    V[ERROR, :r.n] = dw - V[ERROR, :r.n]
    return group_norm(r, V, ERROR, X0, X0) / r.accuracy


def solve_states(own: View, factor: np.ndarray, A: np.ndarray, order: np.ndarray, side: np.ndarray,
                 x: np.ndarray) -> None:
    """Replace a vector x over the states by (μ/h − J)⁻¹ x."""
    entries, unscale = vector(own.entries, own.n_entries), vector(own.unscale, own.size)
    place, state, target = integers(own.place, own.n_P), integers(own.state, own.n_P), integers(own.target, own.size)
    side[:] = 0.0
    for k in range(place.shape[0]):
        side[place[k]] += entries[k] * (x[state[k]] / unscale[state[k]])
    if own.whole:
        solve_wholly(A, order, side)
    else:
        solve(integers(own.start, own.size + 1), integers(own.column, own.n_factors), integers(own.diagonal, own.size),
              factor, side)
    for k in range(side.shape[0]):
        i = target[k]
        if i < x.shape[0]:
            x[i] = side[k] * unscale[i]


def solve_real(own: View, x: np.ndarray) -> None:
    """The same for the real μ."""
    solve_states(own, vector(own.real, own.n_factors), matrix(own.real_whole, own.room, own.room),
                 integers(own.real_order, own.room), vector(own.real_side, own.size), x)


def solve_pair(own: View, x: np.ndarray) -> None:
    """The same for the complex μ."""
    solve_states(own, complexes(own.pair, own.n_factors), complexes(own.pair_whole, own.room, own.room),
                 integers(own.pair_order, own.room), complexes(own.pair_side, own.size), x)
