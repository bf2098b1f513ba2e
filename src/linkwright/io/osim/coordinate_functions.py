"""Functions of coordinates in .osim files, as functions of CasADi expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ...algebra import Scalar
from ...library.cables import natural_spline, simm_spline
from ..markup import Element

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

KINDS = ("Constant", "LinearFunction", "PolynomialFunction", "MultiplierFunction", "SimmSpline", "NaturalCubicSpline",
         "PiecewiseLinearFunction", "PiecewiseConstantFunction", "StepFunction", "Sine")


def values(element: Element, tag: str, count: int | tuple[int, ...] | None = None,
           default: ArrayLike | None = None) -> np.ndarray | None:
    """The numbers in a child of this tag."""
    child = element.first(tag)
    if child is None:
        return None if default is None else np.array(default, dtype=float)
    return child.as_numbers(child.words(), f"<{tag}>", count)


def function_of(element: Element) -> Callable | None:
    """The function inside an element: f(x₁, …) of as many arguments as there are coordinates; None where none is."""
    for child in element.all(*KINDS):
        return function_of_kind(child)
    return None


def function_of_kind(element: Element) -> Callable:
    """The function that an element is."""
    kind = element.tag
    if kind == "Constant":
        value = float(values(element, "value", 1, (0.0,))[0])
        return lambda *x: value
    if kind == "LinearFunction":
        *slopes, offset = values(element, "coefficients", None, (1.0, 0.0))
        return lambda *x: offset + sum(a * xi for a, xi in zip(slopes, x, strict=True))
    if kind == "PolynomialFunction":
        coefficients = values(element, "coefficients", None, (0.0,))
        return lambda *x: _horner(coefficients, x[0])
    if kind == "MultiplierFunction":
        scale = float(values(element, "scale", 1, (1.0,))[0])
        inner = function_of(element.the("function"))
        if inner is None:
            raise element.error("the function that is multiplied is missing, or of a kind not known here.")
        return lambda *x: scale * inner(*x)
    if kind == "Sine":
        size, rate, phase, offset = (float(values(element, tag, 1, (default,))[0]) for tag, default in (
            ("amplitude", 1.0), ("omega", 1.0), ("phase", 0.0), ("offset", 0.0)))
        return lambda *x: size * lw.sin(rate * x[0] + phase) + offset
    if kind == "StepFunction":
        start, end, low, high = (float(values(element, tag, 1, (default,))[0]) for tag, default in (
            ("start_time", 0.0), ("end_time", 1.0), ("start_value", 0.0), ("end_value", 1.0)))
        return lambda *x: low + (high - low) * smooth_step((x[0] - start) / (end - start))
    x, y = (values(element, tag) for tag in ("x", "y"))
    if x is None or y is None or len(x) != len(y) or len(x) < 2 or np.any(np.diff(x) <= 0):
        raise element.error("a table needs as many x as y, at least two, x increasing.")
    if kind == "PiecewiseConstantFunction":
        return lambda *at: _stairs(x, y, at[0])
    if kind == "PiecewiseLinearFunction" or len(x) == 2:
        pieces = [(y[k], (y[k + 1] - y[k]) / (x[k + 1] - x[k]), 0.0, 0.0) for k in range(len(x) - 1)]
    else:
        pieces = simm_spline(x, y) if kind == "SimmSpline" else natural_spline(x, y)
    return lambda *at: piecewise(x, pieces, at[0], y[-1])


def smooth_step(x: Scalar) -> Scalar:
    """0 to 1 over 0 … 1 with two derivatives: 10 x³ − 15 x⁴ + 6 x⁵."""
    x = lw.min(lw.max(x, 0), 1)
    return x**3 * (10 + x * (6 * x - 15))


def _stairs(x: np.ndarray, y: np.ndarray, at: Scalar) -> Scalar:
    """The value of the last point that has been reached; jumps are events."""
    value = y[0]
    for place, height in zip(x[1:], y[1:], strict=True):
        value = lw.where(at >= place, height, value)
    return value


def _horner(coefficients: Sequence[float], x: Scalar) -> Scalar:
    """The highest power first."""
    total = 0.0
    for a in coefficients:
        total = total * x + a
    return total


def piecewise(x: np.ndarray, pieces: list[tuple], at: Scalar, last: float) -> Scalar:
    """y + b d + c d² + e d³ with d from the left end of each piece; straight on beyond the ends."""
    def piece(k: int) -> Scalar:
        y, b, c, e = pieces[k]
        d = at - x[k]
        return y + d * (b + d * (c + d * e))

    y, b, _, _ = pieces[0]
    below = y + b * (at - x[0])
    width = x[-1] - x[-2]
    _, b, c, e = pieces[-1]
    above = last + (b + width * (2 * c + width * 3 * e)) * (at - x[-1])
    value = above
    for k in reversed(range(len(pieces))):
        value = lw.smooth_where(at < x[k + 1], piece(k), value)
    return lw.smooth_where(at < x[0], below, value)
