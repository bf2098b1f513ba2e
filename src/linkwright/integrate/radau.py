"""A step of Radau IIA: the stages (see `newton`), an embedded estimate, the interpolant, the next step size.

Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, Section IV.8.  The error estimate

    err = (μ/h − J)⁻¹ (f(t₀, x₀) + e·z/h)

is of order 4; the step itself is much more accurate (order 6).  A quarter of the estimate is the error of the cubic
through the stages, between them.  The estimate does not see stiff components that follow something given: at the ends
of steps they are exact, however long the steps are.  Between the ends, the dense output is a cubic (or better) through
the stages.  Continued beyond the step, it is the first guess of the next step's stages.  How far that guess was off
tells the error of the interpolation, which is kept small too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.dialect import ByName, Table, known
from .collocation import ESTIMATE, MU, NODES, STAGES
from .error_norm import group_norm
from .implicit import ARRAYS, KINDS, SCRATCH, Linearised, Pivots, direction, shapes, unchosen
from .jit import addresses, matrix, record, stepper, vector
from .manifold import project_error, restore
from .methods import Facts, Stepped
from .model_call import evaluate, power
from .newton import radau_stages, set_implicit_stage, solve_real
from .record import (
    ACCEPT,
    CHANGED,
    ERROR,
    ERROR_LOW,
    FIRST,
    INACCURATE,
    LOOK,
    MAX_STAGES,
    N_DENSE_ROWS,
    N_VECTORS,
    OK,
    RESUME,
    SECOND,
    START,
    STEP_ON,
    X0,
    X1,
    Complexes,
    Fields,
    View,
    Wholes,
)
from .stiffness import looks_easy
from .tolerances import (
    ASTRAY,
    ASTRONOMIC,
    BETWEEN,
    EMBEDDED,
    FARTHEST,
    GROW_IMPLICIT,
    KEEP,
    LEAST_ERROR,
    MAX_ITERATIONS,
    REMEMBERED,
    REMEMBERED_IMPLICIT,
    SAFETY,
    SHRINK,
    SLOW,
)

OWN = Fields(
    ("linearised", *Pivots._fields, "state", "v", *ARRAYS),
    ("n_entries", "n_P", "size", "n_factors", "jacobian_known", "jacobian_fresh", "pivoted", "whole", "room",
     "newton_count", "refined"),
    ("h_before", "factored_h", "newton_rate", "error_before"))
own_record = record(OWN)


def radau_attempt(r: View, own: View, h: float, inp: np.ndarray, out: np.ndarray, V: np.ndarray, K: np.ndarray,
                  F: np.ndarray) -> int:
    """One trial step from V[X0] to the input vector, with slope K[3] at its end; what went wrong, if anything."""
    if h > FARTHEST * own.h_before:
        own.h_before = 0.0  # the last step was shortened to end at a given time: it tells nothing of this one
    status = radau_stages(r, own, h, inp, out, V, K, F)
    if status != OK:
        return status
    set_implicit_stage(r, own, 2, h, inp, V)
    inp[0] = r.t1
    status = restore(r)
    if status != OK:
        return status
    if not r.fixed and r.drift > ASTRAY * r.accuracy:
        r.h = h * 0.5
        return INACCURATE
    r.strain_now = r.strain
    V[X1, :r.n] = inp[1 : 1 + r.n]
    status = estimate(r, own, h, inp, V, K)
    if status != OK:
        return status
    inp[0] = r.t1
    inp[1 : 1 + r.n] = V[X1, :r.n]
    return evaluate(r, K, STAGES)


def estimate(r: View, own: View, h: float, inp: np.ndarray, V: np.ndarray, K: np.ndarray) -> int:
    """The error of the step and the next step size; INACCURATE where the error is too large."""
    error = EMBEDDED * estimated(r, own, h, inp, V, K, FIRST)
    if r.fixed:
        return OK
    if not error <= 1.0 and (r.restart or r.rejected_before):
        # stiff components that have not decayed yet disturb the estimate: filter it once more
        inp[0] = r.t0
        inp[1 : 1 + r.n] = V[X0, :r.n] + V[ERROR, :r.n]
        status = evaluate(r, K, SECOND)
        if status != OK:
            return status
        error = EMBEDDED * estimated(r, own, h, inp, V, K, SECOND)
    r.error_now = error = max(error, interpolation_error(r, own, h, V))
    if error <= 1.0:
        return OK
    r.h = h * (radau_factor(r, own, h) if error < ASTRONOMIC else SHRINK)
    own.jacobian_known = own.jacobian_fresh
    return INACCURATE


def estimated(r: View, own: View, h: float, inp: np.ndarray, V: np.ndarray, K: np.ndarray, row: int) -> float:
    """Error estimate from the slope in K[row] into V[ERROR]; its norm in accuracies."""
    Z = matrix(own.Z, 3, r.n)
    dw = vector(own.dw, r.n)
    error = vector(own.error, r.n)
    dw[:] = K[row, :r.n] + (ESTIMATE[0] * Z[0] + ESTIMATE[1] * Z[1] + ESTIMATE[2] * Z[2]) / h
    solve_real(own, dw)
    for i in range(r.n):
        V[ERROR, i] = dw[i]
        if row == 0:
            error[i] = dw[i]
        inp[1 + i] = V[X1, i]
    inp[0] = r.t1
    project_error(r, ERROR)
    return group_norm(r, V, ERROR, X0, X1) / r.accuracy


def interpolation_error(r: View, own: View, h: float, V: np.ndarray) -> float:
    """Error of the interpolant in this step, in accuracies, from that of the one before continued to its end.

    Both are |x⁗|/24 times the product of the distances (in time) from the points that the cubic goes through.
    """
    Z = matrix(own.Z, 3, r.n)
    guess = vector(own.guess, r.n)
    if own.h_before == 0.0:
        return 0.0
    a = h / own.h_before
    share = BETWEEN * a**4 / ((1.0 + a) * (1.0 + a - NODES[0]) * (1.0 + a - NODES[1]) * a)
    V[ERROR_LOW, :r.n] = share * (Z[2] - guess)
    return group_norm(r, V, ERROR_LOW, X0, X1) / r.accuracy


def radau_factor(r: View, own: View, h: float) -> float:
    """Factor on the step size after a step with error r.error_now; Gustafsson's prediction (eq. IV.8.25)."""
    error = max(r.error_now, LEAST_ERROR)
    safety = SAFETY * (2 * MAX_ITERATIONS + 1) / (2 * MAX_ITERATIONS + own.newton_count)
    factor = power(r.pieces.power, error, -0.25)
    if own.h_before > 0.0 and not r.rejected_before:
        factor *= min(1.0, h / own.h_before * power(r.pieces.power, own.error_before / error, 0.25))
    return min(GROW_IMPLICIT, max(SHRINK, safety * factor))


def accept_radau(r: View, own: View, h: float) -> float:
    """Step size and Jacobian for the next step, after an accepted one."""
    factor = radau_factor(r, own, h)
    if r.rejected_before:
        factor = min(factor, 1.0)
    again = own.newton_count > 2 and own.newton_rate > SLOW
    own.jacobian_fresh = 0
    if again:
        own.jacobian_known = 0
    elif 1.0 <= factor <= KEEP:
        factor = 1.0  # the step size stays, so that the factors can be used again
    r.counts.implicit_steps += 1
    own.error_before = max(r.error_now, REMEMBERED_IMPLICIT)
    own.h_before = h
    return factor


def radau_dense(r: View, own: View, V: np.ndarray, F: np.ndarray) -> None:
    """The interpolant in the form of `dense`, through both ends of the step as projection left them.

    It is the cubic p through start and stages; the change by projection is spread evenly over the step.  Where the
    equations are not stiff it is one order better: with the slope at the start the cubic through all four slopes,
    integrated,

        p + h (f₀ − p'(0)) ∫₀ᶿ Π(1 − s/cᵢ) ds,      the integral being θ(1−θ)²(1 − 5θ/2);

    f₀ − p'(0) would be spoilt by stiff components, so it is taken from the filtered error estimate: μ/h err.  Where
    columns of tangents run beside the state it is left out: the filter's matrix changes with the state, so that the
    interpolant of a tangent would not be the derivative of the interpolant; p alone passes the error test, too.
    """
    Z = matrix(own.Z, 3, r.n)
    error = vector(own.error, r.n)
    a, b = NODES[0], NODES[1]
    for i in range(r.n):
        p = (Z[0, i] / a - Z[2, i]) / (1.0 - a)
        q = (Z[1, i] / b - Z[2, i]) / (1.0 - b)
        bend = (q - p) / (b - a)
        better = MU * error[i] * own.refined
        F[0, i] = V[X0, i]
        F[1, i] = V[X1, i] - V[X0, i]
        F[2, i] = p - a * bend + better
        F[3, i] = bend - better
        F[4, i] = -2.5 * better


def radau(address: int, task: known) -> int:
    """The piece (see `methods`); the interpolant is part of a step, since the next one begins with it."""
    r = stepper(address)
    own = own_record(r.pieces.implicit)
    if task in (START, CHANGED):
        # the Jacobian is that of the laws before the change; after a start the last step does not count either
        own.jacobian_known = own.whole = 0
        if task == START:
            own.h_before = 0.0
            own.error_before = REMEMBERED
        return OK
    if task == RESUME:
        own.factored_h = 0.0
        return OK
    if task == ACCEPT:
        r.factor = accept_radau(r, own, r.length)
        return OK
    inp = vector(r.at.inp, r.at.n_in + r.n)
    V, K = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.slopes, MAX_STAGES, r.at.slope_width)
    if task == LOOK:
        return 1 if looks_easy(r, vector(own.v, r.n), inp, V, K, STAGES) else 0
    if task == STEP_ON:
        out, F = vector(r.at.out, r.at.n_out), matrix(r.at.dense, N_DENSE_ROWS, r.n)
        status = radau_attempt(r, own, r.length, inp, out, V, K, F)
        if status == OK:
            radau_dense(r, own, V, F)
        return status
    return OK


class Own:
    """The linearised model and the factors of its matrix, for one stepper."""

    facts = Facts(stages=STAGES, n_dense=1, error_order=4, keeps=True, follows_holds=False)
    fields = OWN
    scratch: tuple[str, ...] = SCRATCH

    def __init__(self, model: Stepped):
        assert model.linearised is not None, "MethodInUse has refused that"
        linearised: Linearised = model.linearised()
        self.n_work = linearised.n_work
        pivots, size = linearised.pivots or unchosen(linearised), linearised.size
        room = size if size <= model.most_equations else 0
        self._program = ByName("model_linearised", 3, writes=linearised.n_entries)
        self._tables = {**pivots._asdict(), "state": np.array(linearised.P[1], dtype=np.int64), "v": direction(model.n)}
        #: what changes with every step
        self.arrays: dict[str, np.ndarray] = {name: np.zeros(shape, KINDS.get(name, float))
                       for name, shape in shapes(linearised._replace(pivots=pivots), model.n, room).items()}
        self._sizes = {"n_entries": linearised.n_entries, "n_P": len(linearised.P[0]), "size": size, "room": room,
                       "n_factors": len(pivots.column), "pivoted": int(linearised.pivots is not None),
                       "refined": int(not model.differentiated)}
        self._memory, self.view = OWN.new()
        self.address = self._memory.ctypes.data
        self.view.put(linearised=linearised.address, **addresses(**self._tables, **self.arrays), **self._sizes)
        self.begin()

    def begin(self) -> None:
        self.view.put(jacobian_known=0, whole=0, h_before=0.0, error_before=REMEMBERED)

    @property
    def known(self) -> dict[str, Any]:
        """Tables and numbers, and the shapes of arrays, which lie in the record then."""
        kinds = {complex: Complexes, int: Wholes}
        arrays = {name: kinds.get(KINDS.get(name, float), tuple)(array.shape) for name, array in self.arrays.items()}
        return {**arrays, **{name: Table(numbers) for name, numbers in self._tables.items()}, **self._sizes,
                "linearised": self._program}
