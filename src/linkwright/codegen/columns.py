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
from dataclasses import dataclass

import numpy as np

from linkwright.codegen.compile import _aligned
from linkwright.codegen.linked import Linked
from linkwright.codegen.machine import native_lanes
from linkwright.codegen.program import Program
from linkwright.codegen.written import Written

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
        text = _Text(shape, np.asarray(seeds, dtype=float), list(kept), stay, self.lanes, point_in, point_out)
        linked = Linked({"point": program}, Written(text.written(), frozenset(), frozenset()), self.lanes, ["columns"])
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


class _Text:
    """The loop around the program, in IR: fill the lanes, call, empty them."""

    def __init__(self, shape: Shape, seeds: np.ndarray, kept: list[int], stay: bool, lanes: int, n_in: int, n_out: int):
        self.shape, self.seeds, self.kept, self.stay, self.lanes = shape, seeds, kept, stay, lanes
        self.n_in, self.n_out = n_in, n_out
        self.lines: list[str] = []
        self.count = 0

    def written(self) -> str:
        s, W, columns = self.shape, self.lanes, len(self.seeds)
        width = self.seeds.shape[1]
        rows = -(-columns // W) * W
        table = np.zeros((rows, width))
        table[:columns] = self.seeds
        # seeds lie as they are read: for each group of columns, entry by entry, lane by lane
        ordered = table.reshape(rows // W, W, width).transpose(0, 2, 1).ravel()
        numbers = ", ".join(f"double 0x{np.float64(x).view(np.uint64):016X}" for x in ordered)
        body = self.lines
        self._loop("head", s.head, lambda i: self._spread("%in", i, 0, "%xs"))
        after = s.head + s.along + width
        self._loop("tail", self.n_in - after,
                   lambda i: self._spread("%in", i, s.head + columns * s.column, "%xs", after))
        for group in range(rows // W):
            self._group(group, width)
        self._loop("rest_out", s.rest_out - s.rest,
                   lambda i: self._store_zero("%out", i, s.along + columns * s.column + s.rest))
        return (f"@seeds = private constant [{max(len(ordered), 1)} x double] [{numbers or 'double 0.0'}]\n"
                "define void @columns(ptr noalias %in, ptr noalias %out, ptr noalias %work) #0 {\n"
                "entry:\n  %xs = getelementptr double, ptr %work, i64 0\n"
                f"  %ys = getelementptr double, ptr %work, i64 {self.n_in * W}\n"
                f"  %own = getelementptr double, ptr %work, i64 {(self.n_in + self.n_out) * W}\n"
                + "\n".join(body) + "\n  ret void\n}")

    def _group(self, group: int, width: int) -> None:
        s, W = self.shape, self.lanes
        first = group * W
        for lane in range(W):
            # lanes beyond the last column repeat it
            column = min(first + lane, len(self.seeds) - 1)
            source = s.head + column * s.column
            self._loop(f"g{group}l{lane}", s.along,
                       lambda i, source=source, lane=lane: self._move("%in", i, source, 1, "%xs", s.head * W + lane, W))
        self._loop(f"g{group}seed", width * W, lambda i: self._move("@seeds", i, group * width * W, 1, "%xs",
                                                                     (s.head + s.along) * W, 1))
        for k, place in enumerate(self.kept):
            for lane in range(W):
                column = min(first + lane, len(self.seeds) - 1)
                self._add(s.head + column * s.column + s.along + k, (s.head + s.along + place) * W + lane)
        self.lines.append("  call void @model_point(ptr %xs, ptr %ys, ptr %own)")
        if group == 0:
            self._loop("value", s.along, lambda i: self._move("%ys", i, 0, W, "%out", 0, 1))
            self._loop("rest", s.rest, lambda i: self._move("%ys", i, 2 * s.along * W, W, "%out",
                                                            s.along + len(self.seeds) * s.column, 1))
        for lane in range(min(W, len(self.seeds) - first)):
            column = first + lane
            target = s.along + column * s.column
            self._loop(f"g{group}o{lane}", s.along, lambda i, target=target, lane=lane:
                       self._move("%ys", i, s.along * W + lane, W, "%out", target, 1))
            if s.column > s.along:
                source = s.head + column * s.column + s.along
                more = s.column - s.along
                if self.stay:
                    self._loop(f"g{group}k{lane}", more, lambda i, source=source, target=target:
                               self._move("%in", i, source, 1, "%out", target + s.along, 1))
                else:
                    self._loop(f"g{group}k{lane}", more,
                               lambda i, target=target: self._store_zero("%out", i, target + s.along))

    # --- instructions ---

    def _loop(self, name: str, count: int, body: Callable[[str], list[str]]) -> None:
        """`count` times the lines that `body` gives for the counter."""
        if count <= 0:
            return
        before = f"before_{name}"
        self.lines += [f"  br label %{before}", f"{before}:", f"  br label %loop_{name}", f"loop_{name}:",
                       f"  %i_{name} = phi i64 [ 0, %{before} ], [ %n_{name}, %loop_{name} ]"]
        self.lines += body(f"%i_{name}")
        self.lines += [f"  %n_{name} = add i64 %i_{name}, 1", f"  %m_{name} = icmp slt i64 %n_{name}, {count}",
                       f"  br i1 %m_{name}, label %loop_{name}, label %after_{name}", f"after_{name}:"]

    def _name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _at(self, pointer: str, i: str, start: int, stride: int) -> tuple[list[str], str]:
        scaled, index, place = self._name(), self._name(), self._name()
        return [f"  {scaled} = mul i64 {i}, {stride}", f"  {index} = add i64 {scaled}, {start}",
                f"  {place} = getelementptr double, ptr {pointer}, i64 {index}"], place

    def _move(self, source: str, i: str, start: int, stride: int, target: str, to: int, to_stride: int) -> list[str]:
        read, a = self._at(source, i, start, stride)
        write, b = self._at(target, i, to, to_stride)
        x = self._name()
        return [*read, *write, f"  {x} = load double, ptr {a}", f"  store double {x}, ptr {b}"]

    def _spread(self, source: str, i: str, start: int, target: str, to: int = 0) -> list[str]:
        """One number into all lanes of a slot."""
        read, a = self._at(source, i, start, 1)
        x, lines = self._name(), []
        for lane in range(self.lanes):
            write, b = self._at(target, i, to * self.lanes + lane, self.lanes)
            lines += [*write, f"  store double {x}, ptr {b}"]
        return [*read, f"  {x} = load double, ptr {a}", *lines]

    def _store_zero(self, target: str, i: str, to: int) -> list[str]:
        write, b = self._at(target, i, to, 1)
        return [*write, f"  store double 0.0, ptr {b}"]

    def _add(self, source: int, target: int) -> None:
        a, b, x, y, total = (self._name() for _ in range(5))
        self.lines += [f"  {a} = getelementptr double, ptr %in, i64 {source}",
                       f"  {b} = getelementptr double, ptr %xs, i64 {target}", f"  {x} = load double, ptr {a}",
                       f"  {y} = load double, ptr {b}", f"  {total} = fadd double {x}, {y}",
                       f"  store double {total}, ptr {b}"]
