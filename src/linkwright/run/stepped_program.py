"""Steps of many contacts as a program: the same functions compiled for one model, for lanes and threads of a GPU.

The run of `moreau` works on two records full of addresses, so that it is compiled once for all models.  Here these are
given a layout in which most is known: sizes are numbers, slots are tables, programs of the model and of its pairs of
shapes are functions by their names, and arrays lie in the record itself (`integrate.step_programs` does the same with
the record of other methods).

What a run remembers between two steps comes first in the memory of a lane; what follows is room to work in, which
lanes share one after another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen import CompiledProgram, Program, Written
from ..codegen.dialect import DTYPES, ByName, Field, Layout, Table, digests, written_of
from ..integrate.step_programs import IDLE, Aim, far_threads, with_choice
from ..system import Crowd, State, System, laws_program
from . import stepped_record as sr
from .crowd_record import CROWD, OUTPUTS
from .stepped_lane import LANE
from .stepped_memory import SteppedMemory
from .tolerances import UNROLLED

if TYPE_CHECKING:
    from ..integrate.step_programs import Threads

#: arrays that are remembered between steps, beside the numbers of both records; of the crowd the last one is in part
REMEMBERED = ("inp", "told_modes", "single_known", "known_meets", "known_numbers", "known", "known_slides",
              "first_known", "steps_x", "handed", "own_x")
REMEMBERED_OF_CROWD = (
    "jacobians", "inertia", "factors", "basis", "n_basis", "rows", "singles", "told", "added", "pull", "gone",
    "last_poses", "sweeping", "skin", "before", "order", "apart", "list", "near", "measured_at", "first_point",
    "n_points", "points", "point_numbers", "out")
#: numbers of the records that change on the way
PROGRESS = ("n_touching", "n_rows", "n_known", "n_steps", "n_told", "n_hits", "status", "steps", "sweeps", "most",
            "lifts", "h", "start", "stop", "acting", "residual", "deepest", "t")
PROGRESS_OF_CROWD = ("looks", "n_listed", "n_near", "n_measured", "inexact")
PROGRESS_OF_LANE = ("doing", "happened", "rejected", "begun", "n_grid", "grid_next", "made", "last", "target",
                    "horizon", "wanted")
#: tables: the same for all runs of a model
TABLES = ("free_q", "free_u", "unit", "given", "relations", "updates", "contact_modes", "single_modes", "one_way",
          "firm")
TABLES_OF_CROWD = (
    "jacobian_at", "inertia_at", "held_at", "single_at", "columns", "reach", "distant", "boxes", "meet_shapes", "meets",
    "points_of", "numbered", "searched", "kind_of", "size_at", "sizes", "axes", "turned", "block_of", "place_in",
    "members", "block_sizes", "block_of_row", "single_places")
#: names by which loops over lanes and GPUs know numbers of a lane
KNOWN_AS = {"at.inp": "inp", "at.grid": "grid", "at.grid_x": "grid_x", "at.n_grid": "n_grid", "at.work": "work",
            "counts.steps": "steps", "counts.rejected": "rejected"}


@dataclass
class _Slots:
    """Fields of both records as they are laid out, one after another in one piece of memory."""

    end: int = 0
    fields: dict[str, list[Field]] = field(default_factory=lambda: {"stepped": [], "crowd": []})
    places: dict[tuple[str, str], tuple[int, tuple[int, ...], str]] = field(default_factory=dict)

    def put(self, record: str, name: str, kind: str, shape: tuple[int, ...] = (), **more: Any) -> None:
        """A number or an array in memory."""
        size = 1 if more.get("elsewhere") else int(np.prod(shape, dtype=int))
        self.fields[record].append(Field(name, kind, shape, self.end, **more))
        self.places[record, name] = (self.end, (), "whole") if more.get("elsewhere") else (self.end, shape, kind)
        self.end += size

    def know(self, record: str, name: str, what: Any) -> None:
        """What is known when code is made."""
        kind = "real" if isinstance(what, float) else "whole"
        self.fields[record].append(Field(name, kind, (), 0, known=what))

    def share(self, record: str, name: str, whole: tuple[str, str], first: int, shape: tuple[int, ...]) -> None:
        """Part of another array."""
        at, _, kind = self.places[whole]
        self.fields[record].append(Field(name, kind, shape, at + first, alias=True))


class Memory:
    """Where the numbers of a lane lie, by name; `kept` of its `slots` are remembered between steps."""

    def __init__(self, slots: _Slots, kept: int) -> None:
        self.slots, self.kept = slots.end, kept
        found = {name: place for (record, name), place in slots.places.items() if record == "stepped"}
        found |= {f"crowd.{name}": place for (record, name), place in slots.places.items() if record == "crowd"}
        self.fields = found | {name: found[own] for name, own in KNOWN_AS.items()}

    def __getitem__(self, name: str) -> int:
        return self.fields[name][0]

    def of(self, lane: np.ndarray, name: str) -> np.ndarray:
        """The numbers of that name in the memory of one lane; a view."""
        first, shape, kind = self.fields[name]
        part = lane[first : first + int(np.prod(shape, dtype=int))]
        return part.view(DTYPES[kind]).reshape(shape)

    def put(self, lane: np.ndarray, **values: Any) -> None:
        """Give numbers of one lane new values."""
        for name, value in values.items():
            self.of(lane, name)[...] = value


class SteppedProgram:
    """The steps of a system's contacts, for whoever makes code of a step program (`integrate.step_programs`)."""

    lane_events, fixed = None, True
    functions = ("begin", "step")
    #: what others look at where the rest is out of sight: on a GPU
    rows = ("doing", "status", "t", "target", "horizon", "wanted", "begun", "grid_next", "happened", "most", "deepest",
            "residual", "n_known", "counts.steps", "counts.rejected", "sweeps", "at.inp")

    def __init__(self, system: System, state: State) -> None:
        self.system, self.fast = system, system.fast
        inputs = system.layout.pack(state)
        self.n_in, self.n = len(inputs), len(system.layout.unpack(inputs)["x"])
        self._made = SteppedMemory(system, state, inputs, None)
        gaps = self._made.shapes.crowd.gaps
        self._pairs = {i * len(gaps.code) + j: gaps.made[i, j] for i, j in gaps.made}
        self._first_d = system.layout.places["d"].start
        self._changing = sorted({*self._made.silent.tolist(), *self._made.arrays["relations"].tolist(),
                                 *self._made.arrays["updates"].tolist()})
        self._lay_out()

    # --- what a step program is asked ---

    @property
    def changing(self) -> tuple[int, ...]:
        """Slots of the input, beyond the state, that change on the way."""
        return tuple(self._first_d + k for k in self._changing)

    @cached_property
    def roles(self) -> dict[str, Program]:
        """The programs that a step calls."""
        code, a = self.system.code, self._made.arrays
        found = {"rhs": code.rhs, "qdot": code.qdot, "places": self._made.shapes.crowd.movers.program}
        found |= {name: getattr(code, name) for name, array in (
            ("prescribe", "given"), ("update", "updates"), ("situation", "relations")) if len(a[array])}
        if self._made.record.loops:
            found["project"] = code.project
        laws = laws_program(self.system)
        if laws is not None:
            found["laws"] = laws
        found |= {f"pair_{k}": program for k, program in self._pairs.items() if isinstance(program, CompiledProgram)}
        return {name: compiled.program for name, compiled in found.items()}

    def written(self, lanes: int, stride: int = 1, marches: bool = False) -> Written:
        """The functions of a lane, in LLVM's text; numbers of a lane lie a `stride` apart."""
        from . import stepped_lane

        assert lanes == 1, "contacts are stepped lane by lane"
        others = {k: loop for k, loop in self._pairs.items() if not isinstance(loop, CompiledProgram)}
        loops = list(dict.fromkeys(loop.function for loop in others.values()))
        names = ("begin", "march") if marches else self.functions
        functions = [*(getattr(stepped_lane, name) for name in names), *loops]
        text = written_of(functions, 1, {"Lane": self.layout}, UNROLLED, stride=stride)
        called = {k: others[k].function.__name__ if k in others else f"model_pair_{k}" for k in self._pairs}
        return with_choice(text, "model_pairs", called, stride)

    def template(self, aim: Aim, usual: Sequence[float] = ()) -> np.ndarray:
        """What a lane remembers before it is given time, state and inputs."""
        lane = self._begun.copy()
        self.memory.put(lane, target=aim.stop, horizon=aim.stop, doing=IDLE, wanted=aim.h)
        return lane

    # --- for a GPU ---

    @property
    def lasting_slots(self) -> list[int]:
        """Places in the memory of a lane of the numbers that others look at."""
        places = ((self.memory[name], self.memory.fields[name][1]) for name in self.rows)
        return [first + k for first, shape in places for k in range(int(np.prod(shape, dtype=int)))]

    def lasting(self, aim: Aim, usual: Sequence[float] = ()) -> np.ndarray:
        """These numbers before a run begins, then all that it remembers."""
        lane = self.template(aim, usual)
        return np.concatenate([lane[self.lasting_slots], lane])

    def threads(self) -> Threads:
        """The program for a GPU."""
        return far_threads(self)

    def sources(self) -> dict[str, str]:
        """The files that a run is made of, with a digest of each."""
        from . import stepped_lane

        return digests([stepped_lane.begin, stepped_lane.march], {"Lane": self.layout})

    # --- where its numbers lie ---

    def _lay_out(self) -> None:
        made, slots = self._made, _Slots()
        stepped, crowd = made.arrays, made.shapes.arrays
        sizes = self._sizes()
        programs = {role: ByName(f"model_{role}", 3, writes=program.n_out) for role, program in self.roles.items()}
        lane = {"x_before": (self.n,), "handed": (self.n_in,), "own_x": (self.n,)}
        real, whole = {**{name: a.shape for name, a in stepped.items() if a.dtype.kind == "f"}, **sizes, **lane,
                       "inp": (self.n_in,)}, {name: a.shape for name, a in stepped.items() if a.dtype.kind == "i"}
        for name in PROGRESS:
            slots.put("stepped", name, _kind(sr.STEPPED, name))
        for name in PROGRESS_OF_LANE:
            slots.put("stepped", name, _kind(LANE, name))
        for name in PROGRESS_OF_CROWD:
            slots.put("crowd", name, _kind(CROWD, name))
        for name in ("grid", "grid_x"):
            slots.put("stepped", name, "real", (0,), elsewhere=True, same=True)
        slots.put("stepped", "work", "real", (0,), elsewhere=True, same=True)
        laws = "laws" in self.roles
        for name in (*REMEMBERED, *(["laws"] if laws else [])):
            slots.put("stepped", name, "real" if name in real else "whole", real.get(name, whole.get(name)))
        if laws:
            slots.put("stepped", "turns", "whole")
        for name in REMEMBERED_OF_CROWD:
            slots.put("crowd", name, _kind_of(crowd[name]), crowd[name].shape)
        # of the last program's outputs poses are remembered, which come first
        kept = slots.places["crowd", "out"][0] + 12 * made.shapes.record.n_shapes
        self._put_scratch(slots, real, whole)
        self._put_parts(slots)
        self._put_known(slots, programs, laws)
        own = Layout("Crowd", tuple(slots.fields["crowd"]), 0)
        fields = (*slots.fields["stepped"], Field("crowd", "", (), 0, own))
        self.layout = Layout("Lane", fields, slots.end)
        self.memory = Memory(slots, kept)
        self._begun = self._at_first(slots, kept)

    def _sizes(self) -> dict[str, tuple[int, ...]]:
        """Arrays that are shorter where somebody looks after every step, and room that programs have elsewhere."""
        made, a = self._made, self._made.arrays
        points = len(made.shapes.arrays["points"]) + made.shapes.record.n_singles
        return {"steps_t": (1,), "steps_x": (1, self.n), "steps_d": (1, len(a["updates"])), "modes_t": (1,),
                "modes_d": (1, made.record.n_d), "hits": (points + 1, sr.N_HIT)}

    def _put_scratch(self, slots: _Slots, real: Mapping[str, tuple[int, ...]],
                     whole: Mapping[str, tuple[int, ...]]) -> None:
        crowd = self._made.shapes.arrays
        for kind, arrays in (("real", real), ("whole", whole)):
            for name, shape in arrays.items():
                if ("stepped", name) not in slots.places and name not in (*TABLES, "laws"):
                    slots.put("stepped", name, kind, shape)
        for name, array in crowd.items():
            if ("crowd", name) not in slots.places and name not in (*TABLES_OF_CROWD, "code", "work", "gap_work"):
                slots.put("crowd", name, _kind_of(array), array.shape)

    def _put_parts(self, slots: _Slots) -> None:
        """Parts of the inputs and of programs' outputs."""
        places = self.system.layout.places
        for name in "xquzyd":
            slots.share("stepped", name, ("stepped", "inp"), places[name].start,
                        (places[name].stop - places[name].start,))
        program = self._made.shapes.crowd.movers.program
        sizes = dict(program.program.outputs)
        for name, own in OUTPUTS.items():
            first = program.slice_out(name).start if sizes.get(name) else 0
            slots.share("crowd", own, ("crowd", "out"), first, (sizes.get(name, 0),))
        slots.fields["crowd"].append(Field("work", "real", (0,), slots.places["stepped", "work"][0], elsewhere=True,
                                           same=True, alias=True))
        if len(self._made.arrays["relations"]):
            values = self.system.code.situation.slice_out("values")
            slots.share("stepped", "comparisons", ("stepped", "situation_out"), values.start,
                        (values.stop - values.start,))

    def _put_known(self, slots: _Slots, programs: Mapping[str, ByName], laws: bool) -> None:
        """Numbers, tables and functions."""
        made, places = self._made, self.system.layout.places
        silent = made.silent
        for name in TABLES:
            slots.know("stepped", name, Table(made.arrays[name]))
        for name in TABLES_OF_CROWD:
            slots.know("crowd", name, Table(made.shapes.arrays[name]))
        if not laws:
            slots.know("stepped", "laws", Table(made.arrays["laws"]))
        slots.know("stepped", "silent", Table.whole(silent))
        slots.know("stepped", "changing", Table.whole(self._changing))
        slots.know("crowd", "places", programs["places"])
        slots.know("crowd", "gaps", ByName("model_pairs", 3, writes=0))
        known = {"law_program": programs.get("laws", 0), "rows": 0, "rows_piece": 0, "n_silent": len(silent),
                 "n_changing": len(self._changing), "p_first": places["p"].start,
                 "n_p": places["p"].stop - places["p"].start, "hits_room": 2**40}
        known |= {role: programs.get(role, 0)
                  for role in ("rhs", "qdot", "prescribe", "project", "update", "situation")}
        for record, fields, view in (("stepped", sr.STEPPED, made.record), ("crowd", CROWD, made.shapes.record)):
            have = {one.name for one in slots.fields[record]}
            for one in fields.layout.fields:
                if one.name not in have and one.name != "crowd":
                    what = known[one.name] if record == "stepped" and one.name in known else getattr(view, one.name)
                    slots.know(record, one.name, 0 if one.name in fields_of_addresses(fields) and isinstance(what, int)
                               else what)
        have = {one.name for one in slots.fields["stepped"]}
        for name, what in known.items():
            if name not in have:
                slots.know("stepped", name, what)

    def _at_first(self, slots: _Slots, kept: int) -> np.ndarray:
        """What arrays begin with."""
        lane, made = np.zeros(slots.end), self._made
        for (record, name), (first, shape, kind) in slots.places.items():
            arrays = made.arrays if record == "stepped" else made.shapes.arrays
            if first < kept and name in arrays and shape == arrays[name].shape:
                part = lane[first : first + arrays[name].size]
                part.view(DTYPES[kind])[:] = arrays[name].ravel()
        at = slots.places["crowd", "n_listed"][0]
        lane[at : at + 1].view(np.int64)[:] = -1
        return lane[:kept].copy()


def fields_of_addresses(fields: Any) -> frozenset[str]:
    """Names of the fields that are addresses."""
    return frozenset(name for name in fields.names if fields.dtype[name].kind == "u")


def _kind(fields: Any, name: str) -> str:
    return "real" if fields.dtype[name].kind == "f" else "whole"


def _kind_of(array: np.ndarray) -> str:
    return "real" if array.dtype.kind == "f" else "whole"


def needs_python(system: System, state: State) -> str | None:
    """Why a stepped run needs Python between its steps; None where it does not."""
    m = system.mechanism
    if m.controllers or m.memories:
        return "controllers in Python and delays act between the steps of the scalar solver"
    for what, items in (("actions act", m.events.whens), ("conditional constraints engage", m.events.conditional)):
        if items:
            return f"{items[0].name}: {what} between the steps of the scalar solver"
    crowd = Crowd(system, state)
    for name, shape in zip(crowd.names, crowd.shapes, strict=True):
        if shape is not m.shapes[name].shape:
            return f"{name}: sizes of shapes that are parameters are those of a single run"
    crowd.gaps.prepare(crowd.pairs)
    for meet, (a, b) in zip(m.events.encounters, crowd.gaps.kinds[crowd.pairs].tolist(), strict=True):
        if crowd.gaps.made[a, b] is None:
            return f"{meet.pair}: the gap of this pair of shapes is searched for, which only the scalar solver does"
    return None
