"""Functions for formulas: the same on numbers and on variables of components."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
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

time = symbolic(TIME)
"""The simulated time in s, for formulas: `rotational.Torque(tau=2 * lw.sin(lw.time))`."""


def _function(on_numbers: Callable, on_expressions: Callable | None = None) -> Callable[..., Any]:
    """A function of numbers, of expressions, and of Formulas; CasADi's counterpart where one of NumPy is given."""
    on_expressions = on_expressions or FUNCTIONS[on_numbers]

    def function(*operands: Any) -> Any:
        if any(isinstance(x, Formula) for x in operands):
            return symbolic(combined(on_numbers, on_expressions, *operands))
        return symbolic(on_expressions(*operands))

    function.__name__ = function.__qualname__ = on_expressions.__name__
    function.__doc__ = on_numbers.__doc__ if on_numbers is on_expressions else DESCRIBED[on_numbers.__name__]
    return function


#: what the functions do and how they are used; each works on numbers, arrays and variables of a model
DESCRIBED = {
    "sin": "Sine of an angle in rad, as in `m.motor.tau = 2 * lw.sin(6.28 * lw.time)`.",
    "cos": "Cosine of an angle in rad, as in `height = 0.5 * lw.cos(m.rev.phi)`.",
    "tan": "Tangent of an angle in rad, as in `side = lw.tan(m.steering.phi)`.",
    "arcsin": "Angle in rad between −π/2 and π/2 with the given sine, as in `lw.asin(m.body.r_0[1] / 0.5)`.",
    "arccos": "Angle in rad between 0 and π with the given cosine, as in `lw.acos(lw.dot(a, b))` of unit vectors.",
    "arctan": "Angle in rad between −π/2 and π/2 with the given tangent, as in `lw.atan(m.cart.v / 2)`.",
    "arctan2": "Angle in rad of the point (x, y), called as `lw.atan2(y, x)`: `lw.atan2(m.tip.r_0[1], m.tip.r_0[0])`.",
    "sinh": "Hyperbolic sine, as in `lw.sinh(m.rail.s / 0.1)`.",
    "cosh": "Hyperbolic cosine, as in the catenary `a * lw.cosh(m.rail.s / a)`.",
    "tanh": "Hyperbolic tangent, a smooth replacement of `lw.sign`: `drag = -3 * lw.tanh(m.rail.v / 0.01)`.",
    "exp": "Exponential function, as in `lw.exp(-lw.time / 0.5)`.",
    "log": "Natural logarithm, as in `lw.log(1 + m.spring.s)`.",
    "sqrt": "Square root, as in `lw.sqrt(m.body.v_0[0] ** 2 + m.body.v_0[1] ** 2)`; its slope at 0 is infinite.",
    "fabs": "Absolute value, as in `lw.abs(m.rev.w)`.  It makes no event; the integrator handles the kink.",
    "sign": "−1, 0 or 1.  The integrator locates the change of sign as an event: `-2 * lw.sign(m.rail.v)`.",
    "floor": "Largest integer below, as in `lw.floor(lw.time / 0.1)`.  Every jump is located as an event.",
    "fmin": "The smaller of two values.",
    "fmax": "The larger of two values.",
}


sin, cos, tan = map(_function, (np.sin, np.cos, np.tan))
asin, acos, atan, atan2 = map(_function, (np.arcsin, np.arccos, np.arctan, np.arctan2))
sinh, cosh, tanh = map(_function, (np.sinh, np.cosh, np.tanh))
exp, log, sqrt, fabs, sign, floor = map(_function, (np.exp, np.log, np.sqrt, np.fabs, np.sign, np.floor))
fmin, fmax = map(_function, (np.fmin, np.fmax))
rotation_x, rotation_y, rotation_z = (_function(f, f) for f in (algebra.rotation_x, algebra.rotation_y,
                                                                algebra.rotation_z))


def smallest_of(*values: object) -> Any:
    """The smallest of several values, as in `lw.min(m.motor.tau, 5.0)`.  It makes no event; the integrator handles
    the kink where another value becomes the smallest."""
    return reduce(fmin, values)


def largest_of(*values: object) -> Any:
    """The largest of several values, as in `lw.max(0, 3 - m.rail.s)`.  It makes no event; the integrator handles the
    kink where another value becomes the largest."""
    return reduce(fmax, values)


def logical_and(a: object, b: object) -> Any:
    """True where both conditions are true, as in `lw.where(lw.logical_and(lw.time > 1, m.rev.phi < 0), 5, 0)`."""
    return symbolic(ca.logic_and(a, b))


def logical_or(a: object, b: object) -> Any:
    """True where at least one condition is true, as in `lw.logical_or(m.rev.phi > 1, m.rev.phi < -1)`."""
    return symbolic(ca.logic_or(a, b))


def logical_not(a: object) -> Any:
    """True where the condition is false, as in `lw.logical_not(m.rev.phi > 1)`."""
    return symbolic(ca.logic_not(a))


def dot(a: object, b: object) -> Any:
    """Inner product a·b of two vectors."""
    if has_formula(a) or has_formula(b):
        a, b = (gathered(x) if has_formula(x) else x for x in (a, b))
        return symbolic(combined(np.dot, algebra.dot, a, b))
    return symbolic(algebra.dot(a, b))


def where(condition: object, if_true: object, if_false: object) -> Any:
    """`if_true` while the condition holds, else `if_false`; invalid values (NaN) of the unused branch do no harm."""
    if isinstance(condition, (bool, np.bool_)):
        return if_true if condition else if_false
    return symbolic(ca.if_else(condition, if_true, if_false))


def smooth_where(condition: object, if_true: object, if_false: object) -> Any:
    """Like `where`, for branches that join smoothly: a change of the condition is no event."""
    return where(condition != 0 if is_symbolic(condition) else condition, if_true, if_false)


def deg(angle: Any) -> Any:
    """An angle in radians from one in degrees, as in `joints.Revolute(phi=lw.deg(30))`."""
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
    "acos", "asin", "atan", "atan2", "cos", "cosh", "deg", "der", "dot", "exp", "fabs", "floor", "fmax", "fmin",
    "largest_of", "log", "logical_and", "logical_not", "logical_or", "rotation_x", "rotation_y", "rotation_z", "sign",
    "sin", "sinh", "smallest_of", "smooth_where", "sqrt", "tan", "tanh", "time", "vector", "where",
]
