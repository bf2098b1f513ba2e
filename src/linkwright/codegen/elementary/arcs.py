"""arctan of one and of two arguments, arcsin, arccos: an arc added to a multiple of π/4 held in two doubles."""

from __future__ import annotations

import math

from .coefficients import ASIN, ATAN
from .doubled import Pair, divide, exact_difference, exact_sum, root
from .values import Value, exponent, magnitude, times_power_of_two, two_chains, where, with_sign

PI_REST = float.fromhex("0x1.1a62633145c07p-53")  # π beyond its double
TAN_EIGHTH = math.tan(math.pi / 8)


def arctangent(y: Value, x: Value) -> Value:
    """The angle of the point (x, y).

    With n ≤ d the magnitudes of the two, their quotient or, above tan π/8, that of n − d and n + d is t, |t| ≤ tan π/8;

        arctan t = t + t z P(z),   z = t²,     angle = base ± arctan t,   base = 0, π/4, π/2, 3π/4 or π
    """
    w = x.writer
    size_x, size_y = magnitude(x), magnitude(y)
    steep = size_y > size_x
    n, d = where(steep, size_x, size_y), where(steep, size_y, size_x)
    # d near 1, so that nothing of a quotient is lost; (0, 0) counts as (1, 0), an infinite one as 1 beside 0
    n, d = times_power_of_two(w.whole(0) - exponent(d), n, d)
    endless, nowhere = d.equals(math.inf), d.equals(0.0)
    n = where(endless, where(n.equals(math.inf), 1.0, 0.0), n)
    d = where(endless | nowhere, 1.0, d)
    turned = n > d * TAN_EIGHTH
    difference, total = exact_difference(n, d), exact_sum(d, n)
    zero = w.real(0.0)
    numerator = tuple(where(turned, a, b) for a, b in zip(difference, (n, zero), strict=True))
    denominator = tuple(where(turned, a, b) for a, b in zip(total, (d, zero), strict=True))
    t, rest = divide(numerator, denominator)
    z = t * t
    rest = rest * (1.0 - z) + t * (z * two_chains(z, ATAN))
    # steep: π/2 − angle;  to the left: π − angle
    left = (x.bits() < 0) ^ steep
    base = where(turned, 0.25, 0.0)
    base = where(steep, 0.5 - base, base)
    base = where(x.bits() < 0, 1.0 - base, base)
    angle = added(base, (where(left, -t, t), where(left, -rest, rest)))
    # where the angle itself is subnormal it is the quotient, rounded once
    angle = where(~left & (t < 2.0**-1000) & (base < 0.1) & ~nowhere, size_y / size_x, angle)
    return where(x.unordered(y), x + y, with_sign(angle, y))


def added(part: Value, arc: Pair) -> Value:
    """π times a multiple of ¼, plus an arc."""
    s, error = exact_sum(part * math.pi, arc[0])
    return s + (error + (part * PI_REST + arc[1]))


def half_arc(x: Value) -> tuple[Value, Pair]:
    """Whether |x| > ½, and arcsin |x| or, there, ½ arccos |x|.

        arcsin s = s + s z P(z),   z = s²;   ½ arccos |x| = arcsin √((1 − |x|)/2)
    """
    a = magnitude(x)
    large = a > 0.5
    z = where(large, (1.0 - a) * 0.5, a * a)
    s, rest = root((z, x.writer.real(0.0)))
    s, rest = where(large, s, a), where(large, rest, 0.0)
    return large, (s, rest + s * (z * two_chains(z, ASIN)))


def arcsine(x: Value) -> Value:
    """arcsin |x| = π/2 − arccos |x| above ½."""
    large, (s, rest) = half_arc(x)
    factor = where(large, -2.0, 1.0)
    return with_sign(added(where(large, 0.5, 0.0), (s * factor, rest * factor)), x)


def arccosine(x: Value) -> Value:
    """arccos x = π/2 − arcsin x below ½, else 2 (½ arccos |x|) or π minus that."""
    large, (s, rest) = half_arc(x)
    left = x < 0.0
    factor = where(large, where(left, -2.0, 2.0), where(left, 1.0, -1.0))
    base = where(large, where(left, 1.0, 0.0), 0.5)
    return added(base, (s * factor, rest * factor))
