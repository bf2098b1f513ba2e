"""What tells one value that a user gave from another, in this process and in later ones: a digest of what it is.

A function is its code, the values it holds (defaults, closure) and the global values that it reads; two lambdas are as
different as what they do.  What comes with Python, with an installed package or with us goes by its name; variables of
a model go by their paths, since the model is compared by itself.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import sysconfig
import types
from collections.abc import Iterable
from pathlib import Path

import casadi as ca
import numpy as np

from ..language import Component, Connector

#: begins the word for what cannot be told from another
UNTOLD = "untold: "
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_LIBRARIES = tuple({str(Path(sysconfig.get_path(kind)).resolve()) for kind in ("stdlib", "purelib", "platlib")}
                   | {str(Path(__file__).resolve().parents[1])})


def identity(value: object) -> str:
    """A digest that two values have in common if and only if they do the same; `UNTOLD` and why, where there is none.

    >>> identity(lambda t: 2 * t) == identity(lambda t: 2 * t) != identity(lambda t: 3 * t)
    True
    """
    try:
        return _Digest().of(value).hex()
    except Exception as error:  # whatever a user's object does when it is asked what it consists of
        return f"{UNTOLD}{type(error).__name__}: {error}"


class _Digest:
    """Digests of values and of what they hold."""

    def __init__(self) -> None:
        self.known: dict[int, bytes] = {}
        self.open: set[int] = set()  # what is being looked at: something that holds itself
        self.alive: list[object] = []  # so that no number stands for two things

    def of(self, value: object) -> bytes:
        """The digest of a value."""
        if isinstance(value, _PLAIN):
            return _hash(type(value).__name__, repr(value))
        key = id(value)
        if key in self.open:
            return _hash("itself", type(value).__qualname__)
        if key not in self.known:
            self.open.add(key)
            self.alive.append(value)
            self.known[key] = self._of_parts(value)
            self.open.discard(key)
        return self.known[key]

    def _of_parts(self, value: object) -> bytes:
        if isinstance(value, (Component, Connector)):
            return _hash("part", type(value).__qualname__, value.path)
        if isinstance(value, (ca.SX, ca.DM)):
            return _hash("expression", str(value))
        if isinstance(value, ca.Function):
            return _hash("compiled expression", value.serialize())
        if isinstance(value, np.ndarray) and value.dtype != object:
            return _hash("array", value.dtype.str, repr(value.shape), np.ascontiguousarray(value).tobytes())
        if isinstance(value, types.ModuleType):
            return _hash("module", value.__name__)
        if isinstance(value, (list, tuple)):
            plain = all(type(entry) in _PLAIN for entry in value)  # often many of them
            return _hash(type(value).__qualname__, *([repr(list(value))] if plain else map(self.of, value)))
        if isinstance(value, (set, frozenset)):
            return _hash("set", *sorted(map(self.of, value)))
        if isinstance(value, dict):
            return _hash(type(value).__qualname__, *sorted(self.of(k) + self.of(v) for k, v in value.items()))
        if isinstance(value, types.CodeType):
            return _hash("code", value.co_code, *map(self.of, (
                value.co_consts, value.co_names, value.co_freevars, value.co_argcount, value.co_flags)))
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, types.MethodType):
            return _hash("method", self.of(value.__func__), self.of(value.__self__))
        if isinstance(value, functools.partial):
            return _hash("partial", *map(self.of, (value.func, value.args, value.keywords)))
        if isinstance(value, (staticmethod, classmethod)):
            return _hash(type(value).__name__, self.of(value.__func__))
        if isinstance(value, property):
            return _hash("property", *map(self.of, (value.fget, value.fset)))
        if isinstance(value, np.ufunc):
            return _hash("ufunc", value.__name__)
        if hasattr(value, "__wrapped__"):
            return _hash("wrapped", type(value).__qualname__, self.of(value.__wrapped__))
        return self._object(value)

    def _class(self, kind: type) -> bytes:
        """A class of the user's own: its functions and what else it defines."""
        name = _hash("class", kind.__module__, kind.__qualname__)
        if _comes_with_a_library(kind.__module__):
            return name
        own = {key: thing for key, thing in vars(kind).items() if isinstance(thing, types.FunctionType)
               or not key.startswith("__") and key != "_abc_impl"}
        return _hash(name, self.of(kind.__bases__), self.of(own))

    def _function(self, function: types.FunctionType) -> bytes:
        if _comes_with_a_library(function.__module__):
            return _hash("function", function.__module__, function.__qualname__)
        held = [cell.cell_contents for cell in function.__closure__ or ()]
        read = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
        return _hash("function", *map(self.of, (
            function.__code__, function.__defaults__, function.__kwdefaults__, held, read)))

    def _object(self, value: object) -> bytes:
        """Any other object: its class, and what a copy of it would be made from."""
        made = value.__reduce_ex__(4)
        if isinstance(made, str):  # a thing that there is once
            return _hash("name", type(value).__module__, made)
        parts: Iterable[object] = [list(part) if hasattr(part, "__next__") else part for part in made]
        return _hash("object", self.of(type(value)), *map(self.of, parts))


def _names(code: types.CodeType) -> set[str]:
    """Names that a function may read, the functions within it included."""
    inner = (_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inner)


def _comes_with_a_library(module: str | None) -> bool:
    """Whether a module is not the user's own."""
    found = sys.modules.get(module or "")
    place = getattr(found, "__file__", None)
    if place is None:
        return found is not None and module != "__main__"  # built into Python
    return str(Path(place).resolve()).startswith(_LIBRARIES)


def _hash(*parts: str | bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()
