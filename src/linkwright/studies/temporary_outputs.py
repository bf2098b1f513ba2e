"""Goals of formulas: variables that a model has for the time of a run, so that goals can ask for them by name.

An integral becomes a state: it is as accurate as the run, and its derivative counts jumps of what is integrated at
events that move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..compiler import variable_at
from .goal_changes import MeanState
from .goals import Final, Goal, Integral, Mean

NAME = "goal"


@contextmanager
def attached(model: Any, goals: Sequence[Goal]) -> Iterator[list[Goal]]:
    """The model with variables for goals, for a while; gives the goals by the names of these."""
    before = dict(model._outputs), dict(model._output_units), dict(model._integrals)
    try:
        yield [_attach(model, goal, k) for k, goal in enumerate(goals)]
    finally:
        for name, kept in zip(("_outputs", "_output_units", "_integrals"), before, strict=True):
            model.__dict__[name] = kept


def needs_variables(goals: Sequence[Goal]) -> bool:
    """Whether goals ask for something that is no variable of a model by itself."""
    return any(isinstance(goal, Integral) or goal.formula is not None for goal in goals)


def _attach(model: Any, goal: Goal, number: int) -> Goal:
    name = f"{NAME} {number + 1}"
    if isinstance(goal, Integral):
        model.integral(variable_at(model, goal.name) if goal.formula is None else goal.formula, name=name)
        return MeanState(name) if isinstance(goal, Mean) else Final(name)
    if goal.formula is None:
        return goal
    model.output(name, goal.formula)
    return goal.named(name)
