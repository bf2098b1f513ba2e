"""Radau IIA of order 5: three implicit stages by simplified Newton, an embedded estimate, the collocation polynomial.

Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, Section IV.8.  With stages xᵢ = x₀ + zᵢ

    z = h (A ⊗ 1) f(t₀ + cᵢh, x₀ + zᵢ).

The eigenvectors of A⁻¹ (one real μ, one pair) part the three equations: with z = v w + 2 Re(v_c c) Newton's method is

    (μ/h − J) Δw = l·f − μ/h w,        (μ_c/h − J) Δc = l_c·f − μ_c/h c

J is exact (see `implicit`), kept over steps while it serves.  The error estimate is of order 4,

    err = (μ/h − J)⁻¹ (f(t₀, x₀) + e·z/h),

which stiff parts pass by: where they follow something given, ends of steps are exact however long the steps.  What lies
between is the dense output, a cubic (or better) through the stages.  Continued, it is the first guess of the next
step's stages, and how far that guess was off tells the error of the interpolation, which is kept small too.
"""

from __future__ import annotations

import numpy as np

from .error_norm import group_norm
from .jit import inlined, part
from .manifold import prescribe, project_error, to_manifold
from .model_call import call, evaluate
from .record import ERROR, ERROR_LOW, INACCURATE, NONFINITE, OK, UNPIVOTED, UNSOLVED, X0, X1
from .sparse_lu import factorise, solve

_S = 6.0**0.5
_A = [
    [(88 - 7 * _S) / 360, (296 - 169 * _S) / 1800, (-2 + 3 * _S) / 225],
    [(296 + 169 * _S) / 1800, (88 + 7 * _S) / 360, (-2 - 3 * _S) / 225],
    [(16 - _S) / 36, (16 + _S) / 36, 1 / 9],
]
NODES = np.array([(4 - _S) / 10, (4 + _S) / 10, 1.0])
ESTIMATE = np.array([-13 - 7 * _S, -13 + 7 * _S, -1.0]) / 3


def _inverse(m) -> np.ndarray:
    """Of a 3 × 3 matrix, by cross products: the same bits everywhere."""
    a, b, c = np.asarray(m)
    rows = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    return rows.T / (a * rows[0]).sum()


def _eigenvector(matrix, value) -> np.ndarray:
    """Of a 3 × 3 matrix, last entry 1."""
    m = matrix - value * np.eye(3)
    v = np.cross(m[0], m[1])
    return v / v[2]


MU = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)
MU_PAIR = 3 + 0.5 * (3 ** (1 / 3) - 3 ** (2 / 3)) + 0.5j * (3 ** (5 / 6) + 3 ** (7 / 6))
_V = [_eigenvector(_inverse(_A), mu) for mu in (MU, MU_PAIR, np.conj(MU_PAIR))]
_L = _inverse(np.array(_V).T)
V_REAL, V_PAIR = _V[0].real.copy(), _V[1].copy()
L_REAL, L_PAIR = _L[0].real.copy(), _L[1].copy()

MAX_ITERATIONS = 7
SAFETY, SHRINK, GROW, KEEP = 0.9, 0.2, 8.0, 1.2
BETWEEN = 0.02  # ≥ |θ(θ − c₁)(θ − c₂)(θ − 1)| in a step: the error of the cubic between its points
ASIDE = 1e-8  # in unit changes
SLOW = 1e-3  # rate of convergence above which the Jacobian is computed anew
GROWTH = 1e6  # of the factors above which other pivots are looked for


@inlined
def radau_attempt(r, h, inp, out, quaternions, V, K, F, S):
    """One trial step from V[X0] to the input vector, with slope K[3] at its end; what went wrong, if anything."""
    status = radau_stages(r, h, inp, out, V, K, F, S)
    if status != OK:
        return status
    set_implicit_stage(r, 2, h, inp, V, S)
    inp[0] = r.t1
    status = to_manifold(r, inp, out, quaternions)
    if status != OK:
        return status
    r.strain_now = r.strain
    for i in range(r.n):
        V[X1, i] = inp[1 + i]
    status = estimate(r, h, inp, out, quaternions, V, K, S)
    if status != OK:
        return status
    inp[0] = r.t1
    for i in range(r.n):
        inp[1 + i] = V[X1, i]
    return evaluate(r, K, 3)


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
            r.newton_rate = rate = change / before
            if not rate < 1.0 or rate ** (MAX_ITERATIONS - 1 - iteration) / (1.0 - rate) * change > tolerance:
                return UNSOLVED
            if rate / (1.0 - rate) * change <= tolerance:
                return OK
        before = change
    return UNSOLVED


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


@inlined
def estimate(r, h, inp, out, quaternions, V, K, S):
    """The error of the step and the next step size; INACCURATE where the error is too large."""
    error = estimated(r, h, inp, out, quaternions, V, K, S, 0)
    if r.fixed:
        return OK
    if not error <= 1.0 and (r.restart or r.rejected_before):
        # stiff parts that have not died out yet disturb the estimate: filter it once more
        inp[0] = r.t0
        for i in range(r.n):
            inp[1 + i] = V[X0, i] + V[ERROR, i]
        status = evaluate(r, K, 1)
        if status != OK:
            return status
        error = estimated(r, h, inp, out, quaternions, V, K, S, 1)
    r.error_now = error = max(error, interpolation_error(r, h, V, S))
    if error <= 1.0:
        return OK
    r.h = h * (radau_factor(r, h) if error < 1e30 else SHRINK)
    r.jacobian_known = r.jacobian_fresh
    return INACCURATE


@part
def estimated(r, h, inp, out, quaternions, V, K, S, row):
    """Error estimate from the slope in K[row] into V[ERROR]; its norm in accuracies."""
    for i in range(r.n):
        S.dw[i] = K[row, i] + (ESTIMATE[0] * S.Z[0, i] + ESTIMATE[1] * S.Z[1, i] + ESTIMATE[2] * S.Z[2, i]) / h
    solve_states(S, S.real, S.real_side, S.dw)
    for i in range(r.n):
        V[ERROR, i] = S.dw[i]
        if row == 0:
            S.error[i] = S.dw[i]
        inp[1 + i] = V[X1, i]
    inp[0] = r.t1
    project_error(r, inp, out, quaternions, V, ERROR)
    return group_norm(r, V, ERROR, X0, X1) / r.accuracy


@inlined
def interpolation_error(r, h, V, S):
    """Error of the interpolant in this step, in accuracies, from that of the one before continued to its end.

    Both are |x⁗|/24 times the product of the distances (in time) from the points that the cubic goes through.
    """
    if r.h_before == 0.0:
        return 0.0
    a = h / r.h_before
    share = BETWEEN * a**4 / ((1.0 + a) * (1.0 + a - NODES[0]) * (1.0 + a - NODES[1]) * a)
    for i in range(r.n):
        V[ERROR_LOW, i] = share * (S.Z[2, i] - S.guess[i])
    return group_norm(r, V, ERROR_LOW, X0, X1) / r.accuracy


@inlined
def radau_factor(r, h):
    """Factor on the step size after a step with error r.error_now; Gustafsson's prediction (eq. IV.8.25)."""
    error = max(r.error_now, 1e-12)
    safety = SAFETY * (2 * MAX_ITERATIONS + 1) / (2 * MAX_ITERATIONS + r.newton_count)
    factor = error**-0.25
    if r.h_before > 0.0 and not r.rejected_before:
        factor *= min(1.0, h / r.h_before * (r.error_before / error) ** 0.25)
    return min(GROW, max(SHRINK, safety * factor))


@inlined
def accept_radau(r, h):
    """Step size and Jacobian for the next step, after an accepted one."""
    factor = radau_factor(r, h)
    if r.rejected_before:
        factor = min(factor, 1.0)
    again = r.newton_count > 2 and r.newton_rate > SLOW
    r.jacobian_fresh = 0
    if again:
        r.jacobian_known = 0
    elif 1.0 <= factor <= KEEP:
        factor = 1.0  # the factors still serve
    r.implicit_steps += 1
    r.error_before = max(r.error_now, 1e-2)
    r.h_before = h
    return factor


@part
def radau_dense(r, V, F, S):
    """The interpolant in the form of `dense`, through both ends of the step as projection left them.

    It is the cubic through start and stages (p), what projection changed spread evenly.  Where the equations are not
    stiff it is one order better: with the slope at the start the cubic through all four slopes, integrated,

        p + h (f₀ − p'(0)) ∫₀ᶿ Π(1 − s/cᵢ) ds,      the integral being θ(1−θ)²(1 − 5θ/2);

    f₀ − p'(0), which stiff parts would spoil, is taken as filtered by the error estimate: μ/h err.
    """
    a, b = NODES[0], NODES[1]
    for i in range(r.n):
        p = (S.Z[0, i] / a - S.Z[2, i]) / (1.0 - a)
        q = (S.Z[1, i] / b - S.Z[2, i]) / (1.0 - b)
        bend = (q - p) / (b - a)
        better = MU * S.error[i]
        F[0, i] = V[X0, i]
        F[1, i] = V[X1, i] - V[X0, i]
        F[2, i] = p - a * bend + better
        F[3, i] = bend - better
        F[4, i] = -2.5 * better


@inlined
def keep_dense(r, theta, F, steps_dense):
    """Store the interpolant with the point just recorded; of a step cut short at θ that of what is left of it."""
    k, n = r.n_steps - 1, r.n
    for i in range(n):
        r3, r4, r5 = F[2, i], F[3, i], F[4, i]
        if theta < 1.0:
            # x₀ + θ(q₀ + q₁θ + q₂θ² + q₃θ³), θ scaled
            q1 = (r4 + r5 - r3) * theta**2
            q2 = (-r4 - 2.0 * r5) * theta**3
            q3 = r5 * theta**4
            r5 = q3
            r4 = -q2 - 2.0 * q3
            r3 = r4 + r5 - q1
        steps_dense[k, i], steps_dense[k, n + i], steps_dense[k, 2 * n + i] = r3, r4, r5
