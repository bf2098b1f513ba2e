"""Impacts of rigid bodies with friction: jumps of the speeds, by Poisson's law or Newton's.

    compression   Λ_C: 0 ≤ v_n ⊥ Λ_n ≥ 0, |Λ_t| ≤ μ Λ_n against the slip that is left        (`contact_cone`)
    expansion     Poisson: the same with Λ_n ≥ e Λ_C,n;   Newton: v_n⁺ ≥ −e v_n⁻ in one phase instead

No gain of energy is known of Poisson's law; Newton's law with friction can gain some (Kane 1984).  Where the energy
would rise, the restitution is halved until it does not, and the result says so.

Closed stops take part as contacts without friction, since an impact may open them.  Dry friction in joints passes on no
impulse, except where it was declared with `holds_impacts`.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import hypot
from ..integrate.record import View
from . import row_record as rr
from . import tolerances as tol
from .cone_search import largest, move
from .contact_cone import prepare_cone, within_cones
from .contact_motion import delassus, event, lay_aside, open_all, take_up, tell
from .contact_record import (
    CAPTURE,
    CHOSEN,
    DRIVEN,
    EASE,
    GAINED,
    HOLDS,
    MU,
    MU_S,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    NEWTON,
    NO_IMPULSES,
    PRESSES,
    RATE,
    RESTITUTION,
    RETURNED,
    RUBBED,
    RUBS,
    SLIP_1,
    SLIP_2,
    STRIKES,
    THROWN,
)  # fmt: skip
from .row_impulses import change_speeds, no_impulse, solve
from .row_modes import look
from .row_record import FINE, integers, matrix, vector


def strike(r: View) -> int:
    """One impact of the contacts in `which`, to which closed stops are added."""
    look(r)
    N, which = integers(r.contact_numbers, N_NUMBERS, r.n_contacts), integers(r.which, r.most)
    C, v = matrix(r.touching, r.n_contacts, N_COLUMNS), vector(r.v, r.size)
    inp, speeds = vector(r.inp, r.n_in), vector(r.speeds, r.nu)
    energy, driven = r.swing * r.swing / 2, False
    for j in range(r.n_contacts):
        N[CHOSEN, j] = 0
    for i in range(r.n_which):
        k = which[i]
        if C[k, EASE] == 0.0 and C[k, RATE] < 0.0:
            N[CHOSEN, k] = 1
            driven = True
    if driven:
        return DRIVEN
    n_contacts = r.n_which
    lay_aside(r)
    arrivals(r)
    open_all(r)
    put_rows_aside(r)
    delassus(r)
    prepare_cone(r)
    for i in range(r.nu):
        speeds[i] = inp[1 + r.nq + i]
    share, after = struck_until_no_gain(r, energy, largest(3 * r.n_which, v))
    if share < 0.0:
        for i in range(n_contacts):
            N[CHOSEN, which[i]] = 1
        rows_back(r)
        take_up(r)
        return NO_IMPULSES
    note_course(r, share)
    rows_back(r)
    take_up(r)
    if share < 1.0:
        for i in range(n_contacts):
            tell(r, GAINED, which[i], 0, share, 0.0, 0.0)
    tell_hits(r, n_contacts, energy - after)
    return FINE


def arrivals(r: View) -> None:
    """Speeds, friction and restitution of all that takes part: contacts, and behind them stops that are closed."""
    which = integers(r.which, r.most)
    C, v = matrix(r.touching, r.n_contacts, N_COLUMNS), vector(r.v, r.size)
    laws, give = matrix(r.laws, r.most, 3), vector(r.give, r.most)
    known, ways = integers(r.slides, r.most), matrix(r.ways, r.most, 2)
    F, inp = integers(r.fixed, rr.N_FIXED, r.n), vector(r.inp, r.n_in)
    for i in range(r.n_which):
        k = which[i]
        v[3 * i], v[3 * i + 1], v[3 * i + 2] = C[k, RATE], C[k, SLIP_1], C[k, SLIP_2]
        laws[i, 0] = C[k, MU_S] if abs(C[k, SLIP_1]) + abs(C[k, SLIP_2]) == 0.0 else C[k, MU]
        give[i] = C[k, RESTITUTION] if -C[k, RATE] > C[k, CAPTURE] else 0.0
    T = matrix(r.table, r.n, rr.N_COLUMNS)
    for row in range(r.n_sliding, r.n):
        if inp[F[rr.HELD, row]] != 0.0:
            new = r.n_which
            which[new] = r.n_contacts + row - r.n_sliding
            v[3 * new], v[3 * new + 1], v[3 * new + 2] = T[row, rr.RATE], 0.0, 0.0
            laws[new, 0], give[new] = 0.0, T[row, rr.RESTITUTION]
            r.n_which += 1
    for i in range(r.n_which):
        laws[i, 1], laws[i, 2] = 0.0, 0.0
        known[i], ways[i, 0], ways[i, 1] = 0, 0.0, 0.0


def thrown(r: View, i: int) -> bool:
    """Whether what takes part follows Newton's law."""
    F, which = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.which, r.most)
    return which[i] < r.n_contacts and F[NEWTON, min(which[i], r.n_contacts - 1)] != 0


def struck_until_no_gain(r: View, energy: float, scale: float) -> tuple[float, float]:
    """The speeds after an impact, and the energy; and the share of the restitution that was given back (−1: there are
    no impulses)."""
    inp, speeds = vector(r.inp, r.n_in), vector(r.speeds, r.nu)
    give, moved = vector(r.give, r.most), matrix(r.changes, r.size, r.nu)
    first, second = vector(r.first_phase, r.size), vector(r.best, r.size)
    gives, share, after, again, halvings = False, 1.0, 0.0, True, 0
    for i in range(r.n_which):
        gives = gives or give[i] != 0.0
    while again and halvings < tol.RESTITUTION_HALVINGS:
        if not phases(r, share, scale):
            return -1.0, 0.0
        for j in range(r.nu):
            total = 0.0
            for i in range(3 * r.n_which):
                total += moved[i, j] * (first[i] + second[i])
            inp[1 + r.nq + j] = speeds[j] + total
        no_impulse(r)
        # the error that the regularised factorisation leaves in permanent constraints
        solve(r, True)
        change_speeds(r)
        look(r)
        after = r.swing * r.swing / 2
        again = after > energy * (1 + tol.ENERGY_ROUNDING) and gives
        share = 0.5 * share if again else share
        halvings += 1
    return share, after


def phases(r: View, share: float, scale: float) -> bool:
    """Impulses of compression in `first_phase` and of expansion in `best`; whether there are any within the cones."""
    W, v, b = matrix(r.W, r.size, r.size), vector(r.v, r.size), vector(r.b, r.size)
    give, least = vector(r.give, r.most), vector(r.least, r.most)
    first, best, n = vector(r.first_phase, r.size), vector(r.best, r.size), r.n_which
    motion = vector(r.motion, r.size)
    for i in range(3 * n):
        b[i] = v[i]
    for i in range(n):
        least[i] = 0.0
        if thrown(r, i):
            b[3 * i] += share * give[i] * min(v[3 * i], 0.0)
    if not within_cones(r, b, scale):
        return False
    returns = False
    for i in range(3 * n):
        first[i] = best[i]
    for i in range(n):
        least[i] = 0.0 if thrown(r, i) else share * give[i] * first[3 * i]
        returns = returns or least[i] != 0.0
    if not returns:
        for i in range(3 * n):
            best[i] = 0.0
        return True
    move(3 * n, W, b, first, motion)
    for i in range(3 * n):
        b[i] = motion[i]
    return within_cones(r, b, scale)


def tell_hits(r: View, n_contacts: int, lost: float) -> None:
    """Contacts that were struck, for the tables."""
    which, v = integers(r.which, r.most), vector(r.v, r.size)
    first, second = vector(r.first_phase, r.size), vector(r.best, r.size)
    most, count = 0.0, 0
    for i in range(r.n_which):
        most = max(most, first[3 * i] + second[3 * i])
    small = tol.NO_FORCE * most
    for i in range(n_contacts):
        count += 1 if first[3 * i] + second[3 * i] > small and v[3 * i] < 0.0 else 0
    for i in range(n_contacts):
        impulse = first[3 * i] + second[3 * i]
        if impulse > small and v[3 * i] < 0.0:
            event(r, which[i], -1)
            tell(r, STRIKES, which[i], 1, impulse, -v[3 * i], lost / count)


# --- rows of joints ---


def put_rows_aside(r: View) -> None:
    """Take rows out of force while bodies collide, but for those that bear any impulse.

    In force they would hold in both directions; what opens can only push, and what slides only resist.
    """
    F, inp, aside = integers(r.fixed, rr.N_FIXED, r.n), vector(r.inp, r.n_in), vector(r.rows_aside, r.n)
    for k in range(r.n):
        if F[rr.FIRM, k] == 0:
            aside[k] = inp[F[rr.HELD, k]]
            inp[F[rr.HELD, k]] = 0.0


def rows_back(r: View) -> None:
    """Put them back in force, except those that open or slide now."""
    if r.n > 0:
        look(r)
        F, inp, aside = integers(r.fixed, rr.N_FIXED, r.n), vector(r.inp, r.n_in), vector(r.rows_aside, r.n)
        T, still = matrix(r.table, r.n, rr.N_COLUMNS), tol.STILL * r.swing
        for k in range(r.n):
            if F[rr.FIRM, k] == 0:
                speed, none = T[k, rr.RATE], still * T[k, rr.EASE]
                moves = speed > none or k < r.n_sliding and -speed > none
                inp[F[rr.HELD, k]] = 1.0 if aside[k] != 0.0 and not moves else 0.0
                if aside[k] != 0.0 and moves and k < r.n_sliding:
                    inp[F[rr.WAY, k]] = 1.0 if speed > 0.0 else -1.0


# --- for derivatives ---


def note_course(r: View, share: float) -> None:
    """Note which rows were in force in which phase, for derivatives across the impact; contacts are open."""
    if r.courses == 0:
        return
    inp, speeds = vector(r.inp, r.n_in), vector(r.speeds, r.nu)
    which, n = integers(r.which, r.most), r.n_which
    first, best = vector(r.first_phase, r.size), vector(r.best, r.size)
    least, moved = vector(r.least, r.most), matrix(r.changes, r.size, r.nu)
    width = 2 + r.most + r.n_in
    second = False
    for i in range(3 * n):
        second = second or best[i] != 0.0
    small = 0.0
    for i in range(n):
        small = max(small, tol.NO_FORCE * first[3 * i])
    for phase in range(2):
        if phase == 0 or second:
            line = matrix(r.contact_course, r.n_phases + 1, width)[r.n_phases]
            line[0], line[1] = float(phase), share
            for i in range(r.most):
                line[2 + i] = 0.0
            for i in range(n):
                line[2 + which[i]] = float(took_part(r, i, phase, small, least[i] if phase == 1 else 0.0))
            for i in range(r.n_in):
                line[2 + r.most + i] = inp[i]
            for j in range(r.nu):
                total = 0.0
                for i in range(3 * n):
                    total += moved[i, j] * first[i]
                line[3 + r.most + r.nq + j] = speeds[j] + (total if phase == 1 else 0.0)
            r.n_phases += 1


def took_part(r: View, i: int, phase: int, small: float, least: float) -> int:
    """What one that takes part did in a phase: flags."""
    F, which = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.which, r.most)
    laws, best = matrix(r.laws, r.most, 3), vector(r.best, r.size)
    first, k = vector(r.first_phase, r.size), 3 * i
    contact = which[i] < r.n_contacts
    push = first[k] if phase == 0 else best[k]
    rub = hypot(first[k + 1], first[k + 2]) if phase == 0 else hypot(best[k + 1], best[k + 2])
    flags = RETURNED if least != 0.0 else 0
    if push > least + small:
        flags += PRESSES + (THROWN if thrown(r, i) else 0)
    if push > small and laws[i, 0] != 0.0 and contact and F[RUBS, min(which[i], r.n_contacts - 1)] != 0:
        flags += HOLDS + (RUBBED if rub >= (1 - tol.NO_FORCE) * laws[i, 0] * push else 0)
    return flags
