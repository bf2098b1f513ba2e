"""Segments that loop: dense solves, and Newton's method on top of them.

Pivots differ from lane to lane, so systems are solved one lane at a time: gathered into a contiguous matrix [A | b]
at `scratch`, eliminated, scattered back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwright.codegen.elementary import literal
from linkwright.codegen.piece import Lanes

if TYPE_CHECKING:
    from .program import Newton

_POINTERS = "ptr noalias readonly %in, ptr noalias %out, ptr noalias %work"


def _address(name: str, place: tuple[str, int], lanes: Lanes, lane: str = "%l") -> str:
    """Two lines: pointer `name` to the first element of a vector in one lane."""
    base, offset = place
    return f"""  %{name}_0 = getelementptr double, ptr {base}, i64 {offset * lanes.width}
  %{name} = getelementptr double, ptr %{name}_0, i64 {lane}"""


def _each_lane(lanes: Lanes, body: str) -> str:
    """`body` for %l = 0 … W − 1; control flow inside must end in label %next."""
    return f"""  br label %lane
lane:
  %l = phi i64 [ 0, %entry ], [ %l1, %next ]
{body}
  br label %next
next:
  %l1 = add i64 %l, 1
  %lane_more = icmp slt i64 %l1, {lanes.width}
  br i1 %lane_more, label %lane, label %done
done:"""


def _factor_and_solve(n: int, lanes: Lanes) -> str:
    """Gather %A and %b of one lane, solve; the solution is at %x."""
    w = lanes.width
    return f"""  %x = getelementptr double, ptr %scratch, i64 {n * n}
  call void @lw_copy(ptr %scratch, ptr %A, i64 {n * n}, i64 1, i64 {w})
  call void @lw_copy(ptr %x, ptr %b, i64 {n}, i64 1, i64 {w})
  call void @lw_solve(ptr %scratch, i64 {n})"""


def emit_solve(name: str, n: int, matrix: tuple[str, int], rhs: tuple[str, int], solution: tuple[str, int],
               scratch: int, lanes: Lanes) -> str:
    """`void @name(in, out, work)`: solution = matrix⁻¹ rhs in every lane; the places are (base, offset)."""
    body = f"""{_address("A", matrix, lanes)}
{_address("b", rhs, lanes)}
{_address("y", solution, lanes)}
{_factor_and_solve(n, lanes)}
  call void @lw_copy(ptr %y, ptr %x, i64 {n}, i64 {lanes.width}, i64 1)"""
    return f"""define internal void @{name}({_POINTERS}) #0 {{
entry:
  %scratch = getelementptr double, ptr %work, i64 {scratch * lanes.width}
{_each_lane(lanes, body)}
  ret void
}}"""


def emit_newton(name: str, n: int, segment: Newton, places: dict, scratch: int, lanes: Lanes) -> str:
    """`void @name(in, out, work)` around `@name_both` (residual and Jacobian) and `@name_residual`.

    `places` are (base, offset) of unknown, guess, status, stalled, residual, jacobian.  A lane that has finished no
    longer changes, so evaluating it again with the others gives the same decision: no masks are needed.
    """
    w = lanes.width
    pointers = "\n".join(
        _address(short, places[key], lanes)
        for short, key in (
            ("y", "unknown"),
            ("g", "guess"),
            ("st", "status"),
            ("fl", "stalled"),
            ("b", "residual"),
            ("A", "jacobian"),
        )
    )
    pointers += f"""
  %st1 = getelementptr double, ptr %st, i64 {w}
  %scratch = getelementptr double, ptr %work, i64 {scratch * w}"""
    arguments = "ptr %in, ptr %out, ptr %work"
    start = f"""define internal void @{name}_start({_POINTERS}) #0 {{
entry:
{_each_lane(lanes, f'''{pointers}
  call void @lw_copy(ptr %y, ptr %g, i64 {n}, i64 {w}, i64 {w})
  store double 0.0, ptr %st, align 8
  store double 0.0, ptr %fl, align 8''')}
  ret void
}}
"""
    solve = f"""{_factor_and_solve(n, lanes)}
  %small = call i64 @lw_advance(ptr %y, ptr %x, i64 {n}, i64 {w})
  %flag = sitofp i64 %small to double
  store double %flag, ptr %fl, align 8
  %count = load double, ptr %st, align 8
  %count1 = fadd double %count, 1.0
  store double %count1, ptr %st, align 8"""
    if segment.affine:
        return start + f"""define internal void @{name}_step({_POINTERS}) #0 {{
entry:
{_each_lane(lanes, pointers + chr(10) + solve)}
  ret void
}}
define internal void @{name}_norm({_POINTERS}) #0 {{
entry:
{_each_lane(lanes, f'''{pointers}
  %norm = call double @lw_norm(ptr %b, i64 {n}, i64 {w})
  store double %norm, ptr %st1, align 8''')}
  ret void
}}
define internal void @{name}({_POINTERS}) #0 {{
  call void @{name}_start({arguments})
  call void @{name}_both({arguments})
  call void @{name}_step({arguments})
  call void @{name}_residual({arguments})
  call void @{name}_norm({arguments})
  ret void
}}"""
    decide = f"""{pointers}
  %norm = call double @lw_norm(ptr %b, i64 {n}, i64 {w})
  store double %norm, ptr %st1, align 8
  %iterations = load double, ptr %st, align 8
  %stalled = load double, ptr %fl, align 8
  %c1 = fcmp ogt double %norm, {literal(segment.tolerance)}
  %c2 = fcmp olt double %norm, {literal(float("inf"))}
  %c3 = fcmp olt double %iterations, {literal(float(segment.max_iterations))}
  %c4 = fcmp oeq double %stalled, 0.0
  %c12 = and i1 %c1, %c2
  %c34 = and i1 %c3, %c4
  %go = and i1 %c12, %c34
  br i1 %go, label %solve, label %next
solve:
{solve}
  store i1 true, ptr %active
"""
    return start + f"""define internal i1 @{name}_step({_POINTERS}) #0 {{
entry:
  %active = alloca i1
  store i1 false, ptr %active
{_each_lane(lanes, decide)}
  %result = load i1, ptr %active
  ret i1 %result
}}
define internal void @{name}({_POINTERS}) #0 {{
entry:
  call void @{name}_start({arguments})
  br label %iterate
iterate:
  call void @{name}_both({arguments})
  %again = call i1 @{name}_step({arguments})
  br i1 %again, label %iterate, label %done
done:
  ret void
}}"""
