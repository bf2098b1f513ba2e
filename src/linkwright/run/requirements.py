"""What must hold in a run: ranges of parameters, variables that components require not to become negative."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import ModelError, SimulationError
from ..result import Result
from ..system import State, System
from .tolerances import REQUIRED


def first_broken(system: System, result: Result) -> tuple[float, str, str] | None:
    """(time, component path, reason) of the first requirement that a result breaks, or None."""
    found = None
    for required in system.mechanism.requirements:
        values = result[required.variable]
        limit = -REQUIRED * (1 + np.max(np.abs(values)))
        bad = np.flatnonzero(values < limit)
        if not len(bad):
            continue
        low, high = result.t[max(bad[0] - 1, 0)], result.t[bad[0]]
        for _ in range(40 if bad[0] else 0):
            middle = (low + high) / 2
            low, high = (low, middle) if result.at(middle)[required.variable] < limit else (middle, high)
        if found is None or high < found[0]:
            found = (high, required.component, required.reason)
    return found


def passed_limits(system: System, result: Result) -> list[str]:
    """What is told of variables that pass their limits, each once, with the first time and the largest value."""
    said = []
    for item in system.mechanism.advice:
        values = result[item.variable]
        over = np.flatnonzero(values > item.limit)
        if not len(over):
            continue
        time = result.t[over[0]]
        text = f"{item.component}: " + item.reason.format(time=time, value=np.max(values))
        if item.fatal:
            raise SimulationError(text, item.component, time=time, result=result.until(max(1, int(over[0]))))
        said.append(text)
    return said


def check_ranges(system: System, state: State) -> None:
    """Refuse tuned parameters outside of the range that their component declares."""
    check_columns(system, dict(zip(system.part_names("p"), state.p[:, None], strict=True)))


def check_columns(system: System, columns: Mapping[str, np.ndarray]) -> None:
    """The same for many values of each."""
    ranges = {item.name: item.only for item in system.mechanism.parameters}
    for name, column in columns.items():
        only = ranges.get(name)
        for number in column.tolist() if only is not None else ():
            if not only.holds(number):
                raise ModelError(f"{name} = {number:g}{only.said}.", name)


def broken(found: tuple[float, str, str], result: Result) -> SimulationError:
    """The exception for a requirement that does not hold, with the result up to there."""
    time, path, reason = found
    return SimulationError(f"{path}: at t = {time:.6g} s {reason}.", path, time=time, result=result)
