"""log and what is made of it: log1p, arsinh, arcosh, artanh.

    x = 2ᵏ m,  √½ ≤ m < √2,   s = (m − 1)/(m + 1),   log x = k ln 2 + 2 (s + s³/3 + s⁵/5 + …)

log itself in the precision of a double, for the others in twice that, first terms included: powers multiply the
logarithm's error by up to 745.
"""

from __future__ import annotations

import math

from .coefficients import LOG
from .doubled import Pair, add, divide, double, exact_difference, exact_square, exact_sum, multiply, ordered_sum, root
from .exponentials import LN2, SLIGHT
from .values import Value, magnitude, times_power_of_two, two_chains, where, with_sign

ROOT_HALF = 0x3FE6A09E667F3BCD  # bits of √½
THIRD = 1 / 3, float.fromhex("0x1.5555555555555p-56")
FIFTH = 1 / 5, -float.fromhex("0x1.999999999999ap-57")
SERIES = 2 / 3, 2 / 5, *(2 * c for c in LOG)
LARGE = 2.0**30  # the square of more leaves nothing of 1


def logarithm(x: Pair) -> Pair:
    """log of a sum of two doubles, positive and finite, to 2⁻⁶⁸ of it."""
    w = x[0].writer
    k, m = reduced(x[0])
    (m_low,) = times_power_of_two(w.whole(0) - k, x[1])
    one = w.real(1.0)
    # m − 1 is exact
    s = divide(exact_sum(m - one, m_low), add((m, m_low), (one, w.real(0.0))))
    return combined(k, s)


def combined(k: Value, s: Pair) -> Pair:
    """k ln 2 + 2 artanh s."""
    k = k.to_real()
    return add((k * LN2[0], k * LN2[1]), double(artanh_series(s)))


def artanh_series(s: Pair) -> Pair:
    """s (1 + z (1/3 + z (1/5 + z Q(z)))),  z = s²."""
    w = s[0].writer
    z = multiply(s, s)
    tail = z[0] * two_chains(z[0], LOG)
    inner = add((w.real(FIFTH[0]), w.real(FIFTH[1])), (tail, w.real(0.0)))
    inner = add((w.real(THIRD[0]), w.real(THIRD[1])), multiply(z, inner))
    return add(s, multiply(s, multiply(z, inner)))


def domain(x: Value, value: Value) -> Value:
    """`value`, but log 0 = −∞, log ∞ = ∞, and NaN below zero and of NaN."""
    value = where(x.equals(0.0), -math.inf, where(x.equals(math.inf), math.inf, value))
    return where(x >= 0.0, value, math.nan)


def reduced(x: Value) -> tuple[Value, Value]:
    """k and m of a positive finite x."""
    # subnormal numbers are made normal first
    small = x < 2.0**-1022
    x = where(small, x * 2.0**54, x)
    k = (x.bits() - ROOT_HALF) >> 52
    return where(small, k - 54, k), (x.bits() - (k << 52)).as_real()


def log(x: Value) -> Value:
    """With f = m − 1 and R = 2 (z/3 + z²/5 + …), z = s²:  log m = f − (f²/2 − s (f²/2 + R)), fdlibm's arrangement."""
    k, m = reduced(x)
    f, k = m - 1.0, k.to_real()
    s = f / (f + 2.0)
    z = s * s
    square = 0.5 * f * f
    rest = s * (square + z * two_chains(z, SERIES)) + k * LN2[1]
    return domain(x, k * LN2[0] - ((square - rest) - f))


def log1p(x: Value) -> Value:
    """log (1 + x), accurate also near zero."""
    one = x.writer.real(1.0)
    high, low = logarithm(exact_sum(one, x))
    return where(magnitude(x) < SLIGHT, x, domain(one + x, high + low))


def artanh(x: Value) -> Value:
    """½ log ((1 + x)/(1 − x)); where that quotient is 2ᵏ m, s = ((1 + x) − 2ᵏ(1 − x))/((1 + x) + 2ᵏ(1 − x))."""
    a = magnitude(x)
    w = x.writer
    one = w.real(1.0)
    above, below = exact_sum(one, a), exact_difference(one, a)
    k = ((above[0] / below[0]).bits() - ROOT_HALF) >> 52
    # at 1 and beyond the result is chosen below
    k = where(a < one, k, w.whole(0))
    scaled = tuple(times_power_of_two(k, *below))
    minus = -scaled[0], -scaled[1]
    s = divide(add(above, minus), add(above, scaled))
    high, low = double(combined(k, s), 0.5)
    value = where(a.equals(1.0), math.inf, where(a < one, high + low, math.nan))
    return where(a < SLIGHT, x, with_sign(value, x))


def arsinh(x: Value) -> Value:
    """log (1 + t),  t = a + a²/(1 + √(1 + a²)),  a = |x|; log 2a where a is large."""
    a = magnitude(x)
    w = x.writer
    zero, one = w.real(0.0), w.real(1.0)
    large = a > LARGE
    b = where(large, one, a)
    squared = exact_square(b)
    t = add((b, zero), divide(squared, add((one, zero), root(add((one, zero), squared)))))
    s, error = exact_sum(one, t[0])
    argument = exact_sum(s, error + t[1])
    high, low = logarithm((where(large, a, argument[0]), where(large, zero, argument[1])))
    high, low = with_log_two(large, (high, low))
    value = where(a < math.inf, high + low, a)
    return where(a < SLIGHT, x, with_sign(value, x))


def arcosh(x: Value) -> Value:
    """log (1 + t),  t = b + √(b (b + 2)),  b = x − 1 ≥ 0; log 2x where x is large."""
    w = x.writer
    zero, one = w.real(0.0), w.real(1.0)
    large = x > LARGE
    b = where(large, one, x - one)
    t = add((b, zero), root(multiply((b, zero), exact_sum(b, w.real(2.0)))))
    s, error = exact_sum(one, t[0])
    argument = exact_sum(s, error + t[1])
    high, low = logarithm((where(large, x, argument[0]), where(large, zero, argument[1])))
    high, low = with_log_two(large, (high, low))
    return where(x >= one, where(x < math.inf, high + low, x), math.nan)


def with_log_two(large: Value, value: Pair) -> Pair:
    """A logarithm, plus ln 2 where the argument was halved."""
    s, error = exact_sum(value[0], where(large, LN2[0], 0.0))
    return ordered_sum(s, error + (value[1] + where(large, LN2[1], 0.0)))
