"""Loops over rows of a table: programs that call them equal CasADi's own sum, with the same bits in every width."""

import pickle

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Loop, Program, Straight, compile_program
from linkwright.codegen.loops import loop_of
from linkwright.errors import ModelError


def pairs(n, seed=1):
    """Inverse-square and inverse-cube forces between all pairs of n points."""
    x, c = ca.SX.sym("x", 6), ca.SX.sym("c", 2)
    r2 = ca.sumsqr(x[:3] - x[3:])
    kernel = ca.Function("pair", [x, c], [-ca.gradient(c[0] / ca.sqrt(r2) + c[1] / r2, x)])
    table = [[3 * i + k for i in (a, b) for k in range(3)] for a in range(n) for b in range(a + 1, n)]
    data = np.random.default_rng(seed).normal(size=(len(table), 2))
    return Loop(kernel, table, data, table, 3 * n, 3 * n)


def program(loop, with_jacobian=False):
    q = ca.SX.sym("q", loop.n_in)
    y = loop(q + 0.25 * ca.sin(q))
    results = [y[::2] * 2 + q[0], ca.jacobian(y, q)] if with_jacobian else [y[::2] * 2 + q[0]]
    f = ca.Function("forces", [q], [ca.densify(r) for r in results])
    names = ("y", "J")[: len(results)]
    outputs = [(name, f.numel_out(k)) for k, name in enumerate(names)]
    return f, Program("forces", [("q", loop.n_in)], outputs, [Straight(f, ("q",), names)])


@pytest.mark.parametrize("n", [2, 3, 5, 11])
def test_a_program_that_calls_a_loop_equals_casadi(n):
    f, wanted = program(pairs(n), with_jacobian=True)
    q = np.random.default_rng(2).normal(size=3 * n)
    expected = np.concatenate([np.array(part).ravel(order="F") for part in f(q)])
    np.testing.assert_allclose(compile_program(wanted)(q), expected, rtol=1e-12, atol=1e-12 * abs(expected).max())


def test_tiers_and_lanes_give_the_same_bits():
    _, wanted = program(pairs(7))
    rows = np.random.default_rng(3).normal(size=(19, 21))
    first = compile_program(wanted, lanes=1, tier="optimised").batch(rows)
    for lanes, tier in ((1, "quick"), (4, "optimised"), (8, "optimised")):
        assert (compile_program(wanted, lanes=lanes, tier=tier).batch(rows) == first).all()


def test_the_jacobian_of_a_loop_is_that_of_finite_differences():
    loop = pairs(4)
    q = ca.SX.sym("q", 12)
    slopes = ca.Function("J", [q], [ca.jacobian(loop(q), q)])
    at, h = np.random.default_rng(4).normal(size=12), 1e-6
    numbers = np.column_stack([(np.array(loop(at + h * e)) - np.array(loop(at - h * e))) / (2 * h) for e in np.eye(12)])
    np.testing.assert_allclose(np.array(slopes(at)), numbers, atol=1e-7 * abs(numbers).max())


def test_kernel_and_table_are_read_back_from_the_function():
    loop = pairs(3)
    for function in (loop.casadi, pickle.loads(pickle.dumps(loop.casadi))):
        again = loop_of(function)
        assert (again.reads == loop.reads).all() and (again.writes == loop.writes).all()
        assert (again.data == loop.data).all()
    one_row = Loop(loop.kernel, [[3, 4, 5, 0, 1, 2]], [[1.0, 2.0]], [[3, 4, 5, 0, 1, 2]], 6, 6)
    assert (loop_of(one_row.casadi).writes == one_row.writes).all()


def test_equal_calls_are_made_once():
    loop = pairs(3)
    q = ca.SX.sym("q", 9)
    f = ca.Function("twice", [q], [loop(q)[0], loop(q)[5]])
    assert compile_program(Program("twice", [("q", 9)], [("a", 1), ("b", 1)],
                                   [Straight(f, ("q",), ("a", "b"))])).instructions == 1


def test_a_table_that_does_not_fit_is_refused():
    loop = pairs(3)
    with pytest.raises(ModelError, match="columns"):
        Loop(loop.kernel, loop.reads[:, :4], loop.data, loop.writes, 9, 9)
    with pytest.raises(ModelError, match="element 8"):
        Loop(loop.kernel, loop.reads, loop.data, loop.writes, 8, 9)
