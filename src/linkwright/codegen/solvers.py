"""Segments that loop: dense solves, and Newton's method on top of them.

What they do with numbers are functions of the dialect (`dense_solves`), one lane after the other, since pivots differ
from lane to lane; here stand their calls, with the places of the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from linkwright.codegen.elementary import literal
from linkwright.codegen.piece import Lanes

if TYPE_CHECKING:
    from .program import Newton

_POINTERS = "ptr noalias readonly %in, ptr noalias %out, ptr noalias %work"


def _function(name: str, places: dict[str, tuple[str, int]], lanes: Lanes, body: str) -> str:
    """`void @name(in, out, work)` in which vectors have names; the places are (base, offset)."""
    pointers = "\n".join(f"  %{own} = getelementptr double, ptr {base}, i64 {offset * lanes.width}"
                         for own, (base, offset) in places.items())
    return f"define internal void @{name}({_POINTERS}) #0 {{\nentry:\n{pointers}\n{body}\n}}"


def _call(name: str, vectors: Iterable[str], n: int, lanes: Lanes) -> str:
    """A call of a function of `dense_solves`, but for what follows the number of lanes."""
    return f"@{name}({', '.join(f'ptr %{own}' for own in vectors)}, i64 {n}, i64 {lanes.width}"


def emit_solve(name: str, n: int, matrix: tuple[str, int], rhs: tuple[str, int], solution: tuple[str, int],
               scratch: int, lanes: Lanes) -> str:
    """`void @name(in, out, work)`: solution = matrix⁻¹ rhs in every lane."""
    places = {"A": matrix, "b": rhs, "x": solution, "scratch": ("%work", scratch)}
    return _function(name, places, lanes, f"  call void {_call('lw_solve_lanes', places, n, lanes)})\n  ret void")


def emit_newton(name: str, n: int, segment: Newton, places: dict, scratch: int, lanes: Lanes) -> str:
    """`void @name(in, out, work)` around `@name_both` (residual and Jacobian) and `@name_residual`.

    `places` are those of unknown, guess, status, stalled, residual, jacobian.
    """
    places = {**places, "scratch": ("%work", scratch)}
    begin = _call("lw_newton_begin", ("unknown", "guess", "status", "stalled"), n, lanes)
    step = ("unknown", "jacobian", "residual", "status", "stalled", "scratch")
    arguments = "ptr %in, ptr %out, ptr %work"
    if segment.affine:
        return _function(name, places, lanes, f"""  call void {begin})
  call void @{name}_both({arguments})
  call void {_call("lw_affine_step", step, n, lanes)})
  call void @{name}_residual({arguments})
  call void {_call("lw_affine_end", ("residual", "status"), n, lanes)})
  ret void""")
    limits = f"double {literal(segment.tolerance)}, double {literal(float(segment.max_iterations))}"
    return _function(name, places, lanes, f"""  call void {begin})
  br label %iterate
iterate:
  call void @{name}_both({arguments})
  %going = call i64 {_call("lw_newton_step", step, n, lanes)}, {limits})
  %again = icmp ne i64 %going, 0
  br i1 %again, label %iterate, label %done
done:
  ret void""")
