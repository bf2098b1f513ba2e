"""Derivatives of goals by what a run was differentiated by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..result import Result, Trajectory
from .goals import AtTime, Final, Goal, Largest, Smallest, When
from .tolerances import CLOSING_IN, CLOSING_POINTS, PARABOLA, SLOPE_WIDTH


class MeanState(Final):
    """A state that began at zero, at the end, over the time of the run."""

    def value(self, result: Result) -> np.ndarray | float:
        return super().value(result) / (result.t[-1] - result.t[0])


class Look(NamedTuple):
    """A variable (or an entry of one) at a time, before what happens there, and the share that a goal has of it."""

    name: str
    time: float
    share: float


def value_and_looks(goal: Goal, result: Result) -> tuple[float, list[Look]]:
    """A goal of a single number, and what its derivative is made of: Σ share × ∂x/∂p at a time.

    | goal | derivative |
    |---|---|
    | final | ∂x/∂p at the end, or at the time given |
    | largest, smallest | ∂x/∂p where it is extreme: there its time does not count |
    | when | δt = −∂x/∂p / ẋ |
    """
    value = goal.value(result)
    if np.ndim(value):
        raise ModelError(f"{goal.name}: a goal to be differentiated is a single number; name an entry, {goal.name}[0].")
    if isinstance(goal, Final):
        span = result.t[-1] - result.t[0] if isinstance(goal, MeanState) else 1.0
        return float(value), [Look(goal.name, float(result.t[-1]), 1.0 / span)]
    if isinstance(goal, AtTime):
        return float(value), [Look(goal.name, goal.time, 1.0)]
    if isinstance(goal, Largest | Smallest):
        sign = 1.0 if isinstance(goal, Largest) else -1.0
        t = _time_of_extreme(result, goal.name, sign)
        best = sign * max(sign * float(value), sign * float(result.at(t)[goal.name]))
        return best, [Look(goal.name, t, 1.0)]
    if isinstance(goal, When):
        return float(value), _of_time(goal, result, float(value))
    raise ModelError(f"{type(goal).__name__.lower()} of {goal.name} has no derivative here.")


def value_and_change(goal: Goal, result: Result, parameters: Sequence[str]) -> tuple[float, list[float]]:
    """A goal of a single number, and its derivatives by what a run was differentiated by."""
    value, looks = value_and_looks(goal, result)
    changes = np.zeros(len(parameters))
    for look in looks:
        there = result if look.time == result.t[-1] else result.at(np.array([look.time]))
        changes += look.share * changes_along(there, look.name, parameters)[-1]
    return value, changes.tolist()


def changes_along(series: Trajectory, name: str, parameters: Sequence[str]) -> np.ndarray:
    """The derivatives of a number along a differentiated motion, one column for each parameter, computed together."""
    whole, _ = series.whole(name)
    series.get_many([f"∂{whole}/∂{parameter}" for parameter in parameters])
    return np.column_stack([series.sensitivity(name, parameter) for parameter in parameters])


def _of_time(goal: When, result: Result, t: float) -> list[Look]:
    """δt = −∂x/∂p / ẋ, the slope by differences of the dense output; none at the start."""
    if t == result.t[0]:
        return []
    if not result.t[0] < t < result.t[-1]:
        return [Look(goal.name, float(result.t[-1]), np.nan)]
    h = SLOPE_WIDTH * min(t - result.t[0], result.t[-1] - t)
    before, after = result.at(np.array([t - h, t + h]))[goal.name]
    return [Look(goal.name, t, -2 * h / (after - before))]


def _time_of_extreme(result: Result, name: str, sign: float) -> float:
    """When sign × x is largest, closed in on between the output times around it."""
    values = sign * result[name]
    k = int(np.argmax(values))
    best, when = float(values[k]), float(result.t[k])
    low, high = result.t[max(k - 1, 0)], result.t[min(k + 1, len(values) - 1)]
    for _ in range(CLOSING_IN):
        t = np.linspace(low, high, CLOSING_POINTS)
        near = sign * result.at(t)[name]
        j = int(np.argmax(near))
        if near[j] > best:
            best, when = float(near[j]), float(t[j])
        low, high = t[max(j - 1, 0)], t[min(j + 1, len(t) - 1)]
    return _vertex(result, name, when)


def _vertex(result: Result, name: str, t: float) -> float:
    """The time of an extreme near t, by a parabola: values alone tell it to the root of their accuracy only."""
    h = PARABOLA * float(np.min(np.diff(result.t)))
    if not result.t[0] + h < t < result.t[-1] - h or any(abs(row.time - t) <= 2 * h for row in result.events):
        return t
    before, here, after = result.at(np.array([t - h, t, t + h]))[name]
    bend = before - 2 * here + after
    shift = 0.5 * h * (before - after) / bend if bend else 0.0
    return t + shift if abs(shift) < h else t
