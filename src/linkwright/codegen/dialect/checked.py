"""Memory and numbers of the dialect as Python has them, with every access checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import complex_numbers, words
from .arithmetic import FOLDED, cut, divided
from .layouts import Layout
from .values import wrapped


class Astray(IndexError):
    """Compiled code would have gone astray here."""


class Checked:
    """An array with every access checked; `written` says which entries have a value (None: all), `read` of what memory
    it is made."""

    def __init__(self, data: np.ndarray, written: np.ndarray | None = None, read: tuple[np.ndarray, ...] = ()):
        self.data, self.written, self.read = data, written, read or (data,)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def size(self) -> int:
        return self.data.size

    @property
    def ctypes(self) -> Any:
        return self.data.ctypes

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Any:
        return (entry(self, (k,), "") for k in range(len(self)))


class View:
    """A record in NumPy's memory: its fields by name."""

    def __init__(self, memory: np.ndarray, layout: Layout):
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_layout", layout)

    def __getattr__(self, name: str) -> Any:
        found = self._layout.find(name)
        if found is None:
            raise AttributeError(name)
        value = self._memory[name]
        if found.layout is not None:
            return View(value, found.layout)
        return Checked(value) if found.shape else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        self._memory[name] = value


def _inside(a: Checked, index: tuple[int, ...], where: str) -> None:
    for k, (i, size) in enumerate(zip(index, a.data.shape, strict=False)):
        if not isinstance(i, int | np.integer) or not 0 <= i < size:
            raise Astray(f"{where}: index {i} in dimension {k} of an array of shape {a.data.shape}.")


def entry(a: Any, index: Any, where: str) -> Any:
    """a[index]."""
    if isinstance(a, tuple):
        return a[index[0]]
    if isinstance(index[-1], slice):
        row = entry(a, index[:-1], where) if len(index) > 1 else a
        part = index[-1]
        low, high = part.start or 0, len(row) if part.stop is None else part.stop
        if not 0 <= low <= high <= len(row):
            raise Astray(f"{where}: [{low}:{high}] of an array of size {len(row)}.")
        return Checked(row.data[part], None if row.written is None else row.written[part])
    _inside(a, index, where)
    found = a.data[index]
    if isinstance(found, np.ndarray):
        return Checked(found, None if a.written is None else a.written[index])
    if a.written is not None and not a.written[index]:
        raise Astray(f"{where}: an entry of own memory is read that nobody has written.")
    return found.item()


class Memory:
    """What a call from outside knows: places of memory that were handed in twice."""

    def __init__(self) -> None:
        self.overlaps: list[tuple[int, int]] = []

    def put(self, a: Checked, index: Any, value: Any, where: str) -> None:
        """a[index] = value."""
        slices = isinstance(index[-1], slice)
        if not slices:
            _inside(a, index, where)
        target = a.data[index] if not slices else entry(a, index, where).data
        if isinstance(target, np.ndarray) and isinstance(value, tuple) and len(target) != len(value):
            raise Astray(f"{where}: {len(value)} numbers go into {len(target)} places.")
        spot = a.data[index[:-1]][index[-1]:index[-1] + 1] if not isinstance(target, np.ndarray) else target
        first = spot.ctypes.data
        if any(low <= first < high for low, high in self.overlaps):
            raise Astray(f"{where}: memory is written that was handed in twice, by arrays that overlap.")
        if isinstance(value, Checked):
            value = _whole(value, target, where)
        elif a.data.dtype.kind == "i":
            value = tuple(map(wrapped, value)) if isinstance(value, tuple) else wrapped(int(value))
        a.data[index] = value
        if a.written is not None:
            a.written[index] = True

    def begin(self, arrays: list[np.ndarray]) -> None:
        self.overlaps = []
        for k, a in enumerate(arrays):
            for b in arrays[:k]:
                if np.may_share_memory(a, b) and np.shares_memory(a, b):
                    (low, high), (start, end) = ((x.ctypes.data, x.ctypes.data + x.nbytes) for x in (a, b))
                    self.overlaps.append((max(low, start), min(high, end)))


def _whole(a: Checked, target: np.ndarray, where: str) -> np.ndarray:
    """All entries of an array, to be stored one after another in the order of their indices."""
    if a.shape != np.shape(target):
        raise Astray(f"{where}: an array of shape {a.shape} goes into one of shape {np.shape(target)}.")
    if a.written is not None and not a.written.all():
        raise Astray(f"{where}: an entry of own memory is read that nobody has written.")
    for source in a.read:
        if source.ctypes.data < target.ctypes.data and np.shares_memory(source, target):
            raise Astray(f"{where}: entries are written before they are read.")
    return a.data


def _each(f: Callable[..., Any], *things: Any) -> Any:
    """f of numbers, and of arrays entry by entry."""
    arrays = [thing for thing in things if isinstance(thing, Checked)]
    if len({array.shape for array in arrays}) > 1:
        raise Astray(f"arrays of shapes {' and '.join(str(array.shape) for array in arrays)} entry by entry.")
    numbers = [f(*(entry(thing, (k,), "") if isinstance(thing, Checked) else thing for thing in things))
               for k in range(len(arrays[0]))]
    return Checked(np.array(numbers, dtype=None if numbers else float), None,
                   tuple(source for array in arrays for source in array.read))


def operate(word: str, a: Any, b: Any) -> Any:
    """a ∘ b, as compiled code has it."""
    if isinstance(a, Checked) or isinstance(b, Checked):
        return _each(lambda *numbers: operate(word, *numbers), a, b)
    if word == "power":
        return _raised(a, b)
    if isinstance(a, complex) or isinstance(b, complex):
        return complex_numbers.operate(word, a, b)
    real = isinstance(a, float) or isinstance(b, float)
    if word == "div":
        return divided(float(a), float(b))
    if real:
        return FOLDED[word](float(a), float(b))
    if isinstance(a, bool) and isinstance(b, bool) and word in ("and", "or", "xor"):
        return FOLDED[word](a, b)
    return wrapped(FOLDED[word](int(a), int(b)))


def _raised(x: Any, n: int) -> Any:
    if n == 0:
        return 1.0 if isinstance(x, float) else 1
    result = None
    while n:
        if n & 1:
            result = x if result is None else operate("mul", result, x)
        n >>= 1
        if n:
            x = operate("mul", x, x)
    return result


def compared(signs: tuple[str, ...], *values: Any) -> bool:
    """A chain of comparisons; a whole number beside a real one becomes real."""
    def holds(sign: str, a: Any, b: Any) -> bool:
        if isinstance(a, float) or isinstance(b, float):
            a, b = float(a), float(b)
        return FOLDED[sign](a, b)

    return all(holds(sign, a, b) for sign, a, b in zip(signs, values, values[1:], strict=False))


def negative(x: Any) -> Any:
    if isinstance(x, Checked):
        return _each(negative, x)
    return -x if isinstance(x, float) else wrapped(-x)


def own(kind: str) -> Callable[..., Checked]:
    def make(*shape: int) -> Checked:
        data = words.reals(*shape) if kind == "real" else words.wholes(*shape)
        return Checked(data, np.zeros(shape, dtype=bool))

    return make


def as_kind(kind: str, x: Any) -> Any:
    if kind == "whole":
        return cut(x) if isinstance(x, float) else int(x)
    return float(x) if kind == "real" else bool(x)


def returned(shape: Any, value: Any) -> Any:
    if isinstance(shape, tuple):
        return tuple(returned(s, v) for s, v in zip(shape, value, strict=True)) if shape else None
    return as_kind(shape, value)
