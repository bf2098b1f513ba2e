"""Functions for formulas: the same on numbers and on variables of components."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np

from ..algebra import dot, is_symbolic
from ..mechanism import TIME

#: simulated time, as a variable
time = TIME

sin, cos, tan = ca.sin, ca.cos, ca.tan
asin, acos, atan, atan2 = ca.asin, ca.acos, ca.atan, ca.atan2
sinh, cosh, tanh = ca.sinh, ca.cosh, ca.tanh
exp, log, sqrt, fabs, sign, floor = ca.exp, ca.log, ca.sqrt, ca.fabs, ca.sign, ca.floor
fmin, fmax = ca.fmin, ca.fmax
logical_and, logical_or, logical_not = ca.logic_and, ca.logic_or, ca.logic_not


def where(condition, if_true, if_false):
    """`if_true` where the condition holds, else `if_false`; the branch not taken cannot spoil the result."""
    return ca.if_else(condition, if_true, if_false)


def smooth_where(condition, if_true, if_false):
    """As `where`, for branches that join smoothly: no event is located where the condition changes."""
    return where(condition != 0 if is_symbolic(condition) else condition, if_true, if_false)


def deg(angle):
    """Degrees to radians."""
    return angle * (math.pi / 180)


def der(expression):
    """Time derivative of an expression of coordinates, poses and velocities (and time)."""
    return Derivative.of(expression)


class Derivative:
    """Placeholders for time derivatives, resolved when the model is translated."""

    pending: dict[int, tuple[ca.SX, ca.SX]] = {}

    @classmethod
    def of(cls, expression) -> ca.SX:
        expression = ca.SX(expression) if not isinstance(expression, ca.SX) else expression
        symbol = ca.SX.sym("der", *expression.shape)
        for k in range(symbol.nnz()):
            cls.pending[symbol.nz[k].element_hash()] = (symbol, expression)
        return symbol


def vector(*entries):
    """A vector of numbers or expressions."""
    return ca.vertcat(*entries) if is_symbolic(*entries) else np.array(entries, dtype=float)


__all__ = [
    "acos", "asin", "atan", "atan2", "cos", "cosh", "deg", "der", "dot", "exp", "fabs", "floor", "fmax", "fmin", "log",
    "logical_and", "logical_not", "logical_or", "sign", "sin", "sinh", "smooth_where", "sqrt", "tan", "tanh", "time",
    "vector", "where",
]
