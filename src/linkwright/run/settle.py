"""Modes of friction and stops in a state that nobody runs through time: stuck or sliding, resting or open."""

from __future__ import annotations

import numpy as np

from ..system import State
from ..system.event_programs import refresh
from .complementarity import Contacts
from .instant import Instant

ROUNDS = 20


class _Still:
    """What `Contacts` needs of a run, for one state."""

    def __init__(self, state: State):
        system = self.system = state.system
        self.events = system.mechanism.events
        self.instant = Instant(system, np.concatenate([[state.t], state.q, state.u, state.z, system.rest(state)]))
        self.trouble: str | None = None

    def log(self, what: str, direction: int) -> None:
        """Nothing is recorded."""


def settle(state: State) -> State:
    """The state with friction and stops in the modes that its forces ask for; gives the state back."""
    h = state.system.mechanism.events
    if not (h.frictions or h.stops):
        return state
    refresh(state.system, state)
    still = _Still(state)
    speeds = still.instant.u.copy()
    contacts = Contacts(still)
    for _ in range(ROUNDS):
        if not contacts.decide() or still.trouble is not None:
            break
    # what would be hit at once is left to the run
    if still.trouble is None and np.array_equal(speeds, still.instant.u):
        state.d = still.instant.d.copy()
    return state
