"""sin and cos together, the same bits in scalar and SIMD code on every machine.

For |x| ≤ 10⁵:  k = round(2x/π),  r = x − k π/2 by Cody and Waite's reduction in three parts of 33 bits and a rest, so
that every product k·Pᵢ is exact and r is a sum of two doubles; then the polynomials of fdlibm on |r| ≤ π/4
(`__kernel_sin`, `__kernel_cos`, Sun Microsystems 1993).  Error below 1 ulp.  Larger arguments, infinities and NaN
go to the C library, lane by lane, so that the choice depends on the argument alone.
"""

from __future__ import annotations

import functools
import struct

LIMIT = 1e5
_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits
_PI_HALF = (  # π/2 in parts of 33 bits (fdlibm e_rem_pio2.c), last part rounded
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)
_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def literal(number: float) -> str:
    """A double as LLVM writes it exactly: its 64 bits in hexadecimal."""
    return "0x" + struct.pack(">d", number).hex().upper()


class _Lines:
    """Writes strict arithmetic on values of one type, a line an operation."""

    def __init__(self, lanes: int):
        self.lanes = lanes
        self.real = "double" if lanes == 1 else f"<{lanes} x double>"
        self.integer = "i64" if lanes == 1 else f"<{lanes} x i64>"
        self.logic = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.lines: list[str] = []
        self.count = 0

    def name(self, right_hand_side: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {right_hand_side}")
        return f"%t{self.count}"

    def splat(self, number: float) -> str:
        return literal(number) if self.lanes == 1 else f"splat (double {literal(number)})"

    def whole(self, number: int) -> str:
        return str(number) if self.lanes == 1 else f"splat (i64 {number})"

    def add(self, a: str, b: str) -> str:
        return self.name(f"fadd {self.real} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.name(f"fsub {self.real} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.name(f"fmul {self.real} {a}, {b}")

    def difference(self, a: str, b: str) -> tuple[str, str]:
        """a − b as rounded result and exact error (Knuth's two-sum)."""
        s = self.sub(a, b)
        t = self.sub(s, a)
        return s, self.sub(self.sub(a, self.sub(s, t)), self.add(b, t))

    def horner(self, x: str, coefficients: tuple[float, ...]) -> str:
        value = self.splat(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            value = self.add(self.mul(x, value), self.splat(c))
        return value

    def where(self, condition: str, a: str, b: str) -> str:
        return self.name(f"select {self.logic} {condition}, {self.real} {a}, {self.real} {b}")

    def flip_sign(self, x: str, quadrant: str) -> str:
        """−x where bit 1 of `quadrant` is set, else x."""
        bit = self.name(f"and {self.integer} {quadrant}, {self.whole(2)}")
        sign = self.name(f"shl {self.integer} {bit}, {self.whole(62)}")
        bits = self.name(f"bitcast {self.real} {x} to {self.integer}")
        return self.name(f"bitcast {self.integer} {self.name(f'xor {self.integer} {bits}, {sign}')} to {self.real}")


@functools.cache
def sincos_function(lanes: int) -> str:
    """IR of `@lw_sincos_W`, which returns {sin x, cos x}."""
    w = _Lines(lanes)
    # k = round(2x/π) as a double and, in the low bits, as an integer
    shifted = w.add(w.mul("%x", w.splat(_TWO_OVER_PI)), w.splat(_ROUND))
    k = w.sub(shifted, w.splat(_ROUND))
    quadrant = w.name(f"bitcast {w.real} {shifted} to {w.integer}")
    # r = x − k π/2, the first difference is exact
    a = w.sub("%x", w.mul(k, w.splat(_PI_HALF[0])))
    b, error1 = w.difference(a, w.mul(k, w.splat(_PI_HALF[1])))
    c, error2 = w.difference(b, w.mul(k, w.splat(_PI_HALF[2])))
    rest = w.sub(w.mul(k, w.splat(_PI_HALF[3])), w.add(error1, error2))
    r = w.sub(c, rest)
    tail = w.sub(w.sub(c, r), rest)
    z = w.mul(r, r)
    # sin r = r − ((z (tail/2 − v S(z)) − tail) − v S₁),  v = r³
    v = w.mul(z, r)
    poly = w.horner(z, _SIN[1:])
    inner = w.sub(w.mul(z, w.sub(w.mul(w.splat(0.5), tail), w.mul(v, poly))), tail)
    sine = w.sub(r, w.sub(inner, w.mul(v, w.splat(_SIN[0]))))
    # cos r = h + (((1 − h) − z/2) + (z² C(z) − r tail)),  h = 1 − z/2
    poly = w.mul(w.mul(z, z), w.horner(z, _COS))
    half = w.mul(w.splat(0.5), z)
    h = w.sub(w.splat(1.0), half)
    cosine = w.add(h, w.add(w.sub(w.sub(w.splat(1.0), h), half), w.sub(poly, w.mul(r, tail))))
    # turn by quadrants
    odd = w.name(f"trunc {w.integer} {quadrant} to {w.logic}")
    next_quadrant = w.name(f"add {w.integer} {quadrant}, {w.whole(1)}")
    s = w.flip_sign(w.where(odd, cosine, sine), quadrant)
    c = w.flip_sign(w.where(odd, sine, cosine), next_quadrant)
    pair = f"{{ {w.real}, {w.real} }}"
    p = w.name(f"insertvalue {pair} undef, {w.real} {s}, 0")
    result = w.name(f"insertvalue {pair} {p}, {w.real} {c}, 1")
    # |x| > LIMIT or NaN anywhere?
    absolute = w.name(f"call {w.real} @llvm.fabs.{_suffix(lanes)}({w.real} %x)")
    beyond = w.name(f"fcmp ugt {w.real} {absolute}, {w.splat(LIMIT)}")
    body = "\n".join(w.lines)
    head = f"define {pair} @lw_sincos_{lanes}({w.real} %x) #0 {{\nentry:\n{body}\n"
    if lanes == 1:
        return head + f"""  br i1 {beyond}, label %far, label %near
near:
  ret {pair} {result}
far:
  %s = call double @sin(double %x)
  %c = call double @cos(double %x)
  %p = insertvalue {pair} undef, double %s, 0
  %q = insertvalue {pair} %p, double %c, 1
  ret {pair} %q
}}
"""
    any_name = f"@llvm.vector.reduce.or.v{lanes}i1"
    return head + f"""  %any = call i1 {any_name}({w.logic} {beyond})
  br i1 %any, label %far, label %near
near:
  ret {pair} {result}
far:
  br label %lane
lane:
  %i = phi i64 [ 0, %far ], [ %i1, %next ]
  %s = phi {w.real} [ {s}, %far ], [ %s1, %next ]
  %c = phi {w.real} [ {c}, %far ], [ %c1, %next ]
  %b = extractelement {w.logic} {beyond}, i64 %i
  br i1 %b, label %slow, label %next
slow:
  %xi = extractelement {w.real} %x, i64 %i
  %si = call double @sin(double %xi)
  %ci = call double @cos(double %xi)
  %s0 = insertelement {w.real} %s, double %si, i64 %i
  %c0 = insertelement {w.real} %c, double %ci, i64 %i
  br label %next
next:
  %s1 = phi {w.real} [ %s, %lane ], [ %s0, %slow ]
  %c1 = phi {w.real} [ %c, %lane ], [ %c0, %slow ]
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {lanes}
  br i1 %more, label %lane, label %done
done:
  %p = insertvalue {pair} undef, {w.real} %s1, 0
  %q = insertvalue {pair} %p, {w.real} %c1, 1
  ret {pair} %q
}}
"""


def sincos_declarations(lanes: int) -> set[str]:
    """Declarations that `sincos_function` needs."""
    w = _Lines(lanes)
    needed = {
        "declare double @sin(double)",
        "declare double @cos(double)",
        f"declare {w.real} @llvm.fabs.{_suffix(lanes)}({w.real})",
    }
    if lanes > 1:
        needed.add(f"declare i1 @llvm.vector.reduce.or.v{lanes}i1({w.logic})")
    return needed


def _suffix(lanes: int) -> str:
    return "f64" if lanes == 1 else f"v{lanes}f64"


