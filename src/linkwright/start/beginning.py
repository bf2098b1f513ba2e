"""The state that a run begins with, from one that was given and values by name."""

from __future__ import annotations

from collections.abc import Mapping

from ..compiler import check_tuned
from ..errors import ModelError
from ..run import check_ranges
from ..system import State, System, nearly_closed, refuse_gaps_across
from ..system.diagnose import check_finite
from ..system.given_motions import on_course
from .initial import count_turns
from .other_numbers import started


def prepare(system: System, state: State | None, start: float, inputs: Mapping[str, object]) -> State:
    """A copy of the state to start from, with inputs set, checked, quaternions of unit length and loops closed.

    Where it is the start of the system that nobody has moved, it is searched for anew with these inputs.
    """
    if state is not None and state.system is not system:
        raise ModelError("the state belongs to another system; take it from system.state().")
    fresh = state is None or state.begins
    state = system.state() if state is None else state.copy()
    state.t = float(start)
    for name, value in inputs.items():
        part, where, numbers = system.names_table.place(name, value, state)
        if part not in "pd":
            raise ModelError(f"{name}: this is a state, not an input; set it in the state to start from.", name)
        getattr(state, part)[where] = numbers
    check_finite(system, state)
    check_ranges(system, state)
    check_tuned(system, state)
    if fresh:
        return started(system, state)
    held = on_course(system, state)
    system.normalise(state)
    if not nearly_closed(system, state):
        state = system.assemble(state, held)
    refuse_gaps_across(system, state)
    count_turns(system, state)
    return state
