"""Modes of rows that agree with the forces at an instant, or with the impulses of an impact: one search for both.

A row holds (mode 0, v = 0) while its force lies inside its interval, or moves one way (±1) with the force at that end:

    holds wrongly by e max(λ − limit, −λ − back),       moves wrongly by −mode a/e      (v⁺/e in an impact)

Modes are changed one at a time, the one that is most wrong first.  That is fast but may go round in a circle; then the
first wrong one is changed instead, which always ends for mechanics without friction, whose matrices are positive
(Murty, Mathematical Programming 7 (1974) 138), and mostly with it.  Where it does not end all combinations are tried,
and where none agrees (Painlevé) the run ends.

Forces, speeds and accelerations of different rows are compared by their ease e = √(G M⁻¹ Gᵀ): e λ, v/e and a/e.
Nothing depends on the units of length and mass; what has to be small is small against the forces, speeds and sizes of
the moment, or short in time (see `tolerances`).
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..codegen.dialect import bits
from ..integrate.record import View
from . import tolerances as tol
from .row_record import (
    ACCELERATION,
    ARRIVED,
    AT_REST,
    BACK,
    EASE,
    GIVEN,
    HALF_LINE,
    HELD,
    LIMIT,
    MODE,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    N_REALS,
    PUSH,
    RATE,
    RELEASED,
    SLACK,
    TAKES,
    WAY,
    call,
    integers,
    matrix,
    vector,
)  # fmt: skip

#: mixes modes into one number, by which combinations are told apart (Fowler, Noll and Vo)
MIX, MIX_FIRST = 1099511628211, 1469598103934665603


def look(r: View) -> None:
    """The situation now; computed only where an input has changed since the last look."""
    inp, seen = vector(r.inp, r.n_in), vector(r.seen, r.n_in)
    same = True
    for i in range(r.n_in):
        if bits(inp[i]) != bits(seen[i]):
            same = False
            seen[i] = inp[i]
    if not same:
        call(r.situation, r.inp, r.out, r.work)
    scales = vector(r.scales, 3)
    r.swing = scales[0]
    # a sum that is not finite tells that there are no accelerations
    r.forces = scales[1] if abs(scales[2]) < inf else inf


def scale_of_speeds(r: View) -> float:
    """The scale of speeds at this instant: the larger one of before and after its impacts."""
    return max(r.swing, r.struck)


def read_modes(r: View) -> None:
    """Modes as they are among the inputs."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, inp = integers(r.numbers, N_NUMBERS, r.n), vector(r.inp, r.n_in)
    for k in range(r.n):
        if inp[F[HELD, k]] != 0.0:
            N[MODE, k] = 0
        else:
            N[MODE, k] = int(inp[F[WAY, k]]) if k < r.n_sliding else 1


def put(r: View, k: int, mode: int) -> None:
    """Set the mode of a row, here and among the inputs.

    Several frictions on one shaft may be at rest together.  The equations do not say how they share the load.  Where
    the share matters for other forces (gears with losses), one of them holds and bears as much as it can; the others
    are idle until it gives way: they neither hold nor rub (held = direction = 0).
    """
    F = integers(r.fixed, N_FIXED, r.n)
    N, inp = integers(r.numbers, N_NUMBERS, r.n), vector(r.inp, r.n_in)
    N[MODE, k] = mode
    held = F[HELD, k]
    if k >= r.n_sliding:
        inp[held] = 1.0 if mode == 0 else 0.0
        return
    idle = F[GIVEN, k] != 0
    if r.shared != 0:
        B = integers(r.beside, r.n_sliding, r.n_sliding)
        for other in range(r.n_sliding):
            if B[k, other] != 0 and inp[F[HELD, other]] != 0.0:
                idle = True
        if mode != 0 and inp[held] != 0.0:
            # the next one on the shaft takes over
            for other in range(r.n_sliding):
                if B[k, other] != 0 and N[MODE, other] == 0:
                    inp[F[HELD, other]] = 1.0
                    break
    inp[held] = 1.0 if mode == 0 and not idle else 0.0
    if mode != 0 or idle:
        inp[F[WAY, k]] = float(mode)


def find_at_rest(r: View) -> None:
    """Friction whose speed counts as zero."""
    look(r)
    F = integers(r.fixed, N_FIXED, r.n)
    N, X = integers(r.numbers, N_NUMBERS, r.n), matrix(r.reals, N_REALS, r.n)
    T = matrix(r.table, r.n, N_COLUMNS)
    swing = scale_of_speeds(r)
    for k in range(r.n_sliding):
        share = tol.SLOW if N[MODE, k] != 0 else tol.SLOW_IF_HELD
        rests = N[ARRIVED, k] != 0 or abs(T[k, RATE]) <= share * swing * T[k, EASE] + 10 * X[SLACK, k]
        N[AT_REST, k] = 1 if rests and F[GIVEN, k] == 0 else 0


def is_idle(r: View, k: int) -> bool:
    """Whether another friction on the same shaft holds in its place."""
    if r.shared == 0 or k >= r.n_sliding:
        return False
    F, inp = integers(r.fixed, N_FIXED, r.n), vector(r.inp, r.n_in)
    B = integers(r.beside, r.n_sliding, r.n_sliding)
    shares = False
    for other in range(r.n_sliding):
        shares = shares or B[k, other] != 0
    return shares and inp[F[HELD, k]] == 0.0


def wrong(r: View, k: int, rounding: float) -> tuple[float, int]:
    """By how much the mode of a row does not agree with the forces (0: it does), and which would be better."""
    F = integers(r.fixed, N_FIXED, r.n)
    N, T = integers(r.numbers, N_NUMBERS, r.n), matrix(r.table, r.n, N_COLUMNS)
    mode, ease, push, limit = N[MODE, k], T[k, EASE], T[k, PUSH], T[k, LIMIT]
    if not r.forces < inf:
        # the accelerations are not finite: any other mode is better
        if k >= r.n_sliding:
            return 0.0, 0
        return inf, 1 if mode == 0 else -1 if mode == 1 else 0
    small = rounding * r.forces
    back = inf if F[HALF_LINE, k] != 0 else T[k, BACK]
    holds = limit > 0.0 or back > 0.0
    if mode == 0:
        if is_idle(r, k):
            return 0.0, 0
        excess = ease * max(push - limit, -push - back)
        # at its limit it would give way again at once
        least = -tol.WRONG_AT_MOST * r.forces if N[RELEASED, k] != 0 else small
        if excess > least or not holds:
            return max(excess, small, tol.TINY), -1 if push < 0.0 else 1
        return 0.0, 0
    excess = -mode * T[k, ACCELERATION] / ease
    if excess > small:
        # held only where it may hold
        return excess, 0 if holds else -mode
    return 0.0, 0


def mixed(r: View) -> int:
    """A number that tells combinations of modes apart."""
    F, inp = integers(r.fixed, N_FIXED, r.n), vector(r.inp, r.n_in)
    total = MIX_FIRST
    for k in range(r.n):
        total = (total ^ (2 + int(inp[F[HELD, k]]))) * MIX
        if k < r.n_sliding:
            total = (total ^ (2 + int(inp[F[WAY, k]]))) * MIX
    return total


def agree(r: View) -> bool:
    """Change modes of the rows that take part until none is wrong; False where that does not end."""
    N = integers(r.numbers, N_NUMBERS, r.n)
    known = integers(r.known, r.n_known)
    count = 0
    for k in range(r.n):
        count += N[TAKES, k]
    circle = False
    for n_known in range(tol.SEARCH * (1 + count)):
        look(r)
        most, row, better = 0.0, -1, 0
        for k in range(r.n):
            if N[TAKES, k] != 0 and not (circle and row >= 0):
                excess, mode = wrong(r, k, tol.WRONG)
                if excess > 0.0 and excess >= most:
                    most, row, better = excess, k, mode
        if row < 0:
            return True
        put(r, row, better)
        now = mixed(r)
        for i in range(n_known):
            circle = circle or known[i] == now
        known[n_known] = now
    return False


def try_all(r: View) -> bool:
    """Any combination that agrees; else one in which only small errors, or a stop without load, are left."""
    N, inp = integers(r.numbers, N_NUMBERS, r.n), vector(r.inp, r.n_in)
    y, start = vector(r.tried_y, r.n_y), vector(r.start_y, r.n_y)
    count, combinations = 0, 1
    for k in range(r.n):
        if N[TAKES, k] != 0:
            count += 1
            combinations *= 3 if k < r.n_sliding else 2
            if count > tol.ALL_COMBINATIONS:
                return False
    for i in range(r.n_y):
        y[i] = inp[r.y_at + i]
    for least in range(2):
        for number in range(combinations):
            left, rest = combinations, number
            for k in range(r.n):
                if N[TAKES, k] != 0:
                    left //= 3 if k < r.n_sliding else 2
                    choice = rest // left
                    rest -= choice * left
                    put(r, k, choice if choice < 2 else -1)
            # where friction causes the reaction it is in proportion to, there may be more than one solution
            for guess in range(2 if r.n_y > 0 else 1):
                for i in range(r.n_y):
                    inp[r.y_at + i] = y[i] if guess == 0 else start[i]
                look(r)
                good = True
                for k in range(r.n):
                    if N[TAKES, k] != 0 and not (least == 1 and k >= r.n_sliding):
                        excess, _ = wrong(r, k, tol.WRONG_AT_MOST if least == 1 else tol.WRONG)
                        good = good and not excess > 0.0
                if good:
                    return True
    for i in range(r.n_y):
        inp[r.y_at + i] = y[i]
    return False
