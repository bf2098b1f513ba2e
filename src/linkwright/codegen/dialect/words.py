"""The words of the dialect beside Python's own, as plain Python; compiled code gives them the same meaning.

Annotations: `float`, `int`, `bool`, `tuple[float, int]`, arrays `real[:, 3]` and `whole[:]` (a colon: any size, which
goes along with the array; a number or a constant: that size), `fixed` (an int that is known when code is made),
`known` (an int; where it is known when code is made, the function is made for it), and records.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..callable import function_address

#: what fills own memory in plain Python until something is written there
UNSET_REAL, UNSET_WHOLE = math.nan, -0x5E_5E_5E_5E_5E_5E_5E_5E


class _Array:
    """`real[:, 3]`; a word for annotations only."""

    def __init__(self, dtype: Any):
        self.dtype = np.dtype(dtype)

    def __getitem__(self, sizes: Any) -> _Array:
        return self


real, whole = _Array(np.float64), _Array(np.int64)
fixed = int
known = int


def reals(*shape: int) -> np.ndarray:
    """Memory of the function itself, for real numbers; sizes are known when code is made.  Filled by nobody."""
    return np.full(shape, UNSET_REAL)


def wholes(*shape: int) -> np.ndarray:
    """The same for whole numbers."""
    return np.full(shape, UNSET_WHOLE, dtype=np.int64)


def forget(a: np.ndarray) -> None:
    """What is in an array is not needed any more: it will be written before it is read."""
    a[...] = UNSET_REAL if a.dtype == np.float64 else UNSET_WHOLE


def independent(n: int) -> range:
    """The rounds of a loop that may be taken at once: none reads what the loop writes, in this round or another.

    (What it adds to, it may read before.)  A thread of a GPU then asks for the numbers of several rounds together.
    """
    return range(n)


def reals_at(address: int, *shape: int) -> np.ndarray:
    """The array of real numbers at an address."""
    return _at(address, ctypes.c_double, shape)


def wholes_at(address: int, *shape: int) -> np.ndarray:
    """The array of whole numbers at an address."""
    return _at(address, ctypes.c_int64, shape)


def complexes_at(address: int, *shape: int) -> np.ndarray:
    """The array of complex numbers at an address: pairs of real ones."""
    return _at(address, ctypes.c_double, (*shape, 2)).view(complex)[..., 0]


def _at(address: int, kind: Any, shape: tuple[int, ...]) -> np.ndarray:
    count = math.prod(shape)
    if count == 0:
        return np.zeros(shape, dtype=kind)
    return np.frombuffer((kind * count).from_address(address), dtype=kind).reshape(shape)


def sqrt(x: float) -> float:
    """√x; NaN below zero."""
    return math.sqrt(x) if x >= 0.0 else math.nan


def floor(x: float) -> float:
    """The largest whole number up to x, as a real number."""
    return float(math.floor(x)) if math.isfinite(x) and x != 0.0 else x


def bits(x: float) -> int:
    """The 64 bits of a real number, as a whole number."""
    return struct.unpack("<q", struct.pack("<d", x))[0]


def from_bits(n: int) -> float:
    """The real number that has these 64 bits."""
    return struct.unpack("<d", struct.pack("<q", n))[0]


#: elementary functions of our own, the same bits everywhere (`codegen.elementary`), by their names in the dialect
ELEMENTARY = {"tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2", "exp": "exp",
              "log": "log", "power": "pow", "approximate_power": "approximate_power", "hypot": "hypot"}
TWO = ("atan2", "power", "approximate_power", "hypot")


@functools.cache
def _elementary(name: str, count: int) -> Callable[..., float]:
    kinds = [ctypes.c_double] * count
    return ctypes.CFUNCTYPE(ctypes.c_double, *kinds)(function_address(name))


def tan(x: float) -> float:
    return _elementary("tan", 1)(x)


def asin(x: float) -> float:
    return _elementary("asin", 1)(x)


def acos(x: float) -> float:
    return _elementary("acos", 1)(x)


def atan(x: float) -> float:
    return _elementary("atan", 1)(x)


def atan2(y: float, x: float) -> float:
    return _elementary("atan2", 2)(y, x)


def exp(x: float) -> float:
    return _elementary("exp", 1)(x)


def log(x: float) -> float:
    return _elementary("log", 1)(x)


def sin_cos(x: float) -> tuple[float, float]:
    """Sine and cosine."""
    return _sin_cos()(x)


def _both(x: float) -> tuple[float, float]:
    return sin_cos(x)


@functools.cache
def _sin_cos() -> Callable[[float], tuple[float, float]]:
    from .compiled import Compiled

    return Compiled(_both)


def power(x: float, y: float) -> float:
    """xʸ."""
    return _elementary("pow", 2)(x, y)


def approximate_power(x: float, y: float) -> float:
    """xʸ of x > 0, to some digits: for step sizes."""
    return _elementary("approximate_power", 2)(x, y)


def hypot(x: float, y: float) -> float:
    """√(x² + y²), without overflow on the way."""
    return _elementary("hypot", 2)(x, y)


class ByAddress:
    """A function that is reached by its address, which comes first where it is called.

    `rhs = ByAddress(None, real, real, real)` is a C function `void(double*, double*, double*)`, called as
    `rhs(address, x, y, work)`.  Kinds are `float`, `int`, and `real` or `whole` for arrays.  Not in lanes.
    """

    def __init__(self, result: type | None, *arguments: Any):
        self.result, self.arguments = result, arguments
        kinds = {float: ctypes.c_double, int: ctypes.c_int64, None: None}
        self._kind = ctypes.CFUNCTYPE(kinds[result], *(kinds.get(a, ctypes.c_void_p) for a in arguments))

    def __call__(self, address: int, *arguments: Any) -> Any:
        return self._kind(address)(*map(_passed, arguments))


def _passed(thing: Any) -> Any:
    """An argument as C takes it: arrays and records by their addresses."""
    if isinstance(thing, ctypes.Structure):
        return ctypes.addressof(thing)
    return thing.ctypes.data if hasattr(thing, "ctypes") else thing


class ByName:
    """A function of LLVM's text that others write, `void @name(ptr …)`, of arrays; it writes all lanes.

    Where lanes may be off, it is handed own memory only; or it says how many numbers it `writes` to its second array,
    and these are taken over for the lanes that are on.  `plain` is called in its place when the dialect runs as Python.
    """

    def __init__(self, name: str, count: int, plain: Callable[..., None] | None = None, writes: int = 0):
        self.name, self.count, self.plain, self.writes = name, count, plain, writes

    def __call__(self, *arrays: np.ndarray) -> None:
        if self.plain is None:
            raise TypeError(f"{self.name} is known to compiled code only; give ByName a `plain` function.")
        self.plain(*arrays)
