"""The polynomials of the elementary functions are what they are said to be: they are made here anew."""

import mpmath as mp
import pytest

from linkwright.codegen.elementary import coefficients, error_function, exponentials, logarithms, turns


def series(coefficient, count):
    values = [coefficient(k) for k in range(count)]
    return lambda x: sum((c * x**k for k, c in enumerate(values)), mp.mpf(0))


def smooth_part_of_erfc(t):
    """(w(x) − w(1))/t,  w(x) = exp(x²) erfc(x),  x = (1 + t)/(1 − t); at t = 0 beside it."""
    t = t if abs(t) > mp.mpf(10) ** -30 else mp.mpf(10) ** -30
    x = (1 + t) / (1 - t)
    return (mp.exp(x * x) * mp.erfc(x) - mp.e * mp.erfc(1)) / t


FITS = {
    "EXP": (lambda: series(lambda k: 1 / mp.factorial(k + 3), 60), -0.35, 0.35, 10),
    "LOG": (lambda: series(lambda k: mp.mpf(1) / (2 * k + 7), 100), 0, 0.0295, 8),
    "ATAN": (lambda: series(lambda k: (-1) ** (k + 1) / mp.mpf(2 * k + 3), 200), 0, 0.1716, 12),
    "ASIN": (lambda: series(lambda k: mp.binomial(2 * k + 2, k + 1) / mp.mpf(4) ** (k + 1) / (2 * k + 3), 300),
             0, 0.25, 13),
    "ERF": (lambda: series(lambda k: 2 / mp.sqrt(mp.pi) * (-1) ** (k + 1) / mp.factorial(k + 1) / (2 * k + 3), 60),
            0, 0.64, 11),
    "ERFCX": (lambda: smooth_part_of_erfc, -0.112, 0.715, 20),
}


@pytest.mark.filterwarnings("ignore:Descending")
@pytest.mark.parametrize("name", FITS)
def test_coefficients_are_those_of_a_chebyshev_interpolant(name):
    function, low, high, count = FITS[name]
    with mp.workprec(200):
        expected = mp.chebyfit(function(), [mp.mpf(low), mp.mpf(high)], count)
        assert getattr(coefficients, name) == tuple(float(c) for c in reversed(expected))


def test_constants_in_two_parts_are_exact_to_a_hundred_bits():
    with mp.workprec(250):
        for parts, value in (
            (exponentials.LN2, mp.log(2)),
            (logarithms.THIRD, mp.mpf(1) / 3),
            (logarithms.FIFTH, mp.mpf(1) / 5),
            (turns.HALF_PI_PAIR, mp.pi / 2),
            (error_function.MIDDLE, mp.e * mp.erfc(1)),
        ):
            assert abs(sum(map(mp.mpf, parts)) / value - 1) < mp.mpf(2) ** -94


def test_words_of_two_over_pi():
    count = 38
    with mp.workprec(32 * count + 100):
        bits = int(2 / mp.pi * mp.mpf(2) ** (32 * count))
    assert turns._two_over_pi(count) == [(bits >> 32 * (count - 1 - i)) & 0xFFFFFFFF for i in range(count)]
