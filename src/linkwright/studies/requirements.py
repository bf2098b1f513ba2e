"""What must hold during a run: variables that components require not to become negative."""

from __future__ import annotations

import numpy as np

from ..errors import SimulationError

TOLERANCE = 1e-9


def first_broken(system, result):
    """(time, component path, reason) of the first requirement that a result breaks, or None."""
    translation = getattr(system, "translation", None)
    found = None
    for component, name, reason in translation.plan.requirements if translation is not None else ():
        full = f"{component.path}.{name}"
        values = result[full]
        limit = -TOLERANCE * (1 + np.max(np.abs(values)))
        bad = np.flatnonzero(values < limit)
        if not len(bad):
            continue
        low, high = result.t[max(bad[0] - 1, 0)], result.t[bad[0]]
        for _ in range(40 if bad[0] else 0):
            middle = (low + high) / 2
            low, high = (low, middle) if result.at(middle)[full] < limit else (middle, high)
        if found is None or high < found[0]:
            found = (high, component.path, reason)
    return found


def broken(found, result) -> SimulationError:
    """The exception for a requirement that does not hold, with the result up to there."""
    time, path, reason = found
    return SimulationError(f"{path}: at t = {time:.6g} s {reason}.", path, time=time, result=result)
