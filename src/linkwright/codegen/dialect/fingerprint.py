"""A digest of all that the code of a function depends on, taken without compiling anything."""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..cache import _emitter_version
from .layouts import Layout, Table
from .words import ByAddress, ByName


def fingerprint(f: Any, constants: Mapping[str, Any], *more: object) -> str:
    """Digest of a function, of what it calls, of constants they read, and of the compiler."""
    digest = hashlib.sha256(repr((_emitter_version(), sys.version_info[:2], more)).encode())
    seen: set[int] = set()
    _Reader(digest, constants, seen).function(f)
    for name in sorted(constants):
        _Reader(digest, constants, seen).thing(name, constants[name])
    return digest.hexdigest()


class _Reader:
    def __init__(self, digest: Any, constants: Mapping[str, Any], seen: set[int]):
        self.digest, self.constants, self.seen = digest, constants, seen

    def add(self, *parts: object) -> None:
        self.digest.update(repr(parts).encode())

    def function(self, f: Any) -> None:
        if id(f) in self.seen:
            return
        self.seen.add(id(f))
        code, notes = f.__code__, f.__annotations__
        self.add(code.co_name, code.co_code, code.co_consts, code.co_names, code.co_varnames, notes)
        inside = dict(zip(code.co_freevars, (cell.cell_contents for cell in f.__closure__ or ()), strict=True))
        space = {**f.__globals__, **inside, **self.constants}
        noted = [word for note in notes.values() for word in re.findall(r"[A-Za-z_]\w*", str(note))]
        modules = []
        for name in (*code.co_names, *code.co_freevars, *noted):
            thing = space.get(name)
            if inspect.ismodule(thing):
                modules.append(thing)
            else:
                self.thing(name, thing)
        for module in modules:  # constants of other modules by their names there
            for name in code.co_names:
                self.thing(name, getattr(module, name, None))

    def thing(self, name: str, thing: Any) -> None:
        thing = getattr(thing, "function", thing)
        if inspect.isfunction(thing):
            if not (thing.__module__ or "").endswith("codegen.dialect.words"):
                self.function(thing)
        elif isinstance(thing, Layout):
            for field in thing.fields:
                self.add(*field._replace(layout=None, known=None))
                self.thing(field.name, field.known if field.layout is None else field.layout)
        elif isinstance(thing, Table):
            self.thing(name, thing.numbers)
        elif isinstance(thing, np.ndarray):
            self.add(name, thing.dtype.str, thing.shape, thing.tobytes())
        elif isinstance(thing, bool | int | float | complex | np.number | tuple):
            self.add(name, thing)
        elif isinstance(thing, ByAddress | ByName):
            self.add(name, type(thing).__name__, getattr(thing, "name", ""))
        elif getattr(thing, "dialect_layout", None) is not None:
            self.thing(name, thing.dialect_layout)
        elif getattr(thing, "is_dialect_record", False) and id(thing) not in self.seen:
            self.seen.add(id(thing))
            self.add(name, thing.__annotations__)
            space = vars(sys.modules[thing.__module__])
            for note in thing.__annotations__.values():
                for word in re.findall(r"[A-Za-z_]\w*", str(note)):
                    self.thing(word, self.constants.get(word, space.get(word)))
