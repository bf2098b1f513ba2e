"""Contacts that rest on each other: whether each stays closed or opens, sticks or slides, by the accelerations.

The accelerations and forces solve a cone problem (Simbody Theory Manual §8.6, with the exact cone), in which contacts
take part whose gaps neither open nor close.  Friction has first the coefficient of rest; where a contact gives way,
that of sliding.  A contact that would leave for a flight of no length stays closed.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import hypot
from ..integrate.record import View
from . import tolerances as tol
from .cone_search import largest, move
from .contact_cone import prepare_cone, within_cones
from .contact_motion import delassus, end_slip, no_force, none, open_all, stop
from .contact_record import (
    ACCELERATION,
    ALONG_1,
    ALONG_2,
    ARMED,
    ARRIVED,
    CHOSEN,
    CLOSED,
    EASE,
    MU,
    MU_S,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    RATE,
    RELEASED,
    RESTS,
    RUBS,
    SHUT,
    SLIP_1,
    SLIP_2,
    SLOW,
    STAYS,
    STILL,
    STUCK,
    TOUCHES,
    WAY_1,
    WAY_2,
)  # fmt: skip
from .contact_shares import evenly, give_shares
from .row_modes import look
from .row_record import FINE, integers, matrix, vector


def press(r: View) -> bool:
    """Find the modes by the accelerations; True where further contacts stay, and all must be done again.

    `trouble` says what may be wrong.
    """
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    which, known = integers(r.which, r.most), integers(r.slides, r.most)
    resting(r)
    open_all(r)
    delassus(r)
    look(r)
    C, b = matrix(r.touching, r.n_contacts, N_COLUMNS), vector(r.b, r.size)
    for i in range(r.n_which):
        k = which[i]
        b[3 * i], b[3 * i + 1], b[3 * i + 2] = C[k, ACCELERATION], C[k, ALONG_1], C[k, ALONG_2]
    if r.n_which > 0 and not forces(r):
        N[CHOSEN, :r.n_contacts] = 0
        N[SHUT, :r.n_contacts] = N[RESTS, :r.n_contacts]
        for i in range(r.n_which):
            N[CHOSEN, which[i]] = known[i]
        r.trouble = end_slip(r)
        if r.trouble == FINE:
            for j in range(r.n_contacts):
                N[ARRIVED, j] = 1 if N[CHOSEN, j] != 0 or N[ARRIVED, j] != 0 else 0
        return r.trouble == FINE
    scale = max(largest(3 * r.n_which, b), tol.TINY)
    move_by_forces(r)
    evenly(r, scale)
    move_by_forces(r)
    set_modes(r, scale)
    if short_flights(r):
        stop(r)
        return True
    for j in range(r.n_contacts):
        N[SHUT, j] = 1 if N[RESTS, j] != 0 and inp[F[CLOSED, j]] != 0.0 else 0
        N[STILL, j] = N[SHUT, j]
    for i in range(r.n_which):
        if known[i] != 0:
            N[STILL, which[i]] = 0
    stop(r)
    give_shares(r)
    return False


def move_by_forces(r: View) -> None:
    """The motion that forces leave."""
    move(3 * r.n_which, matrix(r.W, r.size, r.size), vector(r.b, r.size), vector(r.best, r.size),
         vector(r.motion, r.size))


def resting(r: View) -> None:
    """Contacts whose gaps neither open nor close, in `which`; and the directions of those that slide."""
    look(r)
    N, C = integers(r.contact_numbers, N_NUMBERS, r.n_contacts), matrix(r.touching, r.n_contacts, N_COLUMNS)
    which, known, ways = integers(r.which, r.most), integers(r.slides, r.most), matrix(r.ways, r.most, 2)
    laws, least = matrix(r.laws, r.most, 3), vector(r.least, r.most)
    count = 0
    for k in range(r.n_contacts):
        small = 10 * none(r, C[k, EASE], tol.SLOW, tol.NO_SIGN)
        rests = N[TOUCHES, k] != 0 and (N[STAYS, k] != 0 or abs(C[k, RATE]) <= small)
        N[RESTS, k] = 1 if rests else 0
        if rests:
            which[count] = k
            ways[count, 0], ways[count, 1] = 0.0, 0.0
            known[count] = 1 if slides(r, k) else 0
            if known[count] != 0:
                speed = hypot(C[k, SLIP_1], C[k, SLIP_2])
                ways[count, 0], ways[count, 1] = C[k, SLIP_1] / speed, C[k, SLIP_2] / speed
            laws[count, 0], laws[count, 1], laws[count, 2] = C[k, MU] if known[count] != 0 else C[k, MU_S], 0.0, 0.0
            least[count] = 0.0
            count += 1
    r.n_which = count


def slides(r: View, k: int) -> bool:
    """Whether a contact slides, and is not at rest."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    C = matrix(r.touching, r.n_contacts, N_COLUMNS)
    speed = hypot(C[k, SLIP_1], C[k, SLIP_2])
    small = none(r, C[k, EASE], tol.STILL, tol.ENDED * max(1.0, abs(r.instant)))
    if F[RUBS, k] == 0 or N[ARRIVED, k] != 0 or speed <= small:
        return False
    sticks = inp[F[CLOSED, k]] != 0.0 and inp[F[STUCK, k]] != 0.0
    return not (sticks and speed <= none(r, C[k, EASE], tol.SLOW_IF_HELD, tol.NO_SIGN))


def forces(r: View) -> bool:
    """Forces of the cone problem: with the friction of rest first, then that of sliding where one gives way."""
    W, b, n = matrix(r.W, r.size, r.size), vector(r.b, r.size), r.n_which
    which, known, ways = integers(r.which, r.most), integers(r.slides, r.most), matrix(r.ways, r.most, 2)
    C, laws, motion = matrix(r.touching, r.n_contacts, N_COLUMNS), matrix(r.laws, r.most, 3), vector(r.motion, r.size)
    for i in range(n):
        if known[i] != 0:
            k = 3 * i
            leans = laws[i, 0] * (W[k, k + 1] * ways[i, 0] + W[k, k + 2] * ways[i, 1])
            if W[k, k] - leans <= tol.NO_FORCE * W[k, k]:
                return False
    prepare_cone(r)
    if not within_cones(r, b, 0.0):
        return False
    move_by_forces(r)
    small, gives = tol.NO_FORCE * largest(3 * n, b), False
    for i in range(n):
        k = which[i]
        if known[i] == 0 and C[k, MU_S] > C[k, MU] and hypot(motion[3 * i + 1], motion[3 * i + 2]) > small:
            laws[i, 0] = C[k, MU]
            gives = True
    return not gives or within_cones(r, b, 0.0)


def set_modes(r: View, scale: float) -> None:
    """Who is closed, sticks or slides, by the forces; `scale` is that of accelerations."""
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    C, best, motion = matrix(r.touching, r.n_contacts, N_COLUMNS), vector(r.best, r.size), vector(r.motion, r.size)
    which, known, ways = integers(r.which, r.most), integers(r.slides, r.most), matrix(r.ways, r.most, 2)
    most, freeze = 0.0, tol.FREEZE * r.accuracy
    for i in range(r.n_which):
        pushes = best[3 * i] * C[which[i], EASE]
        most = pushes if i == 0 else max(most, pushes)
    # bodies that hang side by side touch without pressing
    small, slow = no_force(r, most), tol.NO_FORCE * scale
    for i in range(r.n_which):
        k = which[i]
        push, rub = best[3 * i], hypot(best[3 * i + 1], best[3 * i + 2])
        opens = N[RELEASED, k] != 0 and motion[3 * i] > slow
        if push * C[k, EASE] > small and not opens:
            inp[F[CLOSED, k]] = 1.0
            inp[F[SLOW, k]] = freeze * (r.pace * C[k, EASE] + tol.SLIDES_AFTER * scale) + tol.TINY
            if known[i] != 0:
                inp[F[WAY_1, k]], inp[F[WAY_2, k]] = ways[i, 0], ways[i, 1]
                fast = hypot(C[k, SLIP_1], C[k, SLIP_2]) > 2 * inp[F[SLOW, k]]
                inp[F[ARMED, k]] = 1.0 if fast else 0.0
            else:
                at_limit = N[RELEASED, k] != 0 and rub >= (1 - tol.NO_FORCE) * C[k, MU_S] * push
                gives = at_limit or hypot(motion[3 * i + 1], motion[3 * i + 2]) > slow
                if F[RUBS, k] == 0 or not gives:
                    inp[F[STUCK, k]] = float(F[RUBS, k])
                elif rub > 0.0:
                    inp[F[WAY_1, k]], inp[F[WAY_2, k]] = -best[3 * i + 1] / rub, -best[3 * i + 2] / rub


def short_flights(r: View) -> bool:
    """Contacts that leave for a flight too short to matter stay; whether there are any.  They, and all that rests, are
    SHUT then."""
    look(r)
    N, C = integers(r.contact_numbers, N_NUMBERS, r.n_contacts), matrix(r.touching, r.n_contacts, N_COLUMNS)
    small, some = no_force(r, r.forces), False
    for k in range(r.n_contacts):
        N[SHUT, k], N[STILL, k] = N[RESTS, k], 0
        if N[TOUCHES, k] != 0 and N[RESTS, k] == 0 and C[k, ACCELERATION] < -small * C[k, EASE] \
                and 2 * C[k, RATE] < -tol.SHORTEST_FLIGHT * C[k, ACCELERATION]:
            N[STAYS, k], N[SHUT, k] = 1, 1
            some = True
    return some
