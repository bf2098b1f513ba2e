"""Expressions of the dialect."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import COMPARED, arithmetic, binary, choose, inverted, negative, number, to
from .memory import cut_out, field, indices, load, sub, table
from .source import harmless
from .values import ONE, ZERO, Array, Complex, Record, Value, constant, described, is_tuple
from .writer import Writer


def expression(w: Writer, node: ast.AST) -> Any:
    """What an expression is: a number, an array, a record, a tuple; None for a call without a result."""
    handler = HANDLERS.get(type(node))
    if handler is None:
        raise w.wrong(f"`{ast.unparse(node)}` is no expression of the dialect", _instead(node), node)
    if hasattr(node, "lineno"):
        w.node = node
    if w.fetched and isinstance(node, ast.Subscript):
        there = w.fetched.get(ast.unparse(node))
        if there is not None:
            return there
    thing = handler(w, node)
    return load(w, thing) if isinstance(thing, Array) and not thing.shape else thing


def place(w: Writer, node: ast.AST) -> Any:
    """The array or record that is meant, a single entry left as the place where it lies."""
    w.node = node
    return HANDLERS[type(node)](w, node) if isinstance(node, ast.Subscript | ast.Attribute) else expression(w, node)


def _instead(node: ast.AST) -> str:
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp | ast.List | ast.Dict):
        return "an array by `reals(n)` and a loop"
    if isinstance(node, ast.Lambda):
        return "a function of its own"
    return "numbers, arrays, tuples, comparisons, calls of functions"


def outside(w: Writer, node: ast.AST) -> Any:
    """What a name or attribute means outside the function; None where it means nothing there."""
    if isinstance(node, ast.Name) and node.id not in w.source.assigned:
        return w.module.constants.get(node.id, w.source.space.get(node.id, getattr(_BUILTINS, node.id, None)))
    if isinstance(node, ast.Attribute):
        base = outside(w, node.value)
        return getattr(base, node.attr, None) if inspect.ismodule(base) else None
    return None


class _Builtins:
    abs, min, max, int, float, bool, len, range = abs, min, max, int, float, bool, len, range


_BUILTINS = _Builtins


def known(w: Writer, thing: Any, name: str) -> Any:
    """A constant of the module: a number, a table of numbers, a tuple of them."""
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "fic":
        return table(w, thing)
    if isinstance(thing, bool | int | float | np.number | np.bool_):
        return constant(thing)
    if isinstance(thing, complex):
        return Complex(constant(thing.real), constant(thing.imag))
    if isinstance(thing, tuple):
        return tuple(known(w, part, name) for part in thing)
    if name in w.source.assigned:
        raise w.wrong(f"{name} is read before it has a value, or only some ways lead past where it gets one",
                      "give it a value before")
    raise w.wrong(f"{name} is {'not known' if thing is None else f'a {type(thing).__name__}'}",
                  "a number, an array of numbers, or a function of the module")


def _name(w: Writer, node: ast.Name) -> Any:
    found = w.read(node.id)
    return known(w, outside(w, node), node.id) if found is None else found


def _attribute(w: Writer, node: ast.Attribute) -> Any:
    meant = outside(w, node)
    if meant is not None:
        return known(w, meant, ast.unparse(node))
    owner = expression(w, node.value)
    w.node = node
    if isinstance(owner, Complex) and node.attr in ("real", "imag"):
        return owner.re if node.attr == "real" else owner.im
    if isinstance(owner, Record):
        return field(w, owner, node.attr)
    if isinstance(owner, Array) and node.attr == "shape":
        return owner.shape
    if isinstance(owner, Array) and node.attr == "size":
        count = ONE
        for size in owner.shape:
            count = binary(w, "mul", count, size)
        return count
    raise w.wrong(f"{described(owner)} has no `{node.attr}`", "shape and size of arrays, and fields of records")


def _subscript(w: Writer, node: ast.Subscript) -> Any:
    owner = place(w, node.value)
    w.node = node
    if is_tuple(owner):
        at = expression(w, node.slice)
        if not isinstance(at, Value) or at.const is None or not 0 <= at.const < len(owner):
            raise w.wrong("an entry of a tuple is taken by an index that is not known when code is made",
                          "a number, or the variable of a short loop over a constant range")
        return owner[at.const]
    if not isinstance(owner, Array):
        raise w.wrong(f"{described(owner)} has no entries", "an array or a tuple")
    for index in indices(node):
        if isinstance(index, ast.Slice):
            if index is not indices(node)[-1] or index.step is not None:
                raise w.wrong("a slice before the last index, or with a step", "a loop, or a[k, i:j]", node)
            start = ZERO if index.lower is None else to(w, "whole", expression(w, index.lower))
            stop = owner.shape[0] if index.upper is None else to(w, "whole", expression(w, index.upper))
            return cut_out(w, owner, start, stop)
        at = expression(w, index)
        w.node = node
        owner = sub(w, owner, at)
    return owner


def _unary(w: Writer, node: ast.UnaryOp) -> Value:
    v = expression(w, node.operand)
    if isinstance(node.op, ast.Not):
        return inverted(w, v)
    if isinstance(node.op, ast.USub):
        return negative(w, v)
    if isinstance(node.op, ast.Invert):
        return binary(w, "xor", to(w, "whole", v), constant(-1))
    return number(w, v)


def _binary(w: Writer, node: ast.BinOp) -> Value:
    a, b = expression(w, node.left), expression(w, node.right)
    w.node = node
    return arithmetic(w, node.op, a, b)


def _compare(w: Writer, node: ast.Compare) -> Value:
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.In) and isinstance(node.comparators[0], ast.Tuple):
        return _one_of(w, node)
    left, result = expression(w, node.left), constant(True)
    for op, other in zip(node.ops, node.comparators, strict=True):
        if type(op) not in COMPARED:
            raise w.wrong(f"`{ast.unparse(node)}` compares by `{type(op).__name__}`", "< <= > >= == !=", node)
        right = expression(w, other)
        this = binary(w, COMPARED[type(op)], left, right)
        result = this if result.const is True else binary(w, "and", result, this)
        left = right
    return result


def _one_of(w: Writer, node: ast.Compare) -> Value:
    """x in (a, b, c)."""
    value, result = expression(w, node.left), constant(False)
    for other in node.comparators[0].elts:
        this = binary(w, "eq", value, expression(w, other))
        result = this if result.const is False else binary(w, "or", result, this)
    return result


def _logical(w: Writer, node: ast.BoolOp) -> Value:
    """`and`, `or`: what is on the right is computed only where the left does not decide."""
    both, result = isinstance(node.op, ast.And), to(w, "truth", expression(w, node.values[0]))
    for other in node.values[1:]:
        if result.const is not None:
            result = to(w, "truth", expression(w, other)) if result.const == both else result
        elif harmless(other):
            value = to(w, "truth", expression(w, other))
            if value.const is None:
                result = binary(w, "and" if both else "or", result, value)
            elif value.const != both:
                result = value
        else:
            needed = result if both else inverted(w, result)
            result = guarded(w, needed, lambda other=other: to(w, "truth", expression(w, other)),
                             lambda both=both: constant(not both))
    return result


def _conditional(w: Writer, node: ast.IfExp) -> Any:
    c = to(w, "truth", expression(w, node.test))
    if c.const is not None:
        return expression(w, node.body if c.const else node.orelse)
    if harmless(node.body) and harmless(node.orelse):
        first, second = expression(w, node.body), expression(w, node.orelse)
        w.node = node
        return choose(w, c, first, second)
    return guarded(w, c, lambda: expression(w, node.body), lambda: expression(w, node.orelse))


def guarded(w: Writer, c: Value, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """The one where c, else the other, each computed only where somebody needs it."""
    name = f"choice {w.fresh()}"
    w.home_depth[name] = w.depth
    w.branches(c, lambda: w.assign(name, first()), lambda: w.assign(name, second()))
    return w.read(name)


def _constant(w: Writer, node: ast.Constant) -> Value:
    if not isinstance(node.value, bool | int | float):
        raise w.wrong(f"`{ast.unparse(node)}` is no number", "numbers and truth values", node)
    return constant(node.value)


def _tuple(w: Writer, node: ast.Tuple) -> tuple:
    return tuple(expression(w, part) for part in node.elts)


def _call(w: Writer, node: ast.Call) -> Any:
    from .calls import called

    return called(w, node)


HANDLERS: dict[type, Callable[[Writer, Any], Any]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Subscript: _subscript,
    ast.UnaryOp: _unary, ast.BinOp: _binary, ast.Compare: _compare, ast.BoolOp: _logical, ast.IfExp: _conditional,
    ast.Tuple: _tuple, ast.Call: _call}
