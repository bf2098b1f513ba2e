"""The polynomial sincos: accurate, and the same in every lane width."""

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Program, Straight, compile_program, native_lanes

extended = pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="needs extended precision as reference")


def compiled(lanes, tier="quick"):
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.sin(x), ca.cos(x)])
    return compile_program(
        Program("sc", [("x", 1)], [("s", 1), ("c", 1)], [Straight(f, ("x",), ("s", "c"))]), tier, lanes
    )


def near_multiples():
    """Doubles nearest to k π/2, where the reduction cancels most."""
    k = np.arange(1, 63_000)
    half_pi = np.longdouble(np.pi) / 2 + np.longdouble("6.123233995736766035868820147292e-17")
    return (k * half_pi).astype(float)


RANGES = {
    "one turn": lambda rng: rng.uniform(-np.pi, np.pi, 100_000),
    "many turns": lambda rng: rng.uniform(-1e5, 1e5, 200_000),
    "tiny": lambda rng: 10 ** rng.uniform(-320, -1, 20_000),
    "huge": lambda rng: 10 ** rng.uniform(5, 300, 20_000),
    "near multiples of a right angle": lambda rng: near_multiples(),
}


@extended
@pytest.mark.parametrize("name", RANGES)
def test_error_is_below_one_ulp(name):
    x = RANGES[name](np.random.default_rng(0))
    got = compiled(native_lanes()).batch(x[:, None])
    for column, function in enumerate((np.sin, np.cos)):
        exact = function(x.astype(np.longdouble))
        error = np.abs(got[:, column] - exact) / np.spacing(np.abs(exact).astype(float))
        assert error.max() < 1.0


def test_lanes_and_tiers_agree_in_every_bit():
    x = np.random.default_rng(1).uniform(-2e5, 2e5, (1003, 1))  # half of it beyond the polynomial's range
    expected = compiled(1).batch(x)
    for lanes in (1, 2, 4, 8, 16):
        np.testing.assert_array_equal(compiled(lanes, "optimised").batch(x), expected)


def test_special_arguments():
    got = compiled(4).batch(np.array([[0.0], [-0.0], [np.inf], [-np.inf], [np.nan], [5e-324]]))
    np.testing.assert_array_equal(got[:, 0], [0.0, -0.0, np.nan, np.nan, np.nan, 5e-324])
    np.testing.assert_array_equal(got[:, 1], [1.0, 1.0, np.nan, np.nan, np.nan, 1.0])
    assert not np.signbit(got[0, 0]) and np.signbit(got[1, 0])


@pytest.mark.parametrize("count", [2, 3, 7, 8, 9, 19])
@pytest.mark.parametrize("tier", ["quick", "optimised"])
def test_arguments_taken_together_give_the_bits_of_one_alone(count, tier):
    x = ca.SX.sym("x", count)
    f = ca.Function("f", [x], [ca.sin(x), ca.cos(x[1:])])
    program = Program("sc", [("x", count)], [("s", count), ("c", count - 1)], [Straight(f, ("x",), ("s", "c"))])
    values = np.random.default_rng(count).uniform(-20, 20, count)
    values[:2] = np.inf, -3e7  # outside the polynomial's range, beside arguments inside it
    alone = compiled(1).batch(values[:, None])
    got = compile_program(program, tier)(values)
    np.testing.assert_array_equal(got, [*alone[:, 0], *alone[1:, 1]])
