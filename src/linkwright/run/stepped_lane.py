"""A lane whose contacts are stepped: one run among many, from its start to its end, by the steps of `moreau`.

`begin` and `step` work on the record of a stepped run as code of one model knows it (`stepped_program`), with what a
lane is doing beside it, as `integrate.step_programs.lane` has for other methods: both kinds go through the same loops
over lanes, and the same threads of a GPU.  A lane that is `begun` goes on from what it remembers of its contacts.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import real, sqrt
from ..integrate.record import Fields, View
from ..integrate.step_programs import DONE, FAILED, RUNNING, STARTING, UNDECIDED
from .crowd_look import look
from .nearness import find_near, measure
from .stepped_motion import seen
from .stepped_record import (
    FINE,
    HIT_MEET,
    N_HIT,
    N_LAWS,
    PATCH,
    ROLLING,
    SPINNING,
    call,
    crowd_at,
    integers,
    matrix,
    vector,
)
from .stepped_step import comparisons, plan, reactions, step_on
from .tolerances import START_OVERLAP, STEP_LONGER, TIME_ROUNDING

#: beside the record of a stepped run: output times and what is written there, the inputs that were handed out and the
#: state they stand for, the state before a step; slots of modes, of what changes on the way, the program of laws; what
#: the lane is doing, events, steps (made, of so many), whether it has begun; output times; where the run ends
LANE = Fields(("grid", "grid_x", "handed", "own_x", "x_before", "silent", "changing", "law_program"),
              ("doing", "happened", "rejected", "begun", "n_grid", "grid_next", "made", "last", "n_silent",
               "n_changing", "p_first", "n_p"),
              ("target", "horizon", "wanted"))
#: that record, in annotations of what is compiled for one model
Lane = View


def begin(r: Lane) -> None:
    """The start of a run, or where it goes on; its steps are planned, and output times up to here are served."""
    if r.doing == STARTING:
        r.doing = RUNNING
        if r.begun == 0:
            start_over(r)
        else:
            take(r)
        count, h = plan(r.t, r.target, r.wanted)
        r.made, r.last, r.grid_next = 0, count, 0
        r.h, r.start, r.stop = h, r.t, r.target
        if abs(r.acting - h) > STEP_LONGER * h:
            r.acting = h
            look_around(r)
        there = matrix(r.steps_x, 1, r.n)
        seen(r, there[0])
        if r.n_grid > 0:
            write_out(r, r.t, there[0], r.t, r.t)


def step(r: Lane) -> None:
    """One step of a lane that runs."""
    if r.doing == RUNNING:
        x, before, t = matrix(r.steps_x, 1, r.n), vector(r.x_before, r.n), r.t
        for i in range(r.n):
            before[i] = x[0, i]
        r.n_steps, r.n_told, r.n_hits, r.status = 0, 0, 0, FINE
        r.made += 1
        step_on(r, r.made, r.last)
        hits = matrix(r.hits, r.n_hits, N_HIT)
        for k in range(r.n_hits):
            r.happened += 1 if hits[k, HIT_MEET] < 0.0 else 0
        if r.n_grid > 0:
            write_out(r, r.t if r.made < r.last else r.t * (1.0 + TIME_ROUNDING), before, t, r.t)
        if r.status != FINE:
            r.doing = FAILED
        elif r.made == r.last:
            r.doing = DONE
        if r.doing != RUNNING:
            hand_out(r)


def march(r: Lane, steps: int) -> None:
    """Steps of a run that has a processor of its own, so many at most."""
    made = 0
    while r.doing == RUNNING and made < steps:
        step(r)
        made += 1


def start_over(r: Lane) -> None:
    """A run without a past: contacts act by impulses alone, and nothing may overlap."""
    d, told = vector(r.d, r.n_d), vector(r.told_modes, r.n_d)
    r.begun = 1
    for k in range(r.n_d):
        told[k] = d[k]
    silence(r)
    find_laws(r)
    comparisons(r)
    look_around(r)
    if overlaps(r):
        r.doing = UNDECIDED


def find_laws(r: Lane) -> None:
    """The laws of encounters, with the values that parameters have."""
    if r.law_program != 0:
        laws = vector(r.laws, N_LAWS * crowd_at(r.crowd).n_meets)
        call(r.law_program, r.inp, laws, r.work)
        r.turns = 0
        for law in (ROLLING, SPINNING, PATCH):
            for meet in range(crowd_at(r.crowd).n_meets):
                if laws[law * crowd_at(r.crowd).n_meets + meet] != 0.0:
                    r.turns = 1


def silence(r: Lane) -> None:
    """Modes of contacts and single rows out of force."""
    d, silent = vector(r.d, r.n_d), integers(r.silent, r.n_silent)
    for k in range(r.n_silent):
        d[silent[k]] = 0.0


def take(r: Lane) -> None:
    """Go on from inputs that somebody may have changed since they were handed out."""
    inp, handed, own = vector(r.inp, r.n_in), vector(r.handed, r.n_in), vector(r.own_x, r.n)
    moved, tuned = False, False
    for i in range(r.n):
        moved = moved or inp[1 + i] != handed[1 + i]
    for k in range(r.p_first, r.p_first + r.n_p):
        tuned = tuned or inp[k] != handed[k]
    if not moved:
        for i in range(r.n):
            inp[1 + i] = own[i]
    silence(r)
    if tuned:
        find_laws(r)
    if moved or tuned:
        look_around(r)


def hand_out(r: Lane) -> None:
    """The inputs as others see them: given motions with the speeds of this time, modes as they were told."""
    inp, handed, own = vector(r.inp, r.n_in), vector(r.handed, r.n_in), vector(r.own_x, r.n)
    d, told, silent = vector(r.d, r.n_d), vector(r.told_modes, r.n_d), integers(r.silent, r.n_silent)
    for i in range(r.n):
        own[i] = inp[1 + i]
    seen(r, inp[1 : 1 + r.n])
    for k in range(r.n_silent):
        d[silent[k]] = told[silent[k]]
    for k in range(r.n_in):
        handed[k] = inp[k]


def look_around(r: Lane) -> None:
    """Where shapes are, and what friction in proportion to a reaction bears."""
    look(crowd_at(r.crowd), r.inp, r.acting, True)
    reactions(r)


def overlaps(r: Lane) -> bool:
    """Whether bodies overlap at the start, which is no contact yet."""
    c, deepest = crowd_at(r.crowd), 0.0
    margins, near = vector(r.margins, c.n_shapes), integers(c.near, c.n_meets)
    first, counts = integers(c.first_point, c.n_meets), integers(c.n_points, c.n_meets)
    for s in range(c.n_shapes):
        margins[s] = 0.0
    find_near(c, margins)
    for k in range(c.n_near):
        measure(c, near[k])
        points = matrix(c.points, c.n_measured, 10)
        for point in range(first[near[k]], first[near[k]] + counts[near[k]]):
            deepest = max(deepest, -points[point, 0])
    return deepest > START_OVERLAP


def write_out(r: Lane, until: float, before: real[:], t_0: float, t_1: float) -> None:
    """States, and what changes beside them, at the output times of the step from t_0 to t_1: up to `until`."""
    times, now = vector(r.grid, r.n_grid), matrix(r.steps_x, 1, r.n)
    told, changing = vector(r.told_modes, r.n_d), integers(r.changing, r.n_changing)
    out = matrix(r.grid_x, r.n_grid, r.n + r.n_changing)
    while r.grid_next < r.n_grid:
        if times[r.grid_next] > until:
            break
        row = out[r.grid_next]
        between(r, (times[r.grid_next] - t_0) / (t_1 - t_0) if t_1 > t_0 else 0.0, before, now[0], row)
        for k in range(r.n_changing):
            row[r.n + k] = told[changing[k]]
        r.grid_next += 1


def between(r: Lane, share: float, left: real[:], right: real[:], x: real[:]) -> None:
    """The state within a step: positions in proportion, speeds of the step."""
    unit = integers(r.unit, r.n_unit)
    for i in range(r.n):
        along = left[i] + share * (right[i] - left[i])
        x[i] = left[i] if share <= 0.0 else right[i] if share >= 1.0 or r.nq <= i and i < r.nq + r.nu else along
    if share > 0.0 and share < 1.0:
        for k in range(r.n_unit):
            size = 0.0
            for i in range(4):
                size += x[unit[k] + i] * x[unit[k] + i]
            for i in range(4):
                x[unit[k] + i] /= sqrt(size)
