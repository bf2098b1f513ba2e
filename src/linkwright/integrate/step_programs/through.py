"""The ordinary run on through its instants in compiled code: steps and instants, one after the other.

Instants are decided by the functions that lanes have (`instants`), over a record that serves all models.  What Python
is to know of them (the table of events, values of discrete variables) it reads afterwards, from lines of news.  An
instant that needs Python (a message, an action that ends the run, a program that is not yet made) is left to it: all
that was changed is put back, and the loop returns as if nobody had begun to decide.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from functools import cache

from ...codegen.dialect import Layout, Machine, bits, known, real
from ...waiting import waiting
from ..beside import LANE, N_HEAD, TABLES
from ..jit import ask, integers, matrix, vector
from ..record import EVENT, FULL, G_CROSSED, N_WITNESS_ROWS, ON, PAUSED, REACHED, STEP
from ..tolerances import CHATTERING
from .instants import decide_here, in_flight
from .lane_record import Lane
from .step_program import RUNNING, UNDECIDED

#: states, slots of modes, relations, actions and targets up to which instants are decided here
ROOM = 512


def go_through(r: Lane) -> int:
    """On through steps and instants, up to `chunk` attempts; says why it returned."""
    last, reason = r.counts.steps + r.counts.rejected + r.chunk, ON
    while reason == ON:
        r.chunk = last - r.counts.steps - r.counts.rejected
        if r.chunk <= 0:
            reason = PAUSED
        elif r.told.n_instants >= r.told.most_instants or 2 * r.told.n_news > r.told.most_news:
            reason = FULL
        else:
            reason = ask(r.told.go_on, r, 0)
            r.crossing = int(reason == EVENT)
            known_before = reason == REACHED and r.t < r.horizon and r.t < r.told.due
            if (reason == EVENT or known_before) and decided(r):
                reason = ON
    return reason


def decided(r: Lane) -> bool:
    """Decide the instant at which the run stands; False where that is left to Python."""
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.told.out, r.at.n_out)
    news, status, instant, target = r.told.n_news, r.status, r.instant, r.target
    changed, jumped, fresh = r.changed, r.jumped, r.fresh
    lay_aside(r, 0)
    r.doing = RUNNING
    if not in_flight(r, out):
        decide_here(r, inp, out)
    if r.doing == UNDECIDED:
        lay_aside(r, 1)
        r.told.n_news, r.status, r.instant, r.target = news, status, instant, target
        r.changed, r.jumped, r.fresh = changed, jumped, fresh
        return False
    r.told.decided = r.counts.events_found
    note(r, inp)
    return True


def note(r: Lane, inp: real[:]) -> None:
    """A line that says what is in force from this instant on."""
    line = matrix(r.told.instants, r.told.most_instants, r.told.width)[r.told.n_instants]
    before, G = vector(r.told.aside, r.at.n_in), matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    changed = False
    for i in range(r.at.n_in):
        changed = changed or (i > r.n and bits(inp[i]) != bits(before[i]))
        line[N_HEAD + i] = inp[i]
    line[0], line[1] = r.t, float(r.n_steps)
    line[2], line[3] = 1.0 if r.crossing else 0.0, 1.0 if changed else 0.0
    line[N_HEAD + r.at.n_in : N_HEAD + r.at.n_in + r.n_events] = G[G_CROSSED, :r.n_events]
    r.told.n_instants += 1


def lay_aside(r: Lane, back: known) -> None:
    """Keep all that an instant may change, or put it `back`."""
    at = moved(r, r.at.inp, r.at.n_in, 0, back)
    at = moved(r, r.at.witnesses + 8 * G_CROSSED * r.at.witness_width, r.n_events, at, back)
    at = moved(r, r.before, r.events.n_actions, at, back)
    at = moved(r, r.recent, CHATTERING, at, back)
    at = moved(r, r.told.rows, r.told.n_rows_slots, at, back)
    at = moved(r, r.told.lasting, r.told.n_lasting, at, back)


def moved(r: Lane, address: int, count: int, at: int, back: known) -> int:
    """Numbers to, or from, the place where they are kept; the next one there."""
    here, there = integers(address, count), integers(r.told.aside, at + count)
    if back:
        here[:] = there[at : at + count]
    else:
        there[at : at + count] = here
    return at + count


def layout_of(rows: Layout) -> Layout:
    """The record of a run of any model that goes through its instants; `rows` is that of friction, stops, contacts."""
    fields = list(STEP.layout.fields)
    for field in LANE.layout.fields:
        field = field._replace(slot=STEP.layout.slots + field.slot)
        if field.name == "rows":
            field = field._replace(kind="", layout=rows, elsewhere=True)
        elif field.name == "events":
            field = field._replace(layout=_with_tables(field.layout))
        elif field.name == "told":
            field = field._replace(layout=_knowing(field.layout, tells=1))
        fields.append(field)
    layout = Layout("Lane", tuple(fields), STEP.layout.slots + LANE.layout.slots)
    return _knowing(layout, has_events=1, led=0)


def _knowing(layout: Layout, **known: int) -> Layout:
    return layout._replace(fields=tuple(field._replace(known=known.get(field.name, field.known))
                                        for field in layout.fields))


def _with_tables(events: Layout) -> Layout:
    """Tables lie elsewhere, and their sizes are not known."""
    fields = [field._replace(kind="real" if field.name == "slope" else "whole", shape=(1 << 32,), elsewhere=True)
              if field.name in TABLES else field for field in events.fields]
    return _knowing(events._replace(fields=tuple(fields)), room=ROOM)


@cache
def compiled_through(rows: Layout) -> Machine:
    """The compiled loop (see `go_through`)."""
    with waiting("compiling the decisions at instants (once per installation)"):
        return Machine(go_through, constants=_constants(rows))


def is_made_through(rows: Layout) -> bool:
    """Whether it takes no time to speak of to have it."""
    return compiled_through.cache_info().currsize > 0 or _was_kept(rows)


@cache
def _was_kept(rows: Layout) -> bool:
    """Whether the cache had it when that was first asked: to look takes longer than many a run."""
    return Machine.is_kept(go_through, constants=_constants(rows))


def _constants(rows: Layout) -> dict[str, Layout]:
    return {"Lane": layout_of(rows)}
