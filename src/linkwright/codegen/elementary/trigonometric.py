"""sin and cos together, and tan, from what is left of the angle without its right angles.

sin and cos by fdlibm's polynomials (`__kernel_sin`, `__kernel_cos`, Sun Microsystems 1993); error below 1 ulp.
"""

from __future__ import annotations

from .coefficients import COS, SIN
from .doubled import divide, exact_square, exact_sum, ordered_sum
from .turns import turns
from .values import Value, Writer, polynomial, where


def sincos_function(lanes: int) -> tuple[str, set[str]]:
    """IR of `@lw_sincos_W`, which returns {sin x, cos x}, and the declarations it needs."""
    w = Writer(lanes)
    (r, tail, k), between = turns(w.argument("x"))
    w.lines.append(between)
    z = r * r
    # sin r = r − ((z (tail/2 − v S(z)) − tail) − v S₁),  v = r³
    v = z * r
    inner = z * (0.5 * tail - v * polynomial(z, SIN[1:])) - tail
    sine = r - (inner - v * SIN[0])
    # cos r = h + (((1 − h) − z/2) + (z² C(z) − r tail)),  h = 1 − z/2
    curved = z * z * polynomial(z, COS)
    half = 0.5 * z
    h = 1.0 - half
    cosine = h + (((1.0 - h) - half) + (curved - r * tail))
    odd = k.is_odd()
    s = _flipped(where(odd, cosine, sine), k)
    c = _flipped(where(odd, sine, cosine), k + 1)
    pair = f"{{ {w.type['real']}, {w.type['real']} }}"
    half_pair = w.value("real", f"insertvalue {pair} undef, {w.type['real']} {s.name}, 0")
    result = w.value("real", f"insertvalue {pair} {half_pair.name}, {w.type['real']} {c.name}, 1")
    body = "\n".join(w.lines)
    return (f"define {pair} @lw_sincos_{lanes}({w.type['real']} %x) #0 {{\nentry:\n{body}\n"
            f"  ret {pair} {result.name}\n}}\n"), w.declarations


def _flipped(x: Value, quadrant: Value) -> Value:
    """−x where bit 1 of `quadrant` is set, else x."""
    return (x.bits() ^ ((quadrant & 2) << 62)).as_real()


def tangent(x: Value) -> Value:
    """sin r / cos r, or − cos r / sin r after an odd number of right angles, both as sums of two doubles."""
    w = x.writer
    (r, tail, k), between = turns(x)
    w.lines.append(between)
    z, z_rest = exact_square(r)
    sine = ordered_sum(r, tail * (1.0 - 0.5 * z) + z * r * polynomial(z, SIN))
    # cos r = (1 − z/2) + (z² C(z) − r tail − (rest of z)/2)
    h, error = exact_sum(w.real(1.0), -0.5 * z)
    cosine = ordered_sum(h, error + (z * z * polynomial(z, COS) - (r * tail + 0.5 * z_rest)))
    odd = k.is_odd()
    numerator = where(odd, -cosine[0], sine[0]), where(odd, -cosine[1], sine[1])
    denominator = where(odd, sine[0], cosine[0]), where(odd, sine[1], cosine[1])
    high, low = divide(numerator, denominator)
    value = high + low
    # of tiny arguments quotients lose bits and signs
    return where(w.intrinsic("fabs", x) < 2.0**-30, x + x * (x * x * (1 / 3)), value)
