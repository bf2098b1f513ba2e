"""The events of a model as compiled code decides them (lanes, GPU threads, pages, FMUs, and ordinary runs).

Its functions are `integrate.step_programs.instants`; here is where their numbers lie, and which models need Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..mechanism import Balance
from ..system import System
from ..system.event_programs import when_stages, witnesses_of
from ..system.given_motions import set_anew
from .actions import targets_of
from .lane_rows import rows_for_lanes

if TYPE_CHECKING:
    from ..integrate.step_programs import LaneEvents


def needs_python(system: System) -> str | None:
    """Why the instants of a model are decided in Python; None where they need not be."""
    m = system.mechanism
    events = m.events
    if events.balls:
        return "dry friction along several directions is decided by the ordinary run"
    if (events or m.discretes) and any(isinstance(c, Balance) for c in m.constraints):
        return "what has no inertia takes its equilibrium anew where inputs or modes jump, in the ordinary run"
    if events.whens and system.equations.rows and any(part in "qu" for part, _, _ in _targets(system)):
        return "an action sets coordinates or speeds that constraints tie to others"
    if set_anew(system.equations, [place for part, place, _ in _targets(system) if part == "d"]):
        return "an action sets a prescribed position anew"
    return None


def _targets(system: System) -> list[tuple[str, int, float]]:
    """(part, place, slope) of all that actions set."""
    return [found for when in system.mechanism.events.whens for found in targets_of(system, when)]


def lane_events_of(system: System) -> LaneEvents | None:
    """The events that lanes handle by themselves; None for a model without events."""
    from ..integrate.step_programs import ACTION, RELATION, ROW, Action, HeldRelation, LaneEvents, LaneWitness

    events, layout = system.mechanism.events, system.layout
    if not events:
        return None
    names, first = system.part_names("d"), layout.places["d"].start
    places, at = {}, 0
    for name, size in system.code.situation.program.outputs:
        places[name] = at
        at += size
    actions, news = [], places.get("news", 0)
    for when, stage in zip(events.whens, when_stages(system.equations), strict=True):
        targets = tuple((layout.places[part].start + place, slope) for part, place, slope in targets_of(system, when))
        actions.append(Action(stage, targets, news, when.message is not None, when.clock is not None))
        news += 2 * len(targets)
    owners = {"relation": RELATION, "when": ACTION}
    witnesses = tuple(LaneWitness(owners.get(w.what, ROW), w.number, w.stage) for w in witnesses_of(system.equations))
    return LaneEvents(witnesses, tuple(HeldRelation(r.kind, first + names.index(r.name)) for r in events.relations),
                      tuple(actions), places, rows_for_lanes(system))
