"""Values of programs with loops: each is computed once, and inside a loop only what changes there."""

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Newton, Program, Straight, compile_program


def long_sum(x, terms):
    """A value that takes many instructions."""
    return sum(ca.sin(k * x) / ca.sqrt(k + x * x) for k in range(1, terms + 1))


def newton(name, residual, reads, arguments, **options):
    y = ca.SX.sym(name, residual(*arguments, ca.SX.sym("y")).numel())
    r = residual(*arguments, y)
    return Newton(name, ca.Function("r", [*arguments, y], [r]),
                  ca.Function("J", [*arguments, y], [ca.densify(ca.jacobian(r, y))]), reads, f"{name}0",
                  f"{name}_status", **options)


def program_of(terms, affine=False):
    """y³ + y = s(a), z eˢ⁽ᵃ⁾ = y + cos s (affine if asked), and s, y, z together; s takes many instructions."""
    a, b, y, z = (ca.SX.sym(name) for name in "abyz")
    first = newton("y", lambda a, y: y**3 + y - long_sum(a, terms), ("a",), [a])
    if affine:
        second = newton("z", lambda a, y, z: z * ca.exp(long_sum(a, terms)) - y - ca.cos(long_sum(a, terms)),
                        ("a", "y"), [a, y], affine=True)
    else:
        second = newton("z", lambda a, y, z: ca.sinh(z) * ca.exp(long_sum(a, terms)) - y - ca.cos(long_sum(a, terms)),
                        ("a", "y"), [a, y])
    s = long_sum(a, terms)
    end = ca.Function("end", [a, b, y, z], [s * y + ca.sin(s) + ca.exp(s) + (y**3 + y) * b + ca.cos(s) * z])
    return Program("shared", [("a", 1), ("b", 1), ("y0", 1), ("z0", 1)], [("w", 1), ("y", 1), ("z", 1), ("b", 1)],
                   [first, second, Straight(end, ("a", "b", "y", "z"), ("w",))])


@pytest.mark.parametrize("affine", [False, True])
def test_what_loops_do_not_change_is_computed_once(affine):
    rows = np.column_stack([np.random.default_rng(1).uniform(0.1, 3, (13, 2)), np.zeros((13, 2))])
    program, once = program_of(60, affine), program_of(1, affine)
    compiled = compile_program(program, "quick")
    expected = compiled.batch(rows)
    for (a, b, *_), (w, y, z, same) in zip(rows, expected, strict=True):
        s = sum(np.sin(k * a) / np.sqrt(k + a * a) for k in range(1, 61))
        assert y**3 + y == pytest.approx(s, rel=1e-12)
        assert (z if affine else np.sinh(z)) * np.exp(s) == pytest.approx(y + np.cos(s), rel=1e-12)
        assert w == pytest.approx(s * y + np.sin(s) + np.exp(s) + (y**3 + y) * b + np.cos(s) * z, rel=1e-12)
        assert same == b
    # the sum stands in both loops and behind them: 59 terms of seven instructions, once
    assert compiled.instructions - compile_program(once, "quick").instructions <= 59 * 7
    for lanes in (1, 4):
        np.testing.assert_array_equal(compile_program(program, "optimised", lanes).batch(rows), expected)


def test_what_a_loop_computed_last_stays_valid_behind_it():
    """Behind a Newton loop the values at its solution are at hand; behind a linear one they are computed again."""
    a, y = ca.SX.sym("a"), ca.SX.sym("y")
    end = ca.Function("end", [y], [long_sum(7 * y, 30)])
    for affine in (False, True):
        if affine:
            loop = newton("y", lambda a, y: 7 * y - a * long_sum(a, 30), ("a",), [a], affine=True)
        else:
            loop = newton("y", lambda a, y: 50 * y + long_sum(7 * y, 30) - a, ("a",), [a])
        program = Program("last", [("a", 1), ("y0", 1)], [("w", 1), ("y", 1)], [loop, Straight(end, ("y",), ("w",))])
        compiled = compile_program(program, "quick")
        for value in (0.3, 4.0):
            w, found = compiled([value, 0.0])
            assert w == pytest.approx(float(end(found)), rel=1e-13)
        if not affine:
            assert w == pytest.approx(value - 50 * found, abs=1e-12)
