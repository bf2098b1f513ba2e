"""The result of a run, from what its stepper and its events have kept."""

from __future__ import annotations

import numpy as np

from ..integrate import METHODS, Stepper
from ..result import Result
from ..system import State, System
from .live_changes import ByHand
from .run import EventRun
from .singular_positions import coarse_steps
from .tolerances import SAID
from .updates import with_updates


def collect(system: System, stepper: Stepper, state: State, grid: np.ndarray, run: EventRun | None = None,
            hand: ByHand | None = None) -> Result:
    """The result up to where the stepper has come; the last point is there even between output times."""
    x = stepper.grid_x.copy()
    t = grid[: len(x)]
    if len(stepper.steps_t) and (not len(t) or stepper.t > t[-1]):
        t, x = np.append(t, stepper.t), np.vstack([x, stepper.x])
    own = [(state.t, state.d.copy())] if hand is None else hand.discretes
    history = with_updates(system, stepper, own if run is None else run.history)
    parameters = hand.parameters if hand is not None and hand.moved else None
    messages = changes_of_method(stepper) + stepper.messages + coarse_steps(stepper)
    if stepper.kept_from > grid[0] and stepper.keep_steps:
        messages.append(f"steps before t = {stepper.kept_from:.6g} s were not kept, their output times were: between "
                        "these result.at knows nothing (simulate(…, dense=True) keeps every step)")
    if run is None:
        plain = len(history) == 1 and np.array_equal(history[0][1], state.d)
        return Result(system, stepper, state, t, x, messages=messages, history=None if plain else history,
                      parameters=parameters)
    messages += run.log.messages
    if run.message is not None:
        messages.append(f"ended at t = {stepper.t:.9g} s: {run.message}")
    result = Result(system, stepper, state, t, x, run.table, messages, history, run.log.contacts, parameters)
    result.jumps = getattr(run, "jumps", [])  # stepped contact has none
    return result


def changes_of_method(stepper: Stepper) -> list[str]:
    """What is to be said about stiffness: the first changes of method, and how many more there were."""
    (_, before), *changes = stepper.methods
    said = []
    for t, now in changes[:SAID]:
        stiff = f"stiff for {before}" if METHODS[now].implicit else "no longer stiff"
        said.append(f"at t = {t:.6g} s the motion was {stiff}: went on with {now}")
        before = now
    if len(changes) > SAID:
        said.append(f"the method changed {len(changes) - SAID} more times")
    return said
