"""Equations of which some are in force: functions for SX expressions that solve and sum over those alone, in a loop.

With a mask of zeros and ones over n rows, over the rows i, j that are in force

    (S + ε) x = b,      S_ij = Σ_k L_ki R_kj,      x = 0 elsewhere

so that the time depends on the rows in force, not on all rows.  S may be singular where rows are redundant; ε then
keeps it solvable, and the solution is refined against ε = 0: with s = S/(S + ε) of a direction, the fraction
s² (3 − 2s) of b/S is taken, or s² with `gently`, which does not follow errors in which redundant rows contradict each
other.  S need not be symmetric.

What the solution does to others is again a sum over the rows in force, y_k = Σ_i C_ki x_i.

CasADi sees functions that are never inlined (an OP_CALL in SX); the structure of L, R and C is read back from them, and
the derivatives of a solution are the same function again, with other right-hand sides: S δx = δb − δS x, and Sᵀ = Rᵀ L
for the adjoint.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import casadi
import numpy as np

from linkwright.codegen.runtime import closed_routine

PREFIX, SUM = "lw_closed_", "lw_in_force_"


def solve_closed(L: casadi.SX, R: casadi.SX, epsilon: casadi.SX, mask: casadi.SX, b: casadi.SX,
                 gently: bool = False) -> casadi.SX:
    """x of the equations above, as an SX expression; L and R are k × n, the rest n × 1."""
    pattern = L.sparsity() + R.sparsity()
    dense = [casadi.densify(v) for v in (epsilon, mask, b)]
    return closed_function(pattern, gently)(casadi.project(L, pattern), casadi.project(R, pattern), *dense)


def sum_in_force(C: casadi.SX, mask: casadi.SX, x: casadi.SX) -> casadi.SX:
    """C x over the columns whose mask is not zero, as an SX expression; C is k × n, the others are n × 1."""
    C = casadi.sparsify(C)
    if not C.nnz():
        return casadi.SX(C.shape[0], 1)
    return sum_function(C.sparsity())(C, casadi.densify(mask), casadi.densify(x))


def closed_function(pattern: casadi.Sparsity, gently: bool) -> casadi.Function:
    """The function for L and R of a structure."""
    n = pattern.size2()
    key = hashlib.sha256(repr((pattern.colind(), pattern.row(), pattern.shape)).encode()).hexdigest()[:20]
    L, R = casadi.MX.sym("L", pattern), casadi.MX.sym("R", pattern)
    epsilon, mask, b = (casadi.MX.sym(name, n) for name in ("epsilon", "mask", "b"))
    S = casadi.diag(mask) @ casadi.densify(L.T @ R) @ casadi.diag(mask)
    A = S + casadi.diag(mask * epsilon + 1 - mask)
    first = casadi.solve(A, mask * b)
    second = casadi.solve(A, mask * epsilon * first)
    x = first - second if gently else first + second - 2 * casadi.solve(A, mask * epsilon * second)
    return casadi.Function(f"{PREFIX}{int(gently)}_{n}_{key}", [L, R, epsilon, mask, b], [x], {"never_inline": True})


def sum_function(pattern: casadi.Sparsity) -> casadi.Function:
    """The function for C of a structure."""
    key = hashlib.sha256(repr((pattern.colind(), pattern.row(), pattern.shape)).encode()).hexdigest()[:20]
    C, mask, x = casadi.MX.sym("C", pattern), *(casadi.MX.sym(name, pattern.size2()) for name in ("mask", "x"))
    y = casadi.densify(C @ casadi.if_else(mask != 0, x, 0))
    return casadi.Function(f"{SUM}{pattern.size2()}_{key}", [C, mask, x], [y], {"never_inline": True})


def is_closed(function: casadi.Function) -> bool:
    """Whether a called function is one of these."""
    return function.name().startswith((PREFIX, SUM))


def operand_masks(function: casadi.Function, operands: Sequence[int]) -> list[int | None]:
    """For every operand of a call, the operand that must not be zero for it to be read; None where it always is."""
    if not is_closed(function):
        return [None] * len(operands)
    pattern = function.sparsity_in(0)
    columns = [column for column, count in enumerate(np.diff(pattern.colind())) for _ in range(count)]
    rows: list[int] = list(range(pattern.size2()))
    n, sums = len(rows), function.name().startswith(SUM)
    first = pattern.nnz() if sums else 2 * pattern.nnz() + n
    masks, none = operands[first : first + n], [None] * n
    before = columns if sums else [*columns, *columns, *rows]
    return [*(masks[k] for k in before), *none, *(masks[k] for k in rows)]


def closed_derivative(function: casadi.Function) -> casadi.Function | None:
    """The SX form of a derivative of one of these, as CasADi asks for it; None if `function` is something else."""
    found = re.fullmatch(rf"(fwd|adj)(\d+)_{PREFIX}(\d)_\w+", function.name())
    if found is None:
        return _derivative_of_sum(function)
    pattern, n = function.sparsity_in(0), function.sparsity_in(0).size2()
    solve = closed_function(pattern, found[3] == "1")
    arguments = [casadi.SX.sym("a", function.sparsity_in(k)) for k in range(function.n_in())]
    (L, R, epsilon, mask, b), seeds = arguments[:5], arguments[6:]
    x = solve(L, R, epsilon, mask, b)
    results: list[list[casadi.SX]] = [[] for _ in range(function.n_out())]
    for way in range(int(found[2])):
        if found[1] == "fwd":
            dL, dR, db = (s[:, way * width : (way + 1) * width]
                          for s, width in ((seeds[0], n), (seeds[1], n), (seeds[4], 1)))
            results[0].append(solve(L, R, epsilon, mask, db - dL.T @ (R @ x) - L.T @ (dR @ x)))
            continue
        z, none = solve(R, L, epsilon, mask, seeds[0][:, way]), casadi.SX.zeros(n)
        given = (casadi.project(-(R @ x) @ z.T, pattern), casadi.project(-(L @ z) @ x.T, pattern), none, none, z)
        for result, value in zip(results, given, strict=True):
            result.append(value)
    outputs = [casadi.project(casadi.horzcat(*result), function.sparsity_out(k)) for k, result in enumerate(results)]
    return casadi.Function(f"{function.name()}_sx", arguments, outputs)


def _derivative_of_sum(function: casadi.Function) -> casadi.Function | None:
    """The same of a sum over what is in force."""
    found = re.fullmatch(rf"(fwd|adj)(\d+)_{SUM}\w+", function.name())
    if found is None:
        return None
    pattern, n = function.sparsity_in(0), function.sparsity_in(0).size2()
    add = sum_function(pattern)
    arguments = [casadi.SX.sym("a", function.sparsity_in(k)) for k in range(function.n_in())]
    (C, mask, x), seeds = arguments[:3], arguments[4:]
    results: list[list[casadi.SX]] = [[] for _ in range(function.n_out())]
    for way in range(int(found[2])):
        if found[1] == "fwd":
            dC, dx = seeds[0][:, way * n : (way + 1) * n], seeds[2][:, way]
            results[0].append(add(casadi.project(dC, pattern), mask, x) + add(C, mask, dx))
            continue
        seed, chosen = seeds[0][:, way], casadi.if_else(mask != 0, x, 0)
        given = (casadi.project(seed @ chosen.T, pattern), casadi.SX.zeros(n),
                 casadi.if_else(mask != 0, casadi.densify(C.T @ seed), 0))
        for result, value in zip(results, given, strict=True):
            result.append(value)
    outputs = [casadi.project(casadi.horzcat(*result), function.sparsity_out(k)) for k, result in enumerate(results)]
    return casadi.Function(f"{function.name()}_sx", arguments, outputs)


def closed_code(function: casadi.Function, _: int) -> tuple[str, ...]:
    """IR of `void @name(in, out, stride)`, and of what it calls; numbers of one call lie `stride` apart."""
    name, pattern = function.name(), function.sparsity_in(0)
    dims, n = pattern.shape
    arrays = "\n".join(
        f"@{name}_{part} = internal constant [{max(len(v), 1)} x i64] [{', '.join(f'i64 {a}' for a in v) or 'i64 0'}]"
        for part, v in (("starts", pattern.colind()), ("places", pattern.row()))
    )
    # one line each, as LLVM itself would write it: it is read again where C is made
    sums = name.startswith(SUM)
    scratch = "" if sums else "ptr %scratch, "
    given = (f"ptr %in, ptr %out, {scratch}i64 %stride, ptr @{name}_starts, ptr @{name}_places, i64 {n}, "
             f"i64 {dims}, i64 {pattern.nnz()}")
    if sums:
        call = f"  call void @lw_in_force({given})"
    else:
        call = f"""  %scratch = alloca double, i64 {pattern.nnz() + dims * n + n * n + 9 * n}, align 64
  call void @lw_closed({given}, i64 {int(name.removeprefix(PREFIX).split("_")[0])})"""
    text = f"""{arrays}
define void @{name}(ptr %in, ptr %out, i64 %stride) #0 {{
{call}
  ret void
}}"""
    return text, *closed_routine()
