"""Functions for formulas: the same on numbers and on variables of components."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from .. import algebra
from ..algebra import is_symbolic
from ..mechanism import TIME
from .formulas import FUNCTIONS, Formula, combined, gathered, has_formula
from .given_values import as_matrix
from .placeholders import held, hold
from .symbolic import symbolic

#: simulated time, as a variable
time = symbolic(TIME)


def _function(on_numbers: Callable, on_expressions: Callable | None = None) -> Callable[..., Any]:
    """A function of numbers, of expressions, and of Formulas; CasADi's counterpart where one of NumPy is given."""
    on_expressions = on_expressions or FUNCTIONS[on_numbers]

    def function(*operands: Any) -> Any:
        if any(isinstance(x, Formula) for x in operands):
            return symbolic(combined(on_numbers, on_expressions, *operands))
        return symbolic(on_expressions(*operands))

    function.__name__ = function.__qualname__ = on_expressions.__name__
    function.__doc__ = on_numbers.__doc__ if on_numbers is on_expressions else (
        f"As numpy.{on_numbers.__name__}, of numbers and of variables.")
    return function


sin, cos, tan = map(_function, (np.sin, np.cos, np.tan))
asin, acos, atan, atan2 = map(_function, (np.arcsin, np.arccos, np.arctan, np.arctan2))
sinh, cosh, tanh = map(_function, (np.sinh, np.cosh, np.tanh))
exp, log, sqrt, fabs, sign, floor = map(_function, (np.exp, np.log, np.sqrt, np.fabs, np.sign, np.floor))
fmin, fmax = map(_function, (np.fmin, np.fmax))
rotation_x, rotation_y, rotation_z = (_function(f, f) for f in (algebra.rotation_x, algebra.rotation_y,
                                                                algebra.rotation_z))


def logical_and(a: object, b: object) -> Any:
    """Whether both conditions hold."""
    return symbolic(ca.logic_and(a, b))


def logical_or(a: object, b: object) -> Any:
    """Whether one of the conditions holds, or both."""
    return symbolic(ca.logic_or(a, b))


def logical_not(a: object) -> Any:
    """Whether the condition does not hold."""
    return symbolic(ca.logic_not(a))


def dot(a: object, b: object) -> Any:
    """Inner product a·b of two vectors."""
    if has_formula(a) or has_formula(b):
        a, b = (gathered(x) if has_formula(x) else x for x in (a, b))
        return symbolic(combined(np.dot, algebra.dot, a, b))
    return symbolic(algebra.dot(a, b))


def where(condition: object, if_true: object, if_false: object) -> Any:
    """`if_true` where the condition holds, else `if_false`; the branch not taken cannot spoil the result."""
    if isinstance(condition, (bool, np.bool_)):
        return if_true if condition else if_false
    return symbolic(ca.if_else(condition, if_true, if_false))


def smooth_where(condition: object, if_true: object, if_false: object) -> Any:
    """As `where`, for branches that join smoothly: no event is located where the condition changes."""
    return where(condition != 0 if is_symbolic(condition) else condition, if_true, if_false)


def deg(angle: Any) -> Any:
    """Degrees to radians."""
    return angle * (math.pi / 180)


def der(expression: object) -> Any:
    """Time derivative of an expression of coordinates, poses and velocities (and time)."""
    expression = as_matrix(expression, "lw.der")
    read = ca.symvar(ca.SX(expression))
    symbol = symbolic(ca.SX.sym(f"der({read[0].name()})" if read else "der", *expression.shape))
    hold(symbol, Derivative(symbol, expression), [expression])
    return symbol


class Derivative(NamedTuple):
    """A symbol that stands for a time derivative until the model is translated, and the expression that it is of."""

    symbol: ca.SX
    of: ca.SX


def derivative(key: int) -> Derivative | None:
    """The time derivative that an entry of a symbol stands for; None for any other symbol."""
    meaning = held(key)
    return meaning if isinstance(meaning, Derivative) else None


def vector(*entries: object) -> Any:
    """A vector of numbers or expressions."""
    if has_formula(entries) and not is_symbolic(*entries):
        return gathered(entries)
    return ca.vertcat(*entries) if is_symbolic(*entries) else np.array(entries, dtype=float)


__all__ = [
    "acos", "asin", "atan", "atan2", "cos", "cosh", "deg", "der", "dot", "exp", "fabs", "floor", "fmax", "fmin", "log",
    "logical_and", "logical_not", "logical_or", "rotation_x", "rotation_y", "rotation_z", "sign", "sin", "sinh",
    "smooth_where", "sqrt", "tan", "tanh", "time", "vector", "where",
]
