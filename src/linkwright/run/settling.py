"""Modes of friction, stops and contacts in a single state, without a run: stuck or sliding, closed or open."""

from __future__ import annotations

import numpy as np

from ..system import State
from ..system.event_programs import refresh
from . import tolerances as tol
from .ball_friction import Balls
from .event_log import EventLog
from .instant import Instant
from .unilateral import Unilateral


def settle(state: State) -> State:
    """Set the modes of friction, stops and contacts in a state to those that its forces require; returns the state."""
    system = state.system
    h = system.mechanism.events
    if not (h.bounded or h.contacts or h.balls):
        return state
    refresh(system, state)
    instant = Instant(system, system.layout.pack(state))
    speeds, deciding, trouble = instant.u.copy(), [], None
    if h.bounded or h.contacts:
        deciding.append(Unilateral(instant, EventLog()))
    if h.balls:
        deciding.append(Balls(instant, EventLog()))
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
