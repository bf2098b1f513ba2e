"""Copies of a model that share no memory with it: the controllers written in Python are copied too.

`copy.deepcopy` of a model shares its functions.  A controller may remember something (an integral, a list of what it
saw), so each route gets functions of its own: with copies of what they close over, of their defaults, of the objects
they are methods of, and of the global variables they name.  What cannot be copied is refused by name.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import casadi as ca

from ..errors import ModelError
from ..language import Component, Model

#: what holds no memory of a run: shared
SHARED = (ModuleType, type, BuiltinFunctionType, Component, ca.SX, ca.Function, str, bytes, int, float, complex, bool,
          type(None))


def copied(model: Model) -> Model:
    """Another model with the same numbers and functions of its own."""
    own = copy.deepcopy(model)
    for part in own.models():
        seen: dict[int, Any] = {}
        part.__dict__["_controllers"] = [(_callable(function, part, seen), period)
                                         for function, period in part._controllers]
    return own


def _callable(function: Callable, part: Model, seen: dict[int, Any]) -> Callable:
    try:
        return _copy(function, seen)
    except Exception as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise ModelError(f"{part.path or part.title}: the controller {name!r} cannot be copied ({error}), and "
                         "what it remembers of one run would change the next. Keep what it remembers in m.discrete, or "
                         "in plain numbers, lists and arrays.", part) from error


def _copy(thing: Any, seen: dict[int, Any]) -> Any:
    """A copy that remembers for itself; functions too."""
    if id(thing) in seen or isinstance(thing, SHARED):
        return seen.get(id(thing), thing)
    if isinstance(thing, MethodType):
        return MethodType(_copy(thing.__func__, seen), _copy(thing.__self__, seen))
    if isinstance(thing, FunctionType):
        return _function(thing, seen)
    seen[id(thing)] = copy.deepcopy(thing)
    return seen[id(thing)]


def _function(function: FunctionType, seen: dict[int, Any]) -> FunctionType:
    own = dict(function.__globals__)
    cells = tuple(CellType() for _ in function.__closure__ or ())
    made = FunctionType(function.__code__, own, function.__name__, None, cells or None)
    seen[id(function)] = made
    for cell, before in zip(cells, function.__closure__ or (), strict=True):
        cell.cell_contents = _copy(before.cell_contents, seen)
    made.__defaults__ = _copies(function.__defaults__, seen)
    made.__kwdefaults__ = function.__kwdefaults__ and {k: _copy(v, seen) for k, v in function.__kwdefaults__.items()}
    made.__dict__.update(function.__dict__)
    for name in _names(function.__code__):
        # functions of modules are as good as built in: what they keep, everybody shares
        if name in own and getattr(own[name], "__module__", function.__module__) == function.__module__:
            own[name] = _copy(own[name], seen)
    return made


def _copies(things: tuple | None, seen: dict[int, Any]) -> tuple | None:
    return None if things is None else tuple(_copy(thing, seen) for thing in things)


def _names(code: CodeType) -> set[str]:
    """Global names that code may read or write, functions inside it included."""
    return set(code.co_names).union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))
