"""The stepper's record as code knows it that is made for one model and one method.

The loop and its pieces (`integrate.loop`) are compiled once for every model, over a record of addresses and sizes.
Here the same functions are given a record of which most is known: sizes and choices are numbers, the tableau is a
table, programs of the model are functions by their names, the pieces are called as the functions they are, and arrays
lie in the record itself.  What is left in memory is a lane: everything a run knows between two steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...codegen.dialect import DTYPES, IGNORED, ByName, Field, Layout, Table, approximate_power
from ..beside import EVENTS, LANE, TOLD
from ..far import N_OF_PAIR
from ..methods import memory_of
from ..record import (
    BEFORE,
    COUNTERS,
    FIRST,
    FUNCTIONS,
    G_CROSSED,
    G_LOW,
    G_SENSE,
    G_SLACK,
    HOLD,
    HOLD_BEFORE,
    HOLD_FIRST,
    HOLD_MOST,
    HOLD_RATE,
    N_SAMPLES,
    N_VECTORS,
    N_WITNESS_ROWS,
    STEP,
    WEIGHT,
    Complexes,
    View,
    Wholes,
)
from ..tableaux import gaps
from ..tolerances import CHATTERING, NEVER, PATIENCE
from .lane_events import LaneRows

if TYPE_CHECKING:
    from .step_program import StepProgram

PAST = 3  # points that are remembered where a singular position may come near
#: that record, in annotations of functions that are compiled for the layout of a step program
Lane = View
#: rows of arrays that last beyond a step; the others are scratch
LASTING = {"at.vectors": (WEIGHT, BEFORE, HOLD, HOLD_BEFORE, HOLD_FIRST, HOLD_MOST, HOLD_RATE),
           "at.slopes": (FIRST,), "at.witnesses": (G_LOW, G_SENSE, G_SLACK, G_CROSSED), "at.laws": (G_LOW,),
           "at.out": (), "at.dense": ()}
#: numbers of a trial, which nobody needs between steps
TRIAL = ("length", "error_now", "factor", "allowed", "t0", "t1", "t_end", "theta", "t_before", "drift", "strain",
         "position_error", "velocity_error", "trying", "fraction")
#: numbers that every target sets for itself
ADDRESSES = ("at.work", "at.grid", "at.grid_x", "at.n_grid")

#: arrays of rows that are needed between instants
LASTING_OF_ROWS = tuple(f"rows.{name}" for name in (
    "numbers", "reals", "holding", "contact_numbers", "contact_reals"))

#: a number that is the same in all lanes
SAME = object()
#: an array whose address is in the record, the same for all lanes
ELSEWHERE = object()


class PartOf(NamedTuple):
    """An array whose numbers are those of another field of the record, from `first` on."""

    field: str
    first: int
    shape: tuple[int, ...]


class Beside(NamedTuple):
    """An array whose numbers lie at another slot, counted from the record; `elsewhere` as of a field."""

    slot: int
    shape: tuple[int, ...]
    elsewhere: bool = False


def arranged(layout: Layout, given: Mapping[str, Any]) -> Layout:
    """The layout with what is `given` of its fields put in.

    A number, a table or a function is known; a shape (tuple) makes an array of real numbers, a mapping goes into a
    record; the others stay numbers in memory.
    """
    fields, slot = [], 0
    for field in layout.fields:
        what = given.get(field.name)
        field = field._replace(slot=slot)
        if isinstance(what, Layout):
            field = field._replace(kind="", layout=what)
        elif isinstance(what, Wholes | Complexes):
            field = field._replace(kind="whole" if isinstance(what, Wholes) else "complex", shape=what.shape)
        elif isinstance(what, PartOf):
            whole = next(other for other in fields if other.name == what.field)
            field = field._replace(kind=whole.kind, shape=what.shape, slot=whole.slot + what.first, alias=True)
        elif isinstance(what, Beside):
            field = field._replace(kind="real", shape=what.shape, slot=what.slot, elsewhere=what.elsewhere, alias=True)
        elif isinstance(what, tuple):
            field = field._replace(kind="real", shape=what)
        elif what is ELSEWHERE:
            field = field._replace(kind="real", shape=(0,), elsewhere=True)
        elif what is SAME:
            field = field._replace(same=True)
        elif field.layout is not None:
            field = field._replace(layout=arranged(field.layout, what or {}))
        elif what is not None:
            field = field._replace(known=what)
        fields.append(field)
        slot += _size(field)
    return Layout(layout.name, tuple(fields), slot)


def _size(field: Field) -> int:
    """Slots that a field takes."""
    if field.known is not None or field.alias:
        return 0
    if field.layout is not None:
        return field.layout.slots
    return 1 if field.elsewhere else _count(field.shape, field.kind)


def _count(shape: tuple[int, ...], kind: str) -> int:
    """Slots of an array."""
    return int(np.prod(shape, dtype=int)) * (2 if kind == "complex" else 1)


def lane_layout(step: StepProgram) -> Layout:
    """The record of a lane."""
    stepper = arranged(STEP.layout, _known(step))
    own = arranged(LANE.layout, _known_of_lane(step, stepper))
    moved = tuple(field._replace(slot=stepper.slots + field.slot) for field in own.fields)
    return Layout("Lane", (*stepper.fields, *moved), stepper.slots + own.slots)


def _known(step: StepProgram) -> dict[str, Any]:
    """What is known of the stepper's record."""
    from .. import manifold, root_finding, short_features
    from ..changed_method import either

    n, (nq, nu, nz) = step.n, step.sizes
    owns, facts = step.owns, step.own.facts
    n_events = 0 if step.lane_events is None else len(step.lane_events.witnesses)
    laws, law_bases, _ = step.n_laws
    seen = n_events + step.n_bases  # witnesses, and the bases of their bounds
    assert not n_events or step.programs["events"].n_out <= seen, "what the program gives has a row of the table"
    code: dict[str, Any] = dict.fromkeys(FUNCTIONS, 0) | {
        role: ByName(f"model_{role}", 3, writes=program.n_out) for role, program in step.roles.items()}
    n_out = max([program.n_out for role, program in step.roles.items() if role not in ("rhs", "jump")]
                + [n + 4 + step.n_holds, 2 * max(seen, sum(step.n_laws)) + N_SAMPLES])
    width, kept, n_carry = max(n, step.n_holds), PAST if step.watch_strain else 0, len(step.carry[1] + step.updated)
    return {
        "n": n, "nq": nq, "nu": nu, "nz": nz, "n_events": n_events, "n_bases": step.n_bases, "n_far": step.n_far,
        "n_laws": laws, "n_law_bases": law_bases, "has_health": int(step.has_health), "max_norm": int(step.max_norm),
        "identity_qdot": int(step.identity_qdot), "bare": int(step.bare), "watch_strain": int(step.watch_strain),
        "fixed": int(step.fixed), "shows": int(step.shows),
        "begins": int(step.lane_events is not None or step.led),
        **({} if step.changes else in_use(step)), "keeps": 0, "chunk": 1, "time_tolerance": 0.0,
        "code": {**code, "every_stage": int(step.every_stage)},
        "pieces": {"manifold": manifold.manifold, "method": either if step.changes else step.method.load()[0],
                   "locate": root_finding.locate,
                   "features": short_features.noticed, "power": approximate_power,
                   "own": 0, "implicit": 0,
                   **{memory_of(method): arranged(own.fields.layout, own.known) for method, own in owns.items()}},
        "at": {"inp": (step.n_in + n + N_OF_PAIR * step.n_far,), "out": (n_out,),
               "work": (step.n_work,) if step.led else ELSEWHERE,
               "vectors": (N_VECTORS, width),
               "slopes": (max(own.facts.stages + 1 + own.known.get("n_extra", 0) for own in owns.values()), step.width),
               "dense": (4 + max(own.facts.n_dense for own in owns.values()), n), "witnesses": (N_WITNESS_ROWS, seen),
               "laws": (N_WITNESS_ROWS, sum(step.n_laws)), "quaternions": Table.whole(step.quaternions),
               "carry_from": Table.whole(step.carry[0]), "carry_to": Table.whole(step.carry[1] + step.updated),
               "changing": Table.whole(step.changing), "pair_of": Table.whole(step.pair_of),
               "steps_t": (kept,), "steps_x": (kept, n),
               "steps_carry": (kept, n_carry), "steps_dense": (0,),
               "n_in": step.n_in, "n_out": n_out, "n_quaternions": len(step.quaternions), "vector_width": width,
               "slope_width": step.width, "witness_width": seen, "law_width": sum(step.n_laws),
               "n_carried": len(step.carry[0]), "n_carry": n_carry, "n_changing": len(step.changing),
               **({"n_grid": 0, "grid": (0,), "grid_x": (0,)} if step.led else {"n_grid": SAME}),
               "capacity": kept, "rolling": 1},
        "counts": {name: IGNORED for name in COUNTERS if name not in ("steps", "rejected", "events_found")},
        "holds": {"count": step.n_holds, **gaps(facts.times),
                  **({} if step.changes else {"followed": int(facts.follows_holds)})},
        "stiffness": {"watched": int(step.watch_stiffness), "boundary": step.method.boundary,
                      **({} if step.changes else {"prepared": 0, "patience": PATIENCE}),
                      **({} if step.changes and step.led else {"beyond": 0.0})},
    }


def in_use(step: StepProgram) -> dict[str, int]:
    """What the loop has to know of the method that a run begins with."""
    facts = step.own.facts
    return {"explicit": int(not step.method.implicit), "stages": facts.stages, "n_dense": facts.n_dense,
            "error_order": facts.error_order}


def _known_of_lane(step: StepProgram, stepper: Layout) -> dict[str, Any]:
    """What is known of a lane beside it."""
    events = step.lane_events
    own: dict[str, Any] = {"has_events": int(events is not None), "led": int(step.led), "finest": step.finest,
                           "changes": int(step.changes),
                           "told": dict.fromkeys(TOLD.names, 0)}
    if not (step.changes and step.led):
        own |= {"since": 0.0, "until": NEVER}
    if not step.led or events is None:
        own["ended"] = 0 if step.led else IGNORED
    if events is None:
        return {**own, "rows": 0, "row_instant": 0, "n_rows": 0, "before": (0,), "recent": (0,), "crossing": 0,
                "back": 0, "instant": NEVER, "events": dict.fromkeys(EVENTS.names, 0)}
    known = {**own, "before": (len(events.actions),), "recent": (CHATTERING,), "events": events.tables(step.n)}
    if events.rows is None:
        return known | {"rows": 0, "row_instant": 0, "n_rows": 0}
    return known | {"rows": _decided(step, events.rows, stepper), "row_instant": events.rows.piece,
                    "n_rows": events.rows.count}


def _decided(step: StepProgram, rows: LaneRows, stepper: Layout) -> Layout:
    """The record of rows, which follows the stepper's, and shares its inputs, state before, slack and work space."""
    first = stepper.slots
    at = stepper.find("at")
    assert at is not None and at.layout is not None, "every stepper has arrays"
    places = {field.name: at.slot + field.slot - first for field in at.layout.fields}
    width, n_events = max(step.n, step.n_holds), len(step.lane_events.witnesses)
    seen = n_events + step.n_bases
    work = Beside(places["work"], (step.n_work,), elsewhere=not step.led)
    return arranged(rows.layout, {
        **rows.known, "inp": Beside(places["inp"], (step.n_in,)), "work": work, "jump_work": work,
        "x_before": Beside(places["vectors"] + BEFORE * width, (step.n,)),
        "slack": Beside(places["witnesses"] + G_SLACK * seen, (n_events,)),
        **{role: ByName(f"model_{role}", 3, writes=step.roles[role].n_out) if role in step.roles else 0
           for role in ("situation", "jump")}})


class Memory:
    """Where the numbers of a lane lie, by their names in the record: "t", "counts.steps", "at.inp"."""

    def __init__(self, step: StepProgram):
        layout, n, n_holds = step.layout, step.n, step.n_holds
        #: its length, and how much of that outlasts a step: all of it
        self.slots = self.kept = layout.slots
        self.n_in = step.n_in
        #: entries of rows that are used
        self.used = {WEIGHT: n, BEFORE: n * (step.lane_events is not None),
                     **dict.fromkeys((HOLD, HOLD_BEFORE, HOLD_FIRST, HOLD_MOST, HOLD_RATE), n_holds)}
        self.scratch = {*TRIAL, *ADDRESSES, *(f"pieces.{memory_of(method)}.{name}" for method, own in step.owns.items()
                                              for name in own.scratch)}
        #: an implicit step begins with the interpolant of the one before, continued
        self._lasting = LASTING | ({"at.dense": range(4 + step.own.facts.n_dense)} if step.method.implicit else {})
        #: first slot, shape and kind by name
        self.fields: dict[str, tuple[int, tuple[int, ...], str]] = {}
        self._find(layout, "", 0)

    def _find(self, layout: Layout, path: str, first: int) -> None:
        for field in layout.fields:
            if field.layout is not None:
                self._find(field.layout, f"{path}{field.name}.", first + field.slot)
            elif field.known is None and not field.alias:
                self.fields[path + field.name] = (first + field.slot, () if field.elsewhere else field.shape,
                                                  "whole" if field.elsewhere else field.kind)

    def __getitem__(self, name: str) -> int:
        return self.fields[name][0]

    def of(self, lane: np.ndarray, name: str) -> np.ndarray:
        """The numbers of that name in the memory of one lane; a view."""
        first, shape, kind = self.fields[name]
        part = lane[first : first + _count(shape, kind)]
        return part.view(DTYPES[kind]).reshape(shape)

    def put(self, lane: np.ndarray, **values: Any) -> None:
        """Give numbers of one lane new values."""
        for name, value in values.items():
            self.of(lane, name)[...] = value

    def lasting(self) -> dict[str, list[int]]:
        """The slots that last beyond a step, by name."""
        out: dict[str, list[int]] = {}
        for name, (first, shape, kind) in self.fields.items():
            if name in self.scratch:
                continue
            if shape and name.startswith("rows.") and name not in LASTING_OF_ROWS:
                continue
            count = _count(shape, kind)
            if name == "at.inp":
                count = self.n_in  # what follows the inputs is scratch
            if name not in self._lasting:
                out[name] = list(range(first, first + count))
            elif count:
                width = count // shape[0]
                used = dict.fromkeys(self._lasting[name], width) | (self.used if name == "at.vectors" else {})
                out[name] = [first + row * width + k for row in self._lasting[name] for k in range(used[row])]
        return {name: slots for name, slots in out.items() if slots}
