"""Stored steps backward: how a number at their end depends on the state at their start, and on parameters.

A step is a map of the state (and of what stays: discrete variables d, parameters p).  Its derivative S₁ = V S₀ carries
columns of tangents forward; Vᵀ carries cotangents Λ = ∂(number)/∂(x, d, p) backward, so that Λ₀·S₀ = Λ₁·S₁ for every
column.  Of an explicit Runge–Kutta step, with Kⱼ = f(Xⱼ), Xⱼ = x₀ + h Σ aⱼₗ Kₗ and x₁ = P(x₀ + h Σ bⱼ Kⱼ),

    K̄ⱼ = h bⱼ x̄₁ + h Σₗ aₗⱼ X̄ₗ,      X̄ⱼ = ∂f/∂xᵀ K̄ⱼ,      x̄₀ = x̄₁ + Σ X̄ⱼ,      p̄ += ∂f/∂pᵀ K̄ⱼ

from the last stage to the first, at stages that are computed again (Hager 2000, eq. 15 to 18): the stored points are
all the memory.  The interpolant is linear in both ends and all slopes; where an event cut a step short, the state there
is the interpolant of the whole of it.  Sizes of steps are taken as given.
"""

from __future__ import annotations

import numpy as np

from .dense import hermite, interpolate
from .jit import integers, matrix, record, stepper, vector
from .manifold import restore
from .model_call import call, evaluate
from .record import (
    FAILED,
    FIRST,
    INCREMENT,
    MAX_STAGES,
    N_DENSE_ROWS,
    N_VECTORS,
    OK,
    REACHED,
    X0,
    X1,
    Fields,
    View,
    _rows,
)
from .runge_kutta import combine, own_record, set_stage, stage_slope
from .step import set_state

# rows of the array of cotangents: of both ends of a step, of a stage or a point between, and one put aside
START, END, POINT, ASIDE = _rows[:4]
N_ROWS = 4
#: row of the points of stages that holds a point between
BETWEEN = MAX_STAGES

BACK = Fields(
    ("record", "rhs", "project", "prescribe", "inp", "out", "work", "stages", "slopes", "rows", "total", "asked_t",
     "asked"),
    ("first", "last", "n_in", "w_at", "height", "n_asked"),
    ("until",))
back_record = record(BACK)


def pull(r: View, b: View, address: int, t: float, X: np.ndarray, x_row: int, W: np.ndarray, w_row: int,
         B: np.ndarray) -> None:
    """Through one program at a point: the cotangent W goes to B[POINT] for the state, and is added for (d, p)."""
    inp, out, total = vector(b.inp, b.n_in), vector(b.out, b.height), vector(b.total, b.height)
    n = r.n
    inp[0] = t
    inp[1 : 1 + n] = X[x_row, :n]
    inp[b.w_at : b.w_at + n] = W[w_row, :n]
    call(address, b.inp, b.out, b.work)
    B[POINT] = out[:n]
    total[n:b.height] += out[n:b.height]


def pull_to_manifold(r: View, b: View, t: float, X: np.ndarray, x_row: int, B: np.ndarray, row: int,
                     project: bool) -> None:
    """From the cotangent of a point on the manifold to that of the point before projection, in its place."""
    if project and b.project != 0:
        pull(r, b, b.project, t, X, x_row, B, row, B)
        B[row] = B[POINT]
    if b.prescribe != 0:
        pull(r, b, b.prescribe, t, X, x_row, B, row, B)
        B[row] = B[POINT]


def pull_stage(r: View, b: View, h: float, a: np.ndarray, c: np.ndarray, stage: int, S: np.ndarray, Kb: np.ndarray,
               B: np.ndarray) -> None:
    """From the cotangent of the slope of a stage to those of the slopes before it and of the start of the step."""
    t = r.t0 + c[stage] * h
    pull(r, b, b.rhs, t, S, stage, Kb, stage, B)
    if stage > 0:
        B[ASIDE] = B[POINT]
        pull_to_manifold(r, b, t, S, stage, B, ASIDE, r.code.every_stage != 0)
        B[POINT] = B[ASIDE]
    B[START] += B[POINT]
    for j in range(stage):
        share = h * a[stage, j]
        if share != 0.0:
            Kb[j] += share * B[POINT]


def forward(r: View, h: float, a: np.ndarray, c: np.ndarray, first: int, last: int, inp: np.ndarray, out: np.ndarray,
            V: np.ndarray, K: np.ndarray, S: np.ndarray) -> int:
    """Stages `first` … `last`−1 anew, their points kept in S."""
    for stage in range(first, last):
        status = stage_slope(r, h, a, c, stage, inp, out, V, K)
        if status != OK:
            return status
        S[stage] = inp[1 : 1 + r.n]
    return OK


def with_slopes(r: View, own: View, h: float, a: np.ndarray, c: np.ndarray, inp: np.ndarray, out: np.ndarray,
                V: np.ndarray, K: np.ndarray, S: np.ndarray) -> int:
    """The slope at the end of the step V[X1], and the further stages of the interpolant."""
    set_state(r, r.t1, inp, V, X1)
    status = evaluate(r, K, r.stages)
    S[r.stages] = V[X1, :r.n]
    if status == OK and own.n_extra > 0:
        status = forward(r, h, a, c, r.stages + 1, r.stages + 1 + own.n_extra, inp, out, V, K, S)
    return status


def pull_between(r: View, own: View, h: float, theta: float, d: np.ndarray, Kb: np.ndarray, B: np.ndarray,
                 row: int) -> None:
    """From the cotangent of the interpolant at θ to those of both ends and all slopes (see `dense`)."""
    n, last = r.n, r.stages
    c1 = theta
    c2 = c1 * (1.0 - theta)
    c3 = c2 * theta
    for i in range(n):
        w = B[row, i]
        difference = (c1 - c2 + 2.0 * c3) * w
        B[START, i] += w - difference
        B[END, i] += difference
        Kb[FIRST, i] += h * (c2 - c3) * w
        Kb[last, i] -= h * c3 * w
    share = c3
    for k in range(r.n_dense):
        share *= (1.0 - theta) if k % 2 == 0 else theta
        for j in range(last + 1 + own.n_extra):
            f = h * d[k, j] * share
            if f != 0.0:
                Kb[j] += f * B[row]


def pull_slopes(r: View, b: View, own: View, h: float, a: np.ndarray, c: np.ndarray, S: np.ndarray, Kb: np.ndarray,
                B: np.ndarray) -> None:
    """From cotangents of the further stages and of the slope at the end to those of the end and the step's slopes."""
    for stage in range(r.stages + own.n_extra, r.stages, -1):
        # a further stage sees the end only through its slope
        pull_stage(r, b, h, a, c, stage, S, Kb, B)
    pull(r, b, b.rhs, r.t1, S, r.stages, Kb, r.stages, B)
    B[END] += B[POINT]


def pull_stages(r: View, b: View, h: float, a: np.ndarray, c: np.ndarray, S: np.ndarray, Kb: np.ndarray,
                B: np.ndarray) -> None:
    """From the cotangents of the slopes of the step to that of its start."""
    for stage in range(r.stages - 1, -1, -1):
        pull_stage(r, b, h, a, c, stage, S, Kb, B)


def pull_end(r: View, h: float, a: np.ndarray, Kb: np.ndarray, B: np.ndarray) -> None:
    """From the cotangent of the end of the step, before projection, to those of its start and slopes."""
    B[START] += B[END]
    for j in range(r.stages):
        share = h * a[r.stages, j]
        if share != 0.0:
            Kb[j] += share * B[END]


def forget_slopes(Kb: np.ndarray, B: np.ndarray) -> None:
    """Set the cotangents of slopes and of the end of a step to zero."""
    Kb[:] = 0.0
    B[END] = 0.0


def stages_anew(r: View, h: float, a: np.ndarray, c: np.ndarray, inp: np.ndarray, out: np.ndarray, V: np.ndarray,
                K: np.ndarray, S: np.ndarray) -> int:
    """The stages of the step from V[X0]."""
    set_state(r, r.t0, inp, V, X0)
    status = evaluate(r, K, FIRST)
    S[FIRST] = V[X0, :r.n]
    if status == OK:
        status = forward(r, h, a, c, 1, r.stages, inp, out, V, K, S)
    return status


def between(r: View, b: View, own: View, h: float, a: np.ndarray, c: np.ndarray, d: np.ndarray, inp: np.ndarray,
            out: np.ndarray, V: np.ndarray, K: np.ndarray, F: np.ndarray, S: np.ndarray, Kb: np.ndarray, B: np.ndarray,
            asked_t: np.ndarray, asked: np.ndarray) -> int:
    """Add the cotangents of numbers asked for inside the step, through the interpolant of dense output."""
    status = with_slopes(r, own, h, a, c, inp, out, V, K, S)
    if status != OK:
        return status
    hermite(r, r.stages, V, K, F)
    for row in range(r.n_dense):
        combine(r, h, d, row, r.stages + 1 + own.n_extra, K, V, INCREMENT)
        F[4 + row] = V[INCREMENT, :r.n]
    while b.n_asked > 0 and asked_t[b.n_asked - 1] > r.t0:
        b.n_asked -= 1
        theta = (asked_t[b.n_asked] - r.t0) / (r.t1 - r.t0)
        interpolate(r, theta, inp, F)
        status = restore(r)
        if status != OK:
            return status
        S[BETWEEN] = inp[1 : 1 + r.n]
        B[ASIDE] = asked[b.n_asked]
        pull_to_manifold(r, b, inp[0], S, BETWEEN, B, ASIDE, True)
        pull_between(r, own, h, theta, d, Kb, B, ASIDE)
    pull_slopes(r, b, own, h, a, c, S, Kb, B)
    return OK


def cut_short(r: View, b: View, own: View, a: np.ndarray, c: np.ndarray, d: np.ndarray, inp: np.ndarray,
              out: np.ndarray, V: np.ndarray, K: np.ndarray, S: np.ndarray, Kb: np.ndarray, B: np.ndarray,
              total: np.ndarray) -> int:
    """A step that an event cut short: the state there is the interpolant of the whole of it."""
    t_event, r.t1 = r.t1, b.until
    h = r.t1 - r.t0
    S[BETWEEN] = V[X1, :r.n]
    B[ASIDE] = total[:r.n]
    pull_to_manifold(r, b, t_event, S, BETWEEN, B, ASIDE, True)
    status = stages_anew(r, h, a, c, inp, out, V, K, S)
    if status != OK:
        return status
    set_stage(r, h, a, c, r.stages, inp, V, K)
    inp[0] = r.t1
    status = restore(r)
    if status != OK:
        return status
    V[X1, :r.n] = inp[1 : 1 + r.n]
    status = with_slopes(r, own, h, a, c, inp, out, V, K, S)
    if status != OK:
        return status
    pull_between(r, own, h, (t_event - r.t0) / h, d, Kb, B, ASIDE)
    pull_slopes(r, b, own, h, a, c, S, Kb, B)
    pull_to_manifold(r, b, r.t1, V, X1, B, END, True)
    pull_end(r, h, a, Kb, B)
    pull_stages(r, b, h, a, c, S, Kb, B)
    return OK


def backward(address: int, task: int) -> int:
    """The piece: the steps from the point `first` to the point `last`, backward; a record BACK at the address."""
    b = back_record(address)
    r = stepper(b.record)
    own = own_record(r.pieces.own)
    n = r.n
    inp, out = vector(r.at.inp, r.at.n_in + n), vector(r.at.out, r.at.n_out)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    F, carry_to = matrix(r.at.dense, N_DENSE_ROWS, n), integers(r.at.carry_to, r.at.n_carry)
    steps_t, steps_x = vector(r.at.steps_t, r.at.capacity), matrix(r.at.steps_x, r.at.capacity, n)
    steps_carry = matrix(r.at.steps_carry, r.at.capacity, r.at.n_carry)
    a, c = matrix(own.a, MAX_STAGES, MAX_STAGES), vector(own.c, MAX_STAGES)
    d = matrix(own.d, 4, MAX_STAGES)
    S, Kb, B = matrix(b.stages, MAX_STAGES + 1, n), matrix(b.slopes, MAX_STAGES, n), matrix(b.rows, N_ROWS, n)
    total, b_in = vector(b.total, b.height), vector(b.inp, b.n_in)
    asked_t, asked = vector(b.asked_t, b.n_asked), matrix(b.asked, b.n_asked, n)
    for k in range(b.last - 1, b.first - 1, -1):
        r.t0, r.t1 = steps_t[k], steps_t[k + 1]
        h = r.t1 - r.t0
        if h <= 0.0:
            continue
        for i in range(r.at.n_carry):
            inp[carry_to[i]] = b_in[carry_to[i]] = steps_carry[k, i]
        V[X0, :n] = steps_x[k]
        V[X1, :n] = steps_x[k + 1]
        cut = k == b.last - 1 and b.until > r.t1
        wanted = b.n_asked > 0 and asked_t[b.n_asked - 1] > r.t0
        forget_slopes(Kb, B)
        B[START] = 0.0
        status = OK
        if wanted or not cut:
            status = stages_anew(r, h, a, c, inp, out, V, K, S)
        if status == OK and wanted:
            status = between(r, b, own, h, a, c, d, inp, out, V, K, F, S, Kb, B, asked_t, asked)
        if status != OK:
            r.status = status
            return FAILED
        total[:n] += B[END]
        if cut:
            if wanted:
                pull_stages(r, b, h, a, c, S, Kb, B)
                forget_slopes(Kb, B)
            status = cut_short(r, b, own, a, c, d, inp, out, V, K, S, Kb, B, total)
            if status != OK:
                r.status = status
                return FAILED
        else:
            B[END] = total[:n]
            pull_to_manifold(r, b, r.t1, V, X1, B, END, True)
            pull_end(r, h, a, Kb, B)
            pull_stages(r, b, h, a, c, S, Kb, B)
        total[:n] = B[START]
    return REACHED
