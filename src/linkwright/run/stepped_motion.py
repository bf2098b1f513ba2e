"""The motion of a mechanism over a step of fixed length, between the impulses of its contacts.

    u ← u + h u̇(t, q, u)           before them, joint springs and dampers as `system.crowd` says
    q ← q ⊕ h u⁺,  z ← z + h ż      after them; what is given is put where it is given, loops and locks are closed

A motion that is given has the speed of the middle of the step while the step lasts, so that what is held by it goes as
far as it does.  Speeds of free bodies are taken in the axes they have at the beginning of the step, and turned at its
end, so that a ball that rolls fast does not leave the floor for the turning of its own axes.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import real, reals, sqrt
from ..integrate.record import ROWS_HOLD, View
from .crowd_inertia import give
from .stepped_record import ask, call, crowd_at, integers, matrix, vector
from .tolerances import LOOP_CLOSINGS, LOOPS_CLOSED


def push(r: View) -> None:
    """Speeds at the end of a step without impulses, and time there; keeps the speeds before."""
    c, inp, u = crowd_at(r.crowd), vector(r.inp, r.n_in), vector(r.u, r.nu)
    slope, before, bent = vector(r.slope, r.n_slope), vector(r.before, r.nu), vector(r.bent, r.nu)
    added, pull, y = vector(c.added, r.nu), vector(c.pull, r.nu), vector(r.y, r.n_y)
    call(r.rhs, r.inp, r.slope, r.work)
    for i in range(r.n_y):
        # where the search for unknowns begins next time
        y[i] = slope[r.n_slope - r.n_y + i]
    soft = False
    for j in range(r.nu):
        before[j] = u[j]
        bent[j] = added[j] * (r.h * slope[r.nq + j]) + pull[j] * u[j]
        soft = soft or added[j] != 0.0
    if soft:
        give(c, bent, True)
    for j in range(r.nu):
        u[j] += r.h * slope[r.nq + j]
        if soft:
            u[j] -= bent[j]
    free = integers(r.free_u, r.n_free)
    turned = reals(3)
    for k in range(r.n_free):
        at = free[k]
        cross(before[at : at + 3], before[at + 3 : at + 6], turned)
        for i in range(3):
            u[at + 3 + i] += r.h * turned[i]
    if r.n_given == 0:
        inp[0] += r.h
        return
    inp[0] += r.h / 2
    call(r.prescribe, r.inp, r.prescribed, r.work)
    x, middle, given = vector(r.prescribed, r.nq + r.nu), vector(r.middle, r.n_given), integers(r.given, r.n_given)
    for k in range(r.n_given):
        middle[k] = x[r.nq + given[k]]
        u[given[k]] = middle[k]
    inp[0] += r.h / 2


def go(r: View) -> None:
    """Coordinates and states at the end of the step, with the speeds that impulses have left."""
    q, u, z, slope = vector(r.q, r.nq), vector(r.u, r.nu), vector(r.z, r.nz), vector(r.slope, r.n_slope)
    free_q, free_u = integers(r.free_q, r.n_free), integers(r.free_u, r.n_free)
    axes, bent = matrix(r.axes, r.n_free, 4), vector(r.bent, r.nu)
    for i in range(r.nz):
        z[i] += r.h * slope[r.nq + r.nu + i]
    for k in range(r.n_free):
        for i in range(4):
            axes[k, i] = q[free_q[k] + i]
    for j in range(r.nu):
        bent[j] = r.h * u[j]
    shift(r, bent)
    for k in range(r.n_free):
        turn(axes[k], q[free_q[k] : free_q[k] + 4], u[free_u[k] + 3 : free_u[k] + 6])
    put_right(r)


def shift(r: View, way: real[:]) -> None:
    """q ⊕ way, along the mobilities."""
    q, u, kept, rates = vector(r.q, r.nq), vector(r.u, r.nu), vector(r.kept_u, r.nu), vector(r.rates, r.nq)
    unit = integers(r.unit, r.n_unit)
    for j in range(r.nu):
        kept[j], u[j] = u[j], way[j]
    call(r.qdot, r.inp, r.rates, r.work)
    for j in range(r.nu):
        u[j] = kept[j]
    for i in range(r.nq):
        q[i] += rates[i]
    for k in range(r.n_unit):
        size = 0.0
        for i in range(4):
            size += q[unit[k] + i] * q[unit[k] + i]
        for i in range(4):
            q[unit[k] + i] /= sqrt(size)


def put_right(r: View) -> None:
    """What is given is where it is given, and loops are closed, in position and speed."""
    x, closed = vector(r.x, r.nq + r.nu), vector(r.projected, r.n_projected)
    u, given, middle = vector(r.u, r.nu), integers(r.given, r.n_given), vector(r.middle, r.n_given)
    if r.n_given > 0:
        call(r.prescribe, r.inp, r.prescribed, r.work)
        there = vector(r.prescribed, r.nq + r.nu)
        for i in range(r.nq + r.nu):
            x[i] = there[i]
        for k in range(r.n_given):
            u[given[k]] = middle[k]
    if r.loops == 0:
        return
    for _ in range(LOOP_CLOSINGS):
        call(r.project, r.inp, r.projected, r.work)
        for i in range(r.nq + r.nu):
            x[i] = closed[i]
        if max(closed[r.position_norm], closed[r.velocity_norm]) <= LOOPS_CLOSED:
            break
    if r.rows != 0:
        ask(r.rows_piece, r.rows, ROWS_HOLD)


def seen(r: View, x: real[:]) -> None:
    """A copy of the state, with the speeds that motions are given at this time."""
    now, given = vector(r.x, r.n), integers(r.given, r.n_given)
    for i in range(r.n):
        x[i] = now[i]
    if r.n_given > 0:
        call(r.prescribe, r.inp, r.prescribed, r.work)
        there = vector(r.prescribed, r.nq + r.nu)
        for k in range(r.n_given):
            x[r.nq + given[k]] = there[r.nq + given[k]]


def cross(a: real[:], b: real[:], out: real[3]) -> None:
    """out = a × b."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = a[j] * b[k] - a[k] * b[j]


def turn(before: real[:], after: real[:], vector_of: real[:]) -> None:
    """A vector in axes `before` (a unit quaternion) becomes the same in axes `after`."""
    # δ = before⁻¹ after, and v ← δ⁻¹ v δ
    d, once, twice, w = reals(3), reals(3), reals(3), 0.0
    for i in range(4):
        w += before[i] * after[i]
    cross(before[1:4], after[1:4], d)
    for i in range(3):
        d[i] = before[0] * after[1 + i] - after[0] * before[1 + i] - d[i]
    cross(d, vector_of, once)
    cross(d, once, twice)
    for i in range(3):
        vector_of[i] += 2 * twice[i] - 2 * w * once[i]
