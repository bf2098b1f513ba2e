"""Twice the precision: a number as the sum of two doubles, the second below half a unit in the last place of the first.

Sums after Knuth and Dekker, products by halves of 26 and 27 bits (Dekker, Numer. Math. 18 (1971) 224), because there is
no fused multiply-add to rely on.  Relative errors of products, quotients and roots are about 2⁻¹⁰².
"""

from __future__ import annotations

from .values import Value, square_root, where

Pair = tuple[Value, Value]
HALF = ~((1 << 27) - 1)  # clears the low 27 bits


def exact_sum(a: Value, b: Value) -> Pair:
    """a + b = sum + error, exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def exact_difference(a: Value, b: Value) -> Pair:
    """a − b = difference + error, exactly."""
    s = a - b
    t = s - a
    return s, (a - (s - t)) - (b + t)


def ordered_difference(a: Value, b: Value) -> Pair:
    """a − b = difference + error, exactly, where a is a whole multiple of the last place of b, or |a| ≥ |b|."""
    s = a - b
    return s, (a - s) - b


def ordered_sum(a: Value, b: Value) -> Pair:
    """a + b = sum + error, exactly, where |a| ≥ |b| or a = 0."""
    s = a + b
    return s, b - (s - a)


def halves(a: Value) -> Pair:
    """The leading 26 bits and the rest."""
    high = (a.bits() & HALF).as_real()
    return high, a - high


def exact_product(a: Value, b: Value) -> Pair:
    """a b = product + error; the error itself is rounded at 2⁻¹⁰⁷ of the product."""
    p = a * b
    a1, a0 = halves(a)
    b1, b0 = halves(b)
    return p, ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0


def exact_square(a: Value) -> Pair:
    p = a * a
    a1, a0 = halves(a)
    return p, ((a1 * a1 - p) + (a1 + a1) * a0) + a0 * a0


def add(a: Pair, b: Pair) -> Pair:
    s, error = exact_sum(a[0], b[0])
    return ordered_sum(s, error + (a[1] + b[1]))


def multiply(a: Pair, b: Pair) -> Pair:
    p, error = exact_product(a[0], b[0])
    return ordered_sum(p, error + (a[0] * b[1] + a[1] * b[0]))


def divide(a: Pair, b: Pair) -> Pair:
    # two divisions that need not wait for each other
    q, inverse = a[0] / b[0], 1.0 / b[0]
    p, error = exact_product(q, b[0])
    rest = ((a[0] - p) - error) + (a[1] - q * b[1])
    return ordered_sum(q, rest * inverse)


def root(a: Pair) -> Pair:
    """√a of a ≥ 0."""
    s = square_root(a[0])
    p, error = exact_square(s)
    rest = ((a[0] - p) - error) + a[1]
    return s, where(s.equals(0.0), 0.0, rest / (s + s))


def double(a: Pair, factor: float = 2.0) -> Pair:
    """A pair times a power of two."""
    return a[0] * factor, a[1] * factor
