"""Impacts at rows: jumps of the speeds that all constraints allow.

    M Δu + Gᵀ Λ = J,   permanent constraints keep G u = 0

Poisson's law has two phases (Simbody Theory Manual §8.6; Glocker 2001): compression, 0 ≤ v⁺ ⊥ −Λ ≥ 0, until nothing
approaches any more; expansion, in which every stop gives back the share `restitution` of its impulse, and further
impulse where something would approach again.  Freewheels take part as stops that give nothing back.

Friction obeys Coulomb's law for impulses too.  A friction torque of given size has no impulse, ∫ τ dt over no time; one
in proportion to a reaction bears up to its share of the reaction's impulse; one that `holds_impacts` bears any.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..integrate.record import View
from . import contact_record as cr
from . import tolerances as tol
from .row_impulses import course, no_impulse, note, rest, solve, strike
from .row_modes import find_at_rest, look
from .row_record import (
    ACCELERATION,
    AT_REST,
    CHOSEN,
    DRIVEN,
    EASE,
    FINE,
    FIRM,
    GAP,
    HALF_LINE,
    HELD,
    HIT,
    IMPULSE,
    MODE,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    N_REALS,
    PATIENCE,
    PLACE,
    RATE,
    RESTITUTION,
    RUB,
    SIZE,
    STAYS,
    STRENGTH_BEFORE,
    STRUCK,
    SWITCHED,
    TOGETHER,
    TRIED,
    WAS_CLOSED,
    integers,
    matrix,
    vector,
)  # fmt: skip

SHORTEST_FLIGHT_SQUARED = tol.SHORTEST_FLIGHT**2


# --- which stops touch ---


def no_gap(r: View, ease: float) -> float:
    """The gap (m or rad) below which a stop counts as closed, however small its coordinate is.

    It is the distance that the present forces move the stop within the shortest flight.  At a stop where the coordinate
    is zero there is no size to compare a gap with.
    """
    return 0.5 * r.forces * ease * SHORTEST_FLIGHT_SQUARED if r.forces < inf else 0.0


def blurred(r: View, k: int) -> float:
    """The gap below which errors of steps hide whether a stop is open; it is learned, up to the accuracy of steps.

    A servo may hold a joint so near to its stop that steps, each as accurate as was asked for, pass it again and again.
    """
    X = matrix(r.reals, N_REALS, r.n)
    return min(tol.FIRST_BLUR * X[PATIENCE, k], 1.0) * r.accuracy if X[PATIENCE, k] > 1.0 else 0.0


def near(r: View, k: int, swing: float) -> bool:
    """Whether the gap of a stop is as good as closed, at speeds of the scale `swing`."""
    T = matrix(r.table, r.n, N_COLUMNS)
    small = tol.TOUCHES * (T[k, SIZE] + swing * T[k, EASE]) + no_gap(r, T[k, EASE])
    return abs(T[k, GAP]) <= max(small, blurred(r, k))


def touches(r: View, k: int, swing: float) -> bool:
    """Whether a stop is closed or as good as closed, at speeds of the scale `swing`."""
    N = integers(r.numbers, N_NUMBERS, r.n)
    return N[MODE, k] == 0 or near(r, k, swing)


# --- the impact ---


def take_part(r: View) -> None:
    """The rows of an impact, in their order: stops that touch, freewheels, friction; and their modes to begin with."""
    find_at_rest(r)
    F = integers(r.fixed, N_FIXED, r.n)
    N, T = integers(r.numbers, N_NUMBERS, r.n), matrix(r.table, r.n, N_COLUMNS)
    parts = integers(r.parts, r.n)
    count = 0
    for k in range(r.n):
        N[CHOSEN, k] = 0
    for k in range(r.n_sliding, r.n):
        if N[TOGETHER, k] != 0:
            parts[count] = k
            N[TRIED, k] = 0 if T[k, RATE] < 0.0 else 1
            count += 1
    for k in range(r.n_sliding):
        if F[HALF_LINE, k] != 0 and (N[HIT, k] != 0 or N[AT_REST, k] != 0):
            parts[count] = k
            N[TRIED, k] = 0 if T[k, RATE] < 0.0 else 1
            count += 1
    for k in range(r.n_sliding):
        rubs = N[AT_REST, k] != 0 if F[FIRM, k] != 0 else F[RUB, k] >= 0
        if F[HALF_LINE, k] == 0 and T[k, EASE] != 0.0 and rubs:
            parts[count] = k
            N[TRIED, k] = 0
            count += 1
    r.n_parts = count


def open_moving(r: View) -> None:
    """Open closed contacts that the impulses have set in motion: whose gap opens or closes, or that were stuck and
    slip."""
    look(r)
    inp, C = vector(r.inp, r.n_in), matrix(r.touching, r.n_contacts, cr.N_COLUMNS)
    F, own = integers(r.contact_fixed, cr.N_FIXED, r.n_contacts), integers(r.own, cr.N_OWN, r.n_contacts)
    for k in range(r.n_contacts):
        if inp[F[cr.CLOSED, k]] != 0.0:
            none = tol.SLOW_IF_HELD * max(r.struck, r.swing) * C[k, cr.EASE]
            slips = C[k, cr.SLIP_1] * C[k, cr.SLIP_1] + C[k, cr.SLIP_2] * C[k, cr.SLIP_2] > none * none
            if abs(C[k, cr.RATE]) > none or (inp[F[cr.STUCK, k]] != 0.0 and slips):
                for i in range(cr.N_OWN):
                    inp[own[i, k]] = 0.0


def hit(r: View) -> int:
    """An impact at stops and freewheels that were reached: speeds jump, then stops hold or open."""
    if r.jump == 0:
        r.needs_jump = 1
        return FINE
    look(r)
    F = integers(r.fixed, N_FIXED, r.n)
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T, inp = matrix(r.table, r.n, N_COLUMNS), vector(r.inp, r.n_in)
    aside, impulse = vector(r.inputs_aside, r.n_in), vector(r.impulse, r.nu)
    parts, own = integers(r.parts, r.n), integers(r.own, r.n_own_and_balls)
    directions = matrix(r.directions, r.n_switched, r.nu)
    r.struck = r.swing
    driven = False
    for k in range(r.n_sliding, r.n):
        N[TOGETHER, k] = 1 if N[HIT, k] != 0 or touches(r, k, r.struck) else 0
        N[WAS_CLOSED, k] = 1 if N[TOGETHER, k] != 0 and inp[F[HELD, k]] != 0.0 else 0
        N[CHOSEN, k] = 1 if N[HIT, k] != 0 and T[k, EASE] == 0.0 else 0
        driven = driven or N[CHOSEN, k] != 0
    if driven:
        return DRIVEN
    take_part(r)
    # rows that hold, and contacts between bodies, are out of force while the impact lasts
    for i in range(r.n_d):
        aside[r.d_at + i] = inp[r.d_at + i]
    for k in range(r.n):
        inp[F[HELD, k]] = 0.0
        X[IMPULSE, k] = 0.0
    for i in range(r.n_own_and_balls):
        inp[own[i]] = 0.0
    for i in range(r.nu):
        impulse[i] = 0.0
    trouble = strike(r, False)
    # expansion
    bounces = False
    for k in range(r.n):
        X[STRENGTH_BEFORE, k] = 0.0
    for i in range(r.n_parts):
        row = parts[i]
        if row >= r.n_sliding:
            X[STRENGTH_BEFORE, row] = T[row, RESTITUTION] * X[IMPULSE, row]
            bounces = bounces or X[STRENGTH_BEFORE, row] != 0.0
    if bounces and trouble == FINE:
        for i in range(r.nu):
            total = 0.0
            for j in range(r.n_parts):
                row = parts[j]
                if X[STRENGTH_BEFORE, row] != 0.0:
                    total += X[STRENGTH_BEFORE, row] * directions[F[SWITCHED, row], i]
            impulse[i] = -total
        for i in range(r.n_parts):
            N[TRIED, parts[i]] = F[HALF_LINE, parts[i]]
        trouble = strike(r, True)
    for i in range(r.n_d):
        inp[r.d_at + i] = aside[r.d_at + i]
    for k in range(r.n_sliding, r.n):
        inp[F[HELD, k]] = 0.0
    if r.n_contacts > 0:
        open_moving(r)
    for k in range(r.n_sliding, r.n):
        if N[HIT, k] != 0:
            note(r, k, -1)
    for k in range(r.n_sliding):
        if N[HIT, k] != 0:
            note(r, k, 0)
    if trouble == FINE:
        come_to_rest(r)
        for k in range(r.n):
            N[CHOSEN, k] = N[TOGETHER, k]
        lift(r, True)
    return trouble


# --- afterwards ---


def stays(rate: float, back: float, size: float) -> bool:
    """Whether the flight that begins with `rate` is too short or too low to matter; the acceleration `back` ends it."""
    return 2 * rate < tol.SHORTEST_FLIGHT * back or 0.0 < rate * rate < 2 * back * tol.LOWEST_FLIGHT * size


def come_to_rest(r: View) -> None:
    """Stops whose next flight would be too short to matter hold from now on; each may bring others to rest."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, inp = integers(r.numbers, N_NUMBERS, r.n), vector(r.inp, r.n_in)
    aside = vector(r.inputs_aside, r.n_in)
    T = matrix(r.table, r.n, N_COLUMNS)
    for k in range(r.n):
        N[STAYS, k] = 0
    more = True
    while more:
        look(r)
        small, more = tol.WRONG_IMPULSE * r.forces, False
        for k in range(r.n_sliding, r.n):
            if N[TOGETHER, k] != 0 and N[STAYS, k] == 0 and T[k, ACCELERATION] < -small * T[k, EASE] \
                    and stays(T[k, RATE], -T[k, ACCELERATION], T[k, SIZE]) and near(r, k, r.struck):
                N[STAYS, k] = 1
                more = True
        if more:
            for k in range(r.n_sliding):
                aside[F[HELD, k]] = inp[F[HELD, k]]
                inp[F[HELD, k]] = 0.0
            for k in range(r.n_sliding, r.n):
                if N[STAYS, k] != 0:
                    inp[F[HELD, k]] = 1.0
            course(r, STRUCK, False)
            rest(r)
            for k in range(r.n_sliding):
                inp[F[HELD, k]] = aside[F[HELD, k]]
    for k in range(r.n_sliding, r.n):
        if N[STAYS, k] != 0 and N[WAS_CLOSED, k] == 0:
            note(r, k, 0)


def lift(r: View, mirrored: bool) -> None:
    """Move gaps of chosen stops that lie below zero to the open side; `mirrored`, as far as they lay beyond it."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, inp = integers(r.numbers, N_NUMBERS, r.n), vector(r.inp, r.n_in)
    aside, T = vector(r.inputs_aside, r.n_in), matrix(r.table, r.n, N_COLUMNS)
    bottom = vector(r.bottom, r.n_equations)
    shift = vector(r.shift, r.nq)
    clear, lifts = tol.LIFT, 0
    if r.jump == 0:
        r.needs_jump = 1
        return
    while lifts < tol.ROW_LIFTS:
        look(r)
        below = False
        for k in range(r.n_sliding, r.n):
            below = below or (N[CHOSEN, k] != 0 and T[k, GAP] < 0.0 and inp[F[HELD, k]] == 0.0)
        if not below:
            return
        no_impulse(r)
        for i in range(r.n_d):
            aside[r.d_at + i] = inp[r.d_at + i]
        for k in range(r.n):
            inp[F[HELD, k]] = 0.0
        for k in range(r.n_sliding, r.n):
            gap = T[k, GAP]
            if N[CHOSEN, k] != 0 and gap < 0.0 and aside[F[HELD, k]] == 0.0:
                inp[F[HELD, k]] = 1.0
                bottom[F[PLACE, k]] = max(clear * T[k, SIZE], -gap if mirrored else 0.0) - gap
        solve(r, False)
        for i in range(r.nq):
            inp[1 + i] += shift[i]
        for i in range(r.n_d):
            inp[r.d_at + i] = aside[r.d_at + i]
        clear *= 2
        lifts += 1
