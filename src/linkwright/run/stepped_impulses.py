"""The impulses of one step of many contacts: the speeds that all of them leave together (`integrate.gauss_seidel`).

Beside what presses and slides there are, by the laws of the encounters, rows of turning: spin about the normal and
rolling about the tangents, each held up to its arm times Λ_n.  In a step in which a contact is struck its turning is
left alone, and a patch does not rub: an impact has no time for either (`library.contact.Rigid`).
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import hypot
from ..integrate.gauss_seidel import CONTACT, TURN
from ..integrate.record import View
from .stepped_record import (
    CAPTURE,
    CREEP,
    HIT_MEET,
    HIT_POINT,
    HIT_PUSH,
    HIT_SPEED,
    HIT_TIME,
    MU,
    MU_S,
    N_HIT,
    N_LAWS,
    PATCH,
    RESTITUTION,
    ROLLING,
    SPINNING,
    crowd_at,
    integers,
    matrix,
    vector,
)
from .stepped_rows import begin_singles, keep_singles, lay_singles, takes_more
from .stepped_solving import solve
from .stepped_touching import pull, speed_of, turns
from .tolerances import NO_FORCE, REST


def strike(r: View) -> None:
    """Change the speeds that forces alone would leave."""
    c, u, free = crowd_at(r.crowd), vector(r.u, r.nu), vector(r.speeds_aside, r.nu)
    struck = begin_contacts(r)
    end = begin_turning(r)
    soft = is_soft(r)
    most = begin_singles(r, struck)
    for j in range(r.nu):
        free[j] = u[j]
    left, last = 0.0, end
    for _ in range(c.n_singles + 1):
        # once more where stops were left out that would be passed
        for j in range(r.nu):
            u[j] = free[j]
        recall(r)
        last = lay_singles(r, end)
        left = solve(r, last, soft, most)
        if not takes_more(r):
            break
    r.n_rows = last
    r.most, r.residual = max(r.most, r.n_touching), max(r.residual, left)
    note_hits(r)
    keep_singles(r, end, last)
    keep(r)


def begin_contacts(r: View) -> bool:
    """Rows of what touches, with what decides them; whether something strikes.

    What would arrive within the step, fast enough, leaves again before it is inside, so that lifting it gives it no
    energy; else it may close the gap that is left.
    """
    c, n, before = crowd_at(r.crowd), r.n_touching, vector(r.before, r.nu)
    laws, meets, gaps = matrix(r.laws, N_LAWS, c.n_meets), integers(r.meets, n), vector(r.gaps, n)
    approach, bounces, pressed = vector(r.approach, n), integers(r.bounces, n), integers(r.pressed, n)
    bias, limits = matrix(r.bias, n, 3), matrix(r.limits, n, 3)
    kinds, partners, some = integers(r.kinds, n), integers(r.partners, n), False
    for k in range(n):
        meet = meets[k]
        pull(r, k, k, False)
        pressed[k] = known_at(r, k)
        approach[k] = speed_of(r, k, 0, before)
        arrives = gaps[k] + r.h * approach[k] <= 0.0
        throws = arrives and -approach[k] > laws[CAPTURE, meet] and laws[RESTITUTION, meet] > 0.0
        struck = throws or arrives and -approach[k] > REST and pressed[k] < 0
        slips = hypot(speed_of(r, k, 1, before), speed_of(r, k, 2, before)) > REST
        bounces[k] = (1 if throws else 0) + (2 if struck else 0)
        bias[k] = laws[RESTITUTION, meet] * approach[k] if throws else max(gaps[k], 0.0) / r.h, 0.0, 0.0
        mu = laws[MU, meet] if slips else laws[MU_S, meet]
        if laws[PATCH, meet] > 0.0:
            mu = 0.0 if struck else laws[MU, meet]
        limits[k] = mu, laws[PATCH, meet], laws[CREEP, meet]
        kinds[k], partners[k] = CONTACT, -1
        some = some or struck
    return some


def known_at(r: View, k: int) -> int:
    """Where a point is among those that pressed in the last step; −1: it did not."""
    c, meet, number = crowd_at(r.crowd), integers(r.meets, k + 1)[k], integers(r.numbers, k + 1)[k]
    at = integers(r.first_known, c.n_meets)[meet]
    meets, numbers = integers(r.known_meets, r.n_known), integers(r.known_numbers, r.n_known)
    found = -1
    while at >= 0 and at < r.n_known:
        if meets[at] != meet:
            break
        if numbers[at] == number:
            found = at
            break
        at += 1
    return found


def begin_turning(r: View) -> int:
    """Rows of turning, behind those of points; where they end."""
    c, n, end = crowd_at(r.crowd), r.n_touching, r.n_touching
    if r.turns == 0:
        return n
    laws, meets, bounces = matrix(r.laws, N_LAWS, c.n_meets), integers(r.meets, n), integers(r.bounces, n)
    for k in range(n):
        if turns(r, meets[k]):
            pull(r, end, k, True)
            on = 0.0 if bounces[k] >= 2 else 1.0
            matrix(r.bias, end + 1, 3)[end] = 0.0, 0.0, 0.0
            matrix(r.limits, end + 1, 3)[end] = on * laws[SPINNING, meets[k]], on * laws[ROLLING, meets[k]], 0.0
            kinds, partners = integers(r.kinds, end + 1), integers(r.partners, end + 1)
            kinds[end], partners[end], partners[k] = TURN, k, end
            end += 1
    return end


def recall(r: View) -> None:
    """Impulses of contacts as the last step left them."""
    n, known, pressed = r.n_touching, matrix(r.known, r.n_known, 6), integers(r.pressed, r.n_touching)
    partners = integers(r.partners, n)
    for k in range(n):
        for i in range(3):
            matrix(r.impulses, n, 3)[k, i] = known[pressed[k], i] if pressed[k] >= 0 else 0.0
            if partners[k] >= 0:
                row = partners[k]
                matrix(r.impulses, row + 1, 3)[row, i] = known[pressed[k], 3 + i] if pressed[k] >= 0 else 0.0


def is_soft(r: View) -> bool:
    """Whether something touches along a patch."""
    limits, soft = matrix(r.limits, r.n_touching, 3), False
    for k in range(r.n_touching):
        soft = soft or limits[k, 1] > 0.0
    return soft


def note_hits(r: View) -> None:
    """What was hit, for the table of contacts."""
    n, impulses, meets = r.n_touching, matrix(r.impulses, r.n_touching, 3), integers(r.meets, r.n_touching)
    numbers, approach = integers(r.numbers, n), vector(r.approach, n)
    bounces, pressed = integers(r.bounces, n), integers(r.pressed, n)
    for k in range(n):
        new = bounces[k] % 2 == 1 or pressed[k] < 0 and approach[k] < 0.0
        if impulses[k, 0] > 0.0 and new:
            hit = matrix(r.hits, r.n_hits + 1, N_HIT)[r.n_hits]
            hit[HIT_TIME], hit[HIT_MEET], hit[HIT_POINT] = r.t, float(meets[k]), float(numbers[k])
            hit[HIT_PUSH], hit[HIT_SPEED] = impulses[k, 0], -approach[k]
            r.n_hits += 1


def keep(r: View) -> None:
    """What presses, for the next step, and which of it slides."""
    c, n, rows = crowd_at(r.crowd), r.n_touching, matrix(r.impulses, r.n_rows, 3)
    meets, numbers, partners = integers(r.meets, n), integers(r.numbers, n), integers(r.partners, n)
    first, limits = integers(r.first_known, c.n_meets), matrix(r.limits, n, 3)
    known_meets = integers(r.known_meets, r.n_known)
    for k in range(r.n_known):
        first[known_meets[k]] = -1
    r.n_known = 0
    for k in range(n):
        if rows[k, 0] > 0.0:
            at = r.n_known
            own = matrix(r.known, at + 1, 6)[at]
            for i in range(3):
                own[i] = rows[k, i]
                own[3 + i] = rows[partners[k], i] if partners[k] >= 0 else 0.0
            slides = hypot(rows[k, 1], rows[k, 2]) >= (1.0 - NO_FORCE) * limits[k, 0] * rows[k, 0]
            integers(r.known_meets, at + 1)[at] = meets[k]
            integers(r.known_numbers, at + 1)[at] = numbers[k]
            integers(r.known_slides, at + 1)[at] = 1 if slides or limits[k, 1] > 0.0 else 0
            if first[meets[k]] < 0:
                first[meets[k]] = at
            r.n_known = at + 1
