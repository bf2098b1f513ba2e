"""Rigid contact between bodies at an instant: impacts, then the modes of what touches (open, sliding, sticking).

At an instant (Simbody Theory Manual §8.6, with the exact cone):

    1  contacts that approach have an impact (`contact_impacts`), again and again until none approaches: a blow passes
       through bodies that touch one another, from pair to pair
    2  contacts that neither approach nor part stay closed or open, stick or slide (`contact_forces`), or jam
    3  contacts that would leave for a flight of no length stay closed
    4  small speeds that are left in contacts that hold are removed, gaps below zero are set right (`contact_gaps`)

The piece `contact_instant` is asked for what `row_instant` is, and for two things more (`row_record`): IN_FLIGHT in the
middle of a flight, and GROW where a run cannot go on, since friction may grow without bound.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..codegen.dialect import compiled, hypot
from ..integrate.record import View
from . import tolerances as tol
from .contact_forces import press
from .contact_gaps import anchor, in_flight, lift, note_slack
from .contact_impacts import strike
from .contact_motion import delassus, end_slip, event, lay_aside, mode, no_force, none, open_all, take_up, tell
from .contact_record import (
    ACCELERATION,
    ARMED,
    ARRIVED,
    BEFORE,
    CHOSEN,
    CLOSED,
    EASE,
    ENDLESS,
    FAST,
    GAP,
    GAP_SLACK,
    HALT_SLACK,
    HALTS,
    HIT,
    HOLD_1,
    HOLD_2,
    LEAVES,
    MEETS,
    MU,
    MU_S,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    N_REALS,
    OPEN,
    PAIR,
    PART,
    PUSH,
    RATE,
    RELEASED,
    RELEASED_AT,
    RESTING,
    RESTITUTION,
    RUBS,
    SHUT,
    SIZE,
    SLIDES,
    SLIDING,
    SLIP_1,
    SLIP_2,
    SLIPS,
    SLOWS,
    STARTS_INSIDE,
    STAYS,
    STICKS,
    STUCK,
    TOLD,
    TOUCH,
    TOUCHES,
    UNIQUE,
    WAY_1,
    WAY_2,
)  # fmt: skip
from .row_instant import begin, of_rows
from .row_modes import look
from .row_record import CROSSED, DECIDE, FINE, GROW, IN_FLIGHT, START, integers, matrix, rows_at, vector


@compiled
def contact_instant(address: int, task: int) -> int:
    """The piece for models with rigid contacts, rows first: says what is wrong, FINE if nothing."""
    r = rows_at(address)
    inp = vector(r.inp, r.n_in)
    another = task != START and r.instant != inp[0]
    begin(r, task)
    if another:
        forget(r)
    if r.n + r.n_conditional > 0 or task == START:
        r.trouble = of_rows(r, task)
    if r.trouble == FINE:
        of_contacts(r, task)
    return r.trouble


def of_contacts(r: View, task: int) -> None:
    """What is asked of contacts."""
    if task == START:
        r.begins, r.pending, r.pace, r.taken = 1, 1, 0.0, 0.0
    elif task == CROSSED:
        crossed(r)
    elif task == DECIDE:
        decide(r)
        tell_slack(r)
        if r.touched != 0:
            r.unsettled = 1
    elif task == IN_FLIGHT:
        in_flight(r)
        tell_slack(r)
    elif task == GROW:
        end_jams(r)


def tell_slack(r: View) -> None:
    """How far witnesses of contacts may pass zero."""
    X, slack = matrix(r.contact_reals, N_REALS, r.n_contacts), vector(r.slack, r.n_witnesses)
    kinds, owners = integers(r.kinds, r.n_witnesses), integers(r.owners, r.n_witnesses)
    for i in range(r.n_witnesses):
        if kinds[i] == TOUCH:
            slack[i] = X[GAP_SLACK, owners[i]]
        elif kinds[i] == HALTS:
            slack[i] = X[HALT_SLACK, owners[i]]


def forget(r: View) -> None:
    """What was noted at this instant; except contacts at a limit, which are kept while no time passes: two that reach
    their limits at one time give way together."""
    N, X = integers(r.contact_numbers, N_NUMBERS, r.n_contacts), matrix(r.contact_reals, N_REALS, r.n_contacts)
    for k in range(r.n_contacts):
        N[HIT, k], N[ARRIVED, k] = 0, 0
        if N[RELEASED, k] != 0 and r.instant - X[RELEASED_AT, k] > tol.CHATTERING_TIME * max(1.0, abs(r.instant)):
            N[RELEASED, k] = 0


def crossed(r: View) -> None:
    """Note which contacts touched, came to rest, or reached a limit; hold or release directions of sliding."""
    look(r)
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    X, C = matrix(r.contact_reals, N_REALS, r.n_contacts), matrix(r.touching, r.n_contacts, N_COLUMNS)
    before = vector(r.x_before, r.nx)
    kinds, owners = integers(r.kinds, r.n_witnesses), integers(r.owners, r.n_witnesses)
    flags, struck = integers(r.crossed, r.n_witnesses), False
    for i in range(r.n_witnesses):
        if flags[i] != 0 and kinds[i] >= TOUCH:
            k, kind = owners[i], kinds[i]
            if kind == SLOWS:
                speed = hypot(C[k, SLIP_1], C[k, SLIP_2])
                inp[F[WAY_1, k]], inp[F[WAY_2, k]] = C[k, SLIP_1] / speed, C[k, SLIP_2] / speed
                inp[F[ARMED, k]] = 0.0
            elif kind == FAST:
                inp[F[ARMED, k]] = 1.0
            else:
                r.pending = 1
                if kind in (PART, SLIPS):
                    N[RELEASED, k], X[RELEASED_AT, k] = 1, r.instant
                elif kind == TOUCH:
                    N[HIT, k] = 1
                elif kind == HALTS:
                    N[ARRIVED, k] = 1
    for j in range(r.n_contacts):
        struck = struck or N[HIT, j] != 0
    if struck and r.may_step_back != 0:
        # to the side from which they came
        r.may_step_back = 0
        for i in range(r.nx):
            inp[1 + i] = before[i]


def end_jams(r: View) -> None:
    """Where a run cannot go on: end the slip of contacts whose friction grows without bound; `changed` says whether."""
    look(r)
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    C, W, which = matrix(r.touching, r.n_contacts, N_COLUMNS), matrix(r.W, r.size, r.size), integers(r.which, r.most)
    r.n_which = 0
    some = False
    for j in range(r.n_contacts):
        N[SHUT, j], N[CHOSEN, j] = 1 if mode(r, j) != OPEN else 0, 0
        if N[SHUT, j] != 0:
            which[r.n_which] = j
            r.n_which += 1
    lay_aside(r)
    open_all(r)
    delassus(r)
    take_up(r)
    for i in range(r.n_which):
        k, at = which[i], 3 * i
        slip = hypot(C[k, SLIP_1], C[k, SLIP_2])
        if inp[F[STUCK, k]] == 0.0 and slip > 0.0:
            leans = C[k, MU] * (W[at, at + 1] * C[k, SLIP_1] + W[at, at + 2] * C[k, SLIP_2]) / slip
            if W[at, at] - leans <= tol.POLE * W[at, at]:
                N[CHOSEN, k] = 1
                some = True
    if some:
        r.trouble = end_slip(r)
        for j in range(r.n_contacts):
            N[ARRIVED, j] = 1 if N[CHOSEN, j] != 0 or N[ARRIVED, j] != 0 else 0
        r.pending, r.touched = 1, 1


# --- agreement ---


def decide(r: View) -> None:
    """Make modes and speeds agree; `changed` says whether they have."""
    N, inp = integers(r.contact_numbers, N_NUMBERS, r.n_contacts), vector(r.inp, r.n_in)
    before = vector(r.inputs_before, r.n_in)
    look(r)
    r.pace = max(r.pace, r.swing)
    if r.begins != 0:
        starts_inside(r)
        if r.trouble != FINE:
            return
    touching = who_touches(r)
    some = touching
    if r.pending == 0 and r.begins == 0 and agree(r):
        report(r)
        return
    for i in range(r.n_in):
        before[i] = inp[i]
    for k in range(r.n_contacts):
        N[BEFORE, k] = mode(r, k)
        some = some or N[BEFORE, k] != OPEN
    if some:
        settle(r)
        if r.trouble != FINE:
            return
        anchor(r)
    report(r)
    forget(r)
    r.pending, r.begins = 0, 0
    note_slack(r)
    # where all stays as it is the cone problem has spoken: forces that are not unique may lie outside the cones
    r.touched = 1 if touching and differ(r) else 0


def differ(r: View) -> bool:
    """Whether the state, or modes of contacts, have changed by more than rounding."""
    inp, before, own = vector(r.inp, r.n_in), vector(r.inputs_before, r.n_in), integers(r.own, r.n_own)
    found = False
    for i in range(1, 1 + r.nx):
        found = found or abs(inp[i] - before[i]) > tol.SETTLED * max(1.0, abs(inp[i]))
    for i in range(r.n_own):
        at = own[i]
        found = found or abs(inp[at] - before[at]) > tol.SETTLED * max(1.0, abs(inp[at]))
    return found


def starts_inside(r: View) -> None:
    """Whether the run starts with two bodies inside one another; the deepest is the `culprit`."""
    F, inp = integers(r.contact_fixed, N_FIXED, r.n_contacts), vector(r.inp, r.n_in)
    C = matrix(r.touching, r.n_contacts, N_COLUMNS)
    deepest = 0.0
    for k in range(r.n_contacts):
        inside = C[k, GAP] < -tol.BEYOND * max(C[k, SIZE], tol.LEAST_SIZE)
        if inp[F[CLOSED, k]] == 0.0 and inside and C[k, GAP] < deepest:
            deepest, r.culprit, r.trouble = C[k, GAP], k, STARTS_INSIDE


def who_touches(r: View) -> bool:
    """Contacts that are closed, were hit, or whose gap is as good as none; whether there are any."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    C, some = matrix(r.touching, r.n_contacts, N_COLUMNS), False
    for k in range(r.n_contacts):
        near = abs(C[k, GAP]) <= tol.TOUCHES * (C[k, SIZE] + r.pace * C[k, EASE])
        N[TOUCHES, k] = 1 if inp[F[CLOSED, k]] != 0.0 or N[HIT, k] != 0 or near else 0
        some = some or N[TOUCHES, k] != 0
    return some


def agree(r: View) -> bool:
    """Whether the modes agree with the present speeds and forces."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    C, small, good = matrix(r.touching, r.n_contacts, N_COLUMNS), no_force(r, r.forces), True
    if not small < inf:
        return False
    for k in range(r.n_contacts):
        if N[TOUCHES, k] != 0:
            ease, still = C[k, EASE], none(r, C[k, EASE], tol.SLOW, tol.NO_SIGN)
            if inp[F[CLOSED, k]] == 0.0:
                sinks = C[k, RATE] <= still and C[k, ACCELERATION] < -small * ease
                good = good and not (C[k, RATE] < -still or sinks)
            else:
                good = good and abs(C[k, RATE]) <= 100 * still and C[k, PUSH] * ease >= -small
                slip, hold = hypot(C[k, SLIP_1], C[k, SLIP_2]), hypot(C[k, HOLD_1], C[k, HOLD_2])
                beyond = slip > none(r, ease, tol.SLOW_IF_HELD, tol.NO_SIGN) \
                    or (hold - C[k, MU_S] * C[k, PUSH]) * ease > small
                good = good and not (inp[F[STUCK, k]] != 0.0 and beyond)
    return good


def settle(r: View) -> None:
    """Impacts until nothing approaches, then modes."""
    N = integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    ended, passed = False, 0
    while passed < tol.CONTACT_ROUNDS:
        if not approaching(r, passed >= tol.PASSED_ON):
            ended = True
            break
        r.trouble = strike(r)
        if r.trouble != FINE:
            return
        passed += 1
    if not ended:
        for k in range(r.n_contacts):
            N[CHOSEN, k] = N[TOUCHES, k]
        r.trouble = ENDLESS
        return
    for k in range(r.n_contacts):
        N[STAYS, k] = 0
    again, rounds = True, 0
    while again and rounds < tol.CONTACT_ROUNDS:
        again = press(r)
        rounds += 1
    if r.trouble == FINE:
        lift(r)


def approaching(r: View, together: bool) -> bool:
    """Who takes part in the next impact, in `which`; whether there is one.

    Contacts that approach, and those that rest, except pairs that bounce.  A blow passes through a row of bodies from
    one to the next (Newton's cradle): a pair that rests and that would give back what it gets waits for its turn,
    unless its bodies meet in this impact anyway; or all that touches is struck `together`.
    """
    look(r)
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    which = integers(r.which, r.most)
    C, some = matrix(r.touching, r.n_contacts, N_COLUMNS), False
    for k in range(r.n_contacts):
        N[MEETS, k] = 0
    for k in range(r.n_contacts):
        if N[TOUCHES, k] != 0 and C[k, RATE] < -none(r, C[k, EASE], tol.SLOW, tol.NO_SIGN):
            some = True
            for other in range(r.n_contacts):
                if F[PAIR, other] == F[PAIR, k]:
                    N[MEETS, other] = 1
    count = 0
    for k in range(r.n_contacts):
        if N[TOUCHES, k] != 0 and (together or N[MEETS, k] != 0 or C[k, RESTITUTION] == 0.0):
            which[count] = k
            count += 1
    r.n_which = count
    return some


def report(r: View) -> None:
    """Lines for modes that have changed since the last lines."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    count = 0
    for k in range(r.n_contacts):
        now = mode(r, k)
        count += 1 if now != N[TOLD, k] and now != OPEN else 0
    loss, r.taken = r.taken / max(count, 1), 0.0
    for k in range(r.n_contacts):
        now = mode(r, k)
        if now != N[TOLD, k]:
            what = LEAVES if now == OPEN else STICKS
            if now == SLIDING:
                what = SLIDES if F[RUBS, k] != 0 else RESTING
            if r.begins == 0:
                event(r, k, 1 if now == OPEN else 0)
            unique = 1 if now == OPEN else N[UNIQUE, k]
            tell(r, what, k, unique, 0.0, 0.0, 0.0 if now == OPEN else loss)
            N[TOLD, k] = now
