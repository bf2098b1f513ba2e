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
REAL, WHOLE = np.dtype(np.float64), np.dtype(np.int64)
PASSED = {"real": ctypes.c_double, "whole": ctypes.c_int64, "truth": ctypes.c_int64}


class Machine:
    """Machine code of a function for W lanes; `address` is that of its entry (see `entries`).

    Operations that are written out side by side may be `packed` into vectors: worth its time in code that runs long.
    """

    def __init__(self, f: Any, lanes: int = 1, shared: Sequence[str] = (),
                 constants: Mapping[str, Any] | None = None, unroll: int = WRITTEN_OUT, packed: bool = False):
        f, constants = getattr(f, "function", f), constants or {}
        key = _key(f, lanes, shared, constants, unroll, packed)
        kept = cache.load(key) if key else None
        if kept is None:
            text = text_of(f, lanes, shared, constants, unroll, attributes=function_attributes(lanes))
            code = object_code(text, LEVEL, passes=True, vectorised=False, packed=packed)
            if key:
                cache.store(key, {}, [code])
        else:
            code = kept[1][0]
        self._loaded = Loaded(code)
        self.address = self._loaded.address(f.__name__)

    @staticmethod
    def is_kept(f: Any, lanes: int = 1, shared: Sequence[str] = (), constants: Mapping[str, Any] | None = None,
                unroll: int = WRITTEN_OUT, packed: bool = False) -> bool:
        """Whether this code is in the cache, so that it takes no time to speak of."""
        key = _key(f, lanes, shared, constants or {}, unroll, packed)
        return bool(key) and cache.load(key) is not None


def _key(f: Any, lanes: int, shared: Sequence[str], constants: Mapping[str, Any], unroll: int,
         packed: bool) -> str:
    """Under what machine code is kept; nothing where none is."""
    if not cache.in_use():
        return ""
    return fingerprint(f, constants, host(), LEVEL, lanes, tuple(shared), unroll, packed)


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
        return _caller(source.name, given, signatures.results(source), self.address)

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.function.__module__}.{self.function.__name__}>"


def _pointer_field() -> int | None:
    """Where NumPy's arrays keep the address of their numbers: right after the head of a Python object, in its stable
    C interface.  None where an array of known address says otherwise."""
    field, a = object.__basicsize__, np.zeros(3)
    return field if ctypes.c_void_p.from_address(id(a) + field).value == a.ctypes.data else None


#: the address of an array's numbers, as Python's text; `a.ctypes.data` takes thirty times as long
FIELD = _pointer_field()
DATA = "{}.ctypes.data" if FIELD is None else f"peek(id({{}}) + {FIELD}).value"


def _caller(name: str, given: list[signatures.Given], shape: Any, address: int) -> Callable[..., Any]:
    """A Python function that looks at its arguments and calls the entry; written out, since it is called often."""
    passed: list[Any] = []
    looks, places = [], []
    for k, one in enumerate(given):
        if one.sizes is not None:
            known = "".join(f" and a{k}.shape[{d}] == {size}" for d, size in enumerate(one.sizes) if size is not None)
            looks.append(f"    if not (type(a{k}) is ndarray and a{k}.dtype is {one.kind} and a{k}.ndim == "
                         f"{len(one.sizes)} and a{k}.flags.c_contiguous{known}): check({k}, a{k})")
            free = [d for d, size in enumerate(one.sizes) if size is None]
            places += [DATA.format(f"a{k}"), *(f"a{k}.shape[{d}]" for d in free)]
            passed += [ctypes.c_void_p, *[ctypes.c_int64] * len(free)]
        elif one.layout is not None:
            looks.append(f"    check({k}, a{k})")
            places.append(DATA.format(f"a{k}"))
            passed.append(ctypes.c_void_p)
        else:
            places.append(f"a{k}")
            passed.append(PASSED[one.kind])
    kinds = flat(shape)
    several = len(kinds) > 1
    result = None if several or not kinds else PASSED[kinds[0]]
    function = ctypes.CFUNCTYPE(result, *passed, *[ctypes.c_void_p] * several)(address)
    fields = [(f"r{k}", PASSED[kind]) for k, kind in enumerate(kinds)]
    results = type("Results", (ctypes.Structure,), {"_fields_": fields})
    numbers = iter(f"bool(back.r{k})" if kind == "truth" else f"back.r{k}" for k, kind in enumerate(kinds))

    def grouped(part: Any) -> str:
        return f"({''.join(grouped(p) + ', ' for p in part)})" if isinstance(part, tuple) else next(numbers)

    arguments = ", ".join(f"a{k}" for k in range(len(given)))
    if several:
        ending = ["    back = Results()", f"    function({', '.join([*places, 'addressof(back)'])})",
                  f"    return {grouped(shape)}"]
    else:
        call = f"function({', '.join(places)})"
        ending = [f"    return bool({call})" if kinds == ["truth"] else f"    return {call}"]
    space: dict[str, Any] = {
        "ndarray": np.ndarray, "real": REAL, "whole": WHOLE, "peek": ctypes.c_void_p.from_address, "function": function,
        "check": lambda k, a: _check(name, given[k], a), "Results": results, "addressof": ctypes.addressof}
    exec("\n".join([f"def {name}({arguments}):", *looks, *ending]), space)
    return space[name]


def _check(function: str, one: signatures.Given, a: Any) -> None:
    """Refuse what is not the array, or the record, that is wanted."""
    if one.layout is not None:
        if not isinstance(a, np.ndarray) or a.dtype != one.layout.dtype:
            raise TypeError(f"{function}: {one.name} is a record {one.layout.name}: an array of its dtype.")
        return
    sizes, dtype = one.sizes or (), REAL if one.kind == "real" else WHOLE
    fits = isinstance(a, np.ndarray) and a.dtype == dtype and a.ndim == len(sizes) and a.flags.c_contiguous
    if not fits or any(size not in (None, n) for n, size in zip(a.shape, sizes, strict=True)):
        wanted = ", ".join(":" if size is None else str(size) for size in sizes)
        raise TypeError(f"{function}: {one.name} is {one.kind}[{wanted}], a NumPy array of {PLAIN[one.kind]} in C "
                        f"order; got {_told(a)}.")


def _told(a: Any) -> str:
    if not isinstance(a, np.ndarray):
        return type(a).__name__
    return f"{a.dtype} of shape {a.shape}{'' if a.flags.c_contiguous else ', not in C order'}"


def compiled(f: Any = None, **constants: Any) -> Any:
    """Decorator: machine code of a function, made (or found in the cache) when it is first called."""
    return Compiled(f, constants) if f is not None else lambda f: Compiled(f, constants)
