"""Friction, stops, locks and contacts for lanes, GPU threads, pages and FMUs: their record, for code of one model.

What decides them there are `row_instant` and `contact_instant`, the functions of the ordinary run, compiled with sizes,
tables and programs put in (see `integrate.step_programs.lane_record`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..codegen.dialect import Table
from ..system import System
from . import contact_record as cr
from . import row_record as rr
from .contact_instant import contact_instant
from .row_instant import row_instant
from .row_numbers import WHOLE, jump_parts, row_numbers, situation_parts

if TYPE_CHECKING:
    from ..integrate.step_programs import LaneRows, PartOf

#: what is told nobody there listens to; these the stepper has too
TOLD = ("log", "course", "contact_log", "contact_values", "contact_course")
SHARED = ("x_before", "slack")


def rows_for_lanes(system: System) -> LaneRows | None:
    """None where a model has nothing that holds one way."""
    from ..integrate.step_programs import LaneRows, Wholes

    events = system.mechanism.events
    if not (events.rows or events.contacts):
        return None
    static, situation = row_numbers(system), system.code.situation
    known: dict[str, Any] = {**static.sizes, "logs": 0, "courses": 0, **dict.fromkeys(TOLD, 0)}
    known |= {name: Table(array) for name, array in static.known.items()}
    known |= {name: Wholes(shape) if name in WHOLE else shape for name, shape in static.shapes.items()
              if name not in (*TOLD, *SHARED)}
    known |= {"seen": (system.layout.n_in,), "out": (situation.n_out,)}
    known |= _parts("out", situation.n_out, situation_parts(system))
    known |= dict.fromkeys(("jump_in", "jump_out", "sent", "bottom", *rr.JUMP), 0)
    known |= _jump(system) if static.needs_jumps else {}

    def start(accuracy: float) -> dict[str, Any]:
        return {**static.begins, "accuracy": accuracy}

    fixed, contacts = static.known["fixed"][[rr.HELD, rr.WAY]], static.known["contact_fixed"]
    slots = [*fixed[fixed >= 0].tolist(), *contacts[[*cr.OWN, cr.SLOW, cr.ANCHOR_1, cr.ANCHOR_2]].ravel().tolist()]
    piece = contact_instant if events.contacts else row_instant
    return LaneRows(piece.function, rr.ROWS.layout, known, start, tuple(slots),
                    len(events.rows) + len(events.contacts))


def _jump(system: System) -> dict[str, Any]:
    """The inputs and outputs of a jump, and their parts."""
    jump, (sent, told) = system.code.jump, jump_parts(system)
    return {"jump_in": (jump.n_in,), "jump_out": (jump.n_out,), **_parts("jump_in", jump.n_in, sent),
            **_parts("jump_out", jump.n_out, told)}


def _parts(whole: str, size: int, places: dict[str, int]) -> dict[str, PartOf]:
    """Arrays that begin at these places of another one."""
    from ..integrate.step_programs import PartOf

    return {name: PartOf(whole, first, (size - first,)) for name, first in places.items()}
