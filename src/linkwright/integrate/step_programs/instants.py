"""An instant, decided by the lane that has come to it: relations switch, actions act, friction, stops, locks and
contacts hold or give way, until all agree; then it runs on.

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

from ...codegen.dialect import bits, floor, known, real, reals, whole, wholes
from ..beside import N_NEWS, NEWS_ACTION, NEWS_CONTACT, NEWS_RELATION, NEWS_ROW
from ..jit import ask, call, integers, matrix, vector
from ..record import (
    BEFORE,
    G_CROSSED,
    G_HIGH,
    G_TRIAL,
    MAX_STAGES,
    N_VECTORS,
    N_WITNESS_ROWS,
    ROWS_CROSSED,
    ROWS_DECIDE,
    ROWS_ENGAGE,
    ROWS_IN_FLIGHT,
    ROWS_START,
    SECOND,
)
from ..tolerances import CHATTERING, CHATTERING_TIME, FITS, NEVER, ROUNDS, TURN
from .lane_events import ACTION, FLOOR, RELATION, SIGN
from .lane_record import Lane
from .step_program import (
    ALTERNATING,
    CHATTERS,
    CONTRADICTORY,
    EVENTFUL,
    INSTANT,
    NO_MODES,
    NO_VALUE,
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
    for i in range(r.n):
        x[i] = inp[1 + i]
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


def ends_run(r: Lane) -> bool:
    """Whether a witness has crossed at which an action ends the run."""
    G = matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    ends = False
    for i in range(r.n_events):
        if r.events.owner[i] == ACTION and r.events.ends[r.events.number[i]]:
            ends = ends or G[G_CROSSED, i] != 0.0
    return ends


def chattering(r: Lane) -> None:
    """Events that follow each other without time passing end the lane."""
    recent = vector(r.recent, CHATTERING)
    for k in range(CHATTERING - 1):
        recent[k] = recent[k + 1]
    recent[CHATTERING - 1] = r.t
    if r.t - recent[0] <= CHATTERING_TIME * max(abs(r.t), 1.0):
        r.doing, r.status = UNDECIDED, CHATTERS


def end(r: Lane, action: int) -> None:
    """An action ends the run."""
    if not r.led:
        r.doing = UNDECIDED
    elif r.ended == 0:
        r.ended = action + 1


def is_over(r: Lane) -> bool:
    """Whether an action has ended a run that others lead."""
    return r.ended != 0 if r.led else False


def look(r: Lane, out: real[:]) -> None:
    """The situation; the ordinary run computes it only where an input has changed."""
    if not r.told.tells:
        call(r.code.situation, r.at.inp, out, r.at.work)
    elif changed_since(vector(r.at.inp, r.at.n_in), vector(r.told.seen, r.at.n_in)):
        call(r.told.situation, r.at.inp, out, r.at.work)


def changed_since(inp: real[:], seen: real[:]) -> bool:
    """Whether inputs differ from those seen last, which they are from now on."""
    changed = False
    for i in range(inp.shape[0]):
        changed = changed or bits(inp[i]) != bits(seen[i])
        seen[i] = inp[i]
    return changed


def begin_instants(r: Lane) -> None:
    """At the start: relations; conditions that are true then count as true before; the next known instant."""
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    x = reals(r.events.room)
    if r.n_rows > 0:
        forget_situation(r)
        ask_rows(r, ROWS_START)
    for i in range(r.n):
        x[i] = inp[1 + i]
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


def begin_actions(r: Lane, out: real[:]) -> None:
    """Conditions that are true at the start then count as true before; where one ends the run, it is over."""
    before = vector(r.before, r.events.n_actions)
    look(r, out)
    for k in range(r.events.n_actions):
        true = out[r.events.at_conditions + k] != 0.0
        before[k] = 1.0 if true else 0.0
        if true and r.events.ends[k]:
            end(r, k)


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


# --- relations ---


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


# --- witnesses that crossed ---


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
                call(r.code.events, r.at.inp, G[G_TRIAL], r.at.work)
                for i in range(r.n_events):
                    if r.events.stage[i] > stage and not G[G_TRIAL, i] <= 0.0:
                        G[G_CROSSED, i] = 0.0


def handle(r: Lane, inp: real[:], out: real[:], G: real[:, :], stage: int) -> None:
    """Witnesses of one stage have crossed."""
    switched, fired = wholes(r.events.room), wholes(r.events.room)
    before, any_fired = vector(r.before, r.events.n_actions), False
    for k in range(r.events.n_relations):
        switched[k] = 0
    for k in range(r.events.n_actions):
        fired[k] = 0
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


# --- rows ---


def ask_rows(r: Lane, task: known) -> None:
    """What the ordinary run asks of its rows; where there is trouble, the ordinary run is asked to tell of it."""
    if ask(r.row_instant, r.rows, task) != 0:
        r.doing, r.status = UNDECIDED, NO_MODES
    r.happened += r.rows.n_log + r.rows.n_events
    if r.told.tells:
        if r.rows.needs_jump != 0:
            # the program of impulses is made when it is first needed
            r.doing = UNDECIDED
        tell_of_rows(r)


def keep_before(r: Lane) -> None:
    """Rows of the ordinary run have an array of their own for the state before the event."""
    V, before = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), vector(r.rows.x_before, r.n)
    for i in range(r.n):
        before[i] = V[BEFORE, i]


def forget_situation(r: Lane) -> None:
    """Rows look at the situation anew: nothing of it is kept between two instants."""
    seen = vector(r.rows.seen, r.at.n_in)
    seen[0] = NEVER


def in_flight(r: Lane, out: real[:]) -> bool:
    """Where nothing is to be decided, but a run stands still in the middle of a flight, to see how it ends."""
    if r.n_rows == 0:
        return False
    flies = not r.crossing and r.t < r.instant and r.t < r.horizon and r.t >= r.rows.apex
    if flies:
        ask_rows(r, ROWS_IN_FLIGHT)
        aim(r, out)
    return flies


# --- what the ordinary run reads afterwards ---


def tell(r: Lane, kind: known, number: int, direction: int) -> None:
    """A line of news; where there is no room for it, Python decides the instant."""
    if r.told.tells:
        if r.told.n_news >= r.told.most_news:
            r.doing = UNDECIDED
        else:
            line = matrix(r.told.news, r.told.most_news, N_NEWS)[r.told.n_news]
            line[0], line[1], line[2], line[3] = r.t, kind, number, direction
            r.told.n_news += 1


def tell_of_rows(r: Lane) -> None:
    """The lines that rows and contacts have written."""
    log = integers(r.rows.log, r.rows.n_log, 2)
    for k in range(r.rows.n_log):
        tell(r, NEWS_ROW, log[k, 0], log[k, 1])
    lines, values = integers(r.rows.contact_log, r.rows.n_told, 3), matrix(r.rows.contact_values, r.rows.n_told, 3)
    for k in range(r.rows.n_told):
        if lines[k, 0] >= r.told.messages_from:
            r.doing = UNDECIDED
        tell(r, NEWS_CONTACT, lines[k, 1], lines[k, 2])
        if r.doing != UNDECIDED:
            line = matrix(r.told.news, r.told.most_news, N_NEWS)[r.told.n_news - 1]
            line[4] = lines[k, 0]
            line[5], line[6], line[7] = values[k, 0], values[k, 1], values[k, 2]


# --- actions ---


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
        for i in range(n):
            x[i] = inp[1 + i]
        for k in range(r.events.n_slots):
            held[k] = inp[slots[k]]
        for i in range(n):
            inp[1 + i] = V[BEFORE, i]
        r.back = 0
        set_targets(r, inp, out, fired)
        if goes_on(r, inp, G, fired):
            # from beyond
            for i in range(n):
                inp[1 + i] = x[i]
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
    call(r.code.events, r.at.inp, G[G_HIGH], r.at.work)
    for i in range(r.n):
        x[i] = inp[1 + i]
    for _ in range(2):
        call(r.code.rhs, r.at.inp, K[SECOND], r.at.work)
        for i in range(r.n):
            inp[1 + i] += TURN * K[SECOND, i]
    call(r.code.events, r.at.inp, G[G_TRIAL], r.at.work)
    for i in range(r.n):
        inp[1 + i] = x[i]
    for i in range(r.n_events):
        condition = r.events.owner[i] == ACTION and fired[r.events.number[i]] != 0
        on = on or condition and G[G_TRIAL, i] < G[G_HIGH, i]
    return on
