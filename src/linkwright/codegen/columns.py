"""One program along many columns: it is compiled once, and runs over as many columns at a time as there are lanes.

The program reads   (head | column | tail)      and writes   (value | along | rest),
the whole reads     (head | columns … | tail)   and writes   (value | columns … | rest).

Head and tail are the same for all columns, so value and rest are too; `along` is what becomes of the first entries of a
column.  Entries of a program's column that are not entries of the whole's columns are given by `seeds`, a number for
each column; the last entries of a column, which `kept` maps to entries of the program's, are added to those.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from linkwright.codegen.along_columns import columns
from linkwright.codegen.compile import _aligned
from linkwright.codegen.dialect import written_of
from linkwright.codegen.linked import Linked
from linkwright.codegen.machine import native_lanes
from linkwright.codegen.program import Program

from .tolerances import WRITTEN_OUT

_CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


@dataclass(frozen=True)
class Shape:
    """Lengths: of the head, of what a column changes (`along`), of a column of the whole, of the tail and what the
    program reads of it, of the rest and of what the whole writes in its place (zeros behind)."""

    head: int
    along: int
    column: int
    tail: int
    rest: int
    rest_out: int


class ColumnsProgram:
    """Machine code of a program along columns, as other compiled programs are called.

    `stay` says that entries of a column beyond `along` are written as they are; otherwise as zeros (they are slopes).
    """

    def __init__(self, program: Program, shape: Shape, seeds: np.ndarray, kept: Sequence[int], stay: bool):
        start = time.perf_counter()
        self.program, self.columns = program, len(seeds)
        self.lanes = min(native_lanes(), 1 << max(self.columns - 1, 0).bit_length())
        self.n_in = shape.head + self.columns * shape.column + shape.tail
        self.n_out = shape.along + self.columns * shape.column + shape.rest_out
        point_in, point_out = (sum(n for _, n in vectors) for vectors in (program.inputs, program.outputs))
        known = {**{name.upper(): length for name, length in asdict(shape).items()}, "N": self.columns, "W": self.lanes,
                 "N_X": point_in, "N_Y": point_out, "STAY": int(stay), "SEEDS": np.asarray(seeds, dtype=float),
                 "KEPT": np.array(kept, dtype=np.int64)}
        loop = written_of([columns], 1, known, WRITTEN_OUT)
        linked = Linked({"point": program}, loop, self.lanes, ["columns"])
        self._linked, self.address = linked, linked.address("columns")
        self.n_work = linked.n_work * self.lanes + (point_in + point_out) * self.lanes
        self.instructions, self.tier, self.compile_time = linked.instructions, "optimised", time.perf_counter() - start
        self.from_cache = linked.from_cache
        self._call = _CALL(self.address)

    def __repr__(self) -> str:
        return f"ColumnsProgram({self.program.name!r}, {self.columns} columns, {self.lanes} lanes)"

    def __call__(self, values: np.ndarray) -> np.ndarray:
        x, out = np.ascontiguousarray(values, dtype=float), np.empty(self.n_out)
        self.bind(x, out)()
        return out

    def bind(self, values: np.ndarray, out: np.ndarray) -> Callable[[], None]:
        """A function that evaluates from `values` into `out`, again and again; both stay where they are in memory."""
        arrays = (values, out, _aligned(self.n_work))
        pointers = [array.ctypes.data for array in arrays]

        def evaluate(kept: tuple[np.ndarray, ...] = arrays) -> None:
            self._call(*pointers)

        return evaluate
