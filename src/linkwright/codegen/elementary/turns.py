"""An angle less the right angles in it:  x = k π/2 + r + tail,  |r| ≤ π/4, in twice the precision.

For |x| ≤ 10⁵ by Cody and Waite's reduction with π/2 in three parts of 33 bits and a rest, so that every product k Pᵢ
is exact.  Larger arguments are multiplied by as many bits of 2/π as matter (Payne and Hanek 1983), in whole numbers,
lane by lane, so that the choice depends on the argument alone.
"""

from __future__ import annotations

import functools

from .doubled import exact_product, exact_sum, ordered_difference
from .values import Value, Writer, nearest

LIMIT = 1e5
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
HALF_PI = (  # in parts of 33 bits (fdlibm, e_rem_pio2.c), last part rounded
    1.57079632673412561417e00,
    6.07710050630396597660e-11,
    2.02226624871116645580e-21,
    8.47842766036889956997e-32,
)
HALF_PI_PAIR = float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54")
N_WORDS = 38  # of 32 bits: the largest exponent, 972, begins with the 31st and needs eight
MAGNITUDE = (1 << 63) - 1
FAR = "{ double, double, i64 }"


def near_turns(x: Value) -> tuple[Value, Value, Value]:
    """r, tail and k of |x| ≤ LIMIT."""
    k, whole = nearest(x * TWO_OVER_PI)
    # the first difference is exact, a multiple of 2⁻⁵³ as x is (where k ≠ 0), and the next one of 2⁻⁶⁶
    a = x - k * HALF_PI[0]
    b, error1 = ordered_difference(a, k * HALF_PI[1])
    c, error2 = ordered_difference(b, k * HALF_PI[2])
    rest = k * HALF_PI[3] - (error1 + error2)
    r = c - rest
    return r, (c - r) - rest, whole


def turns(x: Value) -> tuple[tuple[Value, Value, Value], str]:
    """r, tail and k of any x, as values that are valid from the end of the returned lines on."""
    w, near = x.writer, near_turns(x)
    w.declarations.add(f"declare {FAR} @lw_far_turns(double)")
    # compared as bits, where NaN is larger than any number
    beyond = (x.bits() & MAGNITUDE) > w.real(LIMIT).bits()
    names, kinds = ("r", "tail", "k"), ("real", "real", "whole")
    values = tuple(Value(w, kind, f"%{name}") for name, kind in zip(names, kinds, strict=True))
    if w.lanes == 1:
        far = "\n".join(f"  %{name}_far = extractvalue {FAR} %turned, {i}" for i, name in enumerate(names))
        merged = "\n".join(
            f"  %{name} = phi {w.type[kind]} [ {value.name}, %entry ], [ %{name}_far, %far ]"
            for name, kind, value in zip(names, kinds, near, strict=True)
        )
        return values, f"""  br i1 {beyond.name}, label %far, label %reduced
far:
  %turned = call {FAR} @lw_far_turns(double {x.name})
{far}
  br label %reduced
reduced:
{merged}"""
    w.declarations.add(f"declare i1 @llvm.vector.reduce.or.v{w.lanes}i1({w.type['truth']})")

    def each(line: str) -> str:
        """A line for each of the three, with its type over lanes and its own."""
        return "\n".join(
            line.format(name=name, value=value.name, type=w.type[kind], own=own, index=index)
            for index, (name, kind, value, own) in enumerate(zip(names, kinds, near, ("double", "double", "i64"),
                                                                 strict=True))
        )

    return values, f"""  %any = call i1 @llvm.vector.reduce.or.v{w.lanes}i1({w.type["truth"]} {beyond.name})
  br i1 %any, label %lane, label %reduced
lane:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
{each("  %{name}_now = phi {type} [ {value}, %entry ], [ %{name}_next, %next ]")}
  %is_far = extractelement {w.type["truth"]} {beyond.name}, i64 %i
  br i1 %is_far, label %far, label %next
far:
  %xi = extractelement {w.type["real"]} {x.name}, i64 %i
  %turned = call {FAR} @lw_far_turns(double %xi)
{each("  %{name}_one = extractvalue " + FAR.replace("{", "{{").replace("}", "}}") + " %turned, {index}")}
{each("  %{name}_set = insertelement {type} %{name}_now, {own} %{name}_one, i64 %i")}
  br label %next
next:
{each("  %{name}_next = phi {type} [ %{name}_now, %lane ], [ %{name}_set, %far ]")}
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, {w.lanes}
  br i1 %more, label %lane, label %reduced
reduced:
{each("  %{name} = phi {type} [ {value}, %entry ], [ %{name}_next, %next ]")}"""


@functools.cache
def far_turns() -> tuple[str, frozenset[str]]:
    """IR of `@lw_far_turns`, which returns {r, tail, k} of |x| > LIMIT (NaN for infinities and NaN), and what it needs.

    With x = ±M 2ᴱ, M of 53 bits, and w₀, w₁, … the words of 2/π (w₀ = 0), words before w_j, 32 j > E − 2, give
    multiples of four right angles.  Of the others eight are enough:  M 2^(E − 32 j + 30) W / 2²⁵⁴ modulo 4, of which
    2 bits say the quadrant and 254 the rest; no double comes closer to a right angle than 2⁻⁶² of one.
    """
    w = Writer()
    x = w.argument("x")
    bits = x.bits()
    e = ((bits >> 52) & 2047) - 1075
    j = ((e - 2) >> 5) + 1
    shift = e - (j << 5) + 30
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    low = (mantissa & 0xFFFFFFFF) << shift
    high = ((mantissa >> 32) & 0xFFFFFFFF) << shift
    m = [low & 0xFFFFFFFF, (_unsigned_high(low)) + (high & 0xFFFFFFFF), _unsigned_high(high)]
    # words j … j + 7, the last of them first
    words = [_word(j + (7 - i)) for i in range(8)]
    # M W modulo 2²⁵⁶, in eight digits of 32 bits
    digits, carry = [], w.whole(0)
    columns: list[list[Value]] = [[] for _ in range(9)]
    for a in range(3):
        for b in range(8 - a):
            product = m[a] * words[b]
            columns[a + b].append(product & 0xFFFFFFFF)
            columns[a + b + 1].append(_unsigned_high(product))
    for column in columns[:8]:
        total = carry
        for term in column:
            total = total + term
        digits.append(total & 0xFFFFFFFF)
        carry = _unsigned_high(total)
    # to the nearest quadrant: what is left of the uppermost digit is signed
    top = digits[7]
    k = (top + (1 << 29)) >> 30
    rest = top - (k << 30)
    s, error = w.real(0.0), w.real(0.0)
    for digit, place in ((rest, 30), (digits[6], 62), (digits[5], 94), (digits[4], 126)):
        s, lost = exact_sum(s, digit.to_real() * 2.0**-place)
        error = error + lost
    r, tail = exact_product(s, w.real(HALF_PI_PAIR[0]))
    tail = tail + (s * HALF_PI_PAIR[1] + error * HALF_PI_PAIR[0])
    r, tail = exact_sum(r, tail)
    # −x turns the other way; of what is not finite nothing is left
    negative = bits < 0
    nothing = x - x
    flip = w.value("real", f"select i1 {negative.name}, double -1.0, double 1.0")
    r, tail = r * flip + nothing, tail * flip
    k = w.value("whole", f"select i1 {negative.name}, i64 {(w.whole(0) - k).name}, i64 {k.name}")
    first = f"  %p = insertvalue {FAR} undef, double {r.name}, 0"
    text = "\n".join(w.lines)
    definition = f"""{_table()}
define {FAR} @lw_far_turns(double %x) noinline nounwind {{
entry:
{text}
{first}
  %q = insertvalue {FAR} %p, double {tail.name}, 1
  %both = insertvalue {FAR} %q, i64 {k.name}, 2
  ret {FAR} %both
}}
"""
    return definition, frozenset(w.declarations)


def _unsigned_high(value: Value) -> Value:
    """The upper 32 of 64 bits."""
    return value.writer.value("whole", f"lshr i64 {value.name}, 32")


def _word(index: Value) -> Value:
    """A word of 2/π; the table begins with w₋₁."""
    w = index.writer
    at = w.value("whole", f"getelementptr i32, ptr @lw_two_over_pi, i64 {(index + 1).name}")
    word = w.value("whole", f"load i32, ptr {at.name}, align 4")
    return w.value("whole", f"zext i32 {word.name} to i64")


def _table() -> str:
    words = [0, 0, *_two_over_pi(N_WORDS)]
    return f"@lw_two_over_pi = internal constant [{len(words)} x i32] [{', '.join(f'i32 {v}' for v in words)}]"


def _two_over_pi(count: int) -> list[int]:
    """The first `count` words of 32 bits of 2/π, from π by Machin's formula in whole numbers."""
    scale = 1 << (32 * count + 64)

    def arccot(n: int) -> int:
        term = total = scale // n
        k = 1
        while term:
            term //= -n * n
            total += term // (2 * k + 1)
            k += 1
        return total

    pi = 4 * (4 * arccot(5) - arccot(239))
    quotient = 2 * scale * scale // pi
    return [(quotient >> (32 * (count - 1 - i) + 64)) & 0xFFFFFFFF for i in range(count)]
