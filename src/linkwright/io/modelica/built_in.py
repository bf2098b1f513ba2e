"""Functions and operators of the language itself (Modelica 3.6 specification, §3.7 and §10.3)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

import linkwright as lw

from ...errors import ModelError
from ...language.symbolic import symbolic
from .arithmetic import as_array, column, is_expression, shape_of, two

if TYPE_CHECKING:
    from .changes import Scope
    from .evaluation import Evaluator


#: local name that says that conditions make no events
SMOOTH = "noEvent(…)"


def entrywise(on_numbers: Callable, on_expressions: Callable) -> Callable[[Any], Any]:
    """A function of one argument, entry by entry."""
    def function(value: Any) -> Any:
        if isinstance(value, list):
            value = as_array(value)
        if is_expression(value):
            return symbolic(on_expressions(value))
        found = on_numbers(np.asarray(value, dtype=float))
        return found if np.ndim(found) else float(found)

    return function


def _integer(value: Any) -> Any:
    if is_expression(value):
        return symbolic(ca.floor(value))
    return int(math.floor(value.number if hasattr(value, "number") else value))


def _pair(on_numbers: Callable, on_expressions: Callable) -> Callable[..., Any]:
    def function(*values: Any) -> Any:
        if len(values) == 1:
            values = tuple(values[0]) if not is_expression(values[0]) else tuple(ca.vertsplit(ca.vec(values[0])))
        if len(values) > 2:
            found = values[0]
            for value in values[1:]:
                found = function(found, value)
            return found
        if len(values) == 1:
            return values[0]
        if is_expression(*values):
            return symbolic(on_expressions(*values))
        if all(isinstance(value, (int, np.integer)) for value in values):
            return int(on_numbers(*values))
        return on_numbers(*values)

    return function


def _cross(a: Any, b: Any) -> Any:
    return symbolic(ca.cross(column(a), column(b))) if is_expression(a, b) else np.cross(a, b)


def _skew(a: Any) -> Any:
    return symbolic(ca.skew(column(a))) if is_expression(a) else np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]],
                                                                          [-a[1], a[0], 0]], dtype=float)


def _fill(value: Any, *sizes: int) -> Any:
    sizes = tuple(map(int, sizes))
    if is_expression(value):
        return symbolic(ca.repmat(ca.SX(value), *(sizes if len(sizes) > 1 else (*sizes, 1))))
    if isinstance(value, (str, bool)) or hasattr(value, "kind"):
        found: Any = value
        for size in reversed(sizes):
            found = [found] * size
        return found
    return np.full((*sizes, *shape_of(value)), value)


def _cat(axis: int, *arrays: Any) -> Any:
    if is_expression(*arrays):
        return symbolic((ca.vertcat if axis == 1 else ca.horzcat)(*map(column, arrays)))
    if any(isinstance(array, list) for array in arrays):
        return [entry for array in arrays for entry in array]
    return np.concatenate([np.asarray(array) for array in arrays], axis=int(axis) - 1)


def _sum(values: Any) -> Any:
    if is_expression(values):
        return symbolic(ca.sum1(ca.vec(values)))
    return np.sum(np.asarray(values)).item() if np.size(values) else 0.0


def _product(values: Any) -> Any:
    found: Any = 1
    for k in range(shape_of(values)[0]):
        found = two("*", found, values[k])
    return found


def _transpose(value: Any) -> Any:
    return symbolic(value.T) if is_expression(value) else np.asarray(value).T


def _diagonal(value: Any) -> Any:
    return symbolic(ca.diag(value)) if is_expression(value) else np.diag(value)


def _vector(value: Any) -> Any:
    return symbolic(ca.vec(value)) if is_expression(value) else np.ravel(value)


def _scalar(value: Any) -> Any:
    return symbolic(ca.SX(value)[0]) if is_expression(value) else np.ravel(value)[0].item()


def _modulo(a: Any, b: Any) -> Any:
    if is_expression(a, b):
        return a - symbolic(ca.floor(a / b)) * b
    return a - math.floor(a / b) * b


def _size(value: Any, k: int | None = None) -> Any:
    shape = shape_of(value)
    return np.array(shape, dtype=int) if k is None else int(shape[int(k) - 1])


def _text(value: Any, *_: Any, **__: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


BUILT_IN_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: entrywise(getattr(np, plain), getattr(ca, name)) for name, plain in (
        ("sin", "sin"), ("cos", "cos"), ("tan", "tan"), ("asin", "arcsin"), ("acos", "arccos"), ("atan", "arctan"),
        ("sinh", "sinh"), ("cosh", "cosh"), ("tanh", "tanh"), ("exp", "exp"), ("log", "log"), ("sqrt", "sqrt"),
        ("sign", "sign"), ("floor", "floor"), ("ceil", "ceil"), ("log10", "log10"))},
    "abs": entrywise(np.abs, ca.fabs),
    "atan2": lambda y, x: symbolic(ca.atan2(y, x)) if is_expression(y, x) else math.atan2(y, x),
    "min": _pair(np.minimum, ca.fmin), "max": _pair(np.maximum, ca.fmax), "mod": _modulo,
    "rem": lambda a, b: math.fmod(a, b), "div": lambda a, b: int(a / b) if isinstance(a, int) else math.trunc(a / b),
    "integer": _integer, "Integer": _integer, "Real": float, "Boolean": bool, "String": _text,
    "cross": _cross, "skew": _skew, "fill": _fill, "cat": _cat, "sum": _sum, "product": _product,
    "zeros": lambda *sizes: np.zeros(tuple(map(int, sizes))), "ones": lambda *sizes: np.ones(tuple(map(int, sizes))),
    "identity": lambda n: np.eye(int(n)), "diagonal": _diagonal, "transpose": _transpose, "vector": _vector,
    "scalar": _scalar, "matrix": lambda value: column(value) if is_expression(value) else np.atleast_2d(value).T
    if np.ndim(value) < 2 else value,
    "linspace": lambda a, b, n: np.linspace(a, b, int(n)), "ndims": lambda value: len(shape_of(value)),
    "outerProduct": lambda a, b: symbolic(column(a) @ column(b).T) if is_expression(a, b) else np.outer(a, b),
    "symmetric": lambda a: np.triu(a) + np.triu(a, 1).T, "array": lambda *entries: as_array(list(entries)),
    "pure": lambda value: value, "size": _size,
    "semiLinear": lambda x, up, down: lw.where(x >= 0, up * x, down * x),
    "cardinality": lambda _: 1,
}


def _der(evaluator: Evaluator, expression: tuple, scope: Scope) -> Any:
    return evaluator.build.derivative(evaluator.value(expression[2][0], scope), scope, expression[4])


def _pre(evaluator: Evaluator, expression: tuple, scope: Scope) -> Any:
    return evaluator.build.before(evaluator.value(expression[2][0], scope), scope, expression[4])


def _reduction(evaluator: Evaluator, expression: tuple, scope: Scope) -> Any:
    """sum(e for i in r), max(…), …"""
    name, given = expression[1], expression[2]
    if len(given) == 1 and given[0][0] == "each of":
        values = list(evaluator.each(given[0], scope))
        if not values:
            return {"sum": 0.0, "product": 1.0}.get(name, 0.0)
        found = values[0]
        for value in values[1:]:
            found = two("+", found, value) if name == "sum" else two("*", found, value) if name == "product" \
                else BUILT_IN_FUNCTIONS[name](found, value)
        return found
    return BUILT_IN_FUNCTIONS[name](*[evaluator.value(entry, scope) for entry in given])


def _smooth(evaluator: Evaluator, expression: tuple, scope: Scope) -> Any:
    """noEvent(…), smooth(order, …): conditions inside make no events."""
    return evaluator.value(expression[2][-1], scope.within(**{SMOOTH: True}))


def _homotopy(evaluator: Evaluator, expression: tuple, scope: Scope) -> Any:
    return evaluator.value(expression[3].get("actual") or expression[2][0], scope)


def _refused(what: str) -> Callable[..., Any]:
    def operator(evaluator: Evaluator, expression: tuple, scope: Scope) -> Any:
        raise ModelError(f"{scope.where(expression[4])}: {expression[1]}(…) is not read: {what}.")

    return operator


OPERATORS: dict[str, Callable[..., Any]] = {
    "der": _der, "pre": _pre, "sum": _reduction, "product": _reduction, "min": _reduction, "max": _reduction,
    "smooth": _smooth, "noEvent": _smooth, "homotopy": _homotopy, "initial": lambda evaluator, expression, scope: False,
    "terminal": lambda evaluator, expression, scope: False,
    "Connections.isRoot": lambda evaluator, expression, scope: False,
    "Connections.rooted": lambda evaluator, expression, scope: True,
    "rooted": lambda evaluator, expression, scope: True,
    "getInstanceName": lambda evaluator, expression, scope: scope.instance.path if scope.instance else "",
    "inStream": _refused("streams of fluids are outside"), "actualStream": _refused("streams of fluids are outside"),
    "spatialDistribution": _refused("it is outside"), "sample": _refused("sampled systems are outside"),
    "String": lambda evaluator, expression, scope: _text(evaluator.value(expression[2][0], scope)),
    "delay": lambda evaluator, expression, scope: lw.blocks.delay(
        evaluator.value(expression[2][0], scope), float(evaluator.value(expression[2][1], scope))),
}
