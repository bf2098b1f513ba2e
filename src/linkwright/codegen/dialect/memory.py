"""Arrays and records: where an entry lies, reading and writing it in the lanes that are on.

An index that varies makes every lane read from a place of its own (a gather), one that all lanes share reads W numbers
that lie side by side.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import binary, choose, number, to, wide
from .layouts import IGNORED, Table
from .values import ONE, SCALAR, ZERO, Array, Complex, Record, Value, constant, described, is_tuple
from .writer import Writer

BYTES = {"real": "f64", "whole": "i64"}


def sub(w: Writer, array: Array, index: Value) -> Array:
    """array[index]: what lies there, with one dimension less."""
    if not array.shape:
        raise w.wrong("a number is indexed", "remove the index")
    index = number(w, index)
    if index.kind != "whole":
        raise w.wrong(f"{described(index)} is an index", "int(x)")
    size, rest = array.shape[0], array.shape[1:]
    if index.const is not None and (index.const < 0 or size.const is not None and index.const >= size.const):
        raise w.wrong(f"index {index.const} of an array of size {'?' if size.const is None else size.const}",
                      "an index from 0 on, below the size")
    for length in rest:
        index = binary(w, "mul", index, length)
    return array._replace(offset=binary(w, "add", array.offset, index), shape=rest)


def cut_out(w: Writer, array: Array, start: Value, stop: Value) -> Array:
    """array[start:stop] along the first dimension."""
    moved = start
    for length in array.shape[1:]:
        moved = binary(w, "mul", moved, length)
    return array._replace(offset=binary(w, "add", array.offset, moved),
                          shape=(binary(w, "sub", stop, start), *array.shape[1:]))


def field(w: Writer, record: Record, name: str) -> Any:
    """A field of a record: an array without dimensions is a number."""
    found = record.layout.find(name)
    if found is None:
        known = ", ".join(one.name for one in record.layout.fields)
        raise w.wrong(f"{record.layout.name} has no {name}", f"one of {known}")
    if found.known is IGNORED:
        return own(w, found.kind, ())
    if found.known is not None:
        return known_field(w, found.known)
    slot = found.slot * _scale(w, record.mode)
    place = record.name if slot == 0 else w.new("", False, f"getelementptr double, ptr {record.name}, i64 {slot}").name
    if found.elsewhere:
        place = w.new("", False, f"load ptr, ptr {place}, align 8").name
    if found.layout is not None:
        return Record(found.layout, place, record.mode)
    mode = "shared" if found.same else record.mode
    return Array(found.kind, place, ZERO, tuple(map(constant, found.shape)), mode)


def known_field(w: Writer, known: Any) -> Any:
    """A field that is known when code is made: a table, a number, or (`const`) a function."""
    if isinstance(known, Table):
        return table(w, known.numbers)
    return constant(known) if isinstance(known, bool | int | float) else Value("whole", "0", const=known)


def table(w: Writer, numbers: np.ndarray) -> Array:
    """Constants of a module."""
    if numbers.dtype.kind == "c":
        parts = np.ascontiguousarray(numbers, dtype=complex).view(float)
        return Array("complex", w.module.table(parts, "real"), ZERO, tuple(map(constant, numbers.shape)), "shared")
    kind = "real" if numbers.dtype.kind == "f" else "whole"
    return Array(kind, w.module.table(numbers, kind), ZERO, tuple(map(constant, numbers.shape)), "shared")


def own(w: Writer, kind: str, shape: tuple[Value, ...]) -> Array:
    """Memory of the function itself."""
    if any(size.const is None for size in shape):
        raise w.wrong("own memory has a size that is not known when code is made",
                      "a constant that is large enough, an argument annotated `fixed`, or an array from the caller")
    count = math.prod(size.const for size in shape) * w.W * (2 if kind == "complex" else 1)
    return Array(kind, w.memory(f"[{count} x {SCALAR.get(kind, 'double')}]", zeroed=False), ZERO, shape)


def at_address(w: Writer, kind: str, address: Any, shape: tuple[Value, ...]) -> Array:
    """The array at an address; every lane may have its own.  Where a record holds the array itself, that array."""
    if isinstance(address, Array):
        return address._replace(shape=shape)
    if number(w, address).varying:
        return Array(kind, "null", binary(w, "ashr", address, constant(3)), shape, "shared")
    return Array(kind, pointer_of(w, address), ZERO, shape, w.module.outside)


def pointer_of(w: Writer, address: Value) -> str:
    if address.varying:
        raise w.wrong("an address differs from lane to lane", "an address that all lanes share")
    return w.new("", False, f"inttoptr i64 {to(w, 'whole', address).name} to ptr").name


def address(w: Writer, array: Array) -> str:
    """Where an array begins; a vector of places where its offset varies."""
    if array.kind == "complex":
        return address(w, part_of(w, array, 0))
    at, kind = array.offset, SCALAR[array.kind]
    if at.const == 0:
        return array.base
    strided = array.mode == "strided" and w.module.strided
    at = binary(w, "mul", at, Value("whole", "%stride") if strided else constant(_scale(w, array.mode)))
    if not at.varying:
        return w.new("", False, f"getelementptr {kind}, ptr {array.base}, i64 {at.name}").name
    if array.mode == "lanes":
        at = binary(w, "add", at, Value("whole", f"<{', '.join(f'i64 {k}' for k in range(w.W))}>", True))
    return w.new("", True, f"getelementptr {kind}, ptr {array.base}, <{w.W} x i64> {at.name}").name


def part_of(w: Writer, array: Array, part: int) -> Array:
    """The real (0) or imaginary (1) part of the number at the beginning of an array of complex numbers."""
    at = binary(w, "add", binary(w, "mul", array.offset, constant(2)), constant(part))
    return array._replace(kind="real", offset=at)


def _scale(w: Writer, mode: str) -> int:
    """How far apart the numbers of one run are."""
    return {"lanes": w.W, "shared": 1, "strided": w.module.stride}[mode]


def settled(w: Writer, array: Array) -> Array:
    """The same with its offset in its base, where all lanes share it: as it is handed to a function."""
    return array if array.offset.varying else array._replace(base=address(w, array), offset=ZERO)


def load(w: Writer, array: Array) -> Value:
    """The number at the beginning of an array."""
    if array.kind == "complex":
        return Complex(load(w, part_of(w, array, 0)), load(w, part_of(w, array, 1)))
    where, suffix = address(w, array), f"v{w.W}{BYTES[array.kind]}.v{w.W}p0"
    if array.offset.varying:
        t, on = w.type(array.kind, True), f"<{w.W} x i1>"
        name = f"@llvm.masked.gather.{suffix}"
        w.module.declarations.add(f"declare {t} {name}(<{w.W} x ptr>, i32, {on}, {t})")
        return w.new(array.kind, True, f"call {t} {name}(<{w.W} x ptr> {where}, i32 8, {on} {w.mask_name()}, "
                     f"{t} zeroinitializer)")
    varying = array.mode == "lanes" and w.W > 1
    return w.new(array.kind, varying, f"load {w.type(array.kind, varying)}, ptr {where}, align 8")


def store(w: Writer, array: Array, value: Value) -> None:
    """Write a number, in the lanes that are on."""
    if array.kind == "complex":
        for k, part in enumerate(value if isinstance(value, Complex) else (to(w, "real", value), constant(0.0))):
            store(w, part_of(w, array, k), part)
        return
    value = number(w, value)
    if array.kind == "whole" and value.kind == "real":
        raise w.wrong("a real number goes into an array of whole ones", "int(x)")
    if array.mode == "shared" and w.module.several and not array.offset.varying:
        raise w.wrong("an array that is shared by all lanes is written to", "an array of every lane")
    varying = w.W > 1
    value, t = wide(w, to(w, array.kind, value), varying), w.type(array.kind, varying)
    where = address(w, array)
    if array.offset.varying:
        name = f"@llvm.masked.scatter.v{w.W}{BYTES[array.kind]}.v{w.W}p0"
        w.module.declarations.add(f"declare void {name}({t}, <{w.W} x ptr>, i32, <{w.W} x i1>)")
        w.line(f"call void {name}({t} {value.name}, <{w.W} x ptr> {where}, i32 8, <{w.W} x i1> {w.mask_name()})")
        return
    if w.mask is not None:
        old = w.new(array.kind, True, f"load {t}, ptr {where}, align 8")
        value = choose(w, Value("truth", w.mask, True), value, old)
    w.line(f"store {t} {value.name}, ptr {where}, align 8")


def copy_guarded(w: Writer, source: str, target: Array, count: int) -> None:
    """So many numbers from own memory to the beginning of an array, in the lanes that are on; by a loop."""
    loop(w, constant(count), lambda k: store(
        w, target._replace(offset=binary(w, "add", target.offset, k), shape=()),
        load(w, Array("real", source, k, (), "lanes"))))


def store_all(w: Writer, array: Array, value: Any) -> None:
    """array[…] = value: a number everywhere, or a tuple entry by entry."""
    if not array.shape:
        store(w, array, value)
    elif is_tuple(value):
        if array.shape[0].const not in (None, len(value)):
            raise w.wrong(f"{len(value)} numbers go into {array.shape[0].const} places", "as many as there are places")
        for k, part in enumerate(value):
            store_all(w, sub(w, array, constant(k)), part)
    elif isinstance(value, Value | Complex):
        _fill(w, array, value)
    else:
        from .entry_by_entry import store_entries

        store_entries(w, array, value)


def _fill(w: Writer, array: Array, value: Value) -> None:
    """One number into all entries, by a loop."""
    count = ONE
    for size in array.shape:
        count = binary(w, "mul", count, size)
    loop(w, count, lambda k: store(w, array._replace(offset=binary(w, "add", array.offset, k), shape=()), value))


def loop(w: Writer, count: Value, body: Callable[[Value], None], unroll: int | None = None) -> None:
    """`body` of 0, 1, … below `count`, in the lanes whose count it is below; written out where it is short."""
    if count.const is not None and count.const <= (w.module.unroll if unroll is None else unroll):
        for number_ in range(count.const):
            body(constant(number_))
        return
    k = w.memory("i64")
    w.line(f"store i64 0, ptr {k}")
    head, inside, after = w.fresh("head"), w.fresh("inside"), w.fresh("after")
    w.begin_block(head)
    now = w.new("whole", False, f"load i64, ptr {k}")
    going, mask = binary(w, "lt", now, count), w.mask
    if going.varying:
        w.mask = w.both(mask, going.name)
        going = Value("truth", w.any(w.mask))
    w.branch(going, inside, after)
    w.label(inside)
    body(now)
    w.mask = mask
    w.line(f"store i64 {binary(w, 'add', now, ONE).name}, ptr {k}")
    w.jump(head)
    w.label(after)


def indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
