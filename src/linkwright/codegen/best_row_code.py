"""Searches for the best row of a table (`best_row`) as LLVM IR."""

from __future__ import annotations

import casadi as ca
import numpy as np

from linkwright.codegen.best_row import Least, least_of
from linkwright.codegen.elementary import literal
from linkwright.codegen.instruction_order import interleaved
from linkwright.codegen.instructions import LOAD, Code
from linkwright.codegen.piece import Lanes, Piece, Support


def least_code(function: ca.Function, vector: int) -> tuple[str, ...]:
    """IR of `void @name(x, y, stride)` of one of our searches, and what it calls."""
    least, name, support = least_of(function), function.name(), Support(vector)
    text = "\n".join([
        _array(f"{name}_a", least.a), _array(f"{name}_b", least.b),
        _row(f"{name}_score", least, 0, support), _row(f"{name}_found", least, least.n_out, support),
        _SEARCH.format(name=name, n_a=len(least.a), n_b=len(least.b), w_a=least.a.shape[1], w_b=least.b.shape[1])])
    intrinsics = [line for line in support.declarations if "@llvm." in line]
    return text, *sorted(support.definitions), *intrinsics


def _array(name: str, table: np.ndarray) -> str:
    numbers = ", ".join("double " + literal(a) for a in table.ravel())
    return f"@{name} = internal constant [{table.size} x double] [{numbers}]"


def _row(name: str, least: Least, stored: int, support: Support) -> str:
    """IR of the kernel at one pair of rows: it returns the score, and stores so many of the results in y."""
    code = Code()
    places = [code.vector(k, width) for k, width in enumerate((least.n_in, least.a.shape[1], least.b.shape[1]))]
    found = code.add(least.kernel, places)[0][: max(stored, 1)]
    piece = Piece(code, None, {}, 0, Lanes(1), False, support)
    for base, values, stride in (("%x", places[0], "%stride"), ("%a", places[1], "1"), ("%b", places[2], "1")):
        for k, v in enumerate(values):
            at = piece.line(f"mul i64 {stride}, {k}")
            at = piece.line(f"getelementptr double, ptr {base}, i64 {at}")
            piece.names[v] = piece.line(f"load double, ptr {at}, align 8")
    for v in interleaved(code, code.live(found)):
        if code.op[v] not in (ca.OP_CONST, LOAD):
            piece.compute(v)
    for k, v in enumerate(found[:stored]):
        at = piece.line(f"mul i64 %stride, {k}")
        at = piece.line(f"getelementptr double, ptr %y, i64 {at}")
        piece.lines.append(f"  store double {piece.operand(v)}, ptr {at}, align 8")
    score = piece.operand(found[0])
    head = (f"define internal double @{name}(ptr noalias readonly %x, i64 %stride, ptr readonly %a, ptr readonly %b, "
            "ptr noalias %y) #0 {")
    return "\n".join([head, "entry:", *piece.lines, f"  ret double {score}", "}"])


_SEARCH = """define void @{name}(ptr noalias readonly %x, ptr noalias %y, i64 %stride) #0 {{
entry:
  br label %one
one:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %least_i = phi double [ 0x7FF0000000000000, %entry ], [ %least1, %next ]
  %at_i = phi i64 [ 0, %entry ], [ %at1, %next ]
  %in_a = mul i64 %i, {w_a}
  %a = getelementptr double, ptr @{name}_a, i64 %in_a
  %first = mul i64 %i, {n_b}
  br label %other
other:
  %j = phi i64 [ 0, %one ], [ %j1, %other ]
  %least = phi double [ %least_i, %one ], [ %least1, %other ]
  %at = phi i64 [ %at_i, %one ], [ %at1, %other ]
  %in_b = mul i64 %j, {w_b}
  %b = getelementptr double, ptr @{name}_b, i64 %in_b
  %score = call double @{name}_score(ptr %x, i64 %stride, ptr %a, ptr %b, ptr %y)
  %less = fcmp olt double %score, %least
  %here = add i64 %first, %j
  %least1 = select i1 %less, double %score, double %least
  %at1 = select i1 %less, i64 %here, i64 %at
  %j1 = add i64 %j, 1
  %more_b = icmp slt i64 %j1, {n_b}
  br i1 %more_b, label %other, label %next
next:
  %i1 = add i64 %i, 1
  %more_a = icmp slt i64 %i1, {n_a}
  br i1 %more_a, label %one, label %done
done:
  %best_i = udiv i64 %at1, {n_b}
  %best_j = urem i64 %at1, {n_b}
  %best_in_a = mul i64 %best_i, {w_a}
  %best_in_b = mul i64 %best_j, {w_b}
  %best_a = getelementptr double, ptr @{name}_a, i64 %best_in_a
  %best_b = getelementptr double, ptr @{name}_b, i64 %best_in_b
  %found = call double @{name}_found(ptr %x, i64 %stride, ptr %best_a, ptr %best_b, ptr %y)
  ret void
}}"""
