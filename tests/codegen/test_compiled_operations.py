"""Every operation an SX expression can hold, against CasADi's own evaluation."""

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Program, Straight, compile_program, count_instructions
from linkwright.codegen.operations import ELEMENTARY
from linkwright.errors import LinkwrightError, ModelError

UNARY = {
    "neg": lambda x: -x,
    "sq": lambda x: x * x,
    "twice": lambda x: x + x,
    "inv": lambda x: 1 / x,
    "sqrt": ca.sqrt,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan": ca.atan,
    "exp": ca.exp,
    "log": ca.log,
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "asinh": ca.asinh,
    "acosh": ca.acosh,
    "atanh": ca.atanh,
    "expm1": ca.expm1,
    "log1p": ca.log1p,
    "erf": ca.erf,
    "fabs": ca.fabs,
    "floor": ca.floor,
    "ceil": ca.ceil,
    "sign": ca.sign,
    "not": ca.logic_not,
    "cube": lambda x: x**3,
    "half power": lambda x: x**1.5,
    "constant power": lambda x: ca.constpow(x, 2.3),
}
BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "atan2": ca.atan2,
    "hypot": ca.hypot,
    "fmod": ca.fmod,
    "remainder": ca.remainder,
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "copysign": ca.copysign,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "if": lambda x, y: ca.if_else(x < y, x, y),
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 1e-300, 1e300, 5e-324, np.inf, -np.inf, np.nan, 3.0, 1e6]
# these are our own functions: neither they nor the C library's are rounded correctly
ROUNDED = {"sin", "cos", *ELEMENTARY.values(), "half power", "constant power"} - {"fmod", "remainder"}


def agree(name, got, expected):
    if name in ROUNDED:
        np.testing.assert_allclose(got, expected, rtol=6e-16, atol=0)
    else:
        np.testing.assert_array_equal(got, expected)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("name", UNARY)
def test_unary_operation_equals_casadi(name):
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [UNARY[name](x)])
    rows = np.concatenate([SPECIAL, np.random.default_rng(1).normal(size=23) * 2])[:, None]
    expected = np.array([float(f(v)) for v in rows[:, 0]])
    for tier, lanes in (("quick", 1), ("optimised", 4)):
        compiled = compile_program(Program("f", [("x", 1)], [("y", 1)], [Straight(f, ("x",), ("y",))]), tier, lanes)
        agree(name, compiled.batch(rows)[:, 0], expected)


@pytest.mark.parametrize("name", BINARY)
def test_binary_operation_equals_casadi(name):
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    f = ca.Function("f", [x, y], [BINARY[name](x, y)])
    rng = np.random.default_rng(2)
    rows = np.array([(a, b) for a in SPECIAL for b in SPECIAL] + rng.normal(size=(23, 2)).tolist())
    if name in ("fmin", "fmax"):  # the sign of a zero is free there
        rows = rows[~((rows == 0).all(axis=1))]
    expected = np.array([float(f(*row)) for row in rows])
    program = Program("f", [("x", 1), ("y", 1)], [("z", 1)], [Straight(f, ("x", "y"), ("z",))])
    for tier, lanes in (("quick", 1), ("optimised", 4)):
        agree(name, compile_program(program, tier, lanes).batch(rows)[:, 0], expected)


def test_unselected_branch_does_not_spread_nan():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.if_else(x > 0, ca.sqrt(x), 0)])
    compiled = compile_program(Program("f", [("x", 1)], [("y", 1)], [Straight(f, ("x",), ("y",))]), lanes=2)
    np.testing.assert_array_equal(compiled.batch([[4.0], [-4.0], [0.0]])[:, 0], [2.0, 0.0, 0.0])


def test_unsupported_operation_is_named():
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [ca.erfinv(x)])
    with pytest.raises(LinkwrightError, match="OP_ERFINV"):
        compile_program(Program("f", [("x", 1)], [("y", 1)], [Straight(f, ("x",), ("y",))]))


def test_sparse_results_are_written_densely():
    x = ca.SX.sym("x", 3)
    f = ca.Function("f", [x], [ca.diag(x)])
    compiled = compile_program(Program("f", [("x", 3)], [("D", 9)], [Straight(f, ("x",), ("D",))]))
    np.testing.assert_array_equal(compiled([1, 2, 3]).reshape(3, 3), np.diag([1.0, 2, 3]))


def test_equal_instructions_are_counted_once():
    x = ca.SX.sym("x", 2)
    assert count_instructions(ca.Function("f", [x], [x[0] * x[1] + ca.sin(x[0]), x[1] * x[0], ca.cos(x[0])])) == 4


def test_mx_function_is_refused():
    x = ca.MX.sym("x")
    f = ca.Function("f", [x], [ca.sin(x)])
    with pytest.raises(ModelError, match="expand"):
        compile_program(Program("f", [("x", 1)], [("y", 1)], [Straight(f, ("x",), ("y",))]))
