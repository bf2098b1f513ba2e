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
from linkwright.codegen.instructions import LOAD, Code
from linkwright.codegen.piece import Lanes, Places, Support
from linkwright.codegen.program import Newton, Program, Solve, Straight, vector_sizes
from linkwright.codegen.runtime import RUNTIME, runtime
from linkwright.codegen.shared_values import Loop, SharedValues
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


def program_functions(program: Program, symbol: str, lanes: int, fast: bool, support: Support) -> ProgramFunctions:
    """`void @symbol(in, out, work)` over `lanes` lanes, without the functions through which Python calls it."""
    if any(not isinstance(s, Straight) for s in program.segments):
        support.declarations |= RUNTIME
        support.define(*runtime())
    writer = _Writer(program, symbol, Lanes(lanes), fast, support, False)
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
        self._loops = [segment for segment in program.segments if not isinstance(segment, Straight)]
        self._place_vectors()
        self._write()

    def _place_vectors(self) -> None:
        """Inputs in `in`, outputs in `out`, every other vector that a loop reads or writes in `work`."""
        offset = 0
        for name, size in self.program.inputs:
            self.number[name] = self.places.add("%in", offset)
            offset += size
        offset = 0
        self.outputs: list[tuple[str, int]] = []
        for name, size in self.program.outputs:
            number = self.places.add("%out", offset)
            self.outputs.append((name, number))
            self.number.setdefault(name, number)
            offset += size
        offset = 0
        # then residuals and Jacobians of Newton segments, and one contiguous matrix for all solvers
        largest = 0
        for segment in self._loops:
            for name in (*_stored_for(segment), *_written_by(segment)):
                if name not in self.number:
                    self.number[name] = self.places.add("%work", offset)
                    offset += self.sizes[name]
            if isinstance(segment, Newton):
                n = self.sizes[segment.unknown]
                for part, size in (("residual", n), ("jacobian", n * n), ("stalled", 1)):
                    self.number[f"{segment.unknown}/{part}"] = self.places.add("%work", offset)
                    offset += size
                largest = max(largest, n * (n + 2))
            else:
                largest = max(largest, segment.n * (segment.n + 2))
        self.scratch = offset
        self.spill = offset + -(-largest // self.lanes.width)

    def _read(self) -> SharedValues:
        """All segments as one list of instructions, and what is stored in every place."""
        code = self.code = Code()
        known = {name: code.vector(self.number[name], size) for name, size in self.program.inputs}
        self.stores: list[list[tuple[int, int, int]]] = [[]]
        loops: list[Loop] = []
        for segment in self.program.segments:
            if isinstance(segment, Straight):
                results = code.add(segment.function, [known[v] for v in segment.reads])
                known.update(zip(segment.writes, results, strict=True))
                continue
            for name in _stored_for(segment):
                self._store(known[name], self.number[name])
            for name in _written_by(segment):
                known[name] = code.vector(self.number[name], self.sizes[name])
            changed = tuple(self.number[name] for name in _written_by(segment))
            self.stores.append([])
            if isinstance(segment, Newton):
                arguments = [known[v] for v in (*segment.reads, segment.unknown)]
                for part, function in (("residual", segment.residual), ("jacobian", segment.jacobian)):
                    (result,) = code.add(function, arguments)
                    self._store(result, self.number[f"{segment.unknown}/{part}"])
            results = [v for v, _, _ in self.stores[-1]]
            loops.append(Loop(changed, results, lasting=isinstance(segment, Newton) and not segment.affine))
            self.stores.append([])
        for name, number in self.outputs:
            if self.number[name] != number or not any(name in _written_by(segment) for segment in self._loops):
                self._store(known[name], number)
        return SharedValues(code, [[v for v, _, _ in stores] for stores in self.stores[::2]], loops)

    def _store(self, values: list[int], vector: int) -> None:
        """Values of the present place go into a vector; what already lies there stays."""
        self.stores[-1] += [(v, vector, k) for k, v in enumerate(values)
                            if (self.code.op[v], self.code.left[v], self.code.right[v]) != (LOAD, vector, k)]

    def _write(self) -> None:
        self.shared = self._read()
        self.memory = self.places.add("%work", self.spill)
        self.spill += self.shared.n_slots
        calls: list[str] = []
        for place, stores in enumerate(self.stores):
            if place % 2:
                calls.append(self._loop_segment(f"{self.symbol}_loop{place // 2}", self._loops[place // 2], place))
            elif stores or self.shared.hands_on(place) or len(self.stores) == 1:
                calls.append(f"{self.symbol}_run{place // 2}")
                self._emit(calls[-1], place, stores)
        self.n_work = self.spill + self.spilled
        self.lines.append(f"define void @{self.symbol}({_POINTERS}) #0 {{")
        self.lines.extend(f"  call void @{name}(ptr %in, ptr %out, ptr %work)" for name in calls)
        self.lines.append("  ret void\n}")

    def _vector(self, name: str) -> tuple[str, int]:
        return self.places.of[self.number[name]]

    def _loop_segment(self, name: str, segment: Newton | Solve, place: int) -> str:
        if isinstance(segment, Solve):
            matrix, rhs, solution = (self._vector(v) for v in (segment.matrix, segment.rhs, segment.solution))
            self.lines.append(emit_solve(name, segment.n, matrix, rhs, solution, self.scratch, self.lanes))
            return name
        unknown = segment.unknown
        parts = ("residual", "jacobian", "stalled")
        places = {part: self._vector(f"{unknown}/{part}") for part in parts}
        places |= {key: self._vector(getattr(segment, key)) for key in ("unknown", "guess", "status")}
        self._emit(f"{name}_both", place, self.stores[place])
        if segment.affine:
            residual = self.number[f"{unknown}/residual"]
            self._emit(f"{name}_residual", place, [s for s in self.stores[place] if s[1] == residual])
        self.lines.append(emit_newton(name, self.sizes[unknown], segment, places, self.scratch, self.lanes))
        return name

    def _emit(self, name: str, place: int, stores: list[tuple[int, int, int]]) -> None:
        """The function of a place, or of what it stores of it."""
        code, stores = self.shared.piece(place, stores, self.memory)
        lines, used, count = emit_straight(
            name, code, stores, self.places, self.spill, self.lanes, self.fast, self.support, self.quick
        )
        self.lines += lines
        self.spilled = max(self.spilled, used)
        self.instructions += count


def _stored_for(segment: Newton | Solve) -> tuple[str, ...]:
    """Vectors that a loop takes from memory."""
    return (segment.guess,) if isinstance(segment, Newton) else (segment.matrix, segment.rhs)


def _written_by(segment: Newton | Solve) -> tuple[str, ...]:
    """Vectors that a loop writes."""
    return (segment.unknown, segment.status) if isinstance(segment, Newton) else (segment.solution,)
