"""Whole steps of many contacts, one after another: the piece that `moreau` asks (Moreau 1999; Jean 1999).

A step is: comparisons → speeds that forces leave → what may touch → impulses → modes for the result → positions →
overlaps opened → discrete variables that steps set → notes for the result.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import compiled, floor
from ..integrate.record import View
from .crowd_look import look, read_told
from .stepped_impulses import strike
from .stepped_lift import lift_gaps
from .stepped_motion import go, push, seen
from .stepped_record import (
    ARMED,
    CLOSED,
    FINE,
    FULL,
    MU,
    N_LAWS,
    NOT_FINITE,
    STUCK,
    call,
    crowd_at,
    integers,
    matrix,
    stepped_at,
    vector,
)
from .stepped_rows import tell_singles
from .stepped_touching import find_touching
from .tolerances import STEP_LONGER


@compiled
def go_on(address: int, first: int, count: int, last: int) -> int:
    """Steps of a run of `last`, from number `first` on, `count` at most; how many there were, and why in `status`."""
    r = stepped_at(address)
    r.n_steps, r.n_told, r.n_hits, r.status = 0, 0, 0, FINE
    for k in range(count):
        step_on(r, first + k + 1, last)
        if r.status == FINE and r.n_hits > r.hits_room:
            r.status = FULL
        if r.status != FINE:
            return k + 1
    return count


@compiled
def plan(t: float, stop: float, h: float) -> tuple[int, float]:
    """How many steps of about h, and of no more, lead from t to a time; and their length."""
    wanted = (stop - t) / h
    whole = floor(wanted)
    rest = wanted - whole
    up = rest > 0.5 or rest == 0.5 and int(whole) % 2 == 1  # to the nearest, of two the even one
    count = max(1, int(whole) + (1 if up else 0))
    if count * h < (stop - t) * (1.0 - STEP_LONGER):
        count += 1
    return count, (stop - t) / count


@compiled
def look_again(address: int) -> None:
    """Where shapes are, after somebody has changed the inputs; reactions are those that the last step has left."""
    r = stepped_at(address)
    c = crowd_at(r.crowd)
    look(c, r.inp, r.acting, True)
    reactions(r)


@compiled
def compare(address: int) -> None:
    """Comparisons as they are now."""
    comparisons(stepped_at(address))


def step_on(r: View, number: int, last: int) -> None:
    """Step `number` (from 1) of a run of `last`: the time it leads to, what there is to be told, whether it is fine."""
    step(r)
    r.t = r.start + number * r.h if number < last else r.stop
    note(r)
    if not is_finite(r):
        r.status = NOT_FINITE


def step(r: View) -> None:
    """Free speeds, impulses, positions, lifted gaps."""
    comparisons(r)
    push(r)
    find_touching(r)
    strike(r)
    tell_modes(r)
    go(r)
    lift_gaps(r)
    reactions(r)
    r.steps += 1


def comparisons(r: View) -> None:
    """Values of comparisons, held during a step."""
    if r.n_relations > 0:
        d, slots = vector(r.d, r.n_d), integers(r.relations, r.n_relations)
        values = vector(r.comparisons, r.n_relations)
        call(r.situation, r.inp, r.situation_out, r.work)
        for k in range(r.n_relations):
            d[slots[k]] = values[k]


def reactions(r: View) -> None:
    """What friction in proportion to a reaction bears: with contacts in force as the last step has left them."""
    if r.by_reactions == 0:
        return
    c, d, told, modes = crowd_at(r.crowd), vector(r.d, r.n_d), vector(r.told_modes, r.n_d), vector(r.modes, r.n_d)
    for k in range(r.n_d):
        modes[k], d[k] = d[k], told[k]
    call(c.places, r.inp, c.out, c.work)
    for k in range(r.n_d):
        d[k] = modes[k]
    read_told(c)


def tell_modes(r: View) -> None:
    """Points that press, for the forces in the result: those with rows of their own, stuck or sliding."""
    c, d, modes = crowd_at(r.crowd), vector(r.d, r.n_d), vector(r.modes, r.n_d)
    told, laws = vector(r.told_modes, r.n_d), matrix(r.laws, N_LAWS, c.n_meets)
    slots = integers(r.contact_modes, c.n_meets, r.n_modes, 3)
    meets, numbers, slides = (integers(r.known_meets, r.n_known), integers(r.known_numbers, r.n_known),
                              integers(r.known_slides, r.n_known))
    for k in range(r.n_d):
        modes[k] = d[k]
    tell_singles(r, modes)
    for k in range(r.n_known):
        if numbers[k] < r.n_modes and slots[meets[k], numbers[k], CLOSED] >= 0:
            modes[slots[meets[k], numbers[k], CLOSED]] = 1.0
            way = slots[meets[k], numbers[k], ARMED if slides[k] != 0 else STUCK]
            modes[way] = 1.0 if laws[MU, meets[k]] > 0.0 else 0.0
    same = True
    for k in range(r.n_d):
        same = same and modes[k] == told[k]
    if not same:
        times, rows = vector(r.modes_t, r.n_told + 1), matrix(r.modes_d, r.n_told + 1, r.n_d)
        times[r.n_told] = r.t
        for k in range(r.n_d):
            told[k] = modes[k]
            rows[r.n_told, k] = modes[k]
        r.n_told += 1


def note(r: View) -> None:
    """The end of a step: its time, what steps set, and the state for the result."""
    k, inp, d = r.n_steps, vector(r.inp, r.n_in), vector(r.d, r.n_d)
    inp[0] = r.t
    if r.n_updates > 0:
        call(r.update, r.inp, r.news, r.work)
        news, slots = vector(r.news, r.n_updates), integers(r.updates, r.n_updates)
        kept = matrix(r.steps_d, k + 1, r.n_updates)
        for i in range(r.n_updates):
            d[slots[i]] = news[i]
            kept[k, i] = news[i]
    vector(r.steps_t, k + 1)[k] = r.t
    seen(r, matrix(r.steps_x, k + 1, r.n)[k])
    r.n_steps = k + 1


def is_finite(r: View) -> bool:
    """Whether the state is."""
    x, total = vector(r.x, r.n), 0.0
    for i in range(r.n):
        total += 0.0 * x[i]
    return total == 0.0
