"""A program as one LLVM module: its segments, and the functions through which it is called.

    void name(const double *in, double *out, double *work)                    one evaluation (W lanes at once)
    void name_loop(in, out, work, int64 count)                                the same evaluation `count` times
    void name_batch(in_rows, out_rows, work, int64 n)                         n evaluations, one row each
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from linkwright.codegen.emit import emit_straight
from linkwright.codegen.entry import batch_function, batch_lanes_function, loop_function
from linkwright.codegen.instructions import Code
from linkwright.codegen.piece import Lanes, Places, Support
from linkwright.codegen.program import Newton, Program, Segment, Solve, Straight, vector_sizes
from linkwright.codegen.runtime import RUNTIME, runtime
from linkwright.codegen.solvers import emit_newton, emit_solve

_POINTERS = "ptr noalias readonly %in, ptr noalias %out, ptr noalias %work"


@dataclass(frozen=True)
class Module:
    """IR text, that of the routines it is linked with, and what a caller must know about it."""

    text: str
    support: str
    symbol: str
    n_work: int
    instructions: int


def emit_module(program: Program, lanes: int, fast: bool, vector: int = 4, attributes: str = "",
                quick: bool = False) -> Module:
    """LLVM IR of `program`: scalar code, and code over `lanes` lanes if more than one.

    `vector` is how many doubles solvers and scalar sines take at once, `attributes` is added to every function;
    `quick` says that the code is for the quick tier.
    """
    symbol = "program_" + re.sub(r"\W", "_", program.name)
    support = Support(vector)
    scalar = _Writer(program, symbol, Lanes(1), fast, support, quick)
    lines, n_work = scalar.lines, scalar.n_work
    n_in, n_out = (sum(n for _, n in vectors) for vectors in (program.inputs, program.outputs))
    if lanes > 1:
        wide = _Writer(program, f"{symbol}_{lanes}", Lanes(lanes), fast, support, quick)
        lines += wide.lines
        n_work = wide.n_work + n_in + n_out  # rows turned into lanes by the batch function
        lines.append(batch_lanes_function(symbol, lanes, n_in, n_out, wide.n_work))
    else:
        lines.append(batch_function(symbol, n_in, n_out))
    lines.append(loop_function(symbol, symbol if lanes == 1 else f"{symbol}_{lanes}"))
    if any(not isinstance(s, Straight) for s in program.segments):
        support.declarations |= RUNTIME
        support.define(*runtime())
    ending = f"attributes #0 = {{ nounwind {attributes} }}\n"
    text = "\n".join([*lines, *sorted(support.declarations), ending])
    support_text = "\n".join([*sorted(support.definitions), ending]) if support.definitions else ""
    return Module(text, support_text, symbol, n_work, scalar.instructions)


@dataclass(frozen=True)
class ProgramFunctions:
    """IR lines of a program in one lane width, and what a caller must know about it."""

    lines: list[str]
    n_work: int
    instructions: int


def program_functions(program: Program, symbol: str, lanes: int, fast: bool, support: Support,
                      quick: bool = False) -> ProgramFunctions:
    """`void @symbol(in, out, work)` over `lanes` lanes, without the functions through which Python calls it."""
    if any(not isinstance(s, Straight) for s in program.segments):
        support.declarations |= RUNTIME
        support.define(*runtime())
    writer = _Writer(program, symbol, Lanes(lanes), fast, support, quick)
    return ProgramFunctions(writer.lines, writer.n_work, writer.instructions)


class _Writer:
    """Places the vectors and writes the functions of one lane width."""

    def __init__(self, program: Program, symbol: str, lanes: Lanes, fast: bool, support: Support, quick: bool):
        self.program, self.symbol, self.lanes, self.fast, self.support = program, symbol, lanes, fast, support
        self.quick = quick
        self.sizes = vector_sizes(program)
        self.places = Places()
        self.number: dict[str, int] = {}
        self.lines: list[str] = []
        self.instructions = 0
        self.spilled = 0
        self._place_vectors()
        self._write()

    def _place_vectors(self) -> None:
        """Inputs in `in`, outputs in `out`, every other vector in `work`."""
        offset = 0
        for name, size in self.program.inputs:
            self.number[name] = self.places.add("%in", offset)
            offset += size
        offset = 0
        self.copies: list[tuple[str, int]] = []  # outputs that are inputs
        for name, size in self.program.outputs:
            number = self.places.add("%out", offset)
            if name in self.number:
                self.copies.append((name, number))
            else:
                self.number[name] = number
            offset += size
        offset = 0
        for name, size in self.sizes.items():
            if name not in self.number:
                self.number[name] = self.places.add("%work", offset)
                offset += size
        # residuals and Jacobians of Newton segments, then one contiguous matrix for all solvers, then crossing values
        largest = 0
        for segment in self.program.segments:
            if isinstance(segment, Newton):
                n = self.sizes[segment.unknown]
                for part, size in (("residual", n), ("jacobian", n * n), ("stalled", 1)):
                    self.number[f"{segment.unknown}/{part}"] = self.places.add("%work", offset)
                    offset += size
                largest = max(largest, n * (n + 2))
            elif isinstance(segment, Solve):
                largest = max(largest, segment.n * (segment.n + 2))
        self.scratch = offset
        self.spill = offset + -(-largest // self.lanes.width)

    def _write(self) -> None:
        calls: list[str] = []
        run: list[Straight] = []
        for k, segment in enumerate((*self.program.segments, None)):
            if isinstance(segment, Straight):
                run.append(segment)
                continue
            if run or (segment is None and self.copies):
                calls.append(self._straight(f"{self.symbol}_run{k}", run, last=segment is None))
                run = []
            if segment is not None:
                calls.append(self._loop_segment(f"{self.symbol}_loop{k}", segment))
        self.n_work = self.spill + self.spilled
        self.lines.append(f"define void @{self.symbol}({_POINTERS}) #0 {{")
        self.lines.extend(f"  call void @{name}(ptr %in, ptr %out, ptr %work)" for name in calls)
        self.lines.append("  ret void\n}")

    def _vector(self, name: str) -> tuple[str, int]:
        return self.places.of[self.number[name]]

    def _loop_segment(self, name: str, segment: Newton | Solve) -> str:
        if isinstance(segment, Solve):
            matrix, rhs, solution = (self._vector(v) for v in (segment.matrix, segment.rhs, segment.solution))
            self.lines.append(emit_solve(name, segment.n, matrix, rhs, solution, self.scratch, self.lanes))
            return name
        unknown = segment.unknown
        parts = ("residual", "jacobian", "stalled")
        places = {part: self._vector(f"{unknown}/{part}") for part in parts}
        places |= {key: self._vector(getattr(segment, key)) for key in ("unknown", "guess", "status")}
        self._evaluation(f"{name}_both", segment, ("residual", "jacobian"))
        if segment.affine:
            self._evaluation(f"{name}_residual", segment, ("residual",))
        self.lines.append(emit_newton(name, self.sizes[unknown], segment, places, self.scratch, self.lanes))
        return name

    def _evaluation(self, name: str, segment: Newton, parts: tuple[str, ...]) -> None:
        """Code that fills the residual, or residual and Jacobian (which share their common values)."""
        code = Code()
        arguments = [code.vector(self.number[v], self.sizes[v]) for v in (*segment.reads, segment.unknown)]
        stores: list[tuple[int, int, int]] = []
        for part in parts:
            target = self.number[f"{segment.unknown}/{part}"]
            (result,) = code.add(getattr(segment, part), arguments)
            stores += [(v, target, k) for k, v in enumerate(result)]
        self._emit(name, code, stores)

    def _emit(self, name: str, code: Code, stores: list[tuple[int, int, int]]) -> None:
        lines, used, count = emit_straight(
            name, code, stores, self.places, self.spill, self.lanes, self.fast, self.support, self.quick
        )
        self.lines += lines
        self.spilled = max(self.spilled, used)
        self.instructions += count

    def _straight(self, name: str, run: list[Straight], last: bool) -> str:
        """Consecutive straight segments as one piece of code, so that they share values in registers."""
        code = Code()
        known: dict[str, list[int]] = {}
        stores: list[tuple[int, int, int]] = []
        needed = self._read_elsewhere(run)

        def values(vector: str) -> list[int]:
            if vector not in known:
                known[vector] = code.vector(self.number[vector], self.sizes[vector])
            return known[vector]

        for segment in run:
            results = code.add(segment.function, [values(v) for v in segment.reads])
            for vector, result in zip(segment.writes, results, strict=True):
                known[vector] = result
                if vector in needed:
                    stores += [(v, self.number[vector], k) for k, v in enumerate(result)]
        if last:
            for vector, target in self.copies:
                stores += [(v, target, k) for k, v in enumerate(values(vector))]
        self._emit(name, code, stores)
        return name

    def _read_elsewhere(self, run: list) -> set[str]:
        """Vectors that must be in memory: outputs, and what segments outside `run` read."""
        names = {name for name, _ in self.program.outputs}
        for segment in self.program.segments:
            if not any(segment is s for s in run):
                names |= set(_reads(segment))
        return names


def _reads(segment: Segment) -> tuple[str, ...]:
    """Vectors that a segment takes from memory."""
    if isinstance(segment, Newton):
        return (*segment.reads, segment.guess)
    return segment.reads if isinstance(segment, Straight) else (segment.matrix, segment.rhs)
