"""Inputs that users give by name, as values that studies share: numbers, (t, values), functions of time.

An expression of lw.time becomes such a function, which knows its formula and can be sent to other processes.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..mechanism import TIME
from .arguments import by_name


class OverTime:
    """An expression of lw.time as a function of t, of a number or of a symbol."""

    def __init__(self, expression: ca.SX):
        self.formula = str(expression)
        self._size = expression.numel()
        self._function = ca.Function("over_time", [TIME], [ca.vec(expression)])

    def __call__(self, t: float | ca.SX) -> object:
        value = self._function(t)
        if isinstance(value, ca.SX):
            return value if self._size > 1 else value[0]
        return np.array(value).ravel() if self._size > 1 else float(value)

    def __repr__(self) -> str:
        return self.formula


def given_inputs(inputs: object) -> dict[str, object]:
    """What `inputs=` says, by name."""
    given = by_name("inputs", inputs, "inputs={'brake': 3.0}")
    return {name: _given(name, value) for name, value in given.items()}


def _given(name: str, value: object) -> object:
    """The value, an expression of time as a function of it."""
    if isinstance(value, (list, tuple)) and any(isinstance(entry, ca.SX) for entry in value):
        value = ca.vertcat(*[ca.SX(entry) for entry in value])
    if not isinstance(value, ca.SX):
        return value
    others = [s.name() for s in ca.symvar(value) if not ca.is_equal(s, TIME)]
    if others:
        raise ModelError(f"{name}: an input given from outside is an expression of lw.time alone, and {others[0]} is "
                         "in this one. What follows the motion belongs into the model: give the signal this "
                         "expression there.", name)
    if not ca.symvar(value):
        numbers = np.array(ca.DM(value)).ravel()
        return float(numbers[0]) if numbers.size == 1 else numbers
    return OverTime(value)
