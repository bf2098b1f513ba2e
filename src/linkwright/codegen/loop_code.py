"""Loops over the rows of a table (`loops`) as LLVM IR: rows taken as many at a time as a vector register holds."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwright.codegen.elementary import literal
from linkwright.codegen.instruction_order import interleaved
from linkwright.codegen.instructions import LOAD, Code
from linkwright.codegen.loops import Loop, loop_of
from linkwright.codegen.piece import Lanes, Piece, Support

_ARGUMENTS = "ptr noalias readonly %x, ptr noalias %y, i64 %stride"


def loop_code(function: ca.Function, vector: int) -> tuple[str, ...]:
    """IR of `void @name(x, y, stride)` of one of our loops, rows taken `vector` at a time, and what it calls."""
    loop, name, support = loop_of(function), function.name(), Support(vector)
    whole = len(loop.reads) // vector * vector if vector > 1 else 0
    arrays, loops = [], []
    for part, width, rows in (("wide", vector, slice(0, whole)), ("rest", 1, slice(whole, None))):
        if len(loop.reads[rows]):
            arrays += _loop_tables(f"{name}_{part}", loop, rows, width)
            loops.append(_loop_part(f"{name}_{part}", loop, len(loop.reads[rows]) // width, width, support))
    called = "\n".join(f"  call void @{name}_{part}(ptr %x, ptr %y, i64 %stride)"
                       for part in ("wide", "rest") if f"@{name}_{part}(" in "\n".join(loops))
    text = "\n".join([*arrays, *loops, f"""define void @{name}({_ARGUMENTS}) #0 {{
entry:
  br label %clear
clear:
  %i = phi i64 [ 0, %entry ], [ %i1, %clear ]
  %at = mul i64 %i, %stride
  %p = getelementptr double, ptr %y, i64 %at
  store double 0.0, ptr %p, align 8
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, {loop.n_out}
  br i1 %more, label %clear, label %sum
sum:
{called}
  ret void
}}"""])
    intrinsics = [line for line in support.declarations if "@llvm." in line]
    return text, *sorted(support.definitions), *intrinsics


def _runs(columns: np.ndarray) -> list[tuple[int, int]]:
    """(first, length) of columns that always follow one another by one: three coordinates need one index."""
    starts = [k for k in range(columns.shape[1]) if k == 0 or (columns[:, k] != columns[:, k - 1] + 1).any()]
    return [(k, end - k) for k, end in zip(starts, [*starts[1:], columns.shape[1]], strict=True)]


def _index_tables(loop: Loop) -> dict[str, np.ndarray]:
    """What is read, and what is written unless it is the same: the less memory a loop passes over the better."""
    same = np.array_equal(loop.reads, loop.writes)
    return {"reads": loop.reads} if same else {"reads": loop.reads, "writes": loop.writes}


def _loop_tables(name: str, loop: Loop, rows: slice, width: int) -> list[str]:
    """Constant arrays, for each block of `width` rows first the rows of the first column, then of the next …"""
    def blocks(table: np.ndarray) -> np.ndarray:
        return table.reshape(-1, width, table.shape[1]).transpose(0, 2, 1).ravel()

    lines = []
    for part, table in _index_tables(loop).items():
        flat = blocks(table[rows][:, [first for first, _ in _runs(table)]])
        numbers = ", ".join(f"i32 {k}" for k in flat)
        lines.append(f"@{name}_{part} = internal constant [{len(flat)} x i32] [{numbers}]")
    flat = blocks(loop.data[rows])
    numbers = ", ".join("double " + literal(a) for a in flat)
    return [*lines, f"@{name}_data = internal constant [{len(flat)} x double] [{numbers}]"]


def _loop_part(name: str, loop: Loop, blocks: int, width: int, support: Support) -> str:
    """IR of the loop over `blocks` blocks of `width` rows; results are added row after row."""
    code, lanes = Code(), Lanes(width)
    taken, constants = code.vector(0, loop.reads.shape[1]), code.vector(1, loop.data.shape[1])
    results = code.add(loop.kernel, [taken, constants])[0]
    piece = Piece(code, None, {}, 0, lanes, False, support)
    piece.lines += [f"define internal void @{name}({_ARGUMENTS}) #0 {{",
                    "entry:", "  br label %row", "row:", "  %k = phi i64 [ 0, %entry ], [ %k1, %row ]"]

    places: dict[tuple[str, int, int], str] = {}  # of elements met already

    def element(base: str, table: str, number: int, count: int, lane: int) -> str:
        """Pointer to the element of x or y that one column of the table names for one row."""
        key = table if table in _index_tables(loop) else "reads", number, lane
        if key not in places:
            first = piece.line(f"mul i64 %k, {count * width}")
            entry = piece.line(f"getelementptr i32, ptr @{name}_{key[0]}, i64 {first}")
            entry = piece.line(f"getelementptr i32, ptr {entry}, i64 {number * width + lane}")
            index = piece.line(f"load i32, ptr {entry}, align 4")
            places[key] = piece.line(f"mul i64 {piece.line(f'zext i32 {index} to i64')}, %stride")
        return piece.line(f"getelementptr double, ptr {base}, i64 {places[key]}")

    def next_one(pointer: str) -> str:
        return piece.line(f"getelementptr double, ptr {pointer}, i64 %stride")

    runs = _runs(loop.reads)
    for number, (first, length) in enumerate(runs):
        vectors = ["poison"] * length
        for lane in range(width):
            at = element("%x", "reads", number, len(runs), lane)
            for k in range(length):
                at = next_one(at) if k else at
                value = piece.line(f"load double, ptr {at}, align 8")
                vectors[k] = value if width == 1 else piece.line(
                    f"insertelement {lanes.real} {vectors[k]}, double {value}, i64 {lane}")
        for k in range(length):
            piece.names[taken[first + k]] = vectors[k]
    if constants:
        row = piece.line(f"mul i64 %k, {len(constants) * width}")
        row = piece.line(f"getelementptr double, ptr @{name}_data, i64 {row}")
        for k, v in enumerate(constants):
            at = piece.line(f"getelementptr double, ptr {row}, i64 {k * width}")
            piece.names[v] = piece.line(f"load {lanes.real}, ptr {at}, align 8")
    for v in interleaved(code, code.live(results)):
        if code.op[v] not in (ca.OP_CONST, LOAD):
            piece.compute(v)
    names, runs = [piece.operand(v) for v in results], _runs(loop.writes)
    for lane in range(width):
        for number, (first, length) in enumerate(runs):
            at = element("%y", "writes", number, len(runs), lane)
            for k in range(length):
                at = next_one(at) if k else at
                value = names[first + k]
                if width > 1:
                    value = piece.line(f"extractelement {lanes.real} {value}, i64 {lane}")
                before = piece.line(f"load double, ptr {at}, align 8")
                after = piece.line(f"fadd double {before}, {value}")
                piece.lines.append(f"  store double {after}, ptr {at}, align 8")
    return "\n".join([*piece.lines, "  %k1 = add i64 %k, 1", f"  %more = icmp slt i64 %k1, {blocks}",
                      "  br i1 %more, label %row, label %done", "done:", "  ret void", "}"])
