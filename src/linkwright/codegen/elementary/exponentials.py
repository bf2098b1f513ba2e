"""exp and what is made of it: expm1, sinh, cosh, tanh.

    x = k ln 2 + r,  |r| ≤ ½ ln 2;   eʳ − 1 = r + r²/2 + r³ P(r),  kept as a sum of two doubles

(ln 2 in two parts, the first short enough that k times it is exact: Cody and Waite 1980.)
"""

from __future__ import annotations

import math

from .coefficients import EXP
from .doubled import Pair, add, divide, double, exact_difference, exact_sum, ordered_sum
from .values import Value, magnitude, nearest, times_power_of_two, two_chains, where, with_sign

LOG2_E = 1 / math.log(2)
LN2 = float.fromhex("0x1.62e42fefa3000p-1"), float.fromhex("0x1.3de6af278ece6p-42")
BEYOND = 800.0  # the exponential of more is infinite, of less than minus that is zero
SLIGHT = 2.0**-54  # below, an odd function with slope 1 is its argument


def reduced(x: Pair) -> tuple[Value, Pair]:
    """k and eʳ − 1 for x = k ln 2 + r, |x| ≤ BEYOND; k is a whole number."""
    k, whole = nearest(x[0] * LOG2_E)
    r, error = exact_difference(x[0] - k * LN2[0], k * LN2[1])
    rest = error + x[1]
    curved = r * r * (0.5 + r * two_chains(r, EXP))
    return whole, ordered_sum(r, curved + (rest + rest * (r + curved)))


def exponential(x: Pair) -> Value:
    """e to the power of a sum of two doubles."""
    high, low = within(x)
    k, (m, rest) = reduced((high, low))
    s, error = ordered_sum(x[0].writer.real(1.0), m)
    return times_power_of_two(k, s + (error + rest))[0]


def within(x: Pair) -> Pair:
    """x, or ±BEYOND where it lies outside."""
    high, low = x
    inside = magnitude(high) < BEYOND
    high = where(high > BEYOND, BEYOND, where(high < -BEYOND, -BEYOND, high))
    return high, where(inside, low, 0.0)


def less_one(x: Value) -> Pair:
    """eˣ − 1 for |x| ≤ 500 as a sum of two doubles."""
    one = x.writer.real(1.0)
    k, (m, rest) = reduced((x, x.writer.real(0.0)))
    s, error = ordered_sum(one, m)
    whole = times_power_of_two(k, s, error + rest)
    s, error = exact_sum(whole[0], -one)
    s, error = ordered_sum(s, error + whole[1])
    near = k.equals(0)
    return where(near, m, s), where(near, rest, error)


def exp(x: Value) -> Value:
    return exponential((x, x.writer.real(0.0)))


def expm1(x: Value) -> Value:
    """eˣ − 1, accurate also near zero; above 60 the one is nothing, below −60 there is nothing else."""
    clipped = where(x > 60.0, 60.0, where(x < -60.0, -60.0, x))
    high, low = less_one(clipped)
    value = where(x > 60.0, exp(x), high + low)
    return where(magnitude(x) < SLIGHT, x, value)


def sinh(x: Value) -> Value:
    """½ (m + m/(m + 1)) with m = exp |x| − 1."""
    a = magnitude(x)
    m = less_one(where(a > 60.0, 60.0, a))
    one = x.writer.real(1.0), x.writer.real(0.0)
    high, low = double(add(m, divide(m, add(one, m))), 0.5)
    value = where(a > 60.0, half_exponential(a), high + low)
    return where(a < SLIGHT, x, with_sign(value, x))


def cosh(x: Value) -> Value:
    """½ (eᵃ + e⁻ᵃ), a = |x|."""
    a = magnitude(x)
    one = x.writer.real(1.0), x.writer.real(0.0)
    e = add(one, less_one(where(a > 60.0, 60.0, a)))
    high, low = double(add(e, divide(one, e)), 0.5)
    return where(a > 60.0, half_exponential(a), high + low)


def half_exponential(a: Value) -> Value:
    """½ eᵃ of a > 60, finite as long as the result is."""
    k, (m, rest) = reduced(within((a, a.writer.real(0.0))))
    s, error = ordered_sum(a.writer.real(1.0), m)
    return times_power_of_two(k - 1, s + (error + rest))[0]


def tanh(x: Value) -> Value:
    """m/(m + 2) with m = exp 2|x| − 1; above 22 it is 1."""
    a = magnitude(x)
    m = less_one(where(a > 22.0, 44.0, a + a))
    high, low = divide(m, add((x.writer.real(2.0), x.writer.real(0.0)), m))
    return where(a < SLIGHT, x, with_sign(high + low, x))
