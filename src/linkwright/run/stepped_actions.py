"""Actions between steps of a fixed size: what `m.when` and `m.terminate` ask for.

Conditions are looked at after each step.  Where one has become true since the last look, its targets are set, all from
the values before.  So an action comes up to a step late.
"""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from ..system import System
from .actions import targets_of
from .event_log import EventLog
from .trouble import Trouble


class SteppedActions:
    """Conditions, targets and new values of the actions of a run; `end` is the message of one that ends it."""

    def __init__(self, system: System, inputs: np.ndarray, log: EventLog):
        self.whens, self.inputs, self.log = system.mechanism.events.whens, inputs, log
        self.end: str | None = None
        self._sampled = np.array([when.clock is not None for when in self.whens], dtype=bool)
        if not self.whens:
            return
        self.targets = [targets_of(system, when) for when in self.whens]
        self._first = {part: system.layout.places[part].start for part in "quzd"}
        self._program = system.code.situation
        if system.equations.rows and any(r.mode is None for r in system.equations.rows):
            self._refuse_loops()
        self._were = self._conditions()
        for when, true in zip(self.whens, self._were, strict=True):
            if true and when.message is not None:
                log.note(float(inputs[0]), when.name, 1)
                self.end = when.message

    def __len__(self) -> int:
        return len(self.whens)

    def _refuse_loops(self) -> None:
        """Where loops tie coordinates together, setting one of them would open the loop."""
        for when, targets in zip(self.whens, self.targets, strict=True):
            if any(part in "qu" for part, _, _ in targets):
                raise ModelError(f"{when.name}: method time_stepping cannot set coordinates or speeds inside loops. "
                                 "Set a discrete variable or an integral, or give fewer pairs by name "
                                 "(contact.Pair), so that events are located.", when.name)

    def _conditions(self) -> np.ndarray:
        return self._program(self.inputs)[self._program.slice_out("conditions")] != 0

    def look(self) -> Trouble | None:
        """Act where conditions have become true."""
        now = self._conditions()
        trouble = self._act(np.flatnonzero(now & ~self._were & ~self._sampled))
        self._were = self._conditions()
        return trouble

    def sample(self) -> Trouble | None:
        """Let those act whose clock has an instant now."""
        return self._act(np.flatnonzero(self._conditions() & self._sampled)) if self._sampled.any() else None

    def _act(self, which: np.ndarray) -> Trouble | None:
        if len(which):
            sets = any(self.targets)  # else the program gives no new values
            news = self._program(self.inputs)[self._program.slice_out("news")] if sets else np.zeros(0)
            starts = np.cumsum([0, *(2 * len(w.targets) for w in self.whens)])
            for k in which:
                when, n = self.whens[k], len(self.targets[k])
                flat = news[starts[k]:starts[k] + 2 * n]
                if not np.isfinite(flat).all():
                    return Trouble(f"at t = {self.inputs[0]:.9g} s the new values set by '{when.name}' are not finite; "
                                   "something in them divides by zero or has no value.")
                for i, (part, place, slope) in enumerate(self.targets[k]):
                    self.inputs[self._first[part] + place] += (flat[n + i] - flat[i]) / slope
                if when.clock is None:
                    self.log.note(float(self.inputs[0]), when.name, 1)
                if when.message is not None and self.end is None:
                    self.end = when.message
        return None
