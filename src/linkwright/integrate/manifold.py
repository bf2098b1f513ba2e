"""Back onto the manifold after a step: prescribed values, unit quaternions, closed loops.

Coordinate projection as in the Simbody Theory Manual §10.1 (after Eich-Soellner and Führer): the model supplies one
iteration of position projection followed by velocity projection; here it is repeated until both errors are small.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import known, sqrt
from .jit import ask, integers, matrix, stepper, vector
from .model_call import call
from .record import N_VECTORS, OK, PROJECT_ERROR, PROJECTION, RESTORE, View
from .tolerances import MAX_PROJECTIONS, MISFIT, REPAIRED


def prescribe(r: View, inp: np.ndarray, out: np.ndarray) -> None:
    """Replace prescribed coordinates and speeds in the input vector by their values at its time."""
    if r.code.prescribe != 0:
        call(r.code.prescribe, r.at.inp, r.at.out, r.at.work)
        inp[1 : 1 + r.n] = out[:r.n]


def normalise(inp: np.ndarray, quaternions: np.ndarray) -> None:
    """Scale the quaternions in the input vector to unit length."""
    for k in range(quaternions.shape[0]):
        s = 1 + quaternions[k]
        size = sqrt(inp[s] ** 2 + inp[s + 1] ** 2 + inp[s + 2] ** 2 + inp[s + 3] ** 2)
        if size > 0.0:
            inp[s : s + 4] /= size


def to_manifold(r: View, inp: np.ndarray, out: np.ndarray, quaternions: np.ndarray) -> int:
    """Prescribe, project, normalise the state in the input vector; PROJECTION where that does not converge.

    Errors that do not change from one iteration to the next come from rounding, or from redundant constraints that
    contradict each other a little.  Up to MISFIT they are accepted.
    """
    prescribe(r, inp, out)
    normalise(inp, quaternions)
    r.drift = 0.0
    if r.code.project == 0:
        return OK
    n, first, gap_before, before, fastest = r.n, 0, 0.0, 0.0, 1.0
    tolerance, iteration = r.code.tolerance, 0
    while iteration < MAX_PROJECTIONS:
        call(r.code.project, r.at.inp, r.at.out, r.at.work)
        r.counts.projections += 1
        check = 0.0
        for i in range(n):
            check += 0.0 * out[i]
        if check != 0.0:
            return PROJECTION
        if iteration == 0:
            for i in range(r.nq):
                r.drift = max(r.drift, abs(out[i] - inp[1 + i]))
        r.position_error = out[n]
        r.velocity_error = out[n + 1] * r.time_scale
        if r.watch_strain:
            r.strain = out[n + 2]
        closed = r.position_error <= tolerance or 0.5 * gap_before < r.position_error <= min(MISFIT, 2.0 * gap_before)
        # the iteration that finds the errors small enough has corrected them once more for free
        for i in range(n):
            if i >= first:
                inp[1 + i] = out[i]
        kept = r.velocity_error <= tolerance
        if not kept and 0.5 * before < r.velocity_error <= 2.0 * before:
            for i in range(r.nq, r.nq + r.nu):
                fastest = max(fastest, abs(inp[1 + i]) * r.time_scale)
            kept = r.velocity_error <= MISFIT * fastest
        if closed and kept:
            normalise(inp, quaternions)
            return OK
        if closed:
            # coordinates stay while speeds are corrected: near singular positions rounding would move them far
            first = r.nq
        gap_before, before = r.position_error, r.velocity_error
        iteration += 1
    return PROJECTION


def remove_repaired(r: View, inp: np.ndarray, out: np.ndarray, quaternions: np.ndarray, V: np.ndarray,
                    row: known) -> None:
    """Remove from an error estimate what projection has already repaired (manual eqs 10.12–10.14)."""
    n = r.n
    if r.code.project_error != 0:
        inp[r.at.n_in : r.at.n_in + n] = V[row, :n]
        call(r.code.project_error, r.at.inp, r.at.out, r.at.work)
        V[row, :n] = out[:n] + REPAIRED * (V[row, :n] - out[:n])
    for k in range(quaternions.shape[0]):
        s = quaternions[k]
        along = 0.0
        for i in range(4):
            along += V[row, s + i] * inp[1 + s + i]
        V[row, s : s + 4] -= along * inp[1 + s : 5 + s]


def manifold(address: int, task: int) -> int:
    """The piece: RESTORE, or PROJECT_ERROR + a row of the state vectors."""
    r = stepper(address)
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    quaternions = integers(r.at.quaternions, r.at.n_quaternions)
    if task == RESTORE:
        return to_manifold(r, inp, out, quaternions)
    V = matrix(r.at.vectors, N_VECTORS, r.at.vector_width)
    remove_repaired(r, inp, out, quaternions, V, task - PROJECT_ERROR)
    return OK


# --- as other pieces use it ---


def restore(r: View) -> int:
    """Bring the state in the input vector onto the manifold; PROJECTION where that is impossible."""
    return ask(r.pieces.manifold, r, RESTORE)


def project_error(r: View, row: known) -> None:
    """Remove from the error in a row of the state vectors what projection has already repaired."""
    ask(r.pieces.manifold, r, PROJECT_ERROR + row)


def to_stage(r: View, inp: np.ndarray, out: np.ndarray) -> int:
    """Prepare a stage for its slope: prescribed values, and dependent coordinates that fit the states."""
    if r.code.every_stage:
        return restore(r)
    prescribe(r, inp, out)
    return OK
