"""A step of Radau IIA: the stages (see `newton`), an embedded estimate, the interpolant, the next step size.

Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, Section IV.8.  The error estimate

    err = (μ/h − J)⁻¹ (f(t₀, x₀) + e·z/h)

is of order 4, that of a formula much less accurate than the step itself (order 6); a quarter of it is what the cubic
through the stages is off between them.  Stiff parts pass it by: where they follow something given, ends of steps are
exact however long the steps.  What lies between is the dense output, a cubic (or better) through the stages.
Continued, it is the first guess of the next step's stages, and how far that guess was off tells the error of the
interpolation, which is kept small too.
"""

from __future__ import annotations

from .collocation import ESTIMATE, MU, NODES
from .error_norm import group_norm
from .jit import inlined, part
from .manifold import ASTRAY, project_error, to_manifold
from .model_call import evaluate, power
from .newton import MAX_ITERATIONS, radau_stages, set_implicit_stage, solve_states
from .record import ERROR, ERROR_LOW, INACCURATE, OK, X0, X1

SAFETY, SHRINK, GROW, KEEP = 0.9, 0.2, 8.0, 1.2
EMBEDDED = 0.25  # of the estimate: μ max|θ(1−θ)²(1 − 5θ/2)|, the error of the cubic (see `radau_dense`)
BETWEEN = 0.02  # ≥ |θ(θ − c₁)(θ − c₂)(θ − 1)| in a step: the error of the cubic between its points
FARTHEST = 10.0  # against the step before, for that to be continued
SLOW = 1e-3  # rate of convergence above which the Jacobian is computed anew


@inlined
def radau_attempt(r, h, inp, out, quaternions, V, K, F, S):
    """One trial step from V[X0] to the input vector, with slope K[3] at its end; what went wrong, if anything."""
    if h > FARTHEST * r.h_before:
        r.h_before = 0.0  # a stop made the last step short: it tells nothing of this one
    status = radau_stages(r, h, inp, out, V, K, F, S)
    if status != OK:
        return status
    set_implicit_stage(r, 2, h, inp, V, S)
    inp[0] = r.t1
    status = to_manifold(r, inp, out, quaternions)
    if status != OK:
        return status
    if not r.fixed and r.drift > ASTRAY * r.accuracy:
        r.h = h * 0.5
        return INACCURATE
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


@inlined
def estimate(r, h, inp, out, quaternions, V, K, S):
    """The error of the step and the next step size; INACCURATE where the error is too large."""
    error = EMBEDDED * estimated(r, h, inp, out, quaternions, V, K, S, 0)
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
        error = EMBEDDED * estimated(r, h, inp, out, quaternions, V, K, S, 1)
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
    factor = power(r.power, error, -0.25)
    if r.h_before > 0.0 and not r.rejected_before:
        factor *= min(1.0, h / r.h_before * power(r.power, r.error_before / error, 0.25))
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
