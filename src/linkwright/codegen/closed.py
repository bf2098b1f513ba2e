"""Equations of which some are in force: a function for SX expressions that solves over those alone, in a loop.

With a mask of zeros and ones over n rows, over the rows i, j that are in force

    (S + ε) x = b,      S_ij = Σ_k L_ki R_kj,      x = 0 elsewhere

so that time follows what is in force, not what could be.  S may be singular where rows repeat each other; ε then keeps
it solvable, and the solution is refined against ε = 0: with s = S/(S + ε) of a direction, the part s² (3 − 2s) of b/S
is taken, or with `gently` s², which leaves alone what rows contradict each other in.  S need not be symmetric.

CasADi sees a function that is never inlined (an OP_CALL in SX); the structure of L and R is read back from it, and its
derivatives are the same function again, with other right-hand sides: S δx = δb − δS x, and Sᵀ = Rᵀ L for the adjoint.
"""

from __future__ import annotations

import hashlib
import re

import casadi

from linkwright.codegen.runtime import runtime

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


def closed_code(function: casadi.Function, vector: int) -> tuple[str, ...]:
    """IR of `void @name(in, out, stride)`, and of what it calls; numbers of one call lie `stride` apart."""
    name, pattern = function.name(), function.sparsity_in(0)
    gently = int(name.removeprefix(PREFIX).split("_")[0])
    dims, n = pattern.shape
    arrays = "\n".join(
        f"@{name}_{part} = internal constant [{max(len(v), 1)} x i64] [{', '.join(f'i64 {a}' for a in v) or 'i64 0'}]"
        for part, v in (("starts", pattern.colind()), ("places", pattern.row()))
    )
    text = f"""{arrays}
define void @{name}(ptr %in, ptr %out, i64 %stride) #0 {{
  %scratch = alloca double, i64 {2 * pattern.nnz() + dims + n * n + 8 * n}, align 64
  call void @lw_closed(ptr %in, ptr %out, ptr %scratch, i64 %stride, ptr @{name}_starts, ptr @{name}_places, i64 {n},
    i64 {dims}, i64 {pattern.nnz()}, i1 {gently})
  ret void
}}"""
    return text, ROUTINE, runtime(vector), "declare double @llvm.fabs.f64(double)"


# scratch: L and R (count each) | ε | mask | b | one column over all k | rows in force | order | A | three vectors
ROUTINE = """
; y[i] = ε[rows[i]] x[i]
define internal void @lw_weighted(ptr %y, ptr %x, ptr %epsilon, ptr %rows, i64 %m) #0 {
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, %m
  br i1 %more, label %body, label %done
body:
  %pr = getelementptr i64, ptr %rows, i64 %i
  %r = load i64, ptr %pr, align 8
  %pe = getelementptr double, ptr %epsilon, i64 %r
  %e = load double, ptr %pe, align 8
  %px = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %px, align 8
  %w = fmul double %e, %v
  %py = getelementptr double, ptr %y, i64 %i
  store double %w, ptr %py, align 8
  %i1 = add i64 %i, 1
  br label %test
done:
  ret void
}
define void @lw_closed(ptr %in, ptr %out, ptr %scratch, i64 %stride, ptr %starts, ptr %places, i64 %n, i64 %dims,
                       i64 %count, i1 %gently) #0 {
entry:
  %R = getelementptr double, ptr %scratch, i64 %count
  %epsilon = getelementptr double, ptr %R, i64 %count
  %mask = getelementptr double, ptr %epsilon, i64 %n
  %b = getelementptr double, ptr %mask, i64 %n
  %w = getelementptr double, ptr %b, i64 %n
  %rows = getelementptr double, ptr %w, i64 %dims
  %order = getelementptr double, ptr %rows, i64 %n
  %A = getelementptr double, ptr %order, i64 %n
  %nn = mul i64 %n, %n
  %x = getelementptr double, ptr %A, i64 %nn
  %x2 = getelementptr double, ptr %x, i64 %n
  %x3 = getelementptr double, ptr %x2, i64 %n
  %n3 = mul i64 %n, 3
  %two = shl i64 %count, 1
  %all = add i64 %two, %n3
  call void @lw_copy(ptr %scratch, ptr %in, i64 %all, i64 1, i64 %stride)
  br label %choose
choose:
  %c = phi i64 [ 0, %entry ], [ %c1, %choose_next ]
  %m = phi i64 [ 0, %entry ], [ %m1, %choose_next ]
  %choose_more = icmp slt i64 %c, %n
  br i1 %choose_more, label %choose_body, label %clear
choose_body:
  %c1 = add i64 %c, 1
  %oc = mul i64 %c, %stride
  %po = getelementptr double, ptr %out, i64 %oc
  store double 0.0, ptr %po, align 8
  %pm = getelementptr double, ptr %mask, i64 %c
  %vm = load double, ptr %pm, align 8
  %on = fcmp une double %vm, 0.0
  br i1 %on, label %choose_take, label %choose_next
choose_take:
  %pt = getelementptr i64, ptr %rows, i64 %m
  store i64 %c, ptr %pt, align 8
  %pb = getelementptr double, ptr %b, i64 %c
  %vb = load double, ptr %pb, align 8
  %px = getelementptr double, ptr %x, i64 %m
  store double %vb, ptr %px, align 8
  %mt = add i64 %m, 1
  br label %choose_next
choose_next:
  %m1 = phi i64 [ %m, %choose_body ], [ %mt, %choose_take ]
  br label %choose
clear:
  %z = phi i64 [ 0, %choose ], [ %z1, %clear_body ]
  %clear_more = icmp slt i64 %z, %dims
  br i1 %clear_more, label %clear_body, label %column
clear_body:
  %pz = getelementptr double, ptr %w, i64 %z
  store double 0.0, ptr %pz, align 8
  %z1 = add i64 %z, 1
  br label %clear
column:
  %j = phi i64 [ 0, %clear ], [ %j1, %wipe_done ]
  %column_more = icmp slt i64 %j, %m
  br i1 %column_more, label %column_body, label %solve
column_body:
  %j1 = add i64 %j, 1
  %pj = getelementptr i64, ptr %rows, i64 %j
  %cj = load i64, ptr %pj, align 8
  %ps = getelementptr i64, ptr %starts, i64 %cj
  %s0 = load i64, ptr %ps, align 8
  %pe = getelementptr i64, ptr %ps, i64 1
  %s1 = load i64, ptr %pe, align 8
  br label %spread
spread:
  %p = phi i64 [ %s0, %column_body ], [ %p1, %spread_body ]
  %spread_more = icmp slt i64 %p, %s1
  br i1 %spread_more, label %spread_body, label %row
spread_body:
  %pp = getelementptr i64, ptr %places, i64 %p
  %at = load i64, ptr %pp, align 8
  %pR = getelementptr double, ptr %R, i64 %p
  %vR = load double, ptr %pR, align 8
  %pw = getelementptr double, ptr %w, i64 %at
  store double %vR, ptr %pw, align 8
  %p1 = add i64 %p, 1
  br label %spread
row:
  %i = phi i64 [ 0, %spread ], [ %i1, %row_done ]
  %row_more = icmp slt i64 %i, %m
  br i1 %row_more, label %row_body, label %wipe
row_body:
  %i1 = add i64 %i, 1
  %pi = getelementptr i64, ptr %rows, i64 %i
  %ci = load i64, ptr %pi, align 8
  %qs = getelementptr i64, ptr %starts, i64 %ci
  %t0 = load i64, ptr %qs, align 8
  %qe = getelementptr i64, ptr %qs, i64 1
  %t1 = load i64, ptr %qe, align 8
  br label %dot
dot:
  %q = phi i64 [ %t0, %row_body ], [ %q1, %dot_body ]
  %sum = phi double [ 0.0, %row_body ], [ %sum1, %dot_body ]
  %dot_more = icmp slt i64 %q, %t1
  br i1 %dot_more, label %dot_body, label %row_done
dot_body:
  %qp = getelementptr i64, ptr %places, i64 %q
  %qat = load i64, ptr %qp, align 8
  %pL = getelementptr double, ptr %scratch, i64 %q
  %vL = load double, ptr %pL, align 8
  %qw = getelementptr double, ptr %w, i64 %qat
  %vw = load double, ptr %qw, align 8
  %product = fmul double %vL, %vw
  %sum1 = fadd double %sum, %product
  %q1 = add i64 %q, 1
  br label %dot
row_done:
  %same = icmp eq i64 %i, %j
  %pE = getelementptr double, ptr %epsilon, i64 %ci
  %vE = load double, ptr %pE, align 8
  %own = select i1 %same, double %vE, double 0.0
  %entry_ij = fadd double %sum, %own
  %ja = mul i64 %j, %m
  %ia = add i64 %ja, %i
  %pA = getelementptr double, ptr %A, i64 %ia
  store double %entry_ij, ptr %pA, align 8
  br label %row
wipe:
  %v = phi i64 [ %s0, %row ], [ %v1, %wipe_body ]
  %wipe_more = icmp slt i64 %v, %s1
  br i1 %wipe_more, label %wipe_body, label %wipe_done
wipe_body:
  %vp = getelementptr i64, ptr %places, i64 %v
  %vat = load i64, ptr %vp, align 8
  %vpw = getelementptr double, ptr %w, i64 %vat
  store double 0.0, ptr %vpw, align 8
  %v1 = add i64 %v, 1
  br label %wipe
wipe_done:
  br label %column
solve:
  call void @lw_factor(ptr %A, ptr %order, i64 %m)
  call void @lw_substitute(ptr %A, ptr %order, ptr %x, i64 %m)
  call void @lw_weighted(ptr %x2, ptr %x, ptr %epsilon, ptr %rows, i64 %m)
  call void @lw_substitute(ptr %A, ptr %order, ptr %x2, i64 %m)
  call void @lw_weighted(ptr %x3, ptr %x2, ptr %epsilon, ptr %rows, i64 %m)
  call void @lw_substitute(ptr %A, ptr %order, ptr %x3, i64 %m)
  %f2 = select i1 %gently, double -1.0, double 1.0
  %f3 = select i1 %gently, double 0.0, double 2.0
  br label %give
give:
  %g = phi i64 [ 0, %solve ], [ %g1, %give_body ]
  %give_more = icmp slt i64 %g, %m
  br i1 %give_more, label %give_body, label %done
give_body:
  %gx = getelementptr double, ptr %x, i64 %g
  %gx2 = getelementptr double, ptr %x2, i64 %g
  %gx3 = getelementptr double, ptr %x3, i64 %g
  %a1 = load double, ptr %gx, align 8
  %a2 = load double, ptr %gx2, align 8
  %a3 = load double, ptr %gx3, align 8
  %b2 = fmul double %f2, %a2
  %b3 = fmul double %f3, %a3
  %b12 = fadd double %a1, %b2
  %found = fsub double %b12, %b3
  %gp = getelementptr i64, ptr %rows, i64 %g
  %gr = load i64, ptr %gp, align 8
  %go = mul i64 %gr, %stride
  %gq = getelementptr double, ptr %out, i64 %go
  store double %found, ptr %gq, align 8
  %g1 = add i64 %g, 1
  br label %give
done:
  ret void
}
"""
