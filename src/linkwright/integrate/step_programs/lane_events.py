"""The events that a lane handles by itself: relations that switch, and actions.

The programs `events` (all witnesses) and `situation` (what decides at an instant) are those of the ordinary run; the
records here say where in their outputs each number lies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from ..record import N_SAMPLES
from ..tolerances import CHATTERING

#: numbers that only lanes with events have
EVENT_SCALARS = (
    # where the run ends, the next instant that is known beforehand, and how many events there were
    "stop", "instant", "n_events",
    # the fraction of the trial step at which a witness crosses (2: nowhere), and the time at which the step ends
    "event", "t_end",
    # the search for it
    "low", "high", "left", "closer", "searching", "sampling", "crossed_in", "doubtful_in", "piece",
    "weight_low", "weight_high", "side", "turn",
    # at an instant
    "event_found", "reached", "agreeing", "refreshing", "altered", "back",
)  # fmt: skip
#: of these and of the vectors, what lasts beyond a step
LASTING = ("stop", "instant", "n_events", "g_low", "before", "recent")


@dataclass(frozen=True)
class LaneWitness:
    """A witness: whether it belongs to the relation or to the action `number`, and the stage at which it is known."""

    relation: bool
    number: int
    stage: int

    @property
    def sense(self) -> float:
        """As steppers know it: −2 for relations, which are right where a run goes on; −1 for conditions."""
        return -2.0 if self.relation else -1.0


@dataclass(frozen=True)
class HeldRelation:
    """A relation: its kind ("lt", "le", "sign", "floor") and the slot of the input that holds its value."""

    kind: str
    slot: int


@dataclass(frozen=True)
class Action:
    """What takes new values where a condition becomes true: (slot of the input, slope) of every target.

    `news` is where in the situation its targets and then their new values lie; with `ends` the run is over there.
    """

    stage: int
    targets: tuple[tuple[int, float], ...]
    news: int
    ends: bool = False


@dataclass(frozen=True)
class LaneEvents:
    """The events of a model.

    `places` says where in the situation the witnesses, values, fresh, instant and conditions begin.
    """

    witnesses: tuple[LaneWitness, ...]
    relations: tuple[HeldRelation, ...]
    actions: tuple[Action, ...]
    places: Mapping[str, int]

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """Slots of the input, beyond the state, that may change at an instant."""
        targets = [slot for action in self.actions for slot, _ in action.targets]
        return tuple(dict.fromkeys([held.slot for held in self.relations] + targets))

    def vectors(self, n: int) -> dict[str, int]:
        """Vectors of a lane with n states."""
        count = len(self.witnesses)
        return dict.fromkeys(EVENT_SCALARS, 1) | {
            **dict.fromkeys(("g_low", "g_start", "g_high", "g_now", "crossed"), count), "samples": N_SAMPLES * count,
            "held": n, "x_before": n, "before": len(self.actions), "fired": len(self.actions), "recent": CHATTERING,
            "saved": n + len(self.slots), "slots_before": len(self.slots)}
