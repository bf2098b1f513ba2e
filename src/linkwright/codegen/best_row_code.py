"""Searches for the best row of a table (`best_row`) as LLVM IR: rows of the inner table are scored side by side."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwright.codegen.best_row import Least, least_of
from linkwright.codegen.elementary import literal
from linkwright.codegen.instruction_order import interleaved
from linkwright.codegen.instructions import LOAD, Code
from linkwright.codegen.piece import Lanes, Piece, Support
from linkwright.codegen.surfaces import is_surface, surface_code
from linkwright.errors import LinkwrightError

from .tolerances import ROWS_TOGETHER


def least_code(function: ca.Function, vector: int) -> tuple[str, ...]:
    """IR of `void @name(x, y, stride)` of one of our searches, and what it calls."""
    least, name, support = least_of(function), function.name(), Support(vector)
    if len(least.b) == 1:
        least = _exchanged(least)
    width = max(vector, ROWS_TOGETHER) if vector else 1
    # the last row again and again, to whole vectors: of equal scores the first is taken
    padded = np.pad(least.b, ((0, -len(least.b) % width), (0, 0)), mode="edge")
    kinds = _side_by_side(width) if width > 1 else ONE_BY_ONE
    text = "\n".join([
        _array(f"{name}_a", least.a), _array(f"{name}_b", least.b), _array(f"{name}_columns", padded.T),
        _scores(f"{name}_scores", least, len(padded), width, support), _found(f"{name}_found", least, support),
        (_SEARCH + (_AMONG if width > 1 else "") + _FOUND).format(
            name=name, n_a=len(least.a), n_b=len(padded), w_a=least.a.shape[1], w_b=least.b.shape[1], width=width,
            **kinds)])
    intrinsics = [line for line in support.declarations if "@llvm." in line]
    return text, *sorted(support.definitions), *intrinsics


#: what stands in the text of a search where rows are scored one by one
ONE_BY_ONE = {"real": "double", "whole": "i64", "truth": "i1", "endless": literal(np.inf), "none": "0",
              "here": "  %here = add i64 %first, %j", "at": "best_at1", "after": "done"}


def _side_by_side(width: int) -> dict[str, str]:
    """The same where several are."""
    lanes, numbered = Lanes(width), ", ".join(f"i64 {k}" for k in range(width))
    return {"real": lanes.real, "whole": f"<{width} x i64>", "truth": lanes.logic, "endless": lanes.constant(np.inf),
            "none": "zeroinitializer", "here": _HERE.format(width=width, numbered=numbered), "at": "at1",
            "after": "among"}


def _exchanged(least: Least) -> Least:
    """The same search with the two tables exchanged; with one row in either of them the order is the same."""
    x, a, b = (ca.SX.sym(name, least.kernel.numel_in(k)) for k, name in enumerate("xab"))
    return Least(ca.Function("kernel", [x, b, a], [least.kernel(x, a, b)]), least.b, least.a)


def _array(name: str, table: np.ndarray) -> str:
    numbers = ", ".join("double " + literal(a) for a in table.ravel())
    return f"@{name} = internal constant [{table.size} x double] [{numbers}]"


def _scores(name: str, least: Least, n_b: int, width: int, support: Support) -> str:
    """IR of the scores of a row of a with rows of b side by side, whose columns lie `n_b` apart."""
    lanes = Lanes(width)

    def load(piece: Piece, base: str, stride: str, k: int) -> str:
        if base == "%b":
            at = piece.line(f"getelementptr double, ptr %b, i64 {k * n_b}")
            return piece.line(f"load {lanes.real}, ptr {at}, align 8")
        one = _number(piece, base, stride, k)
        if width == 1:
            return one
        first = piece.line(f"insertelement {lanes.real} poison, double {one}, i64 0")
        return piece.line(f"shufflevector {lanes.real} {first}, {lanes.real} poison, <{width} x i32> zeroinitializer")

    piece, found = _kernel(least, 1, lanes, support, load)
    head = (f"define internal {lanes.real} @{name}(ptr noalias readonly %x, i64 %stride, ptr readonly %a, "
            "ptr readonly %b) #0 {")
    return "\n".join([head, "entry:", *piece.lines, f"  ret {lanes.real} {piece.operand(found[0])}", "}"])


def _found(name: str, least: Least, support: Support) -> str:
    """IR that stores all results of one pair of rows in y."""
    piece, found = _kernel(least, least.n_out, Lanes(1), support, _number)
    for k, v in enumerate(found):
        at = piece.line(f"mul i64 %stride, {k}")
        at = piece.line(f"getelementptr double, ptr %y, i64 {at}")
        piece.lines.append(f"  store double {piece.operand(v)}, ptr {at}, align 8")
    head = (f"define internal void @{name}(ptr noalias readonly %x, i64 %stride, ptr readonly %a, ptr readonly %b, "
            "ptr noalias %y) #0 {")
    return "\n".join([head, "entry:", *piece.lines, "  ret void", "}"])


def _number(piece: Piece, base: str, stride: str, k: int) -> str:
    at = piece.line(f"mul i64 {stride}, {k}")
    at = piece.line(f"getelementptr double, ptr {base}, i64 {at}")
    return piece.line(f"load double, ptr {at}, align 8")


def _kernel(least: Least, wanted: int, lanes: Lanes, support: Support,
            load: Callable[[Piece, str, str, int], str]) -> tuple[Piece, list[int]]:
    """The kernel's code up to as many of its results, with its arguments loaded."""
    code = Code()
    places = [code.vector(k, width) for k, width in enumerate((least.n_in, least.a.shape[1], least.b.shape[1]))]
    found = code.add(least.kernel, places)[0][:wanted]
    live = code.live(found)
    calls, room = code.call_places(live, 0)
    for function, _ in (code.calls[code.left[v]] for v in calls):
        if not is_surface(function):
            raise LinkwrightError(f"the kernel of a search calls {function.name()!r}; it may call tables and surfaces.")
        support.define(*surface_code(function, 1))
    piece = Piece(code, None, {}, 0, lanes, False, support, calls)
    if room:
        piece.lines.append(f"  %work = alloca double, i64 {room * lanes.width}, align 64")
    used = set(live)
    for base, values, stride in (("%x", places[0], "%stride"), ("%a", places[1], "1"), ("%b", places[2], "1")):
        for k, v in enumerate(values):
            if v in used:
                piece.names[v] = load(piece, base, stride, k)
    for v in interleaved(code, live):
        if code.op[v] not in (ca.OP_CONST, LOAD):
            piece.compute(v)
    return piece, found


_SEARCH = """define void @{name}(ptr noalias readonly %x, ptr noalias %y, i64 %stride) #0 {{
entry:
  br label %one
one:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %least_i = phi {real} [ {endless}, %entry ], [ %least1, %next ]
  %at_i = phi {whole} [ {none}, %entry ], [ %{at}, %next ]
  %in_a = mul i64 %i, {w_a}
  %a = getelementptr double, ptr @{name}_a, i64 %in_a
  %first = mul i64 %i, {n_b}
  br label %other
other:
  %j = phi i64 [ 0, %one ], [ %j1, %other ]
  %least = phi {real} [ %least_i, %one ], [ %least1, %other ]
  %at = phi {whole} [ %at_i, %one ], [ %{at}, %other ]
  %b = getelementptr double, ptr @{name}_columns, i64 %j
  %score = call {real} @{name}_scores(ptr %x, i64 %stride, ptr %a, ptr %b)
  %less = fcmp olt {real} %score, %least
{here}
  %least1 = select {truth} %less, {real} %score, {real} %least
  %{at} = select {truth} %less, {whole} %here, {whole} %at
  %j1 = add i64 %j, {width}
  %more_b = icmp slt i64 %j1, {n_b}
  br i1 %more_b, label %other, label %next
next:
  %i1 = add i64 %i, 1
  %more_a = icmp slt i64 %i1, {n_a}
  br i1 %more_a, label %one, label %{after}
"""

#: where rows side by side stand, and which of their winners wins
_HERE = """  %begin = add i64 %first, %j
  %begin0 = insertelement <{width} x i64> poison, i64 %begin, i64 0
  %begins = shufflevector <{width} x i64> %begin0, <{width} x i64> poison, <{width} x i32> zeroinitializer
  %here = add <{width} x i64> %begins, <{numbered}>"""
_AMONG = """among:
  %l = phi i64 [ 0, %next ], [ %l1, %among ]
  %best = phi double [ 0x7FF0000000000000, %next ], [ %best1, %among ]
  %best_at = phi i64 [ 0, %next ], [ %best_at1, %among ]
  %own = extractelement <{width} x double> %least1, i64 %l
  %own_at = extractelement <{width} x i64> %at1, i64 %l
  %better = fcmp olt double %own, %best
  %equal = fcmp oeq double %own, %best
  %earlier = icmp slt i64 %own_at, %best_at
  %tie = and i1 %equal, %earlier
  %taken = or i1 %better, %tie
  %best1 = select i1 %taken, double %own, double %best
  %best_at1 = select i1 %taken, i64 %own_at, i64 %best_at
  %l1 = add i64 %l, 1
  %more = icmp slt i64 %l1, {width}
  br i1 %more, label %among, label %done
"""

_FOUND = """done:
  %best_i = udiv i64 %best_at1, {n_b}
  %best_j = urem i64 %best_at1, {n_b}
  %best_in_a = mul i64 %best_i, {w_a}
  %best_in_b = mul i64 %best_j, {w_b}
  %best_a = getelementptr double, ptr @{name}_a, i64 %best_in_a
  %best_b = getelementptr double, ptr @{name}_b, i64 %best_in_b
  call void @{name}_found(ptr %x, i64 %stride, ptr %best_a, ptr %best_b, ptr %y)
  ret void
}}"""
