"""What an expression of the dialect can be while it is compiled: numbers, arrays, records, tuples of them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .layouts import Layout

#: the kinds of numbers, each holding those before it
ORDER = ("truth", "whole", "real")
#: how LLVM names them, and what they are called in messages and in annotations
SCALAR = {"real": "double", "whole": "i64", "truth": "i1"}
PLAIN = {"real": "float", "whole": "int", "truth": "bool"}
KINDS = {"float": "real", "int": "whole", "fixed": "whole", "known": "whole", "bool": "truth"}


class Value(NamedTuple):
    """A number by its name in LLVM's text: one for all lanes, or (`varying`) one in each.

    A `const` is known while compiling.
    """

    kind: str
    name: str
    varying: bool = False
    const: Any = None


class Complex(NamedTuple):
    """A complex number: its parts."""

    re: Value
    im: Value


class Array(NamedTuple):
    """Numbers in memory, in C order, from `offset` entries after `base` on.

    Entry k lies at [k W + lane] ("lanes"), at [k] for all lanes ("shared"), or at [k stride + thread] ("strided").
    """

    kind: str
    base: str
    offset: Value
    shape: tuple[Value, ...]
    mode: str = "lanes"


class Record(NamedTuple):
    """A record in memory: slots of 8 bytes, in lanes or shared as arrays are."""

    layout: Layout
    name: str
    mode: str = "lanes"


class Entries(NamedTuple):
    """What becomes of arrays of one dimension, entry by entry, where it is stored: a sum, a multiple.

    `of` gives it of the numbers at one place of the arrays.
    """

    size: Value
    arrays: tuple[Array, ...]
    of: Callable[..., Any]


def constant(x: Any) -> Value:
    """A number that is known; whole ones wrap to 64 bits."""
    if isinstance(x, bool | np.bool_):
        return Value("truth", "true" if x else "false", const=bool(x))
    if isinstance(x, int | np.integer):
        x = wrapped(int(x))
        return Value("whole", str(x), const=x)
    return Value("real", "0x" + struct.pack(">d", float(x)).hex().upper(), const=float(x))


def wrapped(n: int) -> int:
    """A whole number as 64 bits have it."""
    return (n + 2**63) % 2**64 - 2**63


ZERO, ONE = constant(0), constant(1)


def essence(thing: Any) -> Any:
    """What a function is specialised by: kinds, who varies, where memory lies, which sizes are known."""
    if isinstance(thing, tuple) and not hasattr(thing, "_fields"):
        return tuple(map(essence, thing))
    if isinstance(thing, Value):
        return thing.kind, thing.varying, thing.const
    if isinstance(thing, Array):
        return thing.kind, thing.mode, thing.offset.varying, tuple(size.const for size in thing.shape)
    return thing.layout, thing.mode


def is_tuple(thing: Any) -> bool:
    return type(thing) is tuple


def flat(thing: Any) -> list[Any]:
    """The numbers, arrays and records in nested tuples, in order."""
    return [leaf for part in thing for leaf in flat(part)] if is_tuple(thing) else [thing]


def described(thing: Any) -> str:
    """What a thing is, for messages."""
    if is_tuple(thing):
        return f"a tuple of {len(thing)}"
    if isinstance(thing, Value):
        return {"real": "a real number", "whole": "a whole number", "truth": "a truth value"}[thing.kind]
    if isinstance(thing, Array):
        return f"an array of {len(thing.shape)} dimensions"
    if isinstance(thing, Complex):
        return "a complex number"
    if isinstance(thing, Entries):
        return "a sum or multiple of arrays"
    return f"a record {thing.layout.name}" if isinstance(thing, Record) else "nothing"
