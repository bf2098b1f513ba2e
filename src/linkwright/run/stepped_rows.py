"""Rows of impulses beside those of contacts, for stepping: stops, dry friction and freewheels of joints and drives.

Each is one speed whose impulse lies between two bounds (`integrate.gauss_seidel`, SINGLE).  A stop only presses,

    0 ≤ G u⁺ + gap/h ⊥ Λ ≥ 0

friction bears h times what rubs, against the motion, or at rest what holds, and a freewheel besides anything that keeps
it from turning backwards:

    −h f ≤ Λ ≤ h f          at rest  −h limit ≤ Λ ≤ h back          freewheel  Λ ≤ ∞

What `holds_impacts` and was at rest bears anything in a step in which something strikes.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..codegen.dialect import real
from ..integrate.gauss_seidel import SINGLE
from ..integrate.record import View
from .stepped_record import (
    BACK,
    FORTH,
    GIVES_BACK,
    HELD,
    HIT_MEET,
    HIT_TIME,
    N_HIT,
    OPEN_BY,
    RUBS,
    WAY,
    crowd_at,
    integers,
    matrix,
    vector,
)
from .tolerances import NO_FORCE, REST


def speed_along(r: View, k: int, u: real[:]) -> float:
    """The speed of a single row."""
    c = crowd_at(r.crowd)
    places, G, total = integers(c.single_places, c.n_singles, c.single_width), matrix(c.singles, c.n_singles, c.nu), 0.0
    for i in range(c.single_width):
        if places[k, i] >= 0:
            total += G[k, places[k, i]] * u[places[k, i]]
    return total


def begin_singles(r: View, struck: bool) -> float:
    """Bounds, first impulses and who takes part, where speeds without impulses are known; `struck`: contacts strike.

    A stop that is far from its end does not take part.  The largest of what is added to the speeds.
    """
    c = crowd_at(r.crowd)
    n, told = c.n_singles, matrix(c.told, c.n_singles, 3)
    before, u = vector(r.before, r.nu), vector(r.u, r.nu)
    known, begun, bias = vector(r.single_known, n), vector(r.single_begun, n), vector(r.single_bias, n)
    bounds, taken = matrix(r.single_bounds, n, 2), integers(r.is_taken, n)
    one_way, firm, most = integers(r.one_way, n), integers(r.firm, n), 0.0
    for k in range(r.n_opening):
        gap, give, rate = told[k, OPEN_BY], told[k, GIVES_BACK], speed_along(r, k, before)
        hit = rate < 0.0 and gap + r.h * rate <= 0.0
        bias[k] = give * rate if hit and give > 0.0 else max(gap, 0.0) / r.h
        bounds[k] = 0.0, inf
        struck = struck or hit and known[k] <= 0.0
        takes = hit or known[k] > 0.0 or bias[k] + speed_along(r, k, u) <= 0.0
        taken[k] = 1 if takes else 0
        most = max(most, bias[k])
    for k in range(r.n_opening, n):
        moving = abs(speed_along(r, k, before)) > REST
        bounds[k, 0] = -r.h * (told[k, RUBS] if moving else told[k, BACK])
        bounds[k, 1] = r.h * (told[k, RUBS] if moving else told[k, FORTH])
        if one_way[k] != 0:
            bounds[k, 1] = inf
        if firm[k] != 0 and not moving and struck:
            bounds[k] = -inf, inf
        bias[k], taken[k] = 0.0, 1
    for k in range(n):
        begun[k] = min(max(known[k], bounds[k, 0]), bounds[k, 1])
    return most


def lay_singles(r: View, first: int) -> int:
    """Rows and threes of single rows that take part, from a row on; where they end."""
    c = crowd_at(r.crowd)
    taken, which = integers(r.is_taken, c.n_singles), integers(r.taken, c.n_singles)
    begun, bias = vector(r.single_begun, c.n_singles), vector(r.single_bias, c.n_singles)
    bounds, end = matrix(r.single_bounds, c.n_singles, 2), first
    for k in range(c.n_singles):
        if taken[k] != 0:
            which[end - first] = k
            lay_single(r, k, end)
            matrix(r.impulses, end + 1, 3)[end] = begun[k], 0.0, 0.0
            matrix(r.bias, end + 1, 3)[end] = bias[k], 0.0, 0.0
            matrix(r.limits, end + 1, 3)[end] = bounds[k, 0], bounds[k, 1], 0.0
            end += 1
    return end


def lay_single(r: View, k: int, row: int) -> None:
    """G of a single row, its kind and partner."""
    c = crowd_at(r.crowd)
    wide = max(2 * c.width, c.single_width)
    own, values = integers(c.single_places, c.n_singles, c.single_width), matrix(c.singles, c.n_singles, c.nu)
    G, places = matrix(r.G, row + 1, 3, wide), integers(r.g_places, row + 1, wide)
    kinds, partners = integers(r.kinds, row + 1), integers(r.partners, row + 1)
    G[row], places[row] = 0.0, -1
    kinds[row], partners[row] = SINGLE, -1
    for i in range(c.single_width):
        if own[k, i] >= 0:
            places[row, i] = own[k, i]
            G[row, 0, i] = values[k, own[k, i]]


def takes_more(r: View) -> bool:
    """Let stops take part that the speeds after a step would pass; whether there are any."""
    c, u, more = crowd_at(r.crowd), vector(r.u, r.nu), False
    taken, bias = integers(r.is_taken, c.n_singles), vector(r.single_bias, c.n_singles)
    for k in range(r.n_opening):
        if taken[k] == 0 and bias[k] + speed_along(r, k, u) < 0.0:
            taken[k] = 1
            more = True
    return more


def keep_singles(r: View, first: int, end: int) -> None:
    """Impulses for the next step; a stop that presses and did not before is hit."""
    c, impulses = crowd_at(r.crowd), matrix(r.impulses, end, 3)
    known, which = vector(r.single_known, c.n_singles), integers(r.taken, c.n_singles)
    begun = vector(r.single_begun, c.n_singles)
    for k in range(c.n_singles):
        begun[k] = 0.0
    for row in range(first, end):
        begun[which[row - first]] = impulses[row, 0]
    for k in range(c.n_singles):
        if k < r.n_opening and begun[k] > 0.0 and known[k] <= 0.0:
            hits = matrix(r.hits, r.n_hits + 1, N_HIT)
            hits[r.n_hits, HIT_TIME], hits[r.n_hits, HIT_MEET] = r.t, -1.0 - k
            r.n_hits += 1
        known[k] = begun[k]


def tell_singles(r: View, modes: real[:]) -> None:
    """What is in force after a step, for the forces in the result."""
    c, u = crowd_at(r.crowd), vector(r.u, r.nu)
    n, known, slots = c.n_singles, vector(r.single_known, c.n_singles), integers(r.single_modes, c.n_singles, 2)
    bounds = matrix(r.single_bounds, n, 2)
    for k in range(n):
        if k < r.n_opening:
            modes[slots[k, HELD]] = 1.0 if known[k] > 0.0 else 0.0
            continue
        low, high, slack = bounds[k, 0], bounds[k, 1], 0.0
        for side in range(2):
            if abs(bounds[k, side]) < inf:
                slack = max(slack, NO_FORCE * abs(bounds[k, side]))
        holds = known[k] > low + slack and known[k] < high - slack
        modes[slots[k, HELD]] = 1.0 if holds else 0.0
        speed = speed_along(r, k, u)
        sign = 1.0 if speed > 0.0 else -1.0 if speed < 0.0 else 0.0
        modes[slots[k, WAY]] = 0.0 if holds else sign
