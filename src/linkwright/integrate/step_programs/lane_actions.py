"""Relations and actions of a lane: comparisons switch, and conditions that become true set their targets.

Of actions whose condition has become true those of the earliest stage act, all from the values before.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ...codegen.dialect import floor, real, reals, whole, wholes
from ..beside import NEWS_ACTION, NEWS_RELATION
from ..jit import call, integers, matrix, vector
from ..record import BEFORE, G_CROSSED, G_HIGH, G_TRIAL, MAX_STAGES, N_VECTORS, N_WITNESS_ROWS, SECOND
from ..root_finding import all_witnesses
from ..tolerances import FITS, TURN
from .lane_events import ACTION, FLOOR, SIGN
from .lane_record import Lane
from .situation_now import look, tell
from .step_program import CONTRADICTORY, NO_VALUE, UNDECIDED


def refresh(r: Lane, inp: real[:], out: real[:], first: int, counted: int) -> bool:
    """Values of all relations at the present state, inner ones first; whether one has changed."""
    altered = False
    for _ in range(r.events.n_relations + 1):
        look(r, out)
        again = False
        for k in range(r.events.n_relations):
            value, slot = out[first + k], r.events.slot[k]
            if value < inp[slot] or value > inp[slot]:
                if counted:
                    tell(r, NEWS_RELATION, k, 1 if value > inp[slot] else -1)
                inp[slot] = value
                r.happened += counted
                again = True
        if not again:
            break
        altered = True
    return altered


def switch(r: Lane, inp: real[:], out: real[:], number: int) -> None:
    """The mode of a relation whose witness crossed zero."""
    slot, kind = r.events.slot[number], r.events.kind[number]
    d, up = inp[slot], False
    if kind in (SIGN, FLOOR):
        look(r, out)
        witness = out[r.events.at_witnesses + number]
        if kind == FLOOR:
            below, up = floor(witness), witness > d + 0.5
            inp[slot] = max(below, d + 1.0) if up else min(below, d - 1.0)
        elif d != 0.0:
            inp[slot] = -d
        else:
            inp[slot] = 1.0 if witness > 0.0 else (-1.0 if witness < 0.0 else 0.0)
    else:
        inp[slot] = 1.0 - d
        up = d == 0.0
    r.happened += 1
    if kind == SIGN:
        tell(r, NEWS_RELATION, number, 1 if inp[slot] > 0.0 else (-1 if inp[slot] < 0.0 else 0))
    else:
        tell(r, NEWS_RELATION, number, 1 if up else -1)


def begin_actions(r: Lane, out: real[:]) -> None:
    """Conditions that are true at the start then count as true before; where one ends the run, it is over."""
    before = vector(r.before, r.events.n_actions)
    look(r, out)
    for k in range(r.events.n_actions):
        true = out[r.events.at_conditions + k] != 0.0
        before[k] = 1.0 if true else 0.0
        if true and r.events.ends[k]:
            end(r, k)


def ends_run(r: Lane) -> bool:
    """Whether a witness has crossed at which an action ends the run."""
    G = matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    ends = False
    for i in range(r.n_events):
        if r.events.owner[i] == ACTION and r.events.ends[r.events.number[i]]:
            ends = ends or G[G_CROSSED, i] != 0.0
    return ends


def end(r: Lane, action: int) -> None:
    """An action ends the run."""
    if not r.led:
        r.doing = UNDECIDED
    elif r.ended == 0:
        r.ended = action + 1


def is_over(r: Lane) -> bool:
    """Whether an action has ended a run that others lead."""
    return r.ended != 0 if r.led else False


def sample(r: Lane, inp: real[:], out: real[:]) -> bool:
    """Let actions act whose clock has an instant now; whether there are any."""
    due, some = wholes(r.events.room), False
    look(r, out)
    for k in range(r.events.n_actions):
        due[k] = 1 if r.events.sampled[k] and out[r.events.at_conditions + k] != 0.0 else 0
        some = some or due[k] != 0
    if some:
        set_targets(r, inp, out, due)
    return some


def rising(r: Lane, inp: real[:], out: real[:]) -> bool:
    """Let actions of the earliest stage act whose condition has become true; whether one has."""
    fired, before = wholes(r.events.room), vector(r.before, r.events.n_actions)
    look(r, out)
    first, some = 1 << 60, False
    for k in range(r.events.n_actions):
        fired[k] = 0
        if out[r.events.at_conditions + k] != 0.0 and before[k] == 0.0 and not r.events.sampled[k]:
            first = min(first, r.events.action_stage[k])
            some = True
    for k in range(r.events.n_actions):
        true = out[r.events.at_conditions + k] != 0.0
        if true and before[k] == 0.0 and r.events.action_stage[k] == first and not r.events.sampled[k]:
            fired[k] = 1
            before[k] = 1.0
        elif not true:
            before[k] = 0.0
    if some:
        act(r, inp, out, matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width), fired, False)
    return some


def act(r: Lane, inp: real[:], out: real[:], G: real[:, :], fired: whole[:], crossed: bool) -> None:
    """Set the targets of actions; where one reverses the motion, the state goes back to the side it came from."""
    V, n = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), r.n
    resets = False
    for k in range(r.events.n_actions):
        if fired[k] != 0:
            r.happened += 1
            resets = resets or r.events.resets[k] != 0
            if r.events.ends[k]:
                end(r, k)
    if resets and crossed and r.back:
        x, held, slots = reals(r.events.room), reals(r.events.room), integers(r.events.slots, r.events.n_slots)
        x[:n] = inp[1 : 1 + n]
        for k in range(r.events.n_slots):
            held[k] = inp[slots[k]]
        inp[1 : 1 + n] = V[BEFORE, :n]
        r.back = 0
        set_targets(r, inp, out, fired)
        if goes_on(r, inp, G, fired):
            # from beyond
            inp[1 : 1 + n] = x[:n]
            for k in range(r.events.n_slots):
                inp[slots[k]] = held[k]
            set_targets(r, inp, out, fired)
    else:
        set_targets(r, inp, out, fired)
    for k in range(r.events.n_actions):
        if fired[k] != 0 and not r.events.sampled[k]:
            tell(r, NEWS_ACTION, k, 1)


def set_targets(r: Lane, inp: real[:], out: real[:], fired: whole[:]) -> None:
    """New values, all computed from the values before."""
    new = reals(r.events.room)
    look(r, out)
    for t in range(r.events.n_targets):
        if fired[r.events.target_action[t]] != 0:
            slot = r.events.target_slot[t]
            value = inp[slot] + (out[r.events.wanted[t]] - out[r.events.old[t]]) / r.events.slope[t]
            if value * 0.0 != 0.0:
                r.doing, r.status = UNDECIDED, NO_VALUE
            for other in range(t):
                same = r.events.target_slot[other] == slot
                if same and fired[r.events.target_action[other]] != 0 and abs(new[other] - value) > FITS * abs(value):
                    r.doing, r.status = UNDECIDED, CONTRADICTORY
            new[t] = value
    for t in range(r.events.n_targets):
        if fired[r.events.target_action[t]] != 0:
            inp[r.events.target_slot[t]] = new[t]


def goes_on(r: Lane, inp: real[:], G: real[:, :], fired: whole[:]) -> bool:
    """Whether the motion goes on through the conditions: two short steps of Euler's method tell."""
    K, x, on = matrix(r.at.slopes, MAX_STAGES, r.at.slope_width), reals(r.events.room), False
    all_witnesses(r, G, G_HIGH)
    x[:r.n] = inp[1 : 1 + r.n]
    for _ in range(2):
        call(r.code.rhs, r.at.inp, K[SECOND], r.at.work)
        inp[1 : 1 + r.n] += TURN * K[SECOND, :r.n]
    all_witnesses(r, G, G_TRIAL)
    inp[1 : 1 + r.n] = x[:r.n]
    for i in range(r.n_events):
        condition = r.events.owner[i] == ACTION and fired[r.events.number[i]] != 0
        on = on or condition and G[G_TRIAL, i] < G[G_HIGH, i]
    return on
