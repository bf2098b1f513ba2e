"""Discrete variables that are updated at completed steps (`m.each_step`): where they lie, and what they were."""

from __future__ import annotations

import numpy as np

from ..integrate import Stepper
from ..system import System

History = list[tuple[float, np.ndarray]]


def updated(system: System) -> list[int]:
    """Their places among the discrete variables."""
    updates = system.mechanism.events.updates
    names = system.part_names("d") if updates else []
    return [names.index(update.symbol.name()) for update in updates]


def with_updates(system: System, stepper: Stepper, history: History) -> History:
    """The history of the discrete variables, (time, values from there on), with the updates at completed steps."""
    places = updated(system)
    if not places or not len(stepper.steps_t):
        return history
    starts = np.array([t for t, _ in history])
    known = np.array([d for _, d in history])
    d = known[np.maximum(np.searchsorted(starts, stepper.steps_t, side="right") - 1, 0)]
    d[:, places] = stepper.steps_updated
    changed = np.concatenate([[True], np.any(d[1:] != d[:-1], axis=1)])
    return [(float(t), row) for t, row in zip(stepper.steps_t[changed], d[changed], strict=True)]
