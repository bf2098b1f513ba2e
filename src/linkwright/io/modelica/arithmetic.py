"""Arithmetic of Modelica on numbers and on expressions: scalars, vectors, matrices, records, enumerations.

A vector is a NumPy array of one dimension, or a CasADi column where an entry is an expression; arrays of texts, truths
of conditions and records are lists.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language.symbolic import symbolic


class Literal(NamedTuple):
    """A value of an enumeration: its type, its name, and its number from 1."""

    kind: str
    name: str
    number: int

    def __str__(self) -> str:
        return self.name


def is_expression(*values: Any) -> bool:
    """Whether one of these is a CasADi expression."""
    return any(isinstance(value, ca.SX) for value in values)


def column(value: Any) -> Any:
    """A NumPy vector or matrix as a CasADi one, to go with expressions."""
    if isinstance(value, ca.SX):
        return value
    if isinstance(value, list):
        return as_array(value) if is_expression(*value) else ca.SX(np.asarray(value, dtype=float))
    return ca.SX(np.asarray(value, dtype=float))


def shape_of(value: Any) -> tuple[int, ...]:
    """The sizes of an array; () of a scalar, a record, a text."""
    if isinstance(value, ca.SX):
        if value.shape == (1, 1):
            return (1,) if getattr(value, "one_entry", False) else ()
        return (value.shape[0],) if value.shape[1] == 1 else value.shape
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, list):
        return (len(value), *(shape_of(value[0]) if value else ()))
    return ()


class OneEntry(ca.SX):
    """A vector of one expression, which CasADi cannot tell from the expression."""

    one_entry = True


def as_array(entries: list) -> Any:
    """Entries of an array constructor put together."""
    entries = [entry for entry in entries]
    if not entries:
        return np.zeros(0)
    if any(isinstance(entry, (str, dict, Literal, bool, np.bool_)) or callable(entry) for entry in entries):
        return entries
    if any(isinstance(entry, list) for entry in entries):
        return [entry for entry in entries]
    shapes = {shape_of(entry) for entry in entries}
    if len(shapes) > 1:
        raise ModelError(f"an array of entries of different sizes {sorted(shapes)}")
    shape = shapes.pop()
    if is_expression(*entries):
        if shape == ():
            whole = ca.vertcat(*entries)
            return OneEntry(whole) if len(entries) == 1 else symbolic(whole)
        if len(shape) == 1:
            return symbolic(ca.vertcat(*(ca.SX(column(entry)).T for entry in entries)))
        return entries
    if all(isinstance(entry, (int, float, np.integer, np.floating, np.ndarray)) for entry in entries):
        return np.array(entries)
    return entries


def two(sign: str, a: Any, b: Any) -> Any:
    """An operation of two values."""
    if sign in ("and", "or"):
        if is_expression(a, b):
            return symbolic((ca.logic_and if sign == "and" else ca.logic_or)(truth(a), truth(b)))
        return bool(a and b) if sign == "and" else bool(a or b)
    if sign in ("<", "<=", ">", ">=", "==", "<>"):
        return _compare(sign, a, b)
    if isinstance(a, str) and sign == "+":
        return a + str(b)
    a, b = _plain(a), _plain(b)
    if isinstance(a, dict) or isinstance(b, dict):
        raise ModelError(f"{sign} of records is not read")
    if sign[0] == "." and len(sign) == 2:
        return _entrywise(sign[1], a, b)
    if sign == "*":
        return times(a, b)
    if sign == "^" and shape_of(a):
        return np.linalg.matrix_power(np.asarray(a), int(b))
    return _entrywise(sign, a, b)


def _plain(value: Any) -> Any:
    """Lists of numbers as arrays, whole numbers stay whole."""
    if isinstance(value, list):
        return as_array([_plain(entry) for entry in value]) if value else np.zeros(0)
    if isinstance(value, Literal):
        return value.number
    return value


def truth(value: Any) -> Any:
    """A condition as a number that CasADi takes."""
    return float(value) if isinstance(value, (bool, np.bool_)) else value


def _entrywise(sign: str, a: Any, b: Any) -> Any:
    if is_expression(a, b):
        one_entry = getattr(a, "one_entry", False) or getattr(b, "one_entry", False)
        a, b = (column(value) if shape_of(value) else truth(value) for value in (a, b))
        found = symbolic(_operation(sign, a, b))
        return OneEntry(found) if one_entry and found.numel() == 1 else found
    if sign == "/" and not shape_of(b) and b == 0:
        raise ModelError("a division by zero")
    return _operation(sign, a, b)


def _operation(sign: str, a: Any, b: Any) -> Any:
    if sign == "+":
        return a + b
    if sign == "-":
        return a - b
    if sign == "*":
        return a * b
    if sign == "/":
        return a / b
    if sign == "^":
        if is_expression(a, b):
            return ca.power(a, b)
        return float(a) ** b if isinstance(a, (int, np.integer)) and not isinstance(a, bool) and b < 0 else a**b
    raise ModelError(f"the operation {sign} is not read")


def times(a: Any, b: Any) -> Any:
    """Modelica's product: numbers scale, vectors have their inner product, matrices theirs."""
    sa, sb = shape_of(a), shape_of(b)
    if not sa or not sb:
        return _entrywise("*", a, b)
    if not is_expression(a, b):
        found = np.asarray(a) @ np.asarray(b)
        return found if found.ndim else found[()]
    if len(sa) == 1 and len(sb) == 1:
        return symbolic(ca.dot(column(a), column(b)))
    if len(sa) == 1:
        return symbolic((column(a).T @ column(b)).T)
    return symbolic(column(a) @ column(b))


def _compare(sign: str, a: Any, b: Any) -> Any:
    if is_expression(a, b):
        a, b = truth(a), truth(b)
        found = {"<": lambda: a < b, "<=": lambda: a <= b, ">": lambda: a > b, ">=": lambda: a >= b,
                 "==": lambda: ca.eq(a, b), "<>": lambda: ca.ne(a, b)}[sign]()
        return symbolic(found)
    if sign in ("==", "<>"):
        if isinstance(a, Literal) and isinstance(b, Literal):
            same = a.name == b.name
        else:
            same = bool(np.all(np.asarray(_plain(a)) == np.asarray(_plain(b))))
        return same if sign == "==" else not same
    a, b = _plain(a), _plain(b)
    return bool({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign])


def negated(value: Any) -> Any:
    """−value."""
    value = _plain(value)
    if isinstance(value, ca.SX):
        return OneEntry(-value) if getattr(value, "one_entry", False) else symbolic(-value)
    return -value


def inverted(value: Any) -> Any:
    """not value."""
    return symbolic(ca.logic_not(value)) if is_expression(value) else not value


def chosen(condition: Any, one: Any, other: Any) -> Any:
    """if condition then one else other, with a condition that changes with time."""
    if not is_expression(condition):
        return one if condition else other
    if isinstance(one, dict):
        return {key: chosen(condition, one[key], other[key]) for key in one}
    one, other = (column(value) if shape_of(value) else truth(value) for value in (one, other))
    return symbolic(ca.if_else(condition, one, other))


def pick(value: Any, subscripts: list) -> Any:
    """value[subscripts]; each a whole number from 1, an array of them, or None for all."""
    for k, subscript in enumerate(subscripts):
        if subscript is not None and not np.ndim(subscript):
            size = shape_of(value)
            if not 1 <= int(subscript) <= (size[k] if k < len(size) else 0):
                raise ModelError(f"the index {int(subscript)} is outside 1 … {size[k] if k < len(size) else 'nothing'}")
    keys = [slice(None) if s is None else (np.asarray(s, dtype=int) - 1) if np.ndim(s) else int(s) - 1
            for s in subscripts]
    if isinstance(value, list):
        key, rest = keys[0], subscripts[1:]
        if isinstance(key, int):
            return pick(value[key], rest) if rest else value[key]
        items = value[key] if isinstance(key, slice) else [value[k] for k in key]
        return as_array([pick(item, rest) for item in items] if rest else items)
    if isinstance(value, ca.SX):
        rows = [key.tolist() if isinstance(key, np.ndarray) else key for key in keys]
        if len(shape_of(value)) == 1:
            return symbolic(value[rows[0], 0])
        if len(rows) == 1:
            return symbolic(value[rows[0], :].T if isinstance(rows[0], int) else value[rows[0], :])
        found = value[rows[0], rows[1]]
        return symbolic(found.T if isinstance(rows[0], int) and not isinstance(rows[1], int) else found)
    if len([key for key in keys if isinstance(key, np.ndarray)]) > 1:
        return np.asarray(value)[np.ix_(*[np.arange(size)[key] for key, size in zip(keys, value.shape, strict=False)])]
    found = np.asarray(value)[tuple(keys)]
    return found.item() if not np.ndim(found) else found
