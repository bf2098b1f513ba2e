"""How compiled code comes to be: pieces in the dialect, as text that travels with the package, or made of the sources.

A *piece* is a C function `int64 piece(uint64 memory, int64 task)` over the stepper's record; pieces call each other by
the addresses in it, so that each is compiled by itself: a method without the loop, the loop without methods and events.
Addresses and pointers travel as integers, so that one compilation serves every model.

Where the sources are those that the package was built with, pieces are `ready` as LLVM's text; where one has changed,
the dialect compiles a piece when it is first needed, in some tenths of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Protocol

import numpy as np

from ..codegen.dialect import ByAddress, Machine, complexes_at, reals_at, wholes_at
from ..waiting import waiting
from .ready import all_ready, ready_piece
from .record import STEP, Fields, View

__all__ = ["CompiledPiece", "addresses", "ask", "call", "complexes", "integers", "load", "matrix", "power", "record",
           "stepper", "vector"]

#: arrays at an address
vector = matrix = reals_at
integers, complexes = wholes_at, complexes_at
#: the piece at an address, of a record and a task
ask = ByAddress(int, int, int)
#: the model's function at an address, with three more: of its inputs, its outputs and its work space
call = ByAddress(None, int, int, int)
#: xʸ of x > 0 by the function at an address: our own, so that the bits of a step depend on no C library
power = ByAddress(float, float, float)


class record:
    """What gives the record of these fields at an address."""

    def __init__(self, fields: Fields):
        self.fields, self.dialect_layout = fields, fields.layout

    def __call__(self, address: int) -> View:
        return self.fields.view.from_address(address)


stepper = record(STEP)


class CompiledPiece(Protocol):
    """A compiled function."""

    @property
    def address(self) -> int: ...


@cache
def load(piece: Callable[[int, int], int]) -> CompiledPiece:
    """The compiled piece; has an `address`, and is kept as long as the process."""
    with waiting("compiling the stepper (once per installation)"):
        return ready_piece(piece) if all_ready() else Machine(piece)


def addresses(**arrays: np.ndarray) -> dict[str, int]:
    """Where arrays lie."""
    return {name: array.ctypes.data for name, array in arrays.items()}
