"""Numbers and expressions that users give, checked where they enter."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np

from ..errors import ModelError, brief
from .formulas import as_symbolic

CONDITIONS = (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR, ca.OP_NOT)


def as_expression(value: object, shape: tuple, what: str) -> ca.SX:
    """Numbers, symbols or a sequence of them as an SX of the given shape; NaN (as from math.sin) is refused."""
    expression = as_matrix(value, what)
    wanted = {0: (1, 1), 1: (*shape, 1), 2: shape}[len(shape)]
    if expression.shape != wanted:
        raise ModelError(f"{what}: expected an expression of shape {wanted[0]}×{wanted[1]}, "
                         f"got {expression.shape[0]}×{expression.shape[1]}.")
    refuse_nan(expression, what)
    return expression


def as_matrix(value: Any, what: str) -> ca.SX:
    """Numbers, symbols, or lists of them and of rows, as an SX."""
    value = as_symbolic(value)
    if isinstance(value, ca.SX):
        return value
    try:
        if isinstance(value, str):
            raise TypeError
        if isinstance(value, (list, tuple, np.ndarray)):
            return ca.vertcat(*[ca.horzcat(*[ca.SX(x) for x in row]) if isinstance(row, (list, tuple, np.ndarray))
                                else ca.SX(row) for row in value])
        return ca.SX(float(value))
    except (TypeError, ValueError, OverflowError, NotImplementedError):
        hint = " Write a function of time as an expression of lw.time." if callable(value) else ""
        raise ModelError(f"{what}: expected a number or an expression, got {brief(value)}.{hint}") from None


def is_condition(expression: ca.SX) -> bool:
    """Whether an entry is a comparison, which is true or false."""
    entries = [expression.nz[k] for k in range(expression.nnz())]
    return any(not (e.is_symbolic() or e.is_constant()) and e.op() in CONDITIONS for e in entries)


def as_number(value: Any, what: str, *owner: object) -> float:
    """A finite number, or an error that says what it is for."""
    if isinstance(value, (str, list, tuple)) or isinstance(value, np.ndarray) and value.ndim:
        raise ModelError(f"{what}: expected a number, got {brief(value)}.", *owner)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what}: expected a number, got {brief(value)}.", *owner) from None
    if not math.isfinite(number):
        raise ModelError(f"{what} must be finite, got {number}.", *owner)
    return number


def floats(value: Any, what: str, *owner: object) -> np.ndarray:
    """Finite numbers as an array, or an error that says what they are for."""
    try:
        if isinstance(value, str):
            raise TypeError
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what}: expected numbers, got {brief(value)}.", *owner) from None
    if not np.all(np.isfinite(array)):
        raise ModelError(f"{what} = {brief(value)}: every number must be finite.", *owner)
    return array


def refuse_nan(expression: ca.SX, what: str) -> None:
    """An error where a constant in the expression is not finite, naming the usual cause."""
    for k in range(expression.nnz()):
        entry = expression.nz[k]
        if entry.is_constant() and not math.isfinite(float(entry)):
            raise ModelError(f"{what} is {float(entry)}: a constant that is not finite. If it comes from math.sin or "
                             "math.cos of a variable, use lw.sin, lw.cos … instead.")
