"""An instant, decided by the lane that has come to it: relations switch and actions act (`lane_actions`), rows and
contacts hold or give way (`lane_rows`), until all agree; then it runs on.

The order is that of the ordinary run (`run.run.EventRun`): modes whose witness crossed are switched, by stages; actions
whose condition became true set their targets, all from the values before; relations and rows are made to agree with
the new state; and again, until nothing changes.  Rows are decided by the functions of the ordinary run themselves.
Cases of which the ordinary run has more to report (modes that alternate, events without end, an `m.terminate`) end the
lane with a cause in `status`, and the ordinary run takes over.  A run that others lead notes which action has ended it.

`r.events` are the tables of `lane_events`; the program `situation` gives all numbers that decide.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ...codegen.dialect import bits, known, real, reals, wholes
from ..jit import integers, matrix, vector
from ..record import (
    G_CROSSED,
    G_TRIAL,
    N_WITNESS_ROWS,
    ROWS_CROSSED,
    ROWS_DECIDE,
    ROWS_ENGAGE,
    ROWS_IN_FLIGHT,
    ROWS_START,
)
from ..root_finding import all_witnesses
from ..tolerances import CHATTERING, CHATTERING_TIME, NEVER, ROUNDS
from .lane_actions import act, begin_actions, ends_run, is_over, refresh, rising, sample, switch
from .lane_events import ACTION, RELATION
from .lane_record import Lane
from .lane_rows import ask_rows, forget_situation, keep_before
from .situation_now import look
from .step_program import (
    ALTERNATING,
    CHATTERS,
    EVENTFUL,
    INSTANT,
    RUNNING,
    UNDECIDED,
)


def decide(r: Lane) -> None:
    """The instant at which a lane stands."""
    if r.doing == INSTANT:
        if not r.led and r.crossing and ends_run(r):
            # the ordinary run reports it
            r.doing = EVENTFUL
        else:
            r.doing = RUNNING
            out = vector(r.at.out, r.at.n_out)
            if not in_flight(r, out):
                decide_here(r, vector(r.at.inp, r.at.n_in + r.n), out)


def decide_here(r: Lane, inp: real[:], out: real[:]) -> None:
    slots = integers(r.events.slots, r.events.n_slots)
    x, held = reals(r.events.room), reals(r.events.room)
    x[:r.n] = inp[1 : 1 + r.n]
    for k in range(r.events.n_slots):
        held[k] = inp[slots[k]]
    if r.n_rows > 0 and not r.told.tells:
        forget_situation(r)
    if r.crossing:
        cross(r, inp, out)
    agree(r, inp, out, 0)
    if r.crossing:
        chattering(r)
    # what has changed
    changed, jumped = False, False
    for k in range(r.events.n_slots):
        changed = changed or bits(inp[slots[k]]) != bits(held[k])
    for i in range(r.n):
        jumped = jumped or bits(inp[1 + i]) != bits(x[i])
    changed = changed or jumped
    r.changed, r.jumped = int(changed), int(jumped)
    if changed:
        r.fresh = 0
    aim(r, out)


def chattering(r: Lane) -> None:
    """Events that follow each other without time passing end the lane."""
    recent = vector(r.recent, CHATTERING)
    recent[: CHATTERING - 1] = recent[1:CHATTERING]
    recent[CHATTERING - 1] = r.t
    if r.t - recent[0] <= CHATTERING_TIME * max(abs(r.t), 1.0):
        r.doing, r.status = UNDECIDED, CHATTERS


def begin_instants(r: Lane) -> None:
    """At the start: relations; conditions that are true then count as true before; the next known instant."""
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    x = reals(r.events.room)
    if r.n_rows > 0:
        forget_situation(r)
        ask_rows(r, ROWS_START)
    x[:r.n] = inp[1 : 1 + r.n]
    agree(r, inp, out, 1)
    begin_actions(r, out)
    if r.events.n_sampled > 0 and r.doing != UNDECIDED and not is_over(r):
        agree(r, inp, out, 0)
    if r.n_rows > 0 and not r.shows and not r.led:
        for i in range(r.n):
            if bits(inp[1 + i]) != bits(x[i]):
                # the start as it was given is a result too, which the ordinary run keeps
                r.doing = UNDECIDED
    aim(r, out)


def in_flight(r: Lane, out: real[:]) -> bool:
    """Where nothing is to be decided, but a run stands still in the middle of a flight, to see how it ends."""
    if r.n_rows == 0:
        return False
    flies = not r.crossing and r.t < r.instant and r.t < r.horizon and r.t >= r.rows.apex
    if flies:
        ask_rows(r, ROWS_IN_FLIGHT)
        aim(r, out)
    return flies


def aim(r: Lane, out: real[:]) -> None:
    """The next instant that is known beforehand; the run lands on it."""
    r.instant, r.target = NEVER, r.horizon
    if r.events.at_instant >= 0:
        look(r, out)
        r.instant = out[r.events.at_instant]
        if r.t < r.instant < r.horizon:
            r.target = r.instant
    if r.n_rows > 0 and r.t < r.rows.apex < r.target:
        r.target = r.rows.apex
    if r.told.tells and r.t < r.told.due < r.target:
        r.target = r.told.due


def agree(r: Lane, inp: real[:], out: real[:], first: known) -> None:
    """Relations, actions and rows brought to agree, round after round; where a run starts (`first`) nothing acts."""
    settled = False
    if r.n_rows > 0:
        r.rows.unsettled = 1
    for _ in range(ROUNDS):
        more = False
        if r.events.n_relations > 0:
            more = refresh(r, inp, out, r.events.at_fresh if first else r.events.at_values, 1 - first)
        if r.n_rows > 0 and r.rows.n_conditional > 0:
            ask_rows(r, ROWS_ENGAGE)
            more = more or r.rows.changed != 0
        if r.events.n_actions > 0 and not first:
            acted = rising(r, inp, out)
            more = more or acted
        if r.n_rows > 0 and r.doing != UNDECIDED:
            r.rows.altered = 1 if more else 0
            ask_rows(r, ROWS_DECIDE)
            more = more or r.rows.changed != 0 or r.rows.again != 0 or r.rows.touched != 0
        if r.events.n_sampled > 0 and not first and not more and r.doing != UNDECIDED:
            # when all else has been decided
            more = sample(r, inp, out)
            if r.n_rows > 0 and more:
                r.rows.unsettled = 1
        if r.doing == UNDECIDED or not more:
            settled = True
            break
    if not settled:
        r.doing, r.status = UNDECIDED, ALTERNATING


def cross(r: Lane, inp: real[:], out: real[:]) -> None:
    """Switch and act, stage by stage; a witness of a later stage only if it is still not positive."""
    G = matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    r.back = 1
    for s in range(r.events.n_stages):
        stage = r.events.stages[s]
        some, pending = False, False
        for i in range(r.n_events):
            crossed = G[G_CROSSED, i] != 0.0
            if r.events.stage[i] == stage:
                some = some or crossed
            elif r.events.stage[i] > stage:
                pending = pending or crossed
        if some:
            handle(r, inp, out, G, stage)
            if pending:
                # which witnesses are still not positive, after those of earlier stages have acted
                r.back = 0
                agree(r, inp, out, 0)
                all_witnesses(r, G, G_TRIAL)
                for i in range(r.n_events):
                    if r.events.stage[i] > stage and not G[G_TRIAL, i] <= 0.0:
                        G[G_CROSSED, i] = 0.0


def handle(r: Lane, inp: real[:], out: real[:], G: real[:, :], stage: int) -> None:
    """Witnesses of one stage have crossed."""
    switched, fired = wholes(r.events.room), wholes(r.events.room)
    before, any_fired = vector(r.before, r.events.n_actions), False
    switched[:r.events.n_relations] = 0
    fired[:r.events.n_actions] = 0
    for i in range(r.n_events):
        if r.events.stage[i] == stage and G[G_CROSSED, i] != 0.0:
            number = r.events.number[i]
            if r.events.owner[i] == ACTION:
                fired[number] = 1
                any_fired = True
            elif r.events.owner[i] == RELATION and switched[number] == 0:
                switched[number] = 1
                switch(r, inp, out, number)
    if any_fired:
        act(r, inp, out, G, fired, True)
        for k in range(r.events.n_actions):
            if fired[k] != 0:
                before[k] = 1.0
    if r.n_rows > 0:
        crossed = integers(r.rows.crossed, r.n_events)
        for i in range(r.n_events):
            crossed[i] = 1 if r.events.stage[i] == stage and G[G_CROSSED, i] != 0.0 else 0
        r.rows.may_step_back = r.back
        if r.told.tells and r.back:
            keep_before(r)
        ask_rows(r, ROWS_CROSSED)
        r.back = r.rows.may_step_back
