"""Runs with events: modes switch, variables jump, friction sticks and slips, stops are hit, controllers are asked.

At an instant (Simbody Theory Manual §10.4): what crossed is switched; actions whose condition became true set their
targets, all from the same values; relations, friction and stops are brought to agree with the new state; and again,
until nothing changes.  Then scheduled changes and sampled controllers follow, and the stepper goes on.
"""

from __future__ import annotations

import numpy as np

from ..errors import SimulationError
from ..integrate import Stepper
from ..result.happened import Happened
from ..system import State, System
from ..system.happenings import relation_value, watched
from .actions import Actions
from .chattering import Chattering
from .contacts import Contacts

ROUNDS = 50  # at one instant, before it counts as having no end


class EventRun:
    """A stepper's run with everything that happens on the way."""

    def __init__(self, system: System, stepper: Stepper, state: State, schedule=None, accuracy: float = 1e-8):
        self.system, self.stepper, self.schedule = system, stepper, schedule
        self.happenings = h = system.mechanism.happenings
        self.watched = watched(system.equations) if h else []
        self.n, self.nd = stepper.n, len(state.d)
        self.inputs = stepper.inputs  # views that stay valid all along
        self.x, self.d = self.inputs[1 : 1 + self.n], self.inputs[1 + self.n : 1 + self.n + self.nd]
        if h:
            self._slices = [(name, system.code.situation.slice_out(name))
                            for name, _ in system.code.situation.program.outputs]
        self.events: list[Happened] = []
        self.message: str | None = None
        self.trouble: str | None = None
        self.cause: Exception | None = None
        names = system.part_names("d")
        self._chattering = Chattering(names)
        self.places = {name: k for k, name in enumerate(names)}
        self.actions = Actions(self)
        self._timed = any(r.affine is not None for r in h.relations)
        self.contacts = Contacts(self, accuracy) if h.frictions or h.stops else None
        self.history: list[tuple[float, np.ndarray]] = []
        if h:
            self._before = self.actions.conditions()
            self._agree(first=True)
        self.history.append((stepper.t, self.d.copy()))
        if self.schedule is not None:
            self.schedule.apply(self)
            self._settle_after_change()

    # --- the state as the programs see it ---

    @property
    def t(self) -> float:
        return float(self.inputs[0])

    def situation(self) -> dict[str, np.ndarray]:
        """What decides, at the present inputs."""
        out = self.system.code.situation(self.inputs)
        return {name: out[part] for name, part in self._slices}

    def relations(self) -> np.ndarray:
        """(witness, slope, offset) of every relation."""
        if not self.happenings.relations:
            return np.zeros((0, 3))
        return self.situation()["relations"].reshape(-1, 3)

    # --- running ---

    def run(self, stop: float, grid, on_pause) -> str:
        """Go to `stop`; "end", "terminated", "trouble", "failed" or "interrupted"."""
        while True:
            if self.trouble is not None:
                return "trouble"
            if self.message is not None:
                return "terminated"
            upcoming = self._next_time()
            reason = self.stepper.run(stop, grid=grid, on_pause=on_pause, stops=[upcoming])
            grid = None
            if reason == "event":
                self._at_event()
            elif reason == "stop":
                self._at_time()
            else:
                return reason

    def _next_time(self) -> float:
        """The next instant that is known beforehand."""
        t, out = self.inputs[0], np.inf
        for r, (_, a, b) in zip(self.happenings.relations, self.relations(), strict=True) if self._timed else ():
            if r.affine is None or a == 0:
                continue
            if r.kind == "floor":
                held = self.d[self.places[r.name]]
                when = ((held + 1 if a > 0 else held) - b) / a
            else:
                when = -b / a
            if when > t:
                out = min(out, when)
        return out if self.schedule is None else min(out, self.schedule.next_time(t))

    def _at_time(self) -> None:
        """A known instant: relations of time switch, inputs and controllers follow."""
        if self.happenings:
            self._before = self.actions.conditions()
            self._agree()
        if self.schedule is not None and self.schedule.next_time(self.t) <= self.t:
            self.schedule.apply(self)
            self._settle_after_change()
        self._note()

    def _settle_after_change(self) -> None:
        if self.happenings:
            self._before = self.actions.conditions()
            self._agree()
        self._note()

    def _at_event(self) -> None:
        """Witnesses crossed: switch, act, agree."""
        event = self.stepper.event
        crossed = [self.watched[i] for i, _ in event.crossings]
        self._before = self.actions.conditions()
        for w in {(w.what, w.number): w for w in crossed if w.what == "relation"}.values():
            self._switch(w, crossed)
        fired = sorted({w.number for w in crossed if w.what == "when"})
        if fired:
            self.actions.act(fired, event.x_before)
        if self.contacts is not None:
            self.contacts.crossed(crossed, event.x_before)
        self._agree(fired=frozenset(fired))
        self._note()
        self.trouble = self.trouble or self._chattering.notice(event.t, [self.name(w) for w in crossed], self.d)

    def _switch(self, watch, crossed) -> None:
        """The mode of a relation whose witness crossed zero."""
        r = self.happenings.relations[watch.number]
        k = self.places[r.name]
        if r.kind in ("lt", "le"):
            self.d[k] = 1 - self.d[k]
            self.log(r.name, 1 if self.d[k] else -1)
            return
        w = self.relations()[watch.number, 0]
        if r.kind == "sign":
            self.d[k] = -self.d[k] if self.d[k] else np.sign(w)
        else:
            up = w > self.d[k] + 0.5
            self.d[k] = max(np.floor(w), self.d[k] + 1) if up else min(np.floor(w), self.d[k] - 1)
        self.log(r.name, int(np.sign(self.d[k])) if r.kind == "sign" else (1 if up else -1))

    # --- agreement ---

    def _agree(self, first: bool = False, fired: frozenset = frozenset()) -> None:
        """Relations, actions, friction and stops brought to agree, round after round."""
        seen: list[str] = []
        for _ in range(ROUNDS):
            changed = self._refresh(silent=first)
            conditions = self.actions.conditions()
            rising = [k for k in np.flatnonzero(conditions & ~self._before) if k not in fired] if not first else []
            self._before, fired = conditions, frozenset()
            if rising:
                self.actions.act(rising, None)
                seen.append(" and ".join(self.happenings.whens[k].name for k in rising))
            settled = self.contacts is None or not self.contacts.decide()
            if not (changed or rising) and settled:
                return
            if changed:
                seen.append(changed)
        self.trouble = (f"at t = {self.t:.9g} s the modes do not agree with each other: "
                        f"{seen[-2] if len(seen) > 1 else seen[-1:]} and {seen[-1:]} alternate without end.")

    def _refresh(self, silent: bool) -> str:
        """Values of all relations at the present state, inner ones first; names what changed."""
        relations, changed = self.happenings.relations, []
        for _ in range(len(relations) + 1):
            again = False
            for r, (w, a, b) in zip(relations, self.relations(), strict=True):
                k = self.places[r.name]
                value = relation_value(r, None if silent else self.d[k], w, a, b, self.t)
                if value != self.d[k]:
                    if not silent:
                        self.log(r.name, int(np.sign(value - self.d[k])))
                    self.d[k], again = value, True
                    changed.append(r.name)
            if not again:
                break
        return ", ".join(dict.fromkeys(changed))

    # --- records ---

    def log(self, what: str, direction: int) -> None:
        row = Happened(self.t, what, direction)
        if not self.events or self.events[-1] != row:
            self.events.append(row)

    def _note(self) -> None:
        if not np.array_equal(self.history[-1][1], self.d):
            self.history.append((self.t, self.d.copy()))

    def name(self, watch) -> str:
        groups = {"relation": self.happenings.relations, "when": self.happenings.whens}
        contact = self.happenings.stops if watch.what in ("gap", "pull") else self.happenings.frictions
        return groups.get(watch.what, contact)[watch.number].name

    def failure(self, result) -> SimulationError:
        return SimulationError(self.trouble, time=self.t, result=result)
