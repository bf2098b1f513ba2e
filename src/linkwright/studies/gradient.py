"""The derivative of a goal by many numbers of a model: value and gradient of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..result import Result
from .goal_changes import value_and_change
from .goals import Goal
from .scores import Score, score_of
from .varied import Varied


def gradient(model: object, goal: object, stop: float, names: Sequence[str],
             **options: Any) -> tuple[float, np.ndarray]:
    """(value, gradient) of a goal of the run from 0 to `stop`, by parameters, start values and inputs of these names.

    `options` are those of `simulate`.  Exact, through loops and events, where the derivative exists.

        value, slope = lw.gradient(m, lw.final((m.body.r_0[0] - 1) ** 2), 5.0, ["spring.c", "damper.d"])
    """
    score = score_of(goal)
    with Varied(model, names, score.goals) as runs:
        return measured(score, runs.goals, runs.run({}, stop, **options), runs.names)


def measured(score: Score, goals: Sequence[Goal], result: Result, names: Sequence[str]) -> tuple[float, np.ndarray]:
    """Value and gradient of a formula of goals, which are asked of a differentiated run."""
    found = [value_and_change(goal, result, list(names)) for goal in goals]
    slopes = np.array([change for _, change in found]).reshape(len(goals), len(names))
    return score.of([value for value, _ in found], slopes)
