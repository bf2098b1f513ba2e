"""Gaps of contacts after an instant: zero where bodies touch, and not below zero elsewhere.

Also: how far the next steps may pass zero, by rounding, before that counts as a crossing (the slack).
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..integrate.record import View
from ..system.event_programs import NEVER
from . import tolerances as tol
from .contact_motion import lay_aside, mode, none, open_all, take_up
from .contact_record import (
    ACCELERATION,
    ANCHOR_1,
    ANCHOR_2,
    BEFORE,
    CLOSED,
    EASE,
    FLIES,
    GAP,
    GAP_SLACK,
    HALT_SLACK,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    N_REALS,
    PLACE,
    PLACE_1,
    PLACE_2,
    RATE,
    RUBS,
    SHUT,
    SIZE,
    STICKING,
    STILL,
    STUCK,
    TOUCHES,
)  # fmt: skip
from .row_impulses import no_impulse, solve
from .row_modes import look
from .row_record import integers, matrix, vector


def anchor(r: View) -> None:
    """Contacts that stick from now on stick at the present place: it becomes their anchor."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    some = False
    for k in range(r.n_contacts):
        N[STILL, k] = 1 if N[TOUCHES, k] != 0 and N[BEFORE, k] != STICKING and mode(r, k) == STICKING else 0
        some = some or N[STILL, k] != 0
    if some:
        look(r)
        C = matrix(r.touching, r.n_contacts, N_COLUMNS)
        for k in range(r.n_contacts):
            if N[STILL, k] != 0:
                inp[F[ANCHOR_1, k]], inp[F[ANCHOR_2, k]] = C[k, PLACE_1], C[k, PLACE_2]


def lift(r: View) -> None:
    """Set the gaps of closed contacts to zero, and move open ones that lie below zero to the open side."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    C, bottom = matrix(r.touching, r.n_contacts, N_COLUMNS), vector(r.bottom, r.n_equations)
    shift, clear, lifts = vector(r.shift, r.nq), tol.LIFT, 0
    while lifts < tol.LIFTS:
        look(r)
        good = True
        for k in range(r.n_contacts):
            shut = inp[F[CLOSED, k]] != 0.0
            below = N[TOUCHES, k] != 0 and not shut and C[k, GAP] < 0.0
            shut = shut and N[TOUCHES, k] != 0
            N[SHUT, k] = 1 if shut or below else 0
            N[STILL, k] = 1 if shut and inp[F[STUCK, k]] != 0.0 else 0
            good = good and not below and not (shut and abs(C[k, GAP]) > tol.GAP_ROUNDING * C[k, SIZE])
        if good:
            return
        no_impulse(r)
        for k in range(r.n_contacts):
            if N[SHUT, k] != 0:
                up = 0.0 if inp[F[CLOSED, k]] != 0.0 else max(clear * C[k, SIZE], -C[k, GAP])
                bottom[F[PLACE, k]] = up - C[k, GAP]
        lay_aside(r)
        open_all(r)
        for k in range(r.n_contacts):
            if N[SHUT, k] != 0:
                inp[F[CLOSED, k]] = 1.0
            if N[STILL, k] != 0:
                inp[F[STUCK, k]] = 1.0
        solve(r, False)
        inp[1 : 1 + r.nq] += shift[:r.nq]
        take_up(r)
        clear *= 2
        lifts += 1


def note_slack(r: View) -> None:
    """Find the slack of gaps that touch without moving, and of slips that have just begun; and the middle of the
    shortest flight that has begun (`apex`).

    A step ends there: one over the whole flight would see a gap of zero at both ends, and miss the landing.
    """
    look(r)
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    X, C = matrix(r.contact_reals, N_REALS, r.n_contacts), matrix(r.touching, r.n_contacts, N_COLUMNS)
    shortest = NEVER
    for k in range(r.n_contacts):
        touches = N[TOUCHES, k] != 0 and inp[F[CLOSED, k]] == 0.0
        flies = touches and C[k, RATE] > 0.0 and C[k, ACCELERATION] < 0.0
        N[FLIES, k] = 1 if flies else 0
        if flies:
            shortest = min(shortest, C[k, RATE] / -C[k, ACCELERATION])
        if F[RUBS, k] != 0:
            X[HALT_SLACK, k] = none(r, C[k, EASE], tol.SLOW, tol.SLIP_BACK)
        X[GAP_SLACK, k] = 0.0
        if touches:
            rests = abs(C[k, RATE]) <= 10 * none(r, C[k, EASE], tol.SLOW, tol.NO_SIGN)
            X[GAP_SLACK, k] = (tol.SINKS if rests else tol.GAP_ROUNDING) * max(C[k, SIZE], tol.LEAST_SIZE)
    r.apex = r.instant + shortest


def in_flight(r: View) -> None:
    """In the middle of a flight contacts that have left are far enough from zero to need no slack."""
    N, X = integers(r.contact_numbers, N_NUMBERS, r.n_contacts), matrix(r.contact_reals, N_REALS, r.n_contacts)
    for k in range(r.n_contacts):
        if N[FLIES, k] != 0:
            X[GAP_SLACK, k] = 0.0
