"""Equations of which some are in force: a function for SX expressions that solves over those alone, in a loop.

With a mask of zeros and ones over n rows, over the rows i, j that are in force

    (S + ε) x = b,      S_ij = Σ_k L_ki R_kj,      x = 0 elsewhere

so that the time depends on the rows in force, not on all rows.  S may be singular where rows are redundant; ε then
keeps it solvable, and the solution is refined against ε = 0: with s = S/(S + ε) of a direction, the fraction
s² (3 − 2s) of b/S is taken, or s² with `gently`, which does not follow errors in which redundant rows contradict each
other.  S need not be symmetric.

CasADi sees a function that is never inlined (an OP_CALL in SX); the structure of L and R is read back from it, and its
derivatives are the same function again, with other right-hand sides: S δx = δb − δS x, and Sᵀ = Rᵀ L for the adjoint.
"""

from __future__ import annotations

import hashlib
import re

import casadi

from linkwright.codegen.runtime import closed_routine

PREFIX = "lw_closed_"


def solve_closed(L: casadi.SX, R: casadi.SX, epsilon: casadi.SX, mask: casadi.SX, b: casadi.SX,
                 gently: bool = False) -> casadi.SX:
    """x of the equations above, as an SX expression; L and R are k × n, the rest n × 1."""
    pattern = L.sparsity() + R.sparsity()
    dense = [casadi.densify(v) for v in (epsilon, mask, b)]
    return closed_function(pattern, gently)(casadi.project(L, pattern), casadi.project(R, pattern), *dense)


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


def is_closed(function: casadi.Function) -> bool:
    """Whether a called function is one of these."""
    return function.name().startswith(PREFIX)


def closed_derivative(function: casadi.Function) -> casadi.Function | None:
    """The SX form of a derivative of one of these, as CasADi asks for it; None if `function` is something else."""
    found = re.fullmatch(rf"(fwd|adj)(\d+)_{PREFIX}(\d)_\w+", function.name())
    if found is None:
        return None
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


def closed_code(function: casadi.Function, _: int) -> tuple[str, ...]:
    """IR of `void @name(in, out, stride)`, and of what it calls; numbers of one call lie `stride` apart."""
    name, pattern = function.name(), function.sparsity_in(0)
    gently = int(name.removeprefix(PREFIX).split("_")[0])
    dims, n = pattern.shape
    arrays = "\n".join(
        f"@{name}_{part} = internal constant [{max(len(v), 1)} x i64] [{', '.join(f'i64 {a}' for a in v) or 'i64 0'}]"
        for part, v in (("starts", pattern.colind()), ("places", pattern.row()))
    )
    # one line, as LLVM itself would write it: it is read again where C is made
    given = (f"ptr %in, ptr %out, ptr %scratch, i64 %stride, ptr @{name}_starts, ptr @{name}_places, i64 {n}, "
             f"i64 {dims}, i64 {pattern.nnz()}, i64 {gently}")
    text = f"""{arrays}
define void @{name}(ptr %in, ptr %out, i64 %stride) #0 {{
  %scratch = alloca double, i64 {2 * pattern.nnz() + dims * n + n * n + 8 * n}, align 64
  call void @lw_closed({given})
  ret void
}}"""
    return text, *closed_routine()
