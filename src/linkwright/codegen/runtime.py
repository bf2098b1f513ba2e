"""Routines in IR that the solvers share: copies, norms, LU with partial pivoting.

Inner loops run down columns in vectors of V elements; every element sees the same operations in the same order
whatever V is, so the bits do not depend on it.
"""

from __future__ import annotations

from linkwright.codegen.elementary import literal

STALL = 2.0**-50  # a relative step below this changes nothing any more
RUNTIME = {
    "declare void @lw_copy(ptr, ptr, i64, i64, i64)",
    "declare double @lw_norm(ptr, i64, i64)",
    "declare void @lw_solve(ptr, i64)",
    "declare i1 @lw_advance(ptr, ptr, i64, i64)",
}


def runtime(vector: int) -> str:
    """IR of the routines that all solvers share; `vector` is the number of doubles in a register."""
    v = f"<{vector} x double>"
    return f"""
; to[i·ts] = from[i·fs],  i < n
define void @lw_copy(ptr %to, ptr %from, i64 %n, i64 %ts, i64 %fs) #0 {{
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %body, label %done
body:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %a = mul i64 %i, %fs
  %b = mul i64 %i, %ts
  %p = getelementptr double, ptr %from, i64 %a
  %q = getelementptr double, ptr %to, i64 %b
  %x = load double, ptr %p, align 8
  store double %x, ptr %q, align 8
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %n
  br i1 %more, label %body, label %done
done:
  ret void
}}
; max |x[i·s]|, NaN if one is
define double @lw_norm(ptr %x, i64 %n, i64 %s) #0 {{
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %m = phi double [ 0.0, %entry ], [ %m1, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %o = mul i64 %i, %s
  %p = getelementptr double, ptr %x, i64 %o
  %v = load double, ptr %p, align 8
  %a = call double @llvm.fabs.f64(double %v)
  %gt = fcmp ogt double %a, %m
  %nan = fcmp uno double %a, %a
  %take = or i1 %gt, %nan
  %m1 = select i1 %take, double %a, double %m
  %i1 = add i64 %i, 1
  br label %test
done:
  ret double %m
}}
; y[i] −= f x[i],  i < n
define internal void @lw_eliminate(ptr %y, ptr %x, double %f, i64 %n) #0 {{
entry:
  %e = insertelement {v} poison, double %f, i64 0
  %fv = shufflevector {v} %e, {v} poison, <{vector} x i32> zeroinitializer
  br label %vtest
vtest:
  %i = phi i64 [ 0, %entry ], [ %i1, %vbody ]
  %i1 = add i64 %i, {vector}
  %fits = icmp sle i64 %i1, %n
  br i1 %fits, label %vbody, label %test
vbody:
  %pv = getelementptr double, ptr %x, i64 %i
  %qv = getelementptr double, ptr %y, i64 %i
  %xv = load {v}, ptr %pv, align 8
  %yv = load {v}, ptr %qv, align 8
  %mv = fmul {v} %xv, %fv
  %sv = fsub {v} %yv, %mv
  store {v} %sv, ptr %qv, align 8
  br label %vtest
test:
  %j = phi i64 [ %i, %vtest ], [ %j1, %body ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr double, ptr %x, i64 %j
  %q = getelementptr double, ptr %y, i64 %j
  %a = load double, ptr %p, align 8
  %b = load double, ptr %q, align 8
  %m = fmul double %a, %f
  %s = fsub double %b, %m
  store double %s, ptr %q, align 8
  %j1 = add i64 %j, 1
  br label %test
done:
  ret void
}}
; A by columns, n × n, becomes its factors L and U; row k was exchanged with row order[k]
define void @lw_factor(ptr %a, ptr %order, i64 %n) #0 {{
entry:
  br label %column
column:
  %k = phi i64 [ 0, %entry ], [ %k1, %update_test ]
  %k1 = add i64 %k, 1
  %in_range = icmp slt i64 %k, %n
  br i1 %in_range, label %pivot_start, label %done
pivot_start:
  %ck0 = mul i64 %k, %n
  %ck = getelementptr double, ptr %a, i64 %ck0
  %pkk = getelementptr double, ptr %ck, i64 %k
  br label %pivot
pivot:
  %i = phi i64 [ %k, %pivot_start ], [ %i1, %pivot_body ]
  %best = phi double [ -1.0, %pivot_start ], [ %best1, %pivot_body ]
  %row = phi i64 [ %k, %pivot_start ], [ %row1, %pivot_body ]
  %pivot_more = icmp slt i64 %i, %n
  br i1 %pivot_more, label %pivot_body, label %pivot_done
pivot_body:
  %pi = getelementptr double, ptr %ck, i64 %i
  %xi = load double, ptr %pi, align 8
  %ai = call double @llvm.fabs.f64(double %xi)
  %larger = fcmp ogt double %ai, %best
  %best1 = select i1 %larger, double %ai, double %best
  %row1 = select i1 %larger, i64 %i, i64 %row
  %i1 = add i64 %i, 1
  br label %pivot
pivot_done:
  %po = getelementptr i64, ptr %order, i64 %k
  store i64 %row, ptr %po, align 8
  %stay = icmp eq i64 %row, %k
  br i1 %stay, label %divide_start, label %swap
swap:
  %j = phi i64 [ 0, %pivot_done ], [ %j1, %swap ]
  %cj0 = mul i64 %j, %n
  %cj = getelementptr double, ptr %a, i64 %cj0
  %sp = getelementptr double, ptr %cj, i64 %k
  %sq = getelementptr double, ptr %cj, i64 %row
  %sx = load double, ptr %sp, align 8
  %sy = load double, ptr %sq, align 8
  store double %sy, ptr %sp, align 8
  store double %sx, ptr %sq, align 8
  %j1 = add i64 %j, 1
  %swap_more = icmp slt i64 %j1, %n
  br i1 %swap_more, label %swap, label %divide_start
divide_start:
  %akk = load double, ptr %pkk, align 8
  br label %divide
divide:
  %d = phi i64 [ %k1, %divide_start ], [ %d1, %divide_body ]
  %divide_more = icmp slt i64 %d, %n
  br i1 %divide_more, label %divide_body, label %update_start
divide_body:
  %pd = getelementptr double, ptr %ck, i64 %d
  %xd = load double, ptr %pd, align 8
  %ld = fdiv double %xd, %akk
  store double %ld, ptr %pd, align 8
  %d1 = add i64 %d, 1
  br label %divide
update_start:
  %lk = getelementptr double, ptr %ck, i64 %k1
  %below = sub i64 %n, %k1
  br label %update_test
update_test:
  %u = phi i64 [ %k1, %update_start ], [ %u1, %update ]
  %update_more = icmp slt i64 %u, %n
  br i1 %update_more, label %update, label %column
update:
  %cu0 = mul i64 %u, %n
  %cu = getelementptr double, ptr %a, i64 %cu0
  %puk = getelementptr double, ptr %cu, i64 %k
  %f = load double, ptr %puk, align 8
  %yu = getelementptr double, ptr %cu, i64 %k1
  call void @lw_eliminate(ptr %yu, ptr %lk, double %f, i64 %below)
  %u1 = add i64 %u, 1
  br label %update_test
done:
  ret void
}}
; b becomes A⁻¹ b, by the factors of A
define void @lw_substitute(ptr %a, ptr %order, ptr %b, i64 %n) #0 {{
entry:
  br label %exchange
exchange:
  %e = phi i64 [ 0, %entry ], [ %e1, %exchange_body ]
  %exchange_more = icmp slt i64 %e, %n
  br i1 %exchange_more, label %exchange_body, label %forward
exchange_body:
  %po = getelementptr i64, ptr %order, i64 %e
  %row = load i64, ptr %po, align 8
  %pe = getelementptr double, ptr %b, i64 %e
  %pw = getelementptr double, ptr %b, i64 %row
  %xe = load double, ptr %pe, align 8
  %xw = load double, ptr %pw, align 8
  store double %xw, ptr %pe, align 8
  store double %xe, ptr %pw, align 8
  %e1 = add i64 %e, 1
  br label %exchange
forward:
  %k = phi i64 [ 0, %exchange ], [ %k1, %forward_body ]
  %forward_more = icmp slt i64 %k, %n
  br i1 %forward_more, label %forward_body, label %back
forward_body:
  %k1 = add i64 %k, 1
  %below = sub i64 %n, %k1
  %ck0 = mul i64 %k, %n
  %ck = getelementptr double, ptr %a, i64 %ck0
  %lk = getelementptr double, ptr %ck, i64 %k1
  %pk = getelementptr double, ptr %b, i64 %k
  %f = load double, ptr %pk, align 8
  %yk = getelementptr double, ptr %b, i64 %k1
  call void @lw_eliminate(ptr %yk, ptr %lk, double %f, i64 %below)
  br label %forward
back:
  %r1 = phi i64 [ %n, %forward ], [ %r, %back_body ]
  %back_more = icmp sgt i64 %r1, 0
  br i1 %back_more, label %back_body, label %done
back_body:
  %r = sub i64 %r1, 1
  %cr0 = mul i64 %r, %n
  %cr = getelementptr double, ptr %a, i64 %cr0
  %prr = getelementptr double, ptr %cr, i64 %r
  %arr = load double, ptr %prr, align 8
  %pb = getelementptr double, ptr %b, i64 %r
  %xb = load double, ptr %pb, align 8
  %x = fdiv double %xb, %arr
  store double %x, ptr %pb, align 8
  call void @lw_eliminate(ptr %b, ptr %cr, double %x, i64 %r)
  br label %back
done:
  ret void
}}
; [A | b | order], n × n, n and n: A is destroyed, b becomes A⁻¹ b
define void @lw_solve(ptr %a, i64 %n) #0 {{
entry:
  %rhs0 = mul i64 %n, %n
  %rhs = getelementptr double, ptr %a, i64 %rhs0
  %order = getelementptr double, ptr %rhs, i64 %n
  call void @lw_factor(ptr %a, ptr %order, i64 %n)
  call void @lw_substitute(ptr %a, ptr %order, ptr %rhs, i64 %n)
  ret void
}}
; y[i·s] −= d[i]; true if the step was too small to matter
define i1 @lw_advance(ptr %y, ptr %d, i64 %n, i64 %s) #0 {{
entry:
  %step = call double @lw_norm(ptr %d, i64 %n, i64 1)
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %o = mul i64 %i, %s
  %p = getelementptr double, ptr %y, i64 %o
  %q = getelementptr double, ptr %d, i64 %i
  %a = load double, ptr %p, align 8
  %b = load double, ptr %q, align 8
  %c = fsub double %a, %b
  store double %c, ptr %p, align 8
  %i1 = add i64 %i, 1
  br label %test
done:
  %size = call double @lw_norm(ptr %y, i64 %n, i64 %s)
  %limit = fmul double %size, {literal(STALL)}
  %small = fcmp ole double %step, %limit
  ret i1 %small
}}
"""
