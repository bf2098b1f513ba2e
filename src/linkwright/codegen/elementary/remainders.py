"""fmod and remainder, in the dialect: long division of mantissas, one bit after another, exact.  Lanes take turns."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import math

from ..dialect import bits, from_bits, named

FRACTION = 52  # bits behind the first of a mantissa
LEAST_NORMAL = 2.0**-1022
RAISED, BY = 54, 2.0**54  # subnormal numbers are made normal first


def fmod(x: float, y: float) -> float:
    """x less the multiple of y next to it on the side of zero."""
    rest, _ = divided(abs(x), abs(y))
    return -rest if bits(x) < 0 else rest


def remainder(x: float, y: float) -> float:
    """x less the nearest multiple of y; of two equally near the even one."""
    rest, odd = divided(abs(x), abs(y))
    gap = abs(y) - rest
    rest = rest - abs(y) if rest > gap or (rest == gap and odd) else rest
    return -rest if bits(x) < 0 else rest


def divided(a: float, b: float) -> tuple[float, bool]:
    """a ≥ 0 less the largest multiple of b > 0 in it, and whether that is odd; NaN where there is none."""
    if not (a < math.inf and b > 0.0):
        return math.nan, False
    if a < b:
        return a, False
    m, e = mantissa(a)
    divisor, end = mantissa(b)
    while e > end:
        m = (m - divisor if m >= divisor else m) << 1
        e -= 1
    fits = m >= divisor
    # what is left times 2^(end − 1075), exact in two steps
    half = (end - 1075) >> 1
    whole = float(m - divisor if fits else m)
    return whole * power_of_two(half) * power_of_two(end - 1075 - half), fits


def mantissa(x: float) -> tuple[int, int]:
    """The mantissa of a positive number as 53 bits, the first of them 1, and the exponent that goes with it."""
    small = x < LEAST_NORMAL
    n = bits(x * BY if small else x)
    return n & ((1 << FRACTION) - 1) | 1 << FRACTION, (n >> FRACTION) - (RAISED if small else 0)


def power_of_two(k: int) -> float:
    return from_bits((k + 1023) << FRACTION)


def function(name: str) -> frozenset[str]:
    """Definitions and declarations of one of the two, as a scalar function of the elementary ones."""
    return frozenset(named({"fmod": fmod, "remainder": remainder}[name], f"lw_{name}_1", {}))
