"""Gaps that came out below zero at the end of a step are opened by the least shift of positions, in the metric of M.

    0 ≤ gap + G shift ⊥ push ≥ 0
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..integrate.gauss_seidel import lift
from ..integrate.record import View
from .crowd_look import look
from .nearness import find_near, measure
from .stepped_motion import put_right, shift
from .stepped_record import OPEN_BY, crowd_at, integers, matrix, vector
from .stepped_rows import lay_single
from .stepped_touching import pull, respond, take_points
from .tolerances import OVERLAP, OVERLAP_ROUNDS, OVERLAP_SWEEPS, WATCHED


def lift_gaps(r: View) -> None:
    """Look where the step has led, and open what overlaps."""
    c = crowd_at(r.crowd)
    look(c, r.inp, r.acting, True)
    margins, wide = vector(r.margins, c.n_shapes), vector(r.wide, c.n_shapes)
    # all that the next step may look at
    find_near(c, margins)
    for attempt in range(OVERLAP_ROUNDS):
        deepest = overlap(r)
        if deepest <= OVERLAP or attempt == OVERLAP_ROUNDS - 1:
            r.deepest = max(r.deepest, deepest)
            return
        # what is open but near takes part, so that it is not closed by lifting others
        for s in range(c.n_shapes):
            wide[s] = max(WATCHED * deepest, margins[s])
        if attempt == 0:
            find_near(c, wide)
        for s in range(c.n_shapes):
            wide[s] = WATCHED * deepest
        take_points(r, wide)
        open_gaps(r)
        put_right(r)
        look(c, r.inp, r.acting, False)
        r.lifts += 1


def overlap(r: View) -> float:
    """The deepest overlap of near pairs and stops."""
    c, deepest = crowd_at(r.crowd), 0.0
    near, told = integers(c.near, c.n_near), matrix(c.told, c.n_singles, 3)
    first, counts = integers(c.first_point, c.n_meets), integers(c.n_points, c.n_meets)
    for k in range(c.n_near):
        measure(c, near[k])
        points = matrix(c.points, c.n_measured, 10)
        for point in range(first[near[k]], first[near[k]] + counts[near[k]]):
            deepest = max(deepest, -points[point, 0])
    for k in range(r.n_opening):
        deepest = max(deepest, -told[k, OPEN_BY])
    return deepest


def open_gaps(r: View) -> None:
    """The least shift that opens what was taken, and all stops."""
    c, n = crowd_at(r.crowd), r.n_touching
    m, told = n + r.n_opening, matrix(c.told, c.n_singles, 3)
    gaps, pushes, way = vector(r.gaps, m), vector(r.pushes, m), vector(r.way, r.nu)
    for row in range(m):
        if row < n:
            pull(r, row, row, False)
        else:
            lay_single(r, row - n, row)
            gaps[row] = told[row - n, OPEN_BY]
        respond(r, row, 1, True)
        pushes[row] = 0.0
    for j in range(r.nu):
        way[j] = 0.0
    wide, size = max(2 * c.width, c.single_width), 2 * c.block
    lift(way, pushes, matrix(r.G, m, 3, wide), integers(r.g_places, m, wide), matrix(r.Y, m, 3, size),
         integers(r.y_places, m, size), matrix(r.W, m, 4), gaps, OVERLAP_SWEEPS, 0.1 * OVERLAP)
    shift(r, way)
