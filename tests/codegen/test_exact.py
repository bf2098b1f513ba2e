"""Tables are the same on every machine: their numbers are right to the last bit."""

from fractions import Fraction

import mpmath
import numpy as np

from linkwright.codegen import cosine, inverse


def test_cosines_are_rounded_once():
    with mpmath.workdps(50):
        for part in [Fraction(k, n) for n in (3, 7, 8, 16, 22) for k in range(-2 * n, 3 * n)]:
            right = float(mpmath.cos(mpmath.pi * part.numerator / part.denominator))
            assert cosine(part) == (right if abs(right) > 1e-40 else 0.0)


def test_inverses_are_rounded_once():
    rows = [[Fraction(1, i + j + 1) for j in range(9)] for i in range(9)]  # Hilbert's: its inverse is of whole numbers
    assert np.array_equal(inverse(rows), np.rint(inverse(rows)))
    assert inverse(rows)[8, 8] == 17 * 12870**2  # (2n−1) C(2n−2, n−1)²
    assert inverse([[Fraction(0), Fraction(3)], [Fraction(1), Fraction(0)]])[1, 0] == float(Fraction(1, 3))
