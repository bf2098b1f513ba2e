"""Tables inside expressions: values, derivatives, errors."""

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import Akima1DInterpolator, PchipInterpolator

from linkwright.codegen import Program, Straight, Table, compile_program, loops_of_calls
from linkwright.codegen.dialect import plain
from linkwright.errors import LinkwrightError, ModelError

RNG = np.random.default_rng(5)
X, Y = np.sort(RNG.uniform(-3, 5, 12)), RNG.normal(size=12)
REFERENCE = {
    "linear": lambda v: np.interp(v, X, Y),
    "smooth": Akima1DInterpolator(X, Y),
    "monotone": PchipInterpolator(X, Y),
}


def compiled(build, n=1, lanes=4):
    s = ca.SX.sym("s", n)
    f = ca.Function("f", [s], [build(s)])
    return f, compile_program(
        Program("t", [("s", n)], [("y", f.numel_out(0))], [Straight(f, ("s",), ("y",))]), lanes=lanes
    )


@pytest.mark.parametrize("kind", REFERENCE)
def test_values_agree_with_scipy_and_casadi(kind):
    f, code = compiled(Table(X, Y, kind))
    inside = np.concatenate([X, np.linspace(X[0], X[-1], 200)])
    np.testing.assert_allclose(code.batch(inside[:, None])[:, 0], REFERENCE[kind](inside), rtol=0, atol=1e-14)
    anywhere = np.linspace(-8, 9, 300)
    np.testing.assert_array_equal(code.batch(anywhere[:, None])[:, 0], [float(f(v)) for v in anywhere])


@pytest.mark.parametrize("kind", REFERENCE)
@pytest.mark.parametrize("extrapolation", ["linear", "hold"])
def test_derivatives_of_tables_are_tables(kind, extrapolation):
    table = Table(X, Y, kind, extrapolation)

    def build(s):
        e = table(2 * s[0]) * s[1] + table(s[1] ** 2)
        h, g = ca.hessian(e, s)
        return ca.vertcat(g, ca.densify(h[:]), ca.jacobian(e, s).T, ca.jtimes(e, s, ca.vertcat(1, 2)))

    f, code = compiled(build, 2)
    rows = np.random.default_rng(1).uniform(-3, 3, (60, 2))
    expected = np.array([f(row).full().ravel() for row in rows])
    np.testing.assert_allclose(code.batch(rows), expected, rtol=1e-13, atol=1e-13)
    # first derivative against differences
    step = 1e-6
    _, value = compiled(lambda s: table(2 * s[0]) * s[1] + table(s[1] ** 2), 2)
    slope = (value.batch(rows + [step, 0]) - value.batch(rows - [step, 0]))[:, 0] / (2 * step)
    near = np.abs(2 * rows[:, :1] - X).min(axis=1) > 1e-5
    np.testing.assert_allclose(code.batch(rows)[near, 0], slope[near], rtol=1e-5, atol=1e-6)


def test_extrapolation():
    _, linear = compiled(Table([0, 1, 2], [0, 1, 4], "linear"))
    _, hold = compiled(Table([0, 1, 2], [0, 1, 4], "smooth", "hold"))
    np.testing.assert_allclose(linear.batch([[-1.0], [3.0]])[:, 0], [-1.0, 7.0])
    np.testing.assert_allclose(hold.batch([[-1.0], [3.0]])[:, 0], [0.0, 4.0])


def test_large_table_is_one_instruction():
    x = np.linspace(0, 10, 5000)
    _, code = compiled(Table(x, np.sin(x), "smooth"))
    assert code.instructions == 1
    v = np.linspace(0, 10, 777)
    np.testing.assert_allclose(code.batch(v[:, None])[:, 0], np.sin(v), atol=1e-7)


def test_expression_with_table_survives_serialisation():
    f, code = compiled(Table(X, Y, "smooth"))
    g = ca.Function.deserialize(f.serialize())
    again = compile_program(Program("t", [("s", 1)], [("y", 1)], [Straight(g, ("s",), ("y",))]))
    np.testing.assert_array_equal(again([1.1]), code([1.1]))


@pytest.mark.parametrize("kind", REFERENCE)
def test_checked_python_has_the_same_bits(kind):
    table = Table(X, Y, kind)
    look_up = plain(loops_of_calls.look_up, {"BREAKS": table.breaks, "COEFFICIENTS": table.coefficients})
    rows = np.append(np.linspace(-8, 9, 60), X)
    np.testing.assert_array_equal([look_up(v) for v in rows], compiled(table)[1].batch(rows[:, None])[:, 0])


def test_two_points_and_equal_columns():
    np.testing.assert_allclose(float(Table([0, 1], [1, 2], "smooth")(7.0)), 8.0)
    _, code = compiled(Table([0, 1, 2], [1, 1, 1], "monotone"))
    np.testing.assert_array_equal(code.batch([[-1.0], [0.5], [9.0]])[:, 0], 1.0)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([0, 0, 1], [1, 2, 3]), "increase"),
        (([0, 1], [1, 2, 3]), "equally long"),
        (([0, 1], [1, np.nan]), "NaN"),
        (([0, 1], [1, 2], "cubic"), "linear, smooth, monotone"),
    ],
)
def test_bad_tables_are_refused(arguments, message):
    with pytest.raises(ModelError, match=message):
        Table(*arguments)


def test_call_without_sx_form_is_named():
    x = ca.MX.sym("x")
    foreign = ca.Function(
        "foreign", [x], [ca.interpolant("i", "linear", [[0.0, 1.0]], [0.0, 1.0])(x)], {"never_inline": True}
    )
    with pytest.raises(LinkwrightError, match="foreign"):
        compiled(foreign)
