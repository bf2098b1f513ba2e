"""Instances of a Simulator whose contacts are stepped (`method="time_stepping"`): each keeps its past.

A row says where an instance is; beside it there is what is remembered of contacts, which pressed and how much, so that
a call goes on where the last one ended.  What is written into a row from outside is what the next step begins with.
Many go through the lanes of the processor one after the other.  One by itself, and those between whose steps something
acts in Python, have a stepper each.  Pickled, an instance is its row and its past, and goes on from them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import LinkwrightError
from ..run import Schedule
from ..studies import stepped
from ..studies.stepped_runs import SteppedRuns
from ..system import State, System
from .instances import Here


class SteppedLanes(Here):
    """Instances whose steps are code of their model; `make` gives the runs, which are not pickled."""

    def __init__(self, rows: np.ndarray, make: Callable[[], SteppedRuns]) -> None:
        super().__init__(rows, None)
        self._make = make
        self._pasts = self._runs.pasts(len(rows))

    def __getstate__(self) -> dict[str, Any]:
        return {name: kept for name, kept in self.__dict__.items() if name != "_runs"}

    @cached_property
    def _runs(self) -> SteppedRuns:
        return self._make()

    def set_rows(self, which: np.ndarray, rows: np.ndarray) -> None:
        """New rows of some instances, which have no past."""
        super().set_rows(which, rows)
        self._pasts[which] = self._runs.pasts(len(which))

    def advance(self, which: np.ndarray, h: float) -> np.ndarray:
        """Advance some instances by h; gives those that the ordinary run has to take from where they stand."""
        to = self.rows[which, 0] + h
        every = len(which) == len(self.rows)
        pasts = self._pasts if every else self._pasts[which]
        ends, done = self._runs.go_on(self.rows[which], to, pasts)
        if not every:
            self._pasts[which] = pasts
        ends[:, 0] = to
        self.rows[which[done]] = ends[done]
        return which[~done]


class SteppedEach(Here):
    """Instances in the memory of this process, each with a stepper, advanced one after the other by steps of h."""

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
