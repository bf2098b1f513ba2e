"""Elementary functions: below 1 ulp from the truth (MPFR, 180 bits), equal bits in all widths, C99's special values."""

import ctypes
import math

import casadi as ca
import gmpy2
import numpy as np
import pytest

from linkwright.codegen import Program, Straight, compile_program, function_address
from linkwright.codegen.dialect import plain
from linkwright.codegen.elementary import remainders

ONE = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "expm1", "sinh", "cosh", "tanh", "log", "log1p",
       "asinh", "acosh", "atanh", "erf")  # fmt: skip
TWO = {"pow": lambda x, y: x**y, "atan2": ca.atan2, "hypot": ca.hypot, "fmod": ca.fmod, "remainder": ca.remainder}
EXACT = {"fmod": math.fmod, "remainder": math.remainder}
nan, inf, tiny, large = math.nan, math.inf, 5e-324, 1.7976931348623157e308


def compiled(name, lanes, tier="quick"):
    arguments = [ca.SX.sym("x")] if name in ONE else [ca.SX.sym("x"), ca.SX.sym("y")]
    result = getattr(ca, name)(*arguments) if name in ONE else TWO[name](*arguments)
    vector = ca.vertcat(*arguments)
    segment = Straight(ca.Function("f", [vector], [result]), ("x",), ("y",))
    return compile_program(Program("f", [("x", len(arguments))], [("y", 1)], [segment]), tier, lanes)


def arguments(name, n, rng):
    """Rows of arguments, n of every kind that is hard for a function."""
    def spread(low, high):
        """Numbers of all sizes, of both signs."""
        return 10 ** rng.uniform(low, high, n) * rng.choice([-1, 1], n)

    def beside(one, low, high):
        return one + spread(low, high)

    def normal(scale):
        return rng.normal(0, scale, n)

    turns = [normal(3), rng.uniform(-1e5, 1e5, n), spread(-320, 308), rng.integers(1, 10**15, n) * (math.pi / 2)]
    ends = np.clip([beside(1, -17, -1), beside(-1, -17, -1)], -1, 1)
    unit = [rng.uniform(-1, 1, n), *ends, spread(-320, 0)]
    growing = [normal(0.5), normal(10), rng.uniform(-750, 715, n), spread(-320, 0)]
    positive = [rng.uniform(0, 4, n), np.abs(spread(-323, 308)), beside(1, -16, -1)]
    one = {
        "sin": turns, "cos": turns, "tan": turns, "asin": unit, "acos": unit, "atanh": unit,
        "atan": [normal(1), spread(-320, 308)], "exp": growing, "expm1": growing, "sinh": growing, "cosh": growing,
        "tanh": growing, "log": positive, "log1p": [rng.uniform(-1, 4, n), spread(-320, 0), *positive],
        "asinh": [normal(2), spread(-320, 308), spread(-10, 10)], "acosh": [1 + 10 ** rng.uniform(-16, 308, n)],
        "erf": [rng.uniform(-6.5, 6.5, n), rng.uniform(0.6, 1, n), spread(-320, 0)],
    }  # fmt: skip
    if name in one:
        return np.concatenate(one[name])[:, None]
    pairs = [(normal(1), normal(1)), (spread(-323, 308), spread(-323, 308)), (spread(-3, 3), spread(-3, 3))]
    if name == "pow":
        base = np.abs(spread(-323, 308))
        pairs = [(rng.uniform(0, 3, n), normal(10)), (base, rng.uniform(-1, 1, n)), (beside(1, -12, -1), normal(1e6)),
                 (normal(5), rng.integers(-40, 40, n)), (base, rng.uniform(-745, 710, n) / np.log(base))]  # fmt: skip
    if name in EXACT:
        pairs.append((rng.integers(-20, 20, n) * 0.5, rng.integers(-20, 20, n) * 0.5))
    return np.concatenate([np.column_stack(pair) for pair in pairs])


def truth(name, rows):
    """Exact results, as numbers of 180 bits."""
    with gmpy2.context(precision=180, emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max()):
        function = (lambda x, y: x**y) if name == "pow" else getattr(gmpy2, name)
        return [function(*map(gmpy2.mpfr, row)) for row in rows.tolist()]


def errors(got, exact):
    """In units of the last place of the double next to the truth; infinite where one of the two is not a number."""
    out = np.empty(len(got))
    with gmpy2.context(precision=180):
        for i, (value, e) in enumerate(zip(got.tolist(), exact, strict=True)):
            nearest = float(e)
            if math.isfinite(value) and math.isfinite(nearest):
                out[i] = abs(float((gmpy2.mpfr(value) - e) / math.ulp(nearest)))
            else:
                out[i] = 0.0 if value == nearest or math.isnan(value) and math.isnan(nearest) else inf
    return out


def check(name, n):
    rows = arguments(name, n, np.random.default_rng(n))
    got = compiled(name, 1).batch(rows)[:, 0]
    if name in EXACT:
        exact = np.array([EXACT[name](*row) if row[1] else nan for row in rows.tolist()])
        np.testing.assert_array_equal(got, exact)
        np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(exact[got == 0]))
    else:
        error = errors(got, truth(name, rows))
        worst = int(np.argmax(error))
        assert error[worst] < 1.0, f"{name}{tuple(rows[worst].tolist())} = {got[worst]!r}: {error[worst]:.3f} ulp"
    return rows, got


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_error_is_below_one_ulp_and_lanes_have_equal_bits(name):
    rows, got = check(name, 1500)
    for lanes in (2, 8):
        np.testing.assert_array_equal(compiled(name, lanes, "optimised").batch(rows)[:, 0], got)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_a_million_arguments_are_within_one_ulp(name):
    check(name, 300_000)


def test_powers_for_step_sizes_are_right_to_1e_13():
    power = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(function_address("approximate_power"))
    rng = np.random.default_rng(0)
    for x, y in zip(10 ** rng.uniform(-12, 30, 2000), rng.uniform(-1, 1, 2000), strict=True):
        assert power(x, y) == pytest.approx(x**y, rel=1e-13)


# arguments and result, after C99 annex F.9; one written 0.0 or −0.0 is meant with its sign
SPECIAL = {
    "tan": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (nan, nan), (tiny, tiny)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.0, math.pi / 2), (-1.0, -math.pi / 2), (1.0000000000000002, nan), (inf, nan)],
    "acos": [(1.0, 0.0), (-1.0, math.pi), (-1.0000000000000002, nan), (nan, nan)],
    "atan": [(-0.0, -0.0), (inf, math.pi / 2), (-inf, -math.pi / 2), (tiny, tiny), (nan, nan)],
    "exp": [(-0.0, 1.0), (inf, inf), (-inf, 0.0), (nan, nan), (709.8, inf), (-746.0, 0.0)],
    "expm1": [(-0.0, -0.0), (inf, inf), (-inf, -1.0), (nan, nan), (-tiny, -tiny)],
    "sinh": [(-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan), (tiny, tiny), (-711.0, -inf)],
    "cosh": [(0.0, 1.0), (-inf, inf), (nan, nan), (711.0, inf)],
    "tanh": [(-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (nan, nan), (-tiny, -tiny), (30.0, 1.0)],
    "log": [(0.0, -inf), (-0.0, -inf), (1.0, 0.0), (-1.0, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "log1p": [(-0.0, -0.0), (-1.0, -inf), (-1.5, nan), (inf, inf), (nan, nan), (tiny, tiny)],
    "asinh": [(-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan), (-tiny, -tiny)],
    "acosh": [(1.0, 0.0), (0.5, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "atanh": [(-0.0, -0.0), (1.0, inf), (-1.0, -inf), (1.5, nan), (inf, nan), (nan, nan), (tiny, tiny)],
    "erf": [(-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (nan, nan), (7.0, 1.0)],
    "atan2": [
        (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, math.pi), (-0.0, -0.0, -math.pi), (0.0, -1.0, math.pi),
        (-0.0, -1.0, -math.pi), (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0), (-1.0, 0.0, -math.pi / 2), (1.0, -0.0, math.pi / 2),
        (1.0, -inf, math.pi), (-1.0, -inf, -math.pi), (1.0, inf, 0.0), (-1.0, inf, -0.0), (inf, 1.0, math.pi / 2),
        (-inf, -1.0, -math.pi / 2), (inf, inf, math.pi / 4), (-inf, -inf, -0.75 * math.pi), (inf, -inf, 0.75 * math.pi),
        (nan, 1.0, nan), (1.0, nan, nan), (tiny, 1.0, tiny), (1.0, large, 1 / large), (tiny, tiny, math.pi / 4),
    ],
    "pow": [
        (0.0, -1.0, inf), (-0.0, -1.0, -inf), (-0.0, -2.0, inf), (0.0, -0.5, inf), (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0), (-0.0, 0.5, 0.0), (-1.0, inf, 1.0), (-1.0, -inf, 1.0), (1.0, nan, 1.0), (nan, 0.0, 1.0),
        (nan, -0.0, 1.0), (-8.0, 1 / 3, nan), (0.5, -inf, inf), (2.0, -inf, 0.0), (0.5, inf, 0.0), (2.0, inf, inf),
        (-inf, -3.0, -0.0), (-inf, -2.0, 0.0), (-inf, 3.0, -inf), (-inf, 2.0, inf), (inf, -1.0, 0.0), (inf, 0.1, inf),
        (nan, 1.0, nan), (2.0, nan, nan), (-2.0, 3.0, -8.0), (-2.0, 2.0**53, inf), (2.0, -1074.0, tiny),
        (tiny, 1.0, tiny),
    ],
    "hypot": [(inf, nan, inf), (nan, -inf, inf), (nan, 1.0, nan), (0.0, -0.0, 0.0), (tiny, 0.0, tiny)],
    "fmod": [(-0.0, 1.0, -0.0), (inf, 1.0, nan), (1.0, 0.0, nan), (1.5, inf, 1.5), (nan, 1.0, nan), (large, tiny, 0.0)],
    "remainder": [(5.0, 2.0, 1.0), (7.0, 2.0, -1.0), (-1.0, 1.0, -0.0), (inf, 1.0, nan), (1.0, 0.0, nan)],
}  # fmt: skip


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values_are_those_of_c99(name, lanes):
    rows = np.array(SPECIAL[name])
    got, expected = compiled(name, lanes).batch(rows[:, :-1])[:, 0], rows[:, -1]
    np.testing.assert_array_equal(got, expected)
    signed = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[signed]), np.signbit(expected[signed]))


def test_the_hardest_angle_of_all_doubles_is_reduced():
    # 6381956970095103 · 2⁷⁹⁷ lies closer to a multiple of π/2 than any other double (Muller 2005, section 9.4)
    x = math.ldexp(6381956970095103.0, 797)
    for name in ("sin", "cos", "tan"):
        assert errors(compiled(name, 1).batch([[x]])[:, 0], truth(name, np.array([[x]])))[0] < 1.0


@pytest.mark.parametrize("name", EXACT)
def test_remainders_in_checked_python(name):
    rows = arguments(name, 8, np.random.default_rng(5))
    checked = plain(getattr(remainders, name))
    np.testing.assert_array_equal([checked(x, y) for x, y in rows], compiled(name, 1).batch(rows)[:, 0])
