"""Modes of friction, stops and contacts in a single state, without a run: stuck or sliding, closed or open."""

from __future__ import annotations

import numpy as np

from ..system import State, System
from ..system.event_programs import refresh
from . import tolerances as tol
from .ball_friction import Balls
from .event_log import EventLog
from .instant import Instant
from .unilateral import Unilateral


def settle(state: State) -> State:
    """Set the modes of friction, stops and contacts in a state to those that its forces require; returns the state."""
    return Settling(state.system)(state)


class Settling:
    """Sets the modes in one state of a system after the other, with the memory for deciding made once."""

    def __init__(self, system: System):
        self.system = system
        h = system.mechanism.events
        self.needed = bool(h.bounded or h.contacts or h.balls)
        self._decided: tuple[Instant, Unilateral | None] | None = None

    def __call__(self, state: State) -> State:
        if not self.needed:
            return state
        refresh(self.system, state)
        instant, deciding = self._at(self.system.layout.pack(state))
        speeds, trouble = instant.u.copy(), None
        for _ in range(tol.ROUNDS_AT_REST):
            changed = []
            for each in deciding:
                if trouble is None:
                    names, trouble = each.decide()
                    changed += names
            if not changed or trouble is not None:
                break
        # impacts are left to a run
        if trouble is None and np.array_equal(speeds, instant.u):
            state.d = instant.d.copy()
        return state

    def _at(self, inputs: np.ndarray) -> tuple[Instant, list[Unilateral | Balls]]:
        """The instant with these inputs, and those who decide there."""
        h = self.system.mechanism.events
        if self._decided is None:
            instant = Instant(self.system, inputs)
            unilateral = Unilateral(instant, EventLog()) if h.bounded or h.contacts else None
            self._decided = instant, unilateral
        else:
            instant, unilateral = self._decided
            instant.inputs[:] = inputs
            if unilateral is not None:
                unilateral.begin(EventLog())
        return instant, [each for each in (unilateral, Balls(instant, EventLog()) if h.balls else None)
                         if each is not None]
