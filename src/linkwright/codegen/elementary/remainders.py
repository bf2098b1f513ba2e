"""fmod and remainder: long division of the mantissas, one bit after another, exact.  Scalar only; lanes take turns."""

from __future__ import annotations

DIVISION = "{ double, i1 }"

LONG_DIVISION = f"""
; |x| less the largest multiple of |y| in it, and whether that is odd; x, y finite, y ≠ 0
define internal {DIVISION} @lw_long_division(double %a, double %b) #0 {{
entry:
  %less = fcmp olt double %a, %b
  br i1 %less, label %short, label %long
short:
  %s0 = insertvalue {DIVISION} undef, double %a, 0
  %s1 = insertvalue {DIVISION} %s0, i1 false, 1
  ret {DIVISION} %s1
long:
  %abits = bitcast double %a to i64
  %bbits = bitcast double %b to i64
  %am = call i64 @lw_mantissa(i64 %abits)
  %bm = call i64 @lw_mantissa(i64 %bbits)
  %ae = call i64 @lw_place(i64 %abits)
  %be = call i64 @lw_place(i64 %bbits)
  br label %digit
digit:
  %e = phi i64 [ %ae, %long ], [ %e1, %next ]
  %m = phi i64 [ %am, %long ], [ %m1, %next ]
  %fits = icmp uge i64 %m, %bm
  %d = sub i64 %m, %bm
  %r = select i1 %fits, i64 %d, i64 %m
  %more = icmp sgt i64 %e, %be
  br i1 %more, label %next, label %done
next:
  %m1 = shl i64 %r, 1
  %e1 = sub i64 %e, 1
  br label %digit
done:
  ; r 2^(be − 1075), exact in two steps
  %real = uitofp i64 %r to double
  %k = sub i64 %be, 1075
  %k0 = ashr i64 %k, 1
  %k1 = sub i64 %k, %k0
  %b0 = add i64 %k0, 1023
  %b1 = add i64 %k1, 1023
  %p0 = shl i64 %b0, 52
  %p1 = shl i64 %b1, 52
  %f0 = bitcast i64 %p0 to double
  %f1 = bitcast i64 %p1 to double
  %v0 = fmul double %real, %f0
  %v = fmul double %v0, %f1
  %l0 = insertvalue {DIVISION} undef, double %v, 0
  %l1 = insertvalue {DIVISION} %l0, i1 %fits, 1
  ret {DIVISION} %l1
}}
; mantissa of a positive number as 53 bits, the first of them 1, and the exponent that goes with it
define internal i64 @lw_mantissa(i64 %bits) #0 {{
  %fraction = and i64 %bits, {(1 << 52) - 1}
  %whole = or i64 %fraction, {1 << 52}
  %normal = icmp uge i64 %bits, {1 << 52}
  %zeros = call i64 @llvm.ctlz.i64(i64 %fraction, i1 false)
  %by = sub i64 %zeros, 11
  %by_safe = and i64 %by, 63
  %moved = shl i64 %fraction, %by_safe
  %m = select i1 %normal, i64 %whole, i64 %moved
  ret i64 %m
}}
define internal i64 @lw_place(i64 %bits) #0 {{
  %field = lshr i64 %bits, 52
  %normal = icmp ne i64 %field, 0
  %zeros = call i64 @llvm.ctlz.i64(i64 %bits, i1 false)
  %below = sub i64 12, %zeros
  %e = select i1 %normal, i64 %field, i64 %below
  ret i64 %e
}}
"""
NEEDS = frozenset({
    "declare double @llvm.fabs.f64(double)", "declare double @llvm.copysign.f64(double, double)",
    "declare i64 @llvm.ctlz.i64(i64, i1 immarg)",
})

# what both have in common: NaN for x infinite, y zero or NaN in either; x itself for y infinite
_START = f"""entry:
  %a = call double @llvm.fabs.f64(double %x)
  %b = call double @llvm.fabs.f64(double %y)
  %finite = fcmp olt double %a, 0x7FF0000000000000
  %divides = fcmp ogt double %b, 0.0
  %valid = and i1 %finite, %divides
  br i1 %valid, label %look, label %invalid
invalid:
  ret double 0x7FF8000000000000
look:
  %endless = fcmp oeq double %b, 0x7FF0000000000000
  br i1 %endless, label %whole, label %divide
whole:
  ret double %x
divide:
  %division = call {DIVISION} @lw_long_division(double %a, double %b)
  %r = extractvalue {DIVISION} %division, 0"""

FMOD = f"""
define double @lw_fmod_1(double %x, double %y) #0 {{
{_START}
  %signed = call double @llvm.copysign.f64(double %r, double %x)
  ret double %signed
}}
"""
# the nearest multiple instead: of two equally near the even one
REMAINDER = f"""
define double @lw_remainder_1(double %x, double %y) #0 {{
{_START}
  %odd = extractvalue {DIVISION} %division, 1
  %gap = fsub double %b, %r
  %closer = fcmp ogt double %r, %gap
  %tie = fcmp oeq double %r, %gap
  %even = and i1 %tie, %odd
  %over = or i1 %closer, %even
  %back = fsub double %r, %b
  %rest = select i1 %over, double %back, double %r
  %size = call double @llvm.copysign.f64(double %rest, double %x)
  %minus = fneg double %size
  %below = fcmp olt double %rest, 0.0
  %signed = select i1 %below, double %minus, double %size
  ret double %signed
}}
"""
