"""Modes of friction and stops in a state that nobody runs through time: stuck or sliding, resting or open."""

from __future__ import annotations

import numpy as np

from ..system import State
from ..system.happenings import refresh
from .contacts import Contacts

ROUNDS = 20


class _Still:
    """What `Contacts` needs of a run, for one state."""

    def __init__(self, state: State):
        system = self.system = state.system
        self.happenings = system.mechanism.happenings
        self.inputs = np.concatenate([[state.t], state.q, state.u, state.z, system.rest(state)])
        self.n = len(state.q) + len(state.u) + len(state.z)
        self.x, self.d = self.inputs[1 : 1 + self.n], self.inputs[1 + self.n : 1 + self.n + len(state.d)]
        self.places = {name: k for k, name in enumerate(system.part_names("d"))}
        self.history: list = []
        self.trouble: str | None = None

    def situation(self) -> dict[str, np.ndarray]:
        program = self.system.code.situation
        out = program(self.inputs)
        return {name: out[program.slice_out(name)] for name, _ in program.program.outputs}

    def log(self, what: str, direction: int) -> None:
        """Nothing is recorded."""


def settle(state: State) -> State:
    """The state with friction and stops in the modes that its forces ask for; gives the state back."""
    h = state.system.mechanism.happenings
    if not (h.frictions or h.stops):
        return state
    refresh(state.system, state)
    still = _Still(state)
    contacts = Contacts(still, 1e-8)
    for _ in range(ROUNDS):
        if not contacts.decide() or still.trouble is not None:
            break
    if still.trouble is None:
        state.d = still.d.copy()
    return state
