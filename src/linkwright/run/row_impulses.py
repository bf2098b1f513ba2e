"""Impulses of rows: the jumps of the speeds they bring, and which rows bear one (see `row_impacts`)."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..integrate.record import View
from . import tolerances as tol
from .row_modes import MIX, MIX_FIRST
from .row_record import (
    CHOSEN,
    EASE,
    FINE,
    FIRM,
    GROWS,
    HALF_LINE,
    HELD,
    IMPULSE,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    N_REALS,
    PLACE,
    RUB,
    RUBBED,
    STRENGTH,
    STRENGTH_BEFORE,
    STRUCK,
    SWITCHED,
    TRIED,
    WAY,
    call,
    integers,
    matrix,
    vector,
)  # fmt: skip


def note(r: View, row: int, direction: int) -> None:
    """An event, for the table of events."""
    if r.logs != 0:
        log = integers(r.log, r.n_log + 1, 2)
        log[r.n_log, 0], log[r.n_log, 1] = row, direction
    r.n_log += 1


def course(r: View, kind: int, elastic: bool) -> None:
    """What is done to the state next, for derivatives: its kind, by row what took part, and the inputs before."""
    if r.courses == 0:
        return
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    width = 1 + r.n + r.n_in
    line, inp = matrix(r.course, r.n_course + 1, width)[r.n_course], vector(r.inp, r.n_in)
    line[0] = float(kind)
    for k in range(r.n):
        takes = N[CHOSEN, k] != 0 if kind == RUBBED else elastic and X[STRENGTH_BEFORE, k] != 0.0
        line[1 + k] = 1.0 if takes else 0.0
    for i in range(r.n_in):
        line[1 + r.n + i] = inp[i]
    r.n_course += 1


def solve(r: View, stopped: bool) -> None:
    """Δu of the impulse in the inputs of the jump program; with `stopped` rows in force come to rest, else their rates
    change as those inputs say."""
    head, inp = vector(r.jump_in, r.n_in + r.nu + 1), vector(r.inp, r.n_in)
    for i in range(r.n_in):
        head[i] = inp[i]
    head[r.n_in + r.nu] = 1.0 if stopped else 0.0
    call(r.jump, r.jump_in, r.jump_out, r.jump_work)


def no_impulse(r: View) -> None:
    """Neither an impulse nor changes of rates."""
    values = vector(r.jump_in, r.n_in + r.nu + 1 + r.n_equations)
    for i in range(r.n_in, r.n_in + r.nu + 1 + r.n_equations):
        values[i] = 0.0


def change_speeds(r: View) -> None:
    """u ← u + Δu."""
    inp, change = vector(r.inp, r.n_in), vector(r.change, r.nu)
    for i in range(r.nu):
        inp[1 + r.nq + i] += change[i]


def rest(r: View) -> None:
    """Bring the rows in force to rest; speeds that are held by themselves to an exact zero."""
    if r.jump == 0:
        r.needs_jump = 1  # the program has not been made: the instant is asked for again
        return
    inp, rates = vector(r.inp, r.n_in), vector(r.rates, r.n_equations)
    alone, slopes = integers(r.alone, r.n_alone, 2), vector(r.alone_slopes, r.n_alone)
    small = 0.0
    for i in range(r.nu):
        small = max(small, abs(inp[1 + r.nq + i]))
    small *= tol.HELD_SPEED
    no_impulse(r)
    again = 0
    while again < 2:  # twice: the regularised factorisation leaves an error of 1e-10
        solve(r, True)
        change_speeds(r)
        again += 1
    solve(r, False)
    for i in range(r.n_alone):
        if abs(rates[alone[i, 0]]) <= small:
            inp[1 + r.nq + alone[i, 1]] -= rates[alone[i, 0]] / slopes[i]


# --- one phase ---


def rub(r: View) -> bool:
    """Δu with sliding friction, whose impulse is in proportion to reactions that depend on it; whether it is found."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T, inp = matrix(r.table, r.n, N_COLUMNS), vector(r.inp, r.n_in)
    given, sent = vector(r.impulse, r.nu), vector(r.sent, r.nu)
    directions = matrix(r.directions, r.n_switched, r.nu)
    rubbing = matrix(r.rubbing, r.n_rubbing, 3)
    for k in range(r.n_sliding):
        if N[CHOSEN, k] != 0:
            inp[F[WAY, k]], X[STRENGTH, k] = float(N[TRIED, k]), 0.0
    last = inf
    for _ in range(tol.RUB_ITERATIONS):
        for i in range(r.nu):
            against = 0.0
            for k in range(r.n_sliding):
                if N[CHOSEN, k] != 0:
                    against += N[TRIED, k] * X[STRENGTH, k] * directions[F[SWITCHED, k], i]
            sent[i] = given[i] - against
        solve(r, True)
        moved, largest = 0.0, r.struck
        for k in range(r.n_sliding):
            if N[CHOSEN, k] != 0:
                before = X[STRENGTH, k]
                X[STRENGTH, k] = rubbing[F[RUB, k], 2]
                moved = max(moved, T[k, EASE] * abs(X[STRENGTH, k] - before))
                largest = max(largest, T[k, EASE] * X[STRENGTH, k])
        moved /= largest
        if moved <= tol.FOUND or last / 2 < moved <= tol.FOUND_ROUGHLY:
            return True
        last = moved
    return False


def impulses(r: View) -> bool:
    """Δu with the present modes of an impact; whether its friction has an end."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, X, inp = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n), vector(r.inp, r.n_in)
    given, sent = vector(r.impulse, r.nu), vector(r.sent, r.nu)
    parts, push = integers(r.parts, r.n), vector(r.push, r.n_equations)
    sliding, found = False, True
    for i in range(r.n_parts):
        k = parts[i]
        inp[F[HELD, k]] = 1.0 if N[TRIED, k] == 0 else 0.0
        N[CHOSEN, k] = 1 if N[TRIED, k] != 0 and F[RUB, k] >= 0 and F[HALF_LINE, k] == 0 else 0
        sliding = sliding or N[CHOSEN, k] != 0
    if sliding:
        found = rub(r)
    else:
        for i in range(r.nu):
            sent[i] = given[i]
        solve(r, True)
    for i in range(r.n_parts):
        k = parts[i]
        X[IMPULSE, k] = push[F[PLACE, k]] if inp[F[HELD, k]] != 0.0 else 0.0
    return found


def wrong_impulse(r: View, k: int) -> tuple[float, int]:
    """By how much the mode of a row does not agree with the impulses, and which would be better (see `row_modes`)."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T = matrix(r.table, r.n, N_COLUMNS)
    ease, mode, push, at = T[k, EASE], N[TRIED, k], X[IMPULSE, k], F[PLACE, k]
    rates = vector(r.rates, r.n_equations)
    moved = vector(r.moved, r.n_equations)
    if mode != 0:
        return -mode * (rates[at] + moved[at]) / ease, 0
    limit, back = 0.0, inf
    if F[HALF_LINE, k] == 0:
        if F[FIRM, k] != 0:
            return 0.0, 0
        rubbing = matrix(r.rubbing, r.n_rubbing, 3)
        limit, back = rubbing[F[RUB, k], 0], rubbing[F[RUB, k], 1]
    return ease * max(push - limit, -push - back), 1 if push > 0.0 else -1


def strike(r: View, elastic: bool) -> int:
    """Change the speeds by the impulse given, and by those of the rows, so that none approaches.

    Rows are in force where they push, 0 ≤ v⁺ ⊥ −Λ ≥ 0; friction by Coulomb's law.  `elastic` rows return a share of
    their impulse of the phase before, which is the impulse given.
    """
    N = integers(r.numbers, N_NUMBERS, r.n)
    parts, known = integers(r.parts, r.n), integers(r.known, r.n_known)
    circle, trouble = False, FINE
    no_impulse(r)
    for n_known in range(tol.IMPACT_SEARCH * (1 + r.n_parts)):
        if not impulses(r):
            trouble = GROWS
            break
        most, row, better = 0.0, -1, 0
        for i in range(r.n_parts):
            if not (circle and row >= 0):
                excess, mode = wrong_impulse(r, parts[i])
                if excess > tol.WRONG_IMPULSE * r.struck and excess >= most:
                    most, row, better = excess, parts[i], mode
        if row < 0:
            break
        N[TRIED, row] = better
        now = MIX_FIRST
        for i in range(r.n_parts):
            now = (now ^ (2 + N[TRIED, parts[i]])) * MIX
        for i in range(n_known):
            circle = circle or known[i] == now
        known[n_known] = now
    rubs = False
    for i in range(r.n_parts):
        rubs = rubs or N[CHOSEN, parts[i]] != 0
    course(r, RUBBED if rubs else STRUCK, elastic)
    change_speeds(r)
    if r.permanent != 0 or r.n_parts > 1:
        # the error that the regularised factorisation leaves
        no_impulse(r)
        solve(r, True)
        change_speeds(r)
    return trouble
