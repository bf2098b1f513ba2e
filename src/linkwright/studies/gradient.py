"""The derivative of a goal by many numbers of a model: value and gradient of one run.

Forward, a column of tangents for each number runs beside the state; by the adjoint, one run goes backward once, for any
number of them.  Both are the derivative of the steps taken, and agree to rounding on the same steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..result import Result
from .adjoint import gradients_of, not_backward
from .goal_changes import Look, value_and_change, value_and_looks
from .goals import Final, Goal
from .scores import Score, score_of
from .tolerances import MANY_NUMBERS, MORE_NUMBERS
from .varied import Varied


class Gradient(tuple):
    """(value, gradient) of a goal by `names`; `way` says how: "adjoint" or "forward"; `result` is the run."""

    way: str
    names: tuple[str, ...]
    result: Result

    def __new__(cls, value: float, slopes: np.ndarray, way: str, names: Sequence[str], result: Result) -> Gradient:
        found = super().__new__(cls, (value, slopes))
        found.way, found.names, found.result = way, tuple(names), result
        return found


def gradient(model: object, goal: object, stop: float, names: Sequence[str], adjoint: bool | None = None,
             **options: Any) -> Gradient:
    """The value of a goal and its gradient by the named parameters, start values and inputs, for a run from 0 to
    `stop`.

    The gradient is exact, through loops and events, where the derivative exists.  For 16 or more parameters the adjoint
    is used, otherwise forward tangents; `adjoint=True` or `False` selects one, and `.way` says which was used.
    `options` are those of `simulate`.

        value, slope = lw.gradient(m, lw.final((m.body.r_0[0] - 1) ** 2), 5.0, ["spring.c", "damper.d"])
    """
    score = score_of(goal)
    with Varied(model, names, score.goals, options.get("inputs")) as runs:
        return differentiated(runs, score, {}, stop, adjoint, **options)


class Differentiated(NamedTuple):
    """Values and gradients of formulas of goals, how they were found, and the run."""

    found: list[tuple[float, np.ndarray]]
    way: str
    result: Result


def differentiated(runs: Varied, score: Score, values: dict[str, float], stop: float, adjoint: bool | None = None,
                   **options: Any) -> Gradient:
    """Value and gradient of a formula of goals, which are those of `runs`, with these numbers."""
    one = all_differentiated(runs, [score], values, stop, adjoint, **options)
    return Gradient(*one.found[0], one.way, runs.names, one.result)


def all_differentiated(runs: Varied, scores: Sequence[Score], values: dict[str, float], stop: float,
                       adjoint: bool | None = None, **options: Any) -> Differentiated:
    """Values and gradients of formulas of goals, which are together those of `runs`, from one run."""
    if adjoint not in (None, True, False):
        raise ModelError(f"adjoint = {adjoint!r}: True, False, or None, which decides by the number of names.")
    if adjoint and options.get("frozen"):
        raise ModelError("adjoint=True: runs with something frozen are differentiated forward only; leave adjoint out.")
    many = len(runs.names) >= MANY_NUMBERS + MORE_NUMBERS * (len(scores) - 1)
    said = []
    if adjoint or adjoint is None and many and not options.get("frozen"):
        found = _backward(runs, scores, values, stop, options, must=adjoint is True)
        if isinstance(found, Differentiated):
            return found
        said = [f"differentiated forward: {found}"]
    result = runs.run(values, stop, **options)
    result.messages += said
    return Differentiated([_measured(score, goals, result, runs.names) for score, goals in _parted(scores, runs.goals)],
                          "forward", result)


def _parted(scores: Sequence[Score], goals: Sequence[Goal]) -> Iterator[tuple[Score, Sequence[Goal]]]:
    """Each formula with its own of the goals, in order."""
    ends = np.cumsum([len(score.goals) for score in scores])
    return ((score, goals[end - len(score.goals) : end]) for score, end in zip(scores, ends, strict=True))


def _backward(runs: Varied, scores: Sequence[Score], values: dict[str, float], stop: float, options: dict[str, Any],
              must: bool) -> Differentiated | str:
    """By the adjoint; or why not."""
    sparse = all(isinstance(goal, Final) for goal in runs.goals)
    given = {"output_step": stop - options.get("start", 0.0)} if sparse and not options.get("output_step") else {}
    result = runs.run(values, stop, together=True, **{**options, **given, "dense": True})
    reason = None if must else not_backward(result)
    if reason is not None:
        return reason
    numbers, asked = [], []
    for score, goals in _parted(scores, runs.goals):
        found = [value_and_looks(goal, result) for goal in goals]
        value, shares = score.of([value for value, _ in found], np.eye(len(found)))
        numbers.append(value)
        asked.append([Look(look.name, look.time, share * look.share)
                      for share, (_, looks) in zip(shares, found, strict=True) for look in looks])
    return Differentiated(list(zip(numbers, gradients_of(result, asked), strict=True)), "adjoint", result)


def _measured(score: Score, goals: Sequence[Goal], result: Result, names: Sequence[str]) -> tuple[float, np.ndarray]:
    """Value and gradient of a formula of goals, which are asked of a differentiated run."""
    found = [value_and_change(goal, result, list(names)) for goal in goals]
    slopes = np.array([change for _, change in found]).reshape(len(goals), len(names))
    return score.of([value for value, _ in found], slopes)
