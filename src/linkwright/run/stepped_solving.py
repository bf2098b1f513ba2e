"""How the impulses of a step are found: by Newton's method, by sweeps, and exactly where there are few."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..codegen.dialect import real, whole
from ..integrate.gauss_seidel import sweep
from ..integrate.record import View
from .cone import found_rows
from .cone_newton import press
from .crowd_inertia import give
from .narrowing import acting, narrowed, widened
from .stepped_record import crowd_at, integers, matrix, vector
from .stepped_touching import respond, speed_of
from .tolerances import (
    FEW_CONTACTS,
    FOUND,
    NEWTON_RESTING,
    NEWTON_SPEED,
    NEWTON_SPEEDS,
    SWEEPS,
    SWEPT_SPEED,
)


def solve(r: View, m: int, soft: bool, speed: float) -> float:
    """The impulses of m rows, and the speeds they leave; the speed that is left wrong.

    `speed` is the largest at which stops that take no part may be approached.
    """
    left = inf
    few = r.n_touching < r.nu
    if m == 0:
        return 0.0
    if not soft and r.nu <= (NEWTON_SPEEDS if few else NEWTON_RESTING):
        for row in range(m):
            respond(r, row, 3, False)
        left = by_newton(r, m, speed)
    if left > SWEPT_SPEED:
        for row in range(m):
            respond(r, row, 3, True)
        left = by_sweeps(r, m)
        if left > SWEPT_SPEED and r.n_touching <= FEW_CONTACTS and not soft:
            for row in range(m):
                respond(r, row, 3, False)
            left = min(left, exactly(r, m))
    return left


def by_newton(r: View, m: int, speed: float) -> float:
    """Newton's method; the speed that is left wrong, where it is large nothing changes."""
    c, u = crowd_at(r.crowd), vector(r.u, r.nu)
    b, bias, found = matrix(r.b, m, 3), matrix(r.bias, m, 3), matrix(r.found, m, 3)
    impulses, y, most = matrix(r.impulses, m, 3), vector(r.y_found, r.nu), speed
    for row in range(m):
        for i in range(3):
            b[row, i] = bias[row, i] + speed_of(r, row, i, u)
            most = max(most, abs(b[row, i]))
            found[row, i] = impulses[row, i]
    rows = 0
    for row in range(m):
        rows += acting(r, row)
    wanted, few = min(NEWTON_SPEED * most, SWEPT_SPEED), rows < r.nu
    unknowns = narrowed(r, m) if few else r.nu
    z = vector(r.z_found, unknowns)
    if few:
        left = pressed(r, m, unknowns, z, matrix(r.n_B, m, 3, r.nu), integers(r.n_places, m, r.nu), wanted)
    else:
        left = pressed(r, m, unknowns, z, matrix(r.A, m, 3, 2 * c.block), integers(r.a_places, m, 2 * c.block), wanted)
    if left <= SWEPT_SPEED:
        for row in range(m):
            for i in range(3):
                impulses[row, i] = found[row, i]
        if few:
            widened(r, z, y)
        else:
            for j in range(r.nu):
                y[j] = z[j]
        give(c, y, False)
        for j in range(r.nu):
            u[j] += y[j]
    return left


def pressed(r: View, m: int, n: int, z: real[:], A: real[:, 3, :], places: whole[:, :], wanted: float) -> float:
    """Newton's method in n unknowns, on the memory of the run; the speed that is left wrong."""
    for j in range(n):
        z[j] = 0.0
    used, left = press(
        z, matrix(r.found, m, 3), A, places, matrix(r.b, m, 3), integers(r.kinds, m), integers(r.partners, m),
        matrix(r.limits, m, 3), wanted, matrix(r.n_before, m, 3), matrix(r.n_X, m, 3), matrix(r.n_dX, m, 3),
        vector(r.n_R, m), vector(r.n_lift, m), vector(r.n_none, m), vector(r.n_F, n), vector(r.n_way, n),
        vector(r.n_best, n), matrix(r.n_H, n, n), matrix(r.n_V, n, n), integers(r.n_first, n))
    r.sweeps += used
    return left


def by_sweeps(r: View, m: int) -> float:
    """Sweeps from the impulses of the last step; the speed that is left wrong."""
    c, u, impulses = crowd_at(r.crowd), vector(r.u, r.nu), matrix(r.impulses, m, 3)
    wide, size = max(2 * c.width, c.single_width), c.block
    Y, y_places = matrix(r.Y, m, 3, 2 * size), integers(r.y_places, m, 2 * size)
    for row in range(m):
        for i in range(3):
            if impulses[row, i] != 0.0:
                for k in range(2 * size):
                    if y_places[row, k] >= 0:
                        u[y_places[row, k]] += Y[row, i, k] * impulses[row, i]
    used, left = sweep(u, impulses, matrix(r.G, m, 3, wide), integers(r.g_places, m, wide), Y, y_places,
                       matrix(r.W, m, 4), matrix(r.bias, m, 3), integers(r.kinds, m), integers(r.partners, m),
                       matrix(r.limits, m, 3), SWEEPS, SWEPT_SPEED)
    r.sweeps += used
    return left


def exactly(r: View, m: int) -> float:
    """The exact solution of few contacts, from where the sweeps have come; the speed that is left wrong."""
    c, u, nu, n = crowd_at(r.crowd), vector(r.u, r.nu), r.nu, 3 * m
    A, places = matrix(r.A, m, 3, 2 * c.block), integers(r.a_places, m, 2 * c.block)
    bias, impulses, change = matrix(r.bias, m, 3), matrix(r.impulses, m, 3), vector(r.y_found, nu)
    full, W, b = matrix(r.few_A, n, nu), matrix(r.few_W, n, n), vector(r.few_b, n)
    start, best, size = vector(r.few_start, n), vector(r.few_best, n), 0.0
    for row in range(m):
        for i in range(3):
            full[3 * row + i] = 0.0
            start[3 * row + i] = impulses[row, i]
            b[3 * row + i] = bias[row, i] + speed_of(r, row, i, u)
            for k in range(2 * c.block):
                if places[row, k] >= 0:
                    full[3 * row + i, places[row, k]] = A[row, i, k]
    for i in range(n):
        for j in range(n):
            W[i, j] = 0.0
            for k in range(nu):
                W[i, j] += full[i, k] * full[j, k]
    for i in range(n):
        for j in range(n):
            b[i] -= W[i, j] * start[j]
        size = max(size, abs(b[i]))
    least, known, ways = vector(r.few_least, m), integers(r.few_known, m), matrix(r.few_ways, m, 2)
    for row in range(m):
        least[row], known[row] = 0.0, 0
    if not found_rows(W, b, integers(r.kinds, m), integers(r.partners, m), matrix(r.limits, m, 3), least, known, ways,
                      start, 0.0, best, vector(r.few_room, 8 * n), matrix(r.few_J, 2 * n, n)):
        return inf
    for k in range(nu):
        change[k] = 0.0
        for i in range(n):
            change[k] += full[i, k] * (best[i] - impulses[i // 3, i % 3])
    give(c, change, False)
    for j in range(nu):
        u[j] += change[j]
    for row in range(m):
        for i in range(3):
            impulses[row, i] = best[3 * row + i]
    return FOUND * size
