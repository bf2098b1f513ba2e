"""The events that a lane handles by itself: relations that switch, actions, rows (friction, stops, locks and contacts).

The programs `events` (all witnesses) and `situation` (what decides at an instant) are those of the ordinary run; the
records here say where in their outputs each number lies, and `tables` is the same for `instants`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...codegen.dialect import Layout, Table

#: what a witness belongs to
ACTION, RELATION, ROW = range(3)
#: kinds of relations
COMPARED, SIGN, FLOOR = range(3)
KINDS = {"sign": SIGN, "floor": FLOOR}


@dataclass(frozen=True)
class LaneWitness:
    """A witness: what it belongs to (`owner`: an ACTION, a RELATION or a ROW, with its `number`), and the stage at
    which it is known."""

    owner: int
    number: int
    stage: int

    @property
    def sense(self) -> float:
        """As steppers know it: −1 for conditions; −2 for the others, which are right where a run goes on."""
        return -1.0 if self.owner == ACTION else -2.0


@dataclass(frozen=True)
class HeldRelation:
    """A relation: its kind ("lt", "le", "sign", "floor") and the slot of the input that holds its value."""

    kind: str
    slot: int


@dataclass(frozen=True)
class Action:
    """What takes new values where a condition becomes true: (slot of the input, slope) of every target.

    `news` is where in the situation its targets and then their new values lie; with `ends` the run is over there.  One
    that is `sampled` acts by a clock, whenever its condition is true, after all others.
    """

    stage: int
    targets: tuple[tuple[int, float], ...]
    news: int
    ends: bool = False
    sampled: bool = False


@dataclass(frozen=True)
class LaneRows:
    """Rows that a lane decides, by the functions of the ordinary run.

    `piece` (record, task) decides them over the record `layout`, of which most is `known` (see `lane_record.arranged`);
    `start` gives, of the accuracy, the numbers of a run that has not begun, by their names in the record.  `slots` are
    those of the inputs that hold their modes, `count` is how many there are.
    """

    piece: Callable[[int, int], int]
    layout: Layout
    known: Mapping[str, Any]
    start: Callable[[float], Mapping[str, Any]]
    slots: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class LaneEvents:
    """The events of a model.

    `places` says where in the situation the witnesses, values, fresh, instant and conditions begin.
    """

    witnesses: tuple[LaneWitness, ...]
    relations: tuple[HeldRelation, ...]
    actions: tuple[Action, ...]
    places: Mapping[str, int]
    rows: LaneRows | None = None

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """Slots of the input that may change at an instant."""
        targets = [slot for action in self.actions for slot, _ in action.targets]
        modes = () if self.rows is None else self.rows.slots
        return tuple(dict.fromkeys([*(held.slot for held in self.relations), *targets, *modes]))

    def tables(self, n: int) -> dict[str, Any]:
        """The fields of EVENTS, of a model with n states."""
        witnesses, relations, actions = self.witnesses, self.relations, self.actions
        stages = sorted({item.stage for item in witnesses})
        targets = [(k, slot, slope, action.news + i, action.news + len(action.targets) + i)
                   for k, action in enumerate(actions) for i, (slot, slope) in enumerate(action.targets)]
        whole = {
            "owner": [item.owner for item in witnesses], "number": [item.number for item in witnesses],
            "stage": [item.stage for item in witnesses], "stages": stages,
            "kind": [KINDS.get(held.kind, COMPARED) for held in relations], "slot": [held.slot for held in relations],
            "action_stage": [action.stage for action in actions], "ends": [int(action.ends) for action in actions],
            "sampled": [int(action.sampled) for action in actions],
            "resets": [int(any(slot <= n for slot, _ in action.targets)) for action in actions],
            "slots": list(self.slots), "target_action": [t[0] for t in targets],
            "target_slot": [t[1] for t in targets], "old": [t[3] for t in targets], "wanted": [t[4] for t in targets]}
        return {
            **{name: Table.whole(numbers) for name, numbers in whole.items()},
            "slope": Table.real([t[2] for t in targets]),
            "n_relations": len(relations), "n_actions": len(actions),
            "n_sampled": sum(action.sampled for action in actions), "n_targets": len(targets),
            "n_slots": len(self.slots), "n_stages": len(stages),
            "room": max(n, len(self.slots), len(relations), len(actions), len(targets)),
            **{f"at_{name}": self.places.get(name, -1) for name in ("witnesses", "values", "fresh", "instant",
                                                                    "conditions")}}
