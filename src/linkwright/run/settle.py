"""Modes of friction and stops in a state that nobody runs through time: stuck or sliding, resting or open."""

from __future__ import annotations

import numpy as np

from ..system import State
from ..system.event_programs import refresh
from . import tolerances as tol
from .complementarity import Unilateral
from .event_log import EventLog
from .instant import Instant


def settle(state: State) -> State:
    """The state with friction and stops in the modes that its forces ask for; gives the state back."""
    system = state.system
    if not (system.mechanism.events.frictions or system.mechanism.events.stops):
        return state
    refresh(system, state)
    instant = Instant(system, system.layout.pack(state))
    speeds, unilateral = instant.u.copy(), Unilateral(instant, EventLog())
    for _ in range(tol.ROUNDS_AT_REST):
        changed, trouble = unilateral.decide()
        if not changed or trouble is not None:
            break
    # what would be hit at once is left to the run
    if trouble is None and np.array_equal(speeds, instant.u):
        state.d = instant.d.copy()
    return state
