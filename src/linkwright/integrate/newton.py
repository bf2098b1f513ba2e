"""The stages of an implicit step by simplified Newton.

The eigenvectors of A⁻¹ (one real μ, one pair) part the equations z = h (A ⊗ 1) f(x₀ + zᵢ) of the three stages: with
z = v w + 2 Re(v_c c) Newton's method is (Hairer and Wanner II, Section IV.8)

    (μ/h − J) Δw = l·f − μ/h w,        (μ_c/h − J) Δc = l_c·f − μ_c/h c.

J is exact (see `implicit`) and kept over steps while it serves; its factors too.
"""

from __future__ import annotations

from .collocation import L_PAIR, L_REAL, MU, MU_PAIR, NODES, V_PAIR, V_REAL
from .error_norm import group_norm
from .jit import inlined, part
from .manifold import prescribe
from .model_call import call, evaluate
from .record import ERROR, NONFINITE, OK, UNPIVOTED, UNSOLVED, X0
from .sparse_lu import factorise, solve

MAX_ITERATIONS = 7
ASIDE = 1e-8  # in unit changes
ROUNDED = 10.0  # times what rounding brings into the stages: smaller changes do not get any smaller
GROWTH = 1e6  # of the factors above which other pivots are looked for


@part
def radau_stages(r, h, inp, out, V, K, F, S):
    """The stages by Newton's method; with a new Jacobian where the old one does not do."""
    while True:
        if not r.jacobian_known:
            status = linearise(r, inp, V, S)
            if status != OK:
                return status
        if r.factored_h != h:
            status = factors(r, h, S)
            if status != OK:
                return status
        predict(r, h, V, F, S)
        status = newton(r, h, inp, out, V, K, S)
        if status != UNSOLVED or r.jacobian_fresh:
            return status
        r.jacobian_known = 0


@inlined
def linearise(r, inp, V, S):
    """Entries of P and Q at the start of the step, or beside it where a law has no derivative (|v| at rest)."""
    inp[0] = r.t0
    for aside in (0.0, ASIDE):
        for i in range(r.n):
            inp[1 + i] = V[X0, i] + aside * (1.0 + 0.618 * i % 1.0) * max(1.0, abs(V[X0, i]))
        call(r.linearised, r.p_in, r.p_entries, r.p_work)
        r.jacobians += 1
        check = 0.0
        for k in range(S.entries.shape[0]):
            S.entries[k] *= S.scale[k]
            check += 0.0 * S.entries[k]
        if check == 0.0:
            r.jacobian_known = 1
            r.jacobian_fresh = 1
            r.factored_h = 0.0
            return OK
    return NONFINITE


@inlined
def factors(r, h, S):
    """Factors of [μ/h P 0] − Q for both μ."""
    if not r.pivoted:
        r.pivoted_h = h
        return UNPIVOTED
    n_P = S.place.shape[0]
    for k in range(S.real.shape[0]):
        S.real[k] = 0.0
        S.pair[k] = 0.0
    for k in range(n_P):
        S.real[S.slot[k]] += (MU / h) * S.entries[k]
        S.pair[S.slot[k]] += (MU_PAIR / h) * S.entries[k]
    for k in range(n_P, S.entries.shape[0]):
        S.real[S.slot[k]] -= S.entries[k]
        S.pair[S.slot[k]] -= S.entries[k]
    growth = factorise(S.start, S.column, S.diagonal, S.real, S.real_side)
    growth = max(growth, factorise(S.start, S.column, S.diagonal, S.pair, S.pair_side))
    r.factorisations += 1
    if growth > GROWTH and r.pivoted_h != h:
        r.pivoted_h = h
        return UNPIVOTED
    r.factored_h = h
    return OK if growth < 1e300 else UNSOLVED


@inlined
def predict(r, h, V, F, S):
    """First guess of the stages: the cubic of the step before, continued; from a standing start zero."""
    n = r.n
    for s in range(3):
        theta = 1.0 + NODES[s] * h / r.h_before if r.h_before > 0.0 else 0.0
        for i in range(n):
            z = 0.0
            if r.h_before > 0.0:
                inner = F[2, i] + theta * (F[3, i] + (1.0 - theta) * F[4, i])
                z = F[0, i] + theta * (F[1, i] + (1.0 - theta) * inner) - V[X0, i]
            S.Z[s, i] = z
    for i in range(n):
        S.guess[i] = S.Z[2, i]
        S.w[i] = L_REAL[0] * S.Z[0, i] + L_REAL[1] * S.Z[1, i] + L_REAL[2] * S.Z[2, i]
        S.c[i] = L_PAIR[0] * S.Z[0, i] + L_PAIR[1] * S.Z[1, i] + L_PAIR[2] * S.Z[2, i]


@inlined
def set_implicit_stage(r, s, h, inp, V, S):
    """Put stage s into the input vector."""
    inp[0] = r.t0 + NODES[s] * h
    for i in range(r.n):
        inp[1 + i] = V[X0, i] + S.Z[s, i]


@inlined
def newton(r, h, inp, out, V, K, S):
    """Solve for the stages; UNSOLVED where the iteration does not converge fast enough."""
    tolerance = max(2.2e-15 / r.accuracy, min(0.03, r.accuracy**0.5))
    before = 0.0
    for iteration in range(MAX_ITERATIONS):
        for s in range(3):
            set_implicit_stage(r, s, h, inp, V, S)
            prescribe(r, inp, out)
            status = evaluate(r, K, 1 + s)
            if status != OK:
                return status
        for i in range(r.n):
            S.dw[i] = L_REAL[0] * K[1, i] + L_REAL[1] * K[2, i] + L_REAL[2] * K[3, i] - MU / h * S.w[i]
            S.dc[i] = L_PAIR[0] * K[1, i] + L_PAIR[1] * K[2, i] + L_PAIR[2] * K[3, i] - MU_PAIR / h * S.c[i]
        solve_states(S, S.real, S.real_side, S.dw)
        solve_states(S, S.pair, S.pair_side, S.dc)
        change = 0.0
        for s in range(3):
            for i in range(r.n):
                V[ERROR, i] = V_REAL[s] * S.dw[i] + 2.0 * (V_PAIR[s] * S.dc[i]).real
                S.Z[s, i] += V[ERROR, i]
            size = group_norm(r, V, ERROR, X0, X0) / r.accuracy
            change = size if not size <= change else change
        for i in range(r.n):
            S.w[i] += S.dw[i]
            S.c[i] += S.dc[i]
        r.newton_count = iteration + 1
        if change == 0.0:
            r.newton_rate = 0.0
            return OK
        # one change alone says nothing: where the Jacobian is wrong it may be small too
        if iteration > 0:
            rate = change / before
            if not rate < 1.0 or rate ** (MAX_ITERATIONS - 1 - iteration) / (1.0 - rate) * change > tolerance:
                return OK if change <= min(1.0, ROUNDED * rounding(r, h, V, S)) else UNSOLVED
            r.newton_rate = rate
            if rate / (1.0 - rate) * change <= tolerance:
                return OK
        before = change
    return UNSOLVED


@part
def rounding(r, h, V, S):
    """What rounding of the state, ε, changes in the stages, in accuracies: (μ/h − J)⁻¹ J ε."""
    for i in range(r.n):
        V[ERROR, i] = 2.2e-16 * S.v[i] * V[X0, i]
        S.dw[i] = MU / h * V[ERROR, i]
    solve_states(S, S.real, S.real_side, S.dw)
    for i in range(r.n):
        V[ERROR, i] = S.dw[i] - V[ERROR, i]
    return group_norm(r, V, ERROR, X0, X0) / r.accuracy


@part
def solve_states(S, factor, side, x):
    """Replace a vector x over the states by (μ/h − J)⁻¹ x."""
    for k in range(side.shape[0]):
        side[k] = 0.0
    for k in range(S.place.shape[0]):
        side[S.place[k]] += S.entries[k] * (x[S.state[k]] / S.unscale[S.state[k]])
    solve(S.start, S.column, S.diagonal, factor, side)
    for k in range(side.shape[0]):
        i = S.target[k]
        if i < x.shape[0]:
            x[i] = side[k] * S.unscale[i]
