"""Instances of a Simulator whose contacts are stepped (`method="time_stepping"`): each keeps its stepper.

A row says where an instance is; beside it its stepper remembers which contacts pressed and how much, so that a call
goes on where the last one ended.  What is written into a row from outside is what the next step begins with.  Pickled,
an instance is its row and these impulses, and goes on from them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import LinkwrightError
from ..run import Schedule
from ..studies import stepped
from ..system import State, System
from .instances import Here


class Stepped(Here):
    """Instances in the memory of this process, advanced one after the other by steps of h."""

    def __init__(self, rows: np.ndarray, systems: list[System], state_of: Callable[[np.ndarray, System], State],
                 h: float, accuracy: float) -> None:
        super().__init__(rows, None)
        self._systems, self._state_of, self._h, self._accuracy = systems, state_of, h, accuracy
        self._steppers: list[Any] = [None] * len(rows)
        self._impulses: list[Any] = [None] * len(rows)  # of those whose stepper is yet to be made

    def __getstate__(self) -> dict[str, Any]:
        impulses = [kept if stepper is None else stepper.pressing()
                    for stepper, kept in zip(self._steppers, self._impulses, strict=True)]
        return {**self.__dict__, "_steppers": [None] * len(self.rows), "_impulses": impulses}

    def set_rows(self, which: np.ndarray, rows: np.ndarray) -> None:
        """New rows of some instances, which have no past."""
        super().set_rows(which, rows)
        for k in which:
            self._steppers[k] = self._impulses[k] = None

    def advance(self, which: np.ndarray, h: float) -> np.ndarray:
        """Advance some instances by h; `failures` says which could not, and why."""
        self.failures = {}
        for k in which.tolist():
            try:
                stepper = self._stepper(k)
                stepper.take(self.rows[k])
                reached = stepper.t + h
                if stepper.run(reached, np.array([reached])) == "trouble":
                    self.failures[k] = str(stepper.trouble.message)
                self.rows[k] = stepper.row
                stepper.forget()
            except LinkwrightError as error:
                self.failures[k] = str(error)
        return which[:0]

    def _stepper(self, k: int) -> Any:
        if self._steppers[k] is None:
            system = self._systems[k]
            state = self._state_of(self.rows[k], system)
            made = stepped(system, state, self._h, Schedule.of(system, state.t, np.zeros(0), self._accuracy))
            if made.trouble is not None:
                raise made.failure(None)
            if self._impulses[k] is not None:
                made.remember(self._impulses[k])
            self._steppers[k] = made
        return self._steppers[k]
