"""Friction, stops, locks and contacts for lanes, GPU threads, pages and FMUs: records for code of one model.

What decides them there are `row_instant` and `contact_instant`, the functions of the ordinary run, compiled with sizes,
tables and programs put in (see `integrate.step_programs.lane_record`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..codegen.dialect import Table
from ..system import System
from . import contact_record as cr
from . import row_record as rr
from .complementarity import jump_parts, row_numbers, situation_parts
from .contact_instant import contact_instant
from .rigid_contact import LASTING, contact_numbers
from .rigid_contact import WHOLE as WHOLE_OF_CONTACTS
from .row_instant import row_instant

if TYPE_CHECKING:
    from ..integrate.step_programs import LaneRows, PartOf

#: arrays of whole numbers among those that change
WHOLE = ("numbers", "holding", "crossed", "known", "parts")


def rows_for_lanes(system: System) -> LaneRows | None:
    """None where a model has no rows."""
    from ..integrate.step_programs import LaneRows, PartOf, Wholes

    events = system.mechanism.events
    if not (events.rows or events.locks):
        return None
    static, n = row_numbers(system), len(events.rows)
    record, situation = rr.ROWS.at(static.memory), system.code.situation
    known: dict[str, Any] = {name: getattr(record, name) for name in _settled()}
    known |= {"logs": 0, "courses": 0, "log": 0, "course": 0}
    known |= {name: Table(array) for name, array in static.known.items()}
    known |= {name: Wholes(shape) if name in WHOLE else shape for name, (_, shape) in static.places.items()
              if name not in ("log", "course", "x_before")}
    known |= {"seen": (record.n_in,), "out": (situation.n_out,), "slack": PartOf("reals", rr.SLACK * n, (n,))}
    known |= _parts("out", situation.n_out, situation_parts(system))
    known |= dict.fromkeys(("jump_in", "jump_out", "sent", "bottom", *rr.JUMP), 0)
    known |= _jump(system) if static.needs_jumps else {}
    fixed, reals = static.known["fixed"], static.array(static.memory, "reals").copy()

    def start(accuracy: float) -> dict[str, Any]:
        return {"reals": reals, "accuracy": accuracy}

    slots = fixed[[rr.HELD, rr.WAY]]
    return LaneRows(row_instant.function, rr.ROWS.layout, known, start, tuple(slots[slots >= 0].tolist()),
                    n + len(events.locks))


def contacts_for_lanes(system: System) -> LaneRows | None:
    """None where a model has no rigid contacts."""
    from ..integrate.step_programs import LaneRows, Wholes

    if not system.mechanism.events.contacts:
        return None
    static, situation = contact_numbers(system), system.code.situation
    places = {name: first for name, first in situation_parts(system).items() if name in ("touching", "scales")}
    known: dict[str, Any] = {**static.numbers, "logs": 0, "courses": 0, "log": 0, "log_reals": 0, "course": 0}
    known |= {name: Table(array) for name, array in static.known.items()}
    known |= {name: Wholes(shape) if name in WHOLE_OF_CONTACTS else shape for name, shape in static.shapes.items()
              if name not in ("log", "log_reals", "x_before")}
    known |= {"seen": (system.layout.n_in,), "out": (situation.n_out,), "table": 0}
    if system.mechanism.events.rows:
        places["table"] = situation_parts(system)["table"]
    known |= _parts("out", situation.n_out, places)
    known |= dict.fromkeys(rr.JUMP, 0)
    known |= _jump(system)
    begins = {name: static.begins[name] for name in LASTING}

    def start(accuracy: float) -> dict[str, Any]:
        return {**begins, "accuracy": accuracy}

    fixed = static.known["fixed"][[*cr.OWN, cr.SLOW, cr.ANCHOR_1, cr.ANCHOR_2]]
    return LaneRows(contact_instant.function, cr.CONTACTS.layout, known, start, tuple(fixed.ravel().tolist()),
                    static.numbers["n"])


def _settled() -> list[str]:
    """Names of the numbers in the record that stay as they are."""
    return [name for name, (kind, _) in (rr.ROWS.dtype.fields or {}).items()
            if kind != np.uint64 and name not in (*rr.WHOLE_PROGRESS, *rr.REAL_PROGRESS)]


def _jump(system: System) -> dict[str, Any]:
    """The inputs and outputs of a jump, and their parts."""
    jump, (sent, told) = system.code.jump, jump_parts(system)
    return {"jump_in": (jump.n_in,), "jump_out": (jump.n_out,), **_parts("jump_in", jump.n_in, sent),
            **_parts("jump_out", jump.n_out, told)}


def _parts(whole: str, size: int, places: dict[str, int]) -> dict[str, PartOf]:
    """Arrays that begin at these places of another one."""
    from ..integrate.step_programs import PartOf

    return {name: PartOf(whole, first, (size - first,)) for name, first in places.items()}
