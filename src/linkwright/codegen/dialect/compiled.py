"""Functions of the dialect as machine code of this process, called from Python with NumPy's arrays."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import cache
from ..machine import Loaded, function_attributes, host, object_code
from ..tolerances import WRITTEN_OUT
from . import signatures
from .fingerprint import fingerprint
from .source import source_of
from .texts import text_of
from .values import PLAIN, flat

LEVEL = 3  # of LLVM's code generation
PASSED = {"real": ctypes.c_double, "whole": ctypes.c_int64, "truth": ctypes.c_int64}


class Machine:
    """Machine code of a function for W lanes; `address` is that of its entry (see `entries`)."""

    def __init__(self, f: Any, lanes: int = 1, shared: Sequence[str] = (),
                 constants: Mapping[str, Any] | None = None, unroll: int = WRITTEN_OUT):
        f, constants = getattr(f, "function", f), constants or {}
        key = ""
        if cache.in_use():
            key = fingerprint(f, constants, host(), LEVEL, lanes, tuple(shared), unroll)
        kept = cache.load(key) if key else None
        if kept is None:
            text = text_of(f, lanes, shared, constants, unroll, attributes=function_attributes(lanes))
            code = object_code(text, LEVEL, passes=True)
            if key:
                cache.store(key, {}, [code])
        else:
            code = kept[1][0]
        self._loaded = Loaded(code)
        self.address = self._loaded.address(f.__name__)


class Compiled:
    """A function of the dialect that is called from Python; what `compiled` makes."""

    def __init__(self, f: Any, constants: Mapping[str, Any] | None = None):
        self.function, self.constants = f, dict(constants or {})
        functools.update_wrapper(self, f)

    @functools.cached_property
    def machine(self) -> Machine:
        return Machine(self.function, constants=self.constants)

    @property
    def address(self) -> int:
        """Where its entry lies, for those who call it from compiled code; valid as long as this object."""
        return self.machine.address

    @functools.cached_property
    def plain(self) -> Callable[..., Any]:
        """The same as checked Python (see `plain`)."""
        from .plain import plain

        return plain(self.function, self.constants)

    @functools.cached_property
    def _call(self) -> Callable[..., Any]:
        source = source_of(self.function)
        given = signatures.arguments(source, self.constants)
        shape = signatures.results(source)
        kinds = flat(shape)
        passed: list[Any] = []
        for one in given:
            if one.kind and one.sizes is None:
                passed.append(PASSED[one.kind])
            else:
                passed += [ctypes.c_void_p, *(ctypes.c_int64 for size in one.sizes or () if size is None)]
        several = len(kinds) > 1
        result = None if several or not kinds else PASSED[kinds[0]]
        function = ctypes.CFUNCTYPE(result, *passed, *[ctypes.c_void_p] * several)(self.address)
        takers = [_taker(source.name, one) for one in given]
        if not several:
            truth = kinds == ["truth"]

            def call_one(*arguments: Any) -> Any:
                places: list[Any] = []
                for take, argument in zip(takers, arguments, strict=True):
                    take(argument, places)
                back = function(*places)
                return bool(back) if truth else back

            return call_one

        class Results(ctypes.Structure):
            _fields_ = [(f"r{k}", PASSED[kind]) for k, kind in enumerate(kinds)]

        def call(*arguments: Any) -> Any:
            places: list[Any] = []
            for take, argument in zip(takers, arguments, strict=True):
                take(argument, places)
            back = Results()
            function(*places, ctypes.addressof(back))
            values = iter([getattr(back, f"r{k}") if kind != "truth" else bool(getattr(back, f"r{k}"))
                           for k, kind in enumerate(kinds)])

            def group(part: Any) -> Any:
                return tuple(map(group, part)) if isinstance(part, tuple) else next(values)

            return group(shape)

        return call

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.function.__module__}.{self.function.__name__}>"


def _pointer_field() -> int | None:
    """Where NumPy's arrays keep the address of their numbers: right after the head of a Python object, in its stable
    C interface.  None where an array of known address says otherwise."""
    field, a = object.__basicsize__, np.zeros(3)
    return field if ctypes.c_void_p.from_address(id(a) + field).value == a.ctypes.data else None


_FIELD, _peek = _pointer_field(), ctypes.c_void_p.from_address


def data_of(a: np.ndarray) -> int:
    """The address of an array's numbers; `a.ctypes.data` takes thirty times as long."""
    return _peek(id(a) + _FIELD).value if _FIELD is not None else a.ctypes.data


def _taker(function: str, one: signatures.Given) -> Callable[[Any, list[Any]], None]:
    """What checks an argument and appends what is passed for it."""
    if one.sizes is None:
        if one.layout is not None:
            dtype = one.layout.dtype

            def take_record(a: Any, places: list[Any]) -> None:
                if not isinstance(a, np.ndarray) or a.dtype != dtype:
                    raise TypeError(f"{function}: {one.name} is a record {one.layout.name}: an array of its dtype.")
                places.append(data_of(a))

            return take_record
        return lambda a, places: places.append(a)
    dtype, sizes, count = np.dtype(np.float64 if one.kind == "real" else np.int64), one.sizes, len(one.sizes)
    known = [(k, size) for k, size in enumerate(sizes) if size is not None]
    free = [k for k, size in enumerate(sizes) if size is None]

    def take(a: Any, places: list[Any]) -> None:
        if not isinstance(a, np.ndarray) or a.dtype is not dtype and a.dtype != dtype or a.ndim != count \
                or not a.flags.c_contiguous or known and any(a.shape[k] != size for k, size in known):
            wanted = ", ".join(":" if size is None else str(size) for size in sizes)
            raise TypeError(f"{function}: {one.name} is {one.kind}[{wanted}], a NumPy array of {PLAIN[one.kind]} in C "
                            f"order; got {_told(a)}.")
        places.append(data_of(a))
        shape = a.shape
        for k in free:
            places.append(shape[k])

    return take


def _told(a: Any) -> str:
    if not isinstance(a, np.ndarray):
        return type(a).__name__
    return f"{a.dtype} of shape {a.shape}{'' if a.flags.c_contiguous else ', not in C order'}"


def compiled(f: Any = None, **constants: Any) -> Any:
    """Decorator: machine code of a function, made (or found in the cache) when it is first called."""
    return Compiled(f, constants) if f is not None else lambda f: Compiled(f, constants)
