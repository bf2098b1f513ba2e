"""Powers and lengths: pow, hypot."""

from __future__ import annotations

import math

from .doubled import exact_product, exact_square, exact_sum, root
from .exponentials import BEYOND, exp, exponential
from .logarithms import log, logarithm
from .values import Value, exponent, floor, magnitude, times_power_of_two, where


def power(x: Value, y: Value) -> Value:
    """xʸ = exp (y log |x|), the product in twice the precision; signs and limits as in C99, F.9.4.4."""
    w = x.writer
    a = magnitude(x)
    high, low = logarithm((a, w.real(0.0)))
    high = where(a.equals(0.0), -math.inf, where(a.equals(math.inf), math.inf, high))
    product, error = exact_product(y, high)
    usual = magnitude(product) < BEYOND
    value = exponential((product, where(usual, error + y * low, 0.0)))
    # a negative base has powers to whole exponents only
    whole, half = floor(y).equals(y), y * 0.5
    odd = whole & floor(half).differs(half)
    value = where((x.bits() < 0) & odd, -value, value)
    value = where((x < 0.0) & (a < math.inf) & ~whole, math.nan, value)
    value = where(x.unordered(y), math.nan, value)
    # −1 to an infinite exponent, anything to 0, 1 to anything
    one = a.equals(1.0) & magnitude(y).equals(math.inf) | y.equals(0.0) | x.equals(1.0)
    return where(one, 1.0, value)


def approximate_power(x: Value, y: Value) -> Value:
    """xʸ of x > 0 as exp (y log x) in plain doubles, a quarter of the work: for step sizes, right to some 10⁻¹⁴."""
    return exp(log(x) * y)


def hypotenuse(x: Value, y: Value) -> Value:
    """√(x² + y²) without overflow between; infinite where one side is, whatever the other."""
    a, b = magnitude(x), magnitude(y)
    swap = b > a
    a, b = where(swap, b, a), where(swap, a, b)
    k = exponent(a)
    a, b = times_power_of_two(x.writer.whole(0) - k, a, b)
    squares = exact_square(a), exact_square(b)
    s, error = exact_sum(squares[0][0], squares[1][0])
    high, low = root((s, error + (squares[0][1] + squares[1][1])))
    (value,) = times_power_of_two(k, high + low)
    endless = magnitude(x).equals(math.inf) | magnitude(y).equals(math.inf)
    return where(endless, math.inf, where(x.unordered(y), math.nan, value))
