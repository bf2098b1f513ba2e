"""Rows at an instant: what crossed, who may hold, who slides which way; until all agrees with the state.

The piece `row_instant` is asked for one of five things (`row_record`): START begins a run; CROSSED notes what
witnesses have told, and strikes stops that were reached; ENGAGE lets locks catch and let go; DECIDE brings all modes to
agree with the state, where something has `altered` it or they were left `unsettled`; HOLD takes off what is left of
speeds that locks hold.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..codegen.dialect import bits, compiled
from ..integrate.record import View
from ..system.event_programs import NEVER
from . import tolerances as tol
from .row_conditions import engage, hold
from .row_impacts import blurred, hit, lift, no_gap, touches
from .row_impulses import note, rest
from .row_modes import agree, find_at_rest, look, put, read_modes, scale_of_speeds, try_all
from .row_record import (
    ACCELERATION,
    ALONE,
    ARRIVED,
    AT_REST,
    AXIS,
    BEFORE,
    CHOSEN,
    CROSSED,
    DECIDE,
    EASE,
    ENGAGE,
    FINE,
    GAP,
    GAP_CLOSES,
    GIVEN,
    HALF_LINE,
    HIT,
    HOLD,
    HOLD_DOWN,
    HOLD_UP,
    INSIDE,
    LEFT,
    MODE,
    MOST,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    N_REALS,
    NO_MODES,
    PATIENCE,
    PULL,
    RATE,
    RELEASED,
    REST,
    RESTED,
    SIZE,
    SLACK,
    SLIDE,
    SLOPE,
    START,
    STARTS_BEYOND,
    STRENGTH,
    TAKES,
    TURNED_BACK,
    WAY,
    integers,
    matrix,
    rows_at,
    vector,
)  # fmt: skip


@compiled
def row_instant(address: int, task: int) -> int:
    """The piece for models without rigid contacts: says what is wrong, FINE if nothing."""
    r = rows_at(address)
    begin(r, task)
    return of_rows(r, task)


def begin(r: View, task: int) -> None:
    """Nothing has been told yet; what was known of another instant is forgotten."""
    N, inp = integers(r.numbers, N_NUMBERS, r.n), vector(r.inp, r.n_in)
    r.n_log, r.n_course, r.n_told, r.n_phases, r.n_events = 0, 0, 0, 0, 0
    r.needs_jump, r.changed, r.again, r.touched, r.trouble = 0, 0, 0, 0, FINE
    if task != START and r.instant != inp[0]:
        r.instant, r.struck, r.pace = inp[0], 0.0, 0.0
        for k in range(r.n):
            N[ARRIVED, k], N[RELEASED, k] = 0, 0


def of_rows(r: View, task: int) -> int:
    """What is asked of friction, stops and locks."""
    trouble = FINE
    if task == START:
        start(r)
    elif task == ENGAGE:
        trouble = engage(r)
    elif task == HOLD:
        hold(r)
    elif task == CROSSED:
        trouble = crossed(r)
    elif task == DECIDE and (r.altered != 0 or r.unsettled != 0):
        trouble = decide(r)
        r.unsettled = r.again
        tell_slack(r)
    return trouble


def start(r: View) -> None:
    """A run begins: modes are those among its inputs; which speeds of given motions are rest, the accuracy decides."""
    inp, F, X = vector(r.inp, r.n_in), integers(r.fixed, N_FIXED, r.n), matrix(r.reals, N_REALS, r.n)
    r.begun, r.instant, r.struck, r.first, r.apex = inp[0], -inf, 0.0, 1, NEVER
    for k in range(r.n):
        X[REST, k] = F[GIVEN, k] * tol.REST_OF_GIVEN * r.accuracy
        X[MOST, k] = F[GIVEN, k] * tol.REST_OF_GIVEN_MOST * r.accuracy
    held = integers(r.holding, r.n_conditional)
    for k in range(r.n_conditional):
        held[k] = 0
    read_modes(r)


def tell_slack(r: View) -> None:
    """How far witnesses of rows may pass zero."""
    X, slack = matrix(r.reals, N_REALS, r.n), vector(r.slack, r.n_witnesses)
    kinds, owners = integers(r.kinds, r.n_witnesses), integers(r.owners, r.n_witnesses)
    for i in range(r.n_witnesses):
        if kinds[i] in (SLIDE, GAP_CLOSES):
            slack[i] = X[SLACK, owners[i]]


# --- what crossed ---


def crossed(r: View) -> int:
    """Note which friction came to rest or reached its limit; open stops that are pulled, strike those reached."""
    N, inp, before = integers(r.numbers, N_NUMBERS, r.n), vector(r.inp, r.n_in), vector(r.x_before, r.nx)
    X, T = matrix(r.reals, N_REALS, r.n), matrix(r.table, r.n, N_COLUMNS)
    kinds, rows = integers(r.kinds, r.n_witnesses), integers(r.owners, r.n_witnesses)
    flags = integers(r.crossed, r.n_witnesses)
    struck = False
    for k in range(r.n):
        N[HIT, k] = 0
    for i in range(r.n_witnesses):
        if flags[i] != 0:
            row, kind = rows[i], kinds[i]
            if kind == SLIDE:
                if N[MODE, row] != 0:
                    N[ARRIVED, row] = 1
            elif kind in (HOLD_UP, HOLD_DOWN):
                N[RELEASED, row] = 1
                put(r, row, 1 if kind == HOLD_UP else -1)
                note(r, row, N[MODE, row])
            elif kind == PULL:
                put(r, row, 1)
                for j in range(r.n):
                    N[CHOSEN, j] = 1 if j == row else 0
                lift(r, True)
                note(r, row, 1)
            elif kind == GAP_CLOSES:
                N[HIT, row] = 1
                struck = True
    if not struck:
        return FINE
    if r.may_step_back != 0:
        # to the side from which it came
        r.may_step_back = 0
        for i in range(r.nx):
            inp[1 + i] = before[i]
    look(r)
    for k in range(r.n_sliding, r.n):
        if N[HIT, k] != 0 and T[k, RATE] >= 0.0:
            # a gap that opens has not closed: errors of steps move it about zero
            X[PATIENCE, k] *= 10
    trouble = hit(r)
    read_modes(r)
    return trouble


# --- agreement ---


def decide(r: View) -> int:
    """Bring friction and stops to agree with the state; `changed` and `again` say what that has moved."""
    N, X, inp = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n), vector(r.inp, r.n_in)
    before = vector(r.inputs_before, r.n_in)
    for i in range(r.n_in):
        before[i] = inp[i]
    some = False
    for k in range(r.n):
        N[BEFORE, k] = N[MODE, k]
        some = some or N[ARRIVED, k] != 0
    trouble = starts_beyond(r) if r.first != 0 else FINE
    if trouble == FINE:
        note_slack(r)
        trouble = approaching(r) if r.impacts != 0 else FINE
    if trouble == FINE:
        trouble = may_hold(r)
    if trouble == FINE and not agree(r) and not try_all(r):
        trouble = NO_MODES
    if trouble != FINE:
        return trouble
    jumped, switched = differ(r, 1, 1 + r.nx), differ(r, r.d_at, r.d_at + r.n_d)
    if some or jumped or switched:
        come_to_rest(r)
        for k in range(r.n):
            if N[MODE, k] != N[BEFORE, k]:
                r.changed = 1
                if k < r.n_sliding and r.first == 0:
                    note(r, k, N[MODE, k])
            elif N[ARRIVED, k] != 0 and N[MODE, k] != 0:
                # it goes on sliding: a speed that rounding moves about zero, while something else holds it, is no event
                X[PATIENCE, k] *= 10
        note_slack(r)
        for k in range(r.n):
            N[ARRIVED, k] = 0
        find_at_rest(r)
        r.again = 1 if jumped else 0
        for k in range(r.n_sliding):
            if N[AT_REST, k] != 0 and N[RESTED, k] == 0:
                r.again = 1
    r.first = 0
    return FINE


def differ(r: View, start: int, end: int) -> bool:
    """Whether inputs have changed since it was begun to decide."""
    inp, before = vector(r.inp, r.n_in), vector(r.inputs_before, r.n_in)
    found = False
    for i in range(start, end):
        found = found or bits(inp[i]) != bits(before[i])
    return found


def starts_beyond(r: View) -> int:
    """Where the run starts beyond a stop: what may be put on the stop is put there (CHOSEN)."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, X, inp = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n), vector(r.inp, r.n_in)
    T = matrix(r.table, r.n, N_COLUMNS)
    look(r)
    beyond, single = False, True
    for k in range(r.n):
        below = k >= r.n_sliding and T[k, GAP] < -tol.BEYOND * T[k, SIZE] - no_gap(r, T[k, EASE])
        N[CHOSEN, k] = 1 if below else 0
        X[STRENGTH, k] = -T[k, GAP] if below else 0.0
        if below:
            beyond, single = True, single and F[AXIS, k] >= 0
            if F[INSIDE, k] == 0:
                r.culprit = k
                return STARTS_BEYOND
    r.put_inside = 1 if beyond else 0
    if beyond and single:
        # the coordinate itself, which leaves all others where they are
        for k in range(r.n_sliding, r.n):
            if N[CHOSEN, k] != 0:
                inp[1 + F[AXIS, k]] += (X[STRENGTH, k] + tol.LIFT * T[k, SIZE]) / X[SLOPE, k]
    if beyond:
        lift(r, False)
    return FINE


def note_slack(r: View) -> None:
    """Find which speeds count as zero, by the forces at this instant."""
    look(r)
    F = integers(r.fixed, N_FIXED, r.n)
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T = matrix(r.table, r.n, N_COLUMNS)
    r.no_sign = tol.NO_SIGN * r.forces if r.forces < inf else 0.0
    for k in range(r.n_sliding):
        if F[GIVEN, k] == 0:
            X[SLACK, k] = r.no_sign * T[k, EASE] * X[PATIENCE, k]
        else:
            # at rest, the speed at which the motion starts again
            X[SLACK, k] = 0.0 if N[MODE, k] != 0 else 2 * X[REST, k]


def slow(r: View, k: int, swing: float) -> float:
    """The rate of the gap below which a stop is neither left nor approached."""
    N, T = integers(r.numbers, N_NUMBERS, r.n), matrix(r.table, r.n, N_COLUMNS)
    share = tol.SLOW_IF_HELD if N[MODE, k] == 0 else tol.SLOW
    return (share * swing + r.no_sign) * T[k, EASE] + 0.5 * tol.SHORTEST_FLIGHT * abs(T[k, ACCELERATION])


def approaching(r: View) -> int:
    """Strike stops that are approached, and freewheels that turn backwards, although no witness has crossed.

    An impulse elsewhere at the same instant may have caused that.
    """
    find_at_rest(r)
    F = integers(r.fixed, N_FIXED, r.n)
    N, T = integers(r.numbers, N_NUMBERS, r.n), matrix(r.table, r.n, N_COLUMNS)
    swing, struck = scale_of_speeds(r), False
    for k in range(r.n):
        if k >= r.n_sliding:
            comes = T[k, RATE] < -slow(r, k, swing) and touches(r, k, swing)
        else:
            comes = F[HALF_LINE, k] != 0 and T[k, RATE] < 0.0 and F[GIVEN, k] == 0 and N[AT_REST, k] == 0
        N[HIT, k] = 1 if comes else 0
        struck = struck or comes
    if not struck:
        return FINE
    trouble = hit(r)
    read_modes(r)
    return trouble


def may_hold(r: View) -> int:
    """Who may hold, in TAKES: friction at rest, and stops that touch without moving; the rest slides or is open."""
    find_at_rest(r)
    F = integers(r.fixed, N_FIXED, r.n)
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T, inp = matrix(r.table, r.n, N_COLUMNS), vector(r.inp, r.n_in)
    trouble = FINE
    for k in range(r.n_sliding):
        # friction on a given motion cannot stick
        N[TAKES, k] = 1 if N[AT_REST, k] != 0 and T[k, EASE] != 0.0 else 0
        if N[TAKES, k] != 0:
            if N[RESTED, k] == 0:
                put(r, k, 0)
        else:
            if F[GIVEN, k] != 0:
                mode = given_mode(r, k)
                if mode < 0 and F[HALF_LINE, k] != 0:
                    trouble, r.culprit = TURNED_BACK, k
            else:
                way = T[k, RATE] if abs(T[k, RATE]) > X[SLACK, k] else T[k, ACCELERATION]
                mode = 1 if way > 0.0 else -1 if way < 0.0 else int(inp[F[WAY, k]])
            if mode != N[MODE, k] or mode == 0:
                put(r, k, mode)
    for k in range(r.n_sliding):
        N[RESTED, k] = N[TAKES, k]
    if trouble != FINE:
        return trouble
    look(r)
    swing = scale_of_speeds(r)
    for k in range(r.n_sliding, r.n):
        near_by = T[k, EASE] != 0.0 and touches(r, k, swing)
        rests = near_by and abs(T[k, RATE]) <= slow(r, k, swing)
        sinks = tol.ROW_SINKS * T[k, SIZE] + no_gap(r, T[k, EASE]) if rests else 0.0
        X[SLACK, k] = max(sinks, blurred(r, k)) if near_by else 0.0
        N[TAKES, k] = 1 if rests else 0
        if not rests and N[MODE, k] == 0:
            put(r, k, 1)
    return FINE


def given_mode(r: View, k: int) -> int:
    """The direction of a given motion, or 0: the source of the motion bears the force of its friction.

    Such friction cannot stick, since the motion is given; at rest (mode 0) it exerts no force.  Filters and rounding
    leave small speeds in a given motion, whose sign means nothing.  Therefore a motion whose speed passes zero goes on
    only where its acceleration leads away from zero.  Otherwise it is at rest, until its speed is larger than such
    errors.  Their size is learned: where a motion turns out to have been an error, the limit grows.
    """
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T = matrix(r.table, r.n, N_COLUMNS)
    speed, acceleration, was, t = T[k, RATE], T[k, ACCELERATION], N[MODE, k], r.instant
    way = speed
    if N[ARRIVED, k] != 0 or abs(speed) <= X[REST, k]:
        way = acceleration if abs(acceleration) * tol.LEADS_AWAY > X[REST, k] else 0.0
    elif was == 0 and speed * acceleration < 0.0 and X[REST, k] < X[MOST, k]:
        # a motion against its own acceleration is an error of the steps
        X[REST, k], way = min(max(10 * X[REST, k], abs(speed)), X[MOST, k]), 0.0
    if way == 0.0 and was != 0 and t - X[LEFT, k] < tol.BRIEF * (t - r.begun):
        X[REST, k] = min(10 * X[REST, k], X[MOST, k])
    if was == 0 and way != 0.0:
        X[LEFT, k] = t
    return 1 if way > 0.0 else -1 if way < 0.0 else 0


def come_to_rest(r: View) -> None:
    """Remove, by impulses, the small speeds that are left where friction holds."""
    look(r)
    F = integers(r.fixed, N_FIXED, r.n)
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T, inp = matrix(r.table, r.n, N_COLUMNS), vector(r.inp, r.n_in)
    alone = True
    for k in range(r.n_sliding):
        left = N[MODE, k] == 0 and F[GIVEN, k] == 0 and abs(T[k, RATE]) > tol.LEFT_OVER * X[SLACK, k]
        N[CHOSEN, k] = 1 if left else 0
        alone = alone and not (left and F[ALONE, k] < 0)
    if not alone:
        rest(r)
        return
    for k in range(r.n_sliding):
        last = N[CHOSEN, k] != 0
        for other in range(k + 1, r.n_sliding):
            last = last and not (N[CHOSEN, other] != 0 and F[ALONE, other] == F[ALONE, k])
        if last:
            inp[1 + r.nq + F[ALONE, k]] -= T[k, RATE] / X[SLOPE, k]
