"""Back onto the manifold after a step: prescribed values, unit quaternions, closed loops.

Coordinate projection as in the Simbody Theory Manual §10.1 (after Eich-Soellner and Führer): the model supplies one
iteration of position projection followed by velocity projection; here it is repeated until both errors are small.
"""

from __future__ import annotations

from math import sqrt

from .jit import inlined, part
from .model_call import call
from .record import OK, PROJECTION

MAX_PROJECTIONS = 10
#: share of a repaired error that still counts: where the constraints determine the motion alone, nothing else would
#: keep a step short enough for projection to find the right branch
REPAIRED = 0.01
#: a step that ends further from the manifold than this, times the accuracy, may come back to another branch of it
ASTRAY = 300.0
#: errors that no projection can take off, because redundant constraints contradict each other by that much: axes that
#: should be parallel and are off by 1e-9 rad; of speeds, per unit of the fastest
MISFIT = 1e-8


@inlined
def prescribe(r, inp, out):
    """Replace prescribed coordinates and speeds in the input vector by their values at its time."""
    if r.prescribe != 0:
        call(r.prescribe, r.p_in, r.p_out, r.p_work)
        for i in range(r.n):
            inp[1 + i] = out[i]


@part
def normalise(inp, quaternions):
    """Scale the quaternions in the input vector to unit length."""
    for k in range(quaternions.shape[0]):
        s = 1 + quaternions[k]
        size = sqrt(inp[s] ** 2 + inp[s + 1] ** 2 + inp[s + 2] ** 2 + inp[s + 3] ** 2)
        if size > 0.0:
            for i in range(s, s + 4):
                inp[i] /= size


@part
def to_manifold(r, inp, out, quaternions):
    """Prescribe, project, normalise the state in the input vector; PROJECTION where that does not converge.

    Errors that stay as they are from one iteration to the next are those of redundant constraints that contradict each
    other a little, or rounding; up to MISFIT they are none.
    """
    prescribe(r, inp, out)
    normalise(inp, quaternions)
    r.drift = 0.0
    if r.project == 0:
        return OK
    n, first, gap_before, before, fastest = r.n, 0, 0.0, 0.0, 1.0
    for iteration in range(MAX_PROJECTIONS):
        call(r.project, r.p_in, r.p_out, r.p_work)
        r.projections += 1
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
        closed = r.position_error <= r.tolerance or 0.5 * gap_before < r.position_error <= min(MISFIT, 2.0 * gap_before)
        # the iteration that finds the errors small enough has corrected them once more for free
        for i in range(first, n):
            inp[1 + i] = out[i]
        kept = r.velocity_error <= r.tolerance
        if not kept and 0.5 * before < r.velocity_error <= 2.0 * before:
            for i in range(r.nq, r.nq + r.nu):
                fastest = max(fastest, abs(inp[1 + i]) * r.time_scale)
            kept = r.velocity_error <= MISFIT * fastest
        if closed and kept:
            normalise(inp, quaternions)
            return OK
        if closed:
            # coordinates rest while speeds follow: rounding moves them far where constraints hardly hold
            first = r.nq
        gap_before, before = r.position_error, r.velocity_error
    return PROJECTION


@inlined
def to_stage(r, inp, out, quaternions):
    """What a stage needs before its slope: dependent coordinates that follow the chosen states, prescribed values."""
    if r.every_stage:
        return to_manifold(r, inp, out, quaternions)
    prescribe(r, inp, out)
    return OK


@part
def project_error(r, inp, out, quaternions, V, row):
    """Remove from an error estimate what projection has already repaired (manual eqs 10.12–10.14)."""
    n = r.n
    if r.project_error != 0:
        for i in range(n):
            inp[r.n_in + i] = V[row, i]
        call(r.project_error, r.p_in, r.p_out, r.p_work)
        for i in range(n):
            V[row, i] = out[i] + REPAIRED * (V[row, i] - out[i])
    for k in range(quaternions.shape[0]):
        s = quaternions[k]
        along = 0.0
        for i in range(s, s + 4):
            along += V[row, i] * inp[1 + i]
        for i in range(s, s + 4):
            V[row, i] -= along * inp[1 + i]
