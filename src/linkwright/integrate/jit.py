"""How compiled code comes to be: pieces that travel with the package, or that Numba makes of their sources.

Where the sources are those that the package was built with, compiled code is `ready` and only LLVM is asked, for the
instructions of this processor; functions in the words of `dialect` then stay plain Python that nobody calls, and Numba
is not even imported.  Where a source has changed, Numba compiles each piece when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..waiting import waiting
from .ready import all_ready, ready_piece

if TYPE_CHECKING or not all_ready():
    from .dialect import (
        ask,
        call,
        complexes,
        inlined,
        integers,
        matrix,
        part,
        piece,
        power,
        record,
        stepper,
        vector,
    )
else:
    def _as_written(thing: Any) -> Any:
        return thing

    part = inlined = piece = record = _as_written
    ask = call = complexes = integers = matrix = power = stepper = vector = None

__all__ = ["CompiledPiece", "addresses", "ask", "call", "complexes", "inlined", "integers", "load", "matrix", "part",
           "piece", "power", "record", "stepper", "vector"]


class CompiledPiece(Protocol):
    """A compiled function."""

    @property
    def address(self) -> int: ...


@cache
def load(build: Callable[[], CompiledPiece]) -> CompiledPiece:
    """The compiled function that `build` makes; has an `address`, and is kept as long as the process."""
    with waiting("compiling the stepper (once per installation)"):
        return ready_piece(build.__module__.rpartition(".")[2]) if all_ready() else build()


def addresses(**arrays: np.ndarray) -> dict[str, int]:
    """Where arrays lie."""
    return {name: array.ctypes.data for name, array in arrays.items()}
