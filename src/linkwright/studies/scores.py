"""Formulas of goals, and limits on them: lw.integral(m.rev.phi ** 2) + 3 * lw.final("rev.w") ** 2, lw.largest(…) <= 3.

A formula is a CasADi expression in which every goal is a symbol, so that its gradient follows from those of the goals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import casadi as ca
import numpy as np

from ..errors import ModelError


class Formula:
    """What can be added, multiplied, raised to a power and limited: goals, and formulas of them."""

    def score(self) -> Score:
        raise NotImplementedError

    def __add__(self, other: Any) -> Score:
        return _joined(lambda a, b: a + b, self, other)

    def __radd__(self, other: Any) -> Score:
        return _joined(lambda a, b: a + b, other, self)

    def __sub__(self, other: Any) -> Score:
        return _joined(lambda a, b: a - b, self, other)

    def __rsub__(self, other: Any) -> Score:
        return _joined(lambda a, b: a - b, other, self)

    def __mul__(self, other: Any) -> Score:
        return _joined(lambda a, b: a * b, self, other)

    def __rmul__(self, other: Any) -> Score:
        return _joined(lambda a, b: a * b, other, self)

    def __truediv__(self, other: Any) -> Score:
        return _joined(lambda a, b: a / b, self, other)

    def __rtruediv__(self, other: Any) -> Score:
        return _joined(lambda a, b: a / b, other, self)

    def __pow__(self, other: Any) -> Score:
        return _joined(lambda a, b: a**b, self, other)

    def __neg__(self) -> Score:
        return -1.0 * self

    def __le__(self, other: Any) -> Limit:
        return _limit(self, other)

    def __ge__(self, other: Any) -> Limit:
        return _limit(other, self)


@dataclass(frozen=True, eq=False)
class Score(Formula):
    """A formula of goals: an expression over their symbols."""

    expression: ca.SX
    symbols: tuple[ca.SX, ...]
    goals: tuple[Any, ...]

    def score(self) -> Score:
        return self

    def of(self, values: Sequence[float], gradients: np.ndarray) -> tuple[float, np.ndarray]:
        """The number and its gradient, from those of the goals (one row each)."""
        x = ca.vertcat(ca.SX(0, 1), *self.symbols)
        function = ca.Function("score", [x], [self.expression, ca.densify(ca.jacobian(self.expression, x))])
        value, slopes = function(np.asarray(values, dtype=float))
        return float(value), np.array(slopes).reshape(1, -1)[0] @ gradients

    def __str__(self) -> str:
        return str(self.expression)


@dataclass(frozen=True, eq=False)
class Limit:
    """A formula that must not be greater than zero, and what was written."""

    excess: Score
    said: str

    def __bool__(self) -> bool:
        raise ModelError(f"{self.said}: a limit on a goal is no condition of Python; give it in subject_to=[…], and "
                         "two limits as two.")


def score_of(goal: object) -> Score:
    """A goal or a formula of goals as a formula."""
    if isinstance(goal, Formula):
        return goal.score()
    raise ModelError(f"{goal!r} is no goal; write one with lw.final, lw.integral, lw.largest … .")


def _as_score(value: Any) -> Score:
    if isinstance(value, Formula):
        return value.score()
    if isinstance(value, Real):
        return Score(ca.SX(float(value)), (), ())
    raise ModelError(f"{value!r} cannot be part of a formula of goals; take goals and numbers.")


def _joined(operation: Any, one: Any, other: Any) -> Score:
    a, b = _as_score(one), _as_score(other)
    pairs = {s.element_hash(): (s, g) for s, g in zip((*a.symbols, *b.symbols), (*a.goals, *b.goals), strict=True)}
    symbols, goals = zip(*pairs.values(), strict=True) if pairs else ((), ())
    return Score(operation(a.expression, b.expression), tuple(symbols), tuple(goals))


def _limit(small: Any, large: Any) -> Limit:
    a, b = _as_score(small), _as_score(large)
    return Limit(_joined(lambda x, y: x - y, a, b), f"{a.expression} ≤ {b.expression}")
