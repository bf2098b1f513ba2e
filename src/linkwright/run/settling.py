"""Modes of single states, without a run: comparisons, and rows and contacts that hold or give way."""

from __future__ import annotations

import numpy as np

from ..system import State, System
from ..system.event_programs import ROW
from . import tolerances as tol
from .ball_friction import Balls
from .event_log import EventLog
from .instant import Instant
from .unilateral import Unilateral


def settle(state: State) -> State:
    """Set the modes of rows and contacts in a state to those that its forces require; returns the state."""
    settling = Settling(state.system)
    if settling.needed:
        inputs = state.system.layout.pack(state)
        settling.settle(inputs)
        state.d = inputs[state.system.layout.places["d"]].copy()
    return state


class Settling:
    """Sets the modes in one state of a system after the other, with the memory for deciding made once.

    States are vectors of inputs, whose discrete variables change.
    """

    def __init__(self, system: System):
        self.system, h = system, system.mechanism.events
        self.needed = bool(h.bounded or h.contacts or h.balls)
        self.d = system.layout.places["d"]
        self._instant = instant = Instant(system, np.zeros(system.layout.n_in))
        self._unilateral: Unilateral | None = None
        first, width = instant.at["rows"].start if h.bounded else 0, len(ROW)
        sliding = [k for k, row in enumerate(h.bounded) if row.slides]
        self._rates = np.array([first + k * width + ROW.index("rate") for k in sliding], dtype=int)
        self._ways = np.array([instant.places[row.direction.name()] for row in h.bounded if row.direction is not None],
                              dtype=int)
        self._relations = np.array([instant.places[r.name] for r in h.relations], dtype=int)

    def hold(self, inputs: np.ndarray, rounds: int) -> None:
        """Set comparisons to their values, and directions of sliding to those of the speeds, until they agree."""
        now = self._instant
        now.inputs[:] = inputs
        now.d[self._ways] = 0.0
        for _ in range(rounds):
            before = now.d.copy()
            self._refresh()
            if len(self._ways):
                speeds = now.numbers()[self._rates]
                now.d[self._ways] = np.where(np.abs(speeds) > tol.SLOW, np.sign(speeds), 0.0)
            if np.array_equal(before, now.d):
                break
        inputs[self.d] = now.d

    def settle(self, inputs: np.ndarray) -> None:
        """Set modes to those that the forces require; where that takes an impact, only comparisons are set."""
        if not self.needed:
            return
        now, h = self._instant, self.system.mechanism.events
        now.inputs[:] = inputs
        self._refresh()
        inputs[self.d] = now.d
        if self._unilateral is not None:
            self._unilateral.begin(EventLog())
        elif h.bounded or h.contacts:
            self._unilateral = Unilateral(now, EventLog())
        balls = [Balls(now, EventLog())] if h.balls else []
        deciding = balls if self._unilateral is None else [self._unilateral, *balls]
        speeds, trouble = now.u.copy(), None
        for _ in range(tol.ROUNDS_AT_REST):
            changed = []
            for each in deciding:
                if trouble is None:
                    names, trouble = each.decide()
                    changed += names
            if not changed or trouble is not None:
                break
        # impacts are left to a run
        if trouble is None and np.array_equal(speeds, now.u):
            inputs[self.d] = now.d

    def _refresh(self) -> None:
        """Set the comparisons at the instant to their values, inner ones first."""
        now = self._instant
        for _ in range(len(self._relations) + 1 if len(self._relations) else 0):
            values = now.numbers()[now.at["fresh"]]
            if np.array_equal(now.d[self._relations], values):
                break
            now.d[self._relations] = values
