"""Controllers written in Python that remember for themselves: each run of many has functions of its own.

A controller may remember something (an integral, a list of what it saw).  Runs that share it would tell one another
what they saw, and what a run says would depend on its neighbours.  So each gets a copy: with copies of what the
function closes over, of its defaults, of the object it is a method of, and of the global variables it names.  What
cannot be copied is refused by name.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import casadi as ca

from ..errors import ModelError
from ..language import Component
from ..system import System

#: what holds no memory of a run: shared
SHARED = (ModuleType, type, BuiltinFunctionType, Component, System, ca.SX, ca.Function, str, bytes, int, float, complex,
          bool, type(None))


def with_own_controllers(system: System) -> System:
    """The same system with controllers that remember for themselves, as they are now; itself where it has none."""
    known = system.mechanism.controllers
    if not known:
        return system
    functions = own_functions([controller.function for controller in known], system.mechanism.name)
    own = tuple(replace(controller, function=function) for controller, function in zip(known, functions, strict=True))
    return system.variant(mechanism=replace(system.mechanism, controllers=own))


def own_functions(functions: Sequence[Callable], where: str) -> list[Callable]:
    """Copies of functions; what several of them share, the copies share too.  `where` names their model in errors."""
    seen: dict[int, Any] = {}
    return [_own(function, where, seen) for function in functions]


def _own(function: Callable, where: str, seen: dict[int, Any]) -> Callable:
    try:
        return _copy(function, seen)
    except Exception as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise ModelError(f"{where}: the controller {name!r} cannot be copied ({error}), and what it remembers of one "
                         "run would change another. Keep what it remembers in m.discrete, or in plain numbers, lists "
                         "and arrays.") from error


def _copy(thing: Any, seen: dict[int, Any]) -> Any:
    """A copy that remembers for itself; functions too."""
    if id(thing) in seen or isinstance(thing, SHARED) or _only_written(thing):
        return seen.get(id(thing), thing)
    if isinstance(thing, MethodType):
        return MethodType(_copy(thing.__func__, seen), _copy(thing.__self__, seen))
    if isinstance(thing, FunctionType):
        return _function(thing, seen)
    return copy.deepcopy(thing, seen)


def _only_written(thing: Any) -> bool:
    """A file or a terminal that is written to: what goes there does not come back."""
    return isinstance(thing, io.IOBase) and not thing.closed and thing.writable() and not thing.readable()


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
