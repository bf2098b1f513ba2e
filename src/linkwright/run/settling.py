"""Modes of friction, stops and contacts in a single state, without a run: stuck or sliding, closed or open."""

from __future__ import annotations

import numpy as np

from ..system import State
from ..system.event_programs import refresh
from . import tolerances as tol
from .ball_friction import Balls
from .complementarity import Unilateral
from .event_log import EventLog
from .instant import Instant
from .rigid_contact import Touching


def settle(state: State) -> State:
    """Set the modes of friction, stops and contacts in a state to those that its forces require; returns the state."""
    system = state.system
    h = system.mechanism.events
    if not (h.frictions or h.stops or h.contacts or h.balls):
        return state
    refresh(system, state)
    instant = Instant(system, system.layout.pack(state))
    speeds, deciding, trouble = instant.u.copy(), [], None
    if h.frictions or h.stops:
        deciding.append(Unilateral(instant, EventLog()))
    if h.contacts:
        deciding.append(Touching(instant, EventLog()))
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
