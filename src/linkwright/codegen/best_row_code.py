"""Searches for the best row of a table (`best_row`) as LLVM IR: rows of the inner table are scored side by side."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from linkwright.codegen.best_row import Least, least_of
from linkwright.codegen.instruction_order import interleaved
from linkwright.codegen.instructions import LOAD, Code
from linkwright.codegen.piece import Lanes, Piece, Support
from linkwright.codegen.surfaces import is_surface, surface_code
from linkwright.errors import LinkwrightError

from .tolerances import ROWS_TOGETHER


def least_code(function: ca.Function, vector: int) -> tuple[str, ...]:
    """IR of `void @name(x, y, stride)` of one of our searches, and what it calls."""
    from .dialect import ByName, named
    from .loops_of_calls import best

    least, name, support = least_of(function), function.name(), Support(vector)
    if len(least.b) == 1:
        least = _exchanged(least)
    width = max(vector, ROWS_TOGETHER) if vector else 1
    # the last row again and again, to whole vectors: of equal scores the first is taken
    padded = np.pad(least.b, ((0, -len(least.b) % width), (0, 0)), mode="edge")
    known = {"N_IN": least.n_in, "N_OUT": least.n_out, "N_A": len(least.a), "N_B": len(padded), "WIDTH": width,
             "A": least.a, "B": least.b, "COLUMNS": padded.T.ravel(), "scores": ByName(f"{name}_scores", 4),
             "results": ByName(f"{name}_found", 4)}
    text = "\n".join([_scores(f"{name}_scores", least, len(padded), width, support),
                      _found(f"{name}_found", least, support), named(best, name, known)[0]])
    intrinsics = [line for line in support.declarations if "@llvm." in line]
    return text, *sorted(support.definitions), *intrinsics


def _exchanged(least: Least) -> Least:
    """The same search with the two tables exchanged; with one row in either of them the order is the same."""
    x, a, b = (ca.SX.sym(name, least.kernel.numel_in(k)) for k, name in enumerate("xab"))
    return Least(ca.Function("kernel", [x, b, a], [least.kernel(x, a, b)]), least.b, least.a)


_GIVEN = "ptr readonly %x, ptr readonly %a, ptr readonly %b, ptr %y"


def _scores(name: str, least: Least, n_b: int, width: int, support: Support) -> str:
    """IR of the scores of a row of a with rows of b side by side, whose columns lie `n_b` apart."""
    lanes = Lanes(width)

    def load(piece: Piece, base: str, k: int) -> str:
        if base == "%b":
            at = piece.line(f"getelementptr double, ptr %b, i64 {k * n_b}")
            return piece.line(f"load {lanes.real}, ptr {at}, align 8")
        one = _number(piece, base, k)
        if width == 1:
            return one
        first = piece.line(f"insertelement {lanes.real} poison, double {one}, i64 0")
        return piece.line(f"shufflevector {lanes.real} {first}, {lanes.real} poison, <{width} x i32> zeroinitializer")

    piece, found = _kernel(least, 1, lanes, support, load)
    piece.lines.append(f"  store {lanes.real} {piece.operand(found[0])}, ptr %y, align 8")
    return "\n".join([f"define internal void @{name}({_GIVEN}) #0 {{", "entry:", *piece.lines, "  ret void", "}"])


def _found(name: str, least: Least, support: Support) -> str:
    """IR that stores all results of one pair of rows in y."""
    piece, found = _kernel(least, least.n_out, Lanes(1), support, _number)
    for k, v in enumerate(found):
        at = piece.line(f"getelementptr double, ptr %y, i64 {k}")
        piece.lines.append(f"  store double {piece.operand(v)}, ptr {at}, align 8")
    return "\n".join([f"define internal void @{name}({_GIVEN}) #0 {{", "entry:", *piece.lines, "  ret void", "}"])


def _number(piece: Piece, base: str, k: int) -> str:
    at = piece.line(f"getelementptr double, ptr {base}, i64 {k}")
    return piece.line(f"load double, ptr {at}, align 8")


def _kernel(least: Least, wanted: int, lanes: Lanes, support: Support,
            load: Callable[[Piece, str, int], str]) -> tuple[Piece, list[int]]:
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
    for base, values in zip(("%x", "%a", "%b"), places, strict=True):
        for k, v in enumerate(values):
            if v in used:
                piece.names[v] = load(piece, base, k)
    for v in interleaved(code, live):
        if code.op[v] not in (ca.OP_CONST, LOAD):
            piece.compute(v)
    return piece, found

