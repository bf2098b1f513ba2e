"""Arrays of one dimension taken entry by entry: copies, sums, multiples, stored by one loop.

What is stored is computed from entries of the same index, so that the order does not matter, and a thread of a GPU may
ask for the numbers of several rounds before it waits for them (`at_once`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from ..at_once import AT_ONCE, all_there
from .arithmetic import binary
from .memory import load, loop, store, sub
from .values import Array, Complex, Entries, Value, constant, described
from .writer import Writer


def each(w: Writer, f: Callable[..., Any], *things: Any) -> Entries:
    """f of numbers, and of arrays entry by entry."""
    parts = [_entries(w, thing) for thing in things]
    sizes = [part.size for part in parts if part.arrays]
    if len({size.const for size in sizes} - {None}) > 1:
        raise w.wrong(f"arrays of sizes {' and '.join(str(size.const) for size in sizes)} are taken entry by entry",
                      "slices of one size")

    def of(*numbers: Value) -> Any:
        left = iter(numbers)
        return f(*(part.of(*islice(left, len(part.arrays))) for part in parts))

    return Entries(sizes[0], tuple(array for part in parts for array in part.arrays), of)


def _entries(w: Writer, thing: Any) -> Entries:
    """A number, an array, or what is made of arrays."""
    if isinstance(thing, Entries):
        return thing
    if not isinstance(thing, Array):
        return Entries(constant(1), (), lambda: thing)
    if len(thing.shape) != 1:
        raise w.wrong(f"{described(thing)} is taken entry by entry", "its rows, one after another")
    return Entries(thing.shape[0], (thing,), lambda number: number)


def store_entries(w: Writer, target: Array, value: Array | Entries) -> None:
    """target[:] = value"""
    value = _entries(w, value)
    count = each(w, lambda *numbers: None, target, value).size

    def read(k: Value) -> list[Any]:
        return [load(w, sub(w, array, k)) for array in value.arrays]

    def put(k: Value, numbers: list[Any]) -> None:
        store(w, sub(w, target, k), value.of(*numbers))

    if w.module.together > 1 and count.const is not None and count.const > w.module.unroll:
        at_once(w, count.const, len(value.arrays), read, put)
    else:
        loop(w, count, lambda k: put(k, read(k)))


def at_once(w: Writer, count: int, numbers: int, read: Callable[[Value], Any],
            go: Callable[[Value, Any], None]) -> None:
    """`go(k, read(k))` of 0, 1, … below `count`, `read` several times before: each reads so many `numbers`."""
    most = max(1, w.module.together // max(1, numbers))
    whole = count // most

    def some(first: Value, rounds: int) -> None:
        again, there = w.fresh("ask"), w.fresh("there")
        at = [binary(w, "add", first, constant(k)) for k in range(rounds)]
        w.begin_block(again)
        found = [read(k) for k in at]
        asked = [part.name for one in found for v in (one.values() if isinstance(one, dict) else one)
                 for part in (v if isinstance(v, Complex) else (v,)) if part.kind == "real"]
        if len(asked) > 1:
            w.module.declarations.add(f"declare i1 @{AT_ONCE}(i64)")
            w.lines += all_there(asked, there)
            w.branch(Value("truth", f"%{there}_now"), there, again)
            w.label(there)
        for k, one in zip(at, found, strict=True):
            go(k, one)

    loop(w, constant(whole), lambda batch: some(binary(w, "mul", batch, constant(most)), most), 1)
    if count % most:
        some(constant(whole * most), count % most)
