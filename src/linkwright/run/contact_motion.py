"""How contacts are set in motion: their modes among the inputs, what impulses at them move, speeds taken off.

A contact is open, sliding or sticking.  Between instants, modes put rows in force (the normal one of a closed contact,
the tangents of one that sticks) and switch on the friction load of one that slides.  Speeds, forces and accelerations
are compared by the ease e = √(G M⁻¹ Gᵀ) of their row, as `row_modes` does.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..integrate.record import View
from . import row_record as rr
from . import tolerances as tol
from .contact_record import (
    ACROSS_1,
    CHOSEN,
    CLOSED,
    EVENT,
    JAMMED,
    JAMS,
    N_FIXED,
    N_NUMBERS,
    NO_FORCES,
    NORMAL,
    OPEN,
    RUBS,
    SHUT,
    SLIDING,
    STICKING,
    STILL,
    STUCK,
)  # fmt: skip
from .row_impulses import no_impulse, rest, solve
from .row_modes import look
from .row_record import FINE, integers, matrix, vector

# --- what is told ---


def tell(r: View, kind: int, k: int, number: int, impulse: float, speed: float, loss: float) -> None:
    """A line of the log: of a contact, of many (those CHOSEN, line by line), or of a number."""
    if r.logs != 0:
        log, values = integers(r.contact_log, r.n_told + 1, 3), matrix(r.contact_values, r.n_told + 1, 3)
        log[r.n_told, 0], log[r.n_told, 1], log[r.n_told, 2] = kind, k, number
        values[r.n_told, 0], values[r.n_told, 1], values[r.n_told, 2] = impulse, speed, loss
    r.n_told += 1


def event(r: View, k: int, direction: int) -> None:
    """An event, for the table of events."""
    tell(r, EVENT, k, direction, 0.0, 0.0, 0.0)
    r.n_events += 1


# --- what counts as none ---


def none(r: View, ease: float, part: float, span: float) -> float:
    """The rate of a gap, or the slip, that counts as none: a part of the speeds of the motion, and what the forces of
    the moment change within `span` seconds."""
    forces = r.forces if r.forces < inf else 0.0
    return (part * r.pace + span * forces) * ease


def no_force(r: View, largest: float) -> float:
    """The force (times ease), or acceleration (over it), that counts as none: a part of the largest of the moment, or
    what would take long to change the speeds of the motion by that part."""
    return tol.NO_FORCE * max(largest, r.pace / tol.UNHURRIED)


# --- modes ---


def mode(r: View, k: int) -> int:
    """OPEN, SLIDING or STICKING."""
    F, inp = integers(r.contact_fixed, N_FIXED, r.n_contacts), vector(r.inp, r.n_in)
    if inp[F[CLOSED, k]] == 0.0:
        return OPEN
    return SLIDING if inp[F[STUCK, k]] == 0.0 else STICKING


def open_all(r: View) -> None:
    """All contacts open."""
    inp, own = vector(r.inp, r.n_in), integers(r.own, r.n_own)
    for i in range(r.n_own):
        inp[own[i]] = 0.0


def lay_aside(r: View) -> None:
    """Keep the modes of all contacts."""
    inp, own, aside = vector(r.inp, r.n_in), integers(r.own, r.n_own), vector(r.aside, r.n_own)
    for i in range(r.n_own):
        aside[i] = inp[own[i]]


def take_up(r: View) -> None:
    """The modes that were kept."""
    inp, own, aside = vector(r.inp, r.n_in), integers(r.own, r.n_own), vector(r.aside, r.n_own)
    for i in range(r.n_own):
        inp[own[i]] = aside[i]


# --- impulses ---


def number_of(r: View, item: int, row: int) -> int:
    """The number, among rows with a mode, of a normal (0) or a tangent of a contact, or of what opens; −1 for none."""
    F, R = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.fixed, rr.N_FIXED, r.n)
    if item >= r.n_contacts:
        return R[rr.SWITCHED, r.n_sliding + item - r.n_contacts] if row == 0 else -1
    return F[NORMAL, item] if row == 0 else F[ACROSS_1 + row - 1, item]


def delassus(r: View) -> None:
    """Delassus' matrix W = G M⁻¹ Gᵀ of the contacts and stops in `which`, all contacts being open; and M⁻¹ Gᵀ."""
    which, W = integers(r.which, r.most), matrix(r.W, r.size, r.size)
    moved, change = matrix(r.changes, r.size, r.nu), vector(r.change, r.nu)
    sent = vector(r.sent, r.nu)
    directions = matrix(r.directions, r.n_switched, r.nu)
    no_impulse(r)
    solve(r, False)
    for i in range(r.n_which):
        for row in range(3):
            number = number_of(r, which[i], row)
            at = 3 * i + row
            if number < 0:
                moved[at, :r.nu] = 0.0
            else:
                sent[:r.nu] = directions[number, :r.nu]
                solve(r, False)
                moved[at, :r.nu] = change[:r.nu]
    for i in range(r.n_which):
        for row in range(3):
            number = number_of(r, which[i], row)
            for other in range(3 * r.n_which):
                total = 0.0
                if number >= 0:
                    for j in range(r.nu):
                        total += directions[number, j] * moved[other, j]
                W[3 * i + row, other] = total
    for i in range(3 * r.n_which):
        for j in range(i):
            W[i, j] = (W[i, j] + W[j, i]) / 2
            W[j, i] = W[i, j]


def stop(r: View) -> None:
    """Remove the small speeds that are left: rates of gaps that are SHUT, and slips of contacts that are STILL."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp, speeds = vector(r.inp, r.n_in), vector(r.speeds, r.nu)
    some = False
    for k in range(r.n_contacts):
        some = some or N[SHUT, k] != 0
    if not some:
        return
    lay_aside(r)
    speeds[:r.nu] = inp[1 + r.nq : 1 + r.nq + r.nu]
    open_all(r)
    for k in range(r.n_contacts):
        if N[SHUT, k] != 0:
            inp[F[CLOSED, k]] = 1.0
        if N[STILL, k] != 0 and F[RUBS, k] != 0:
            inp[F[STUCK, k]] = 1.0
    rest(r)
    take_up(r)
    moved, largest = 0.0, 0.0
    for i in range(r.nu):
        moved = max(moved, abs(inp[1 + r.nq + i] - speeds[i]))
        largest = max(largest, abs(speeds[i]))
    if moved > tol.NO_LOSS * largest:
        swap(r)
        look(r)
        r.taken += r.swing * r.swing / 2
        swap(r)
        look(r)
        r.taken -= r.swing * r.swing / 2


def swap(r: View) -> None:
    """Exchange the speeds with those that were kept."""
    inp, speeds = vector(r.inp, r.n_in), vector(r.speeds, r.nu)
    for i in range(r.nu):
        other = inp[1 + r.nq + i]
        inp[1 + r.nq + i] = speeds[i]
        speeds[i] = other


# --- Painlevé's paradox ---


def end_slip(r: View) -> int:
    """Bring contacts that jam (CHOSEN) to rest by an impulse, where those that are SHUT press; else forces have no end.

    Friction that increases what presses it leaves no acceleration that agrees with sliding; an impulse ends the slip
    (Génot and Brogliato 1999, Eur. J. Mech. A 18, 653–677).
    """
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    count = 0
    for k in range(r.n_contacts):
        count += N[CHOSEN, k]
        N[STILL, k] = 1 if N[CHOSEN, k] != 0 or N[SHUT, k] != 0 and inp[F[STUCK, k]] != 0.0 else 0
    if count == 0:
        N[CHOSEN, :r.n_contacts] = N[SHUT, :r.n_contacts]
        return NO_FORCES
    stop(r)
    loss, r.taken = r.taken / count, 0.0
    for k in range(r.n_contacts):
        if N[CHOSEN, k] != 0:
            event(r, k, 0)
            tell(r, JAMS, k, 1, 0.0, 0.0, loss)
    for k in range(r.n_contacts):
        if N[CHOSEN, k] != 0:
            tell(r, JAMMED, k, 0, 0.0, 0.0, 0.0)
    return FINE
