"""Modes of friction and stops in a state that nobody runs through time: stuck or sliding, resting or open."""

from __future__ import annotations

import numpy as np

from ..system import State
from ..system.happenings import refresh
from .contacts import Contacts
from .present import Present

ROUNDS = 20


class _Still:
    """What `Contacts` needs of a run, for one state."""

    def __init__(self, state: State):
        system = self.system = state.system
        self.happenings = system.mechanism.happenings
        self.present = Present(system, np.concatenate([[state.t], state.q, state.u, state.z, system.rest(state)]))
        self.trouble: str | None = None

    def log(self, what: str, direction: int) -> None:
        """Nothing is recorded."""


def settle(state: State) -> State:
    """The state with friction and stops in the modes that its forces ask for; gives the state back."""
    h = state.system.mechanism.happenings
    if not (h.frictions or h.stops):
        return state
    refresh(state.system, state)
    still = _Still(state)
    speeds = still.present.u.copy()
    contacts = Contacts(still)
    for _ in range(ROUNDS):
        if not contacts.decide() or still.trouble is not None:
            break
    # what would be hit at once is left to the run
    if still.trouble is None and np.array_equal(speeds, still.present.u):
        state.d = still.present.d.copy()
    return state
