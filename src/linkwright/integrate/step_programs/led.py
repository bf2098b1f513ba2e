"""A run that others lead, call by call: a tool by the interface of an FMU, a program by exported C.

They work on the record of a lane (`lane_record`), which is all that such a run knows: a copy of it is a saved state.
Functions return 0, or why they failed: a `status` of the stepper or of an instant.  A state that was set from outside
is `given`: it is brought onto the manifold, and relations and actions follow it, before anything else.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from ...codegen.dialect import real, whole
from ..jit import call, integers, matrix, vector
from ..manifold import prescribe, restore
from ..model_call import evaluate
from ..record import (
    BEFORE,
    G_CROSSED,
    G_LOW,
    G_SLACK,
    G_TRIAL,
    MAX_STAGES,
    N_VECTORS,
    N_WITNESS_ROWS,
    OK,
    PROJECTION,
    SECOND,
)
from ..root_finding import all_witnesses
from ..step import carry, update
from ..tolerances import CONSTRAINT_ROUNDING, MISSED, NEVER
from .instants import agree, aim, begin_instants, decide, decide_here, forget_situation, look
from .lane import begin_holds, step
from .lane_events import ROW
from .lane_record import Lane
from .step_program import DEAD_POINT, FAILED, NEAR_SINGULAR, RUNNING, STRAINED, UNDECIDED

#: the record before a run, put in where code is made
RECORD = np.zeros(1, dtype=np.int64)


def lane_prepare(memory: whole[:]) -> None:
    """The record of a run that has not begun."""
    memory[:] = RECORD


def lane_accuracy(r: Lane, accuracy: float) -> None:
    """The error of a step: what is asked for, or a tenth of it where bodies touch."""
    r.accuracy = max(accuracy / 10.0, r.finest) if r.finest < accuracy < 1.0 else accuracy
    r.code.tolerance = max(r.accuracy / 10.0, CONSTRAINT_ROUNDING)
    if r.n_rows > 0:
        r.rows.accuracy = r.accuracy


def lane_until(r: Lane, end: float) -> None:
    """When the run is to end: whether another method is worth while depends on it."""
    if r.changes:
        r.until = end


def lane_start(r: Lane, given: int) -> int:
    """The run begins: conditions that are true have not become so."""
    inp = vector(r.at.inp, r.at.n_in + r.n)
    r.t, r.doing = inp[0], RUNNING
    if r.changes:
        r.since = r.t
    status = restore(r) if given else OK
    if status == OK:
        if r.holds.count > 0:
            begin_holds(r)
        r.doing = RUNNING
        if r.has_events:
            begin_instants(r)
    return came_to(r, status)


def lane_advance(r: Lane, to: float, given: int) -> int:
    """Go on to a time, or to where an action ends the run."""
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    status = OK
    r.horizon = r.target = to
    if r.changes:
        # a run of which nobody has said when it ends is expected to go on for as long as it has gone
        r.stiffness.beyond = max(r.until - to, 0.0) if r.until < NEVER else r.t - r.since
    r.doing = RUNNING
    if given:
        r.changed, r.fresh = 1, 0
        status = restore(r)
        if r.has_events and status == OK:
            if r.n_rows > 0:
                forget_situation(r)
            agree(r, inp, out, 0)
    if r.has_events:
        aim(r, out)
    while status == OK and r.doing == RUNNING and r.ended == 0:
        step(r)
        if r.has_events:
            decide(r)
        if r.doing == NEAR_SINGULAR or r.doing == STRAINED:
            # the ordinary run would choose other states; this one goes on while it can
            r.doing = RUNNING
            if r.watch_strain and r.strain_now > 0.0:
                status = DEAD_POINT
            elif r.t >= r.horizon:
                break
    return came_to(r, status)


def lane_step(r: Lane, h: float) -> int:
    """One step of a fixed length from the state and the time among the inputs, which stay where that fails."""
    r.t, r.h, r.doing = vector(r.at.inp, r.at.n_in + r.n)[0], h, RUNNING
    r.horizon = r.target = NEVER
    r.changed, r.fresh = 0, 0
    step(r)
    return came_to(r, OK)


def came_to(r: Lane, status: int) -> int:
    """What has gone wrong, if anything."""
    if r.watch_strain and status == PROJECTION:
        return DEAD_POINT
    if status == OK and (r.doing == FAILED or r.doing == UNDECIDED):
        return r.status
    return status


def lane_ended(r: Lane) -> int:
    """The number (from 1) of the action that has ended the run."""
    return r.ended


# --- for a tool that integrates by itself ---


def lane_settle(r: Lane) -> int:
    """Dependent and prescribed values follow the states that were set."""
    if not r.watch_strain:
        prescribe(r, vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out))
        return OK
    status = restore(r)
    return DEAD_POINT if status != OK or r.strain > 0.0 else OK


def lane_slopes(r: Lane) -> int:
    """Derivatives of the state, into the second row of slopes."""
    return evaluate(r, matrix(r.at.slopes, MAX_STAGES, r.at.slope_width), SECOND)


def lane_indicators(r: Lane) -> None:
    """Witnesses of events with their slack, into their trial row: a tool's zero is the zero of steps."""
    if r.n_events > 0:
        G = matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
        all_witnesses(r, G, G_TRIAL)
        G[G_TRIAL, :r.n_events] += G[G_SLACK, :r.n_events]


def lane_missed(r: Lane) -> int:
    """Whether friction, a stop or a contact goes on beyond its limit, where a tool has found no zero.

    A flight may be so short that the errors of the tool's steps are larger: its gap never was positive there.  So what
    counts is how far below its highest value since the last instant a witness is.
    """
    missed, G = 0, matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    lane_indicators(r)
    for i in range(r.n_events):
        G[G_LOW, i] = max(G[G_LOW, i], G[G_TRIAL, i])
        beyond = min(2.0 * G[G_LOW, i], 0.0) - MISSED * r.accuracy
        if r.events.owner[i] >= ROW and G[G_TRIAL, i] < beyond:
            missed = 1
    return missed


def keep_indicators(r: Lane) -> None:
    """What witnesses are after an instant."""
    G = matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    lane_indicators(r)
    G[G_LOW, :r.n_events] = G[G_TRIAL, :r.n_events]


def lane_drifted(r: Lane) -> int:
    """Whether the state has left the manifold: gaps, rates, lengths of quaternions."""
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    quaternions, worst = integers(r.at.quaternions, r.at.n_quaternions), 0.0
    if r.code.project != 0 and not r.watch_strain:
        call(r.code.project, r.at.inp, r.at.out, r.at.work)
        worst = max(out[r.n], out[r.n + 1])
    for k in range(quaternions.shape[0]):
        s = 1 + quaternions[k]
        square = inp[s] ** 2 + inp[s + 1] ** 2 + inp[s + 2] ** 2 + inp[s + 3] ** 2
        worst = max(worst, abs(square - 1.0))
    return int(worst > r.accuracy / 10.0)


def lane_instant(r: Lane) -> int:
    """An instant: the state back on the manifold, relations and actions; `lane_moved` says whether it was changed."""
    inp, status, moved = vector(r.at.inp, r.at.n_in + r.n), OK, 0
    r.t, r.doing, r.jumped = inp[0], RUNNING, 0
    if lane_drifted(r) != 0:
        status, moved = restore(r), 1
    if r.has_events and status == OK:
        r.crossing = 0
        if r.n_rows > 0:
            cross_rows(r, inp)
        decide_here(r, inp, vector(r.at.out, r.at.n_out))
        keep_indicators(r)
    if moved:
        r.jumped = 1
    return came_to(r, status)


def cross_rows(r: Lane, inp: real[:]) -> None:
    """Witnesses of rows that are not positive have crossed: a tool stops where one has."""
    G = matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    V = matrix(r.at.vectors, N_VECTORS, r.at.vector_width)
    lane_indicators(r)
    for i in range(r.n_events):
        crossed = r.events.owner[i] >= ROW and G[G_TRIAL, i] <= 0.0
        G[G_CROSSED, i] = 1.0 if crossed else 0.0
        if crossed:
            r.crossing = 1
    V[BEFORE, :r.n] = inp[1 : 1 + r.n]


def lane_moved(r: Lane) -> int:
    """Whether the state was changed at the instant."""
    return r.jumped


def lane_completed(r: Lane) -> int:
    """A step of a tool is completed: what the model itself remembers; what is no longer true may become so again."""
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    K, before = matrix(r.at.slopes, MAX_STAGES, r.at.slope_width), vector(r.before, r.events.n_actions)
    carry_from, carry_to = integers(r.at.carry_from, r.at.n_carried), integers(r.at.carry_to, r.at.n_carry)
    status = evaluate(r, K, SECOND)
    if status == OK:
        carry(inp, K, SECOND, carry_from, carry_to)
        update(r, inp, out, carry_from, carry_to)
        if r.events.n_actions > 0:
            look(r, out)
            for k in range(r.events.n_actions):
                if out[r.events.at_conditions + k] == 0.0:
                    before[k] = 0.0
    return status


#: all of them
LED = (lane_prepare, lane_accuracy, lane_until, lane_start, lane_advance, lane_step, lane_ended, lane_settle,
       lane_slopes, lane_indicators, lane_missed, lane_drifted, lane_instant, lane_moved, lane_completed)
