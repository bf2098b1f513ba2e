"""Records: named numbers, arrays of fixed sizes and records inside, in slots of 8 bytes; seen by Python and by code."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

#: what a field may be, besides an array `real[4]`, `whole[N, 2]` or another record
NUMBERS = {"float": "real", "int": "whole"}
DTYPES = {"real": np.dtype(np.float64), "whole": np.dtype(np.int64), "complex": np.dtype(np.complex128)}


class Table:
    """Numbers that are known when code is made."""

    def __init__(self, numbers: Any):
        self.numbers = np.asarray(numbers)

    @staticmethod
    def whole(numbers: Any) -> Table:
        return Table(np.asarray(numbers, dtype=np.int64))

    @staticmethod
    def real(numbers: Any) -> Table:
        return Table(np.asarray(numbers, dtype=np.float64))


class Ignored:
    """Of a number: nobody reads it, and it need not be kept."""


IGNORED = Ignored()


class Field(NamedTuple):
    """A field: a number (`shape` is ()), an array, or a record (`kind` is ""); `slot` is where it begins.

    Code that is made for one use of a record may know more of it: what a field is (`known`: a number, a `Table`, a
    function of the dialect or by its name, IGNORED), that a number is the same in all lanes (`same`), that an array or
    a record lies where others have put it (`elsewhere`: the slot holds its address, the same for all lanes), that the
    numbers of an array lie somewhere else (`alias`: the slot is where they begin, counted from this record, also before
    it or after its end).
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    slot: int
    layout: Layout | None = None
    known: Any = None
    same: bool = False
    elsewhere: bool = False
    alias: bool = False


class Layout(NamedTuple):
    """The fields of a record with its sizes put in."""

    name: str
    fields: tuple[Field, ...]
    slots: int

    def find(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    @property
    def dtype(self) -> np.dtype:
        """The memory of a record, as NumPy sees it."""
        members: list[Any] = []
        for field in self.fields:
            kind = DTYPES[field.kind] if field.layout is None else field.layout.dtype
            members.append((field.name, kind, field.shape) if field.shape else (field.name, kind))
        return np.dtype(members)


def record(cls: type) -> type:
    """Decorator: a class whose annotations are the fields of a record.

        @record
        class Run:
            t: float
            steps: int
            x: real[N]          # N is a constant of the module, or put in when code is made
            counts: Counts      # another record
    """
    cls.is_dialect_record = True
    return cls


def layout_of(cls: type, constants: Mapping[str, Any], space: Mapping[str, Any]) -> Layout:
    """The layout of a record; sizes are looked up among the constants, then in the module (`space`)."""
    fields, slot = [], 0
    known = {**space, **constants}
    for name, annotation in cls.__annotations__.items():
        text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
        node = ast.parse(text, mode="eval").body
        if isinstance(node, ast.Subscript):
            sizes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            shape = tuple(int(eval(ast.unparse(size), {}, known)) for size in sizes)
            field = Field(name, node.value.id, shape, slot)
        elif text in NUMBERS:
            field = Field(name, NUMBERS[text], (), slot)
        else:
            inner = annotation if isinstance(annotation, type) else known[text]
            field = Field(name, "", (), slot, layout_of(inner, constants, space))
        fields.append(field)
        slot += field.layout.slots if field.layout is not None else math.prod(field.shape)
    return Layout(cls.__name__, tuple(fields), slot)


def layout(cls: type, **constants: Any) -> Layout:
    """The layout of a record, with constants put in: `layout(Run, N=4).dtype` is for `numpy.zeros`."""
    import sys

    return layout_of(cls, constants, vars(sys.modules[cls.__module__]))
