"""The same bits in every tier, lane width and way of cutting the code."""

import ctypes

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Newton, Program, Solve, Straight, compile_program, emit


def random_function(seed, length, n=6):
    """A random expression graph of `length` operations on n symbols."""
    rng = np.random.default_rng(seed)
    x = ca.SX.sym("x", n)
    values = [x[i] for i in range(n)] + [ca.SX(0.7), ca.SX(-1.3)]
    pick = lambda: values[rng.integers(max(0, len(values) - 60), len(values))]  # noqa: E731
    for _ in range(length):
        a, b = pick(), pick()
        kind = rng.integers(12)
        new = (
            [a + b, a - b, a * 0.9 + 0.1 * b, b * ca.sin(a), a / (2 + b * b), ca.cos(a) - b]
            + [ca.sqrt(a * a + 0.5), ca.fmin(a, b), ca.if_else(a < b, a, b * 0.5), ca.atan2(a, b), -a, ca.tanh(a)]
        )[kind]
        values.append(new)
    return ca.Function("f", [x], [ca.vertcat(*values[-20:])])


def program(f):
    return Program("f", [("x", f.numel_in(0))], [("y", f.numel_out(0))], [Straight(f, ("x",), ("y",))])


@pytest.mark.parametrize("seed", range(6))
def test_random_expressions_equal_casadi(seed):
    f = random_function(seed, 300)
    rows = np.random.default_rng(100 + seed).normal(size=(13, 6))
    expected = np.array([f(row).full().ravel() for row in rows])
    got = compile_program(program(f), "quick", 4).batch(rows)
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_tiers_and_lanes_give_the_same_bits(seed):
    f = random_function(seed, 400)
    rows = np.random.default_rng(200 + seed).normal(size=(19, 6)) * 10
    expected = compile_program(program(f), "quick").batch(rows)
    for lanes in (1, 2, 4, 8):
        for tier in ("quick", "optimised"):
            compiled = compile_program(program(f), tier, lanes)
            np.testing.assert_array_equal(compiled.batch(rows), expected)
            np.testing.assert_array_equal(compiled(rows[5]), expected[5])


def test_lane_function_takes_slots_first():
    f = random_function(3, 50)
    compiled = compile_program(program(f), "quick", 4)
    rows = np.random.default_rng(3).normal(size=(4, 6))
    x, out, work = rows.T.copy(), np.empty((compiled.n_out, 4)), compiled.workspace()

    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(compiled.address)
    call(x.ctypes.data, out.ctypes.data, work.ctypes.data)
    np.testing.assert_array_equal(out.T, compiled.batch(rows))


@pytest.mark.parametrize("size", [1, 7, 50, 333])
def test_cutting_into_functions_changes_nothing(size, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    f = random_function(9, 500)
    rows = np.random.default_rng(9).normal(size=(9, 6))
    expected = compile_program(program(f), "quick").batch(rows)
    monkeypatch.setattr(emit, "CHUNK", size)
    monkeypatch.setattr(emit, "WHOLE", 0)
    for lanes in (1, 4):
        compiled = compile_program(program(f), "quick", lanes)
        assert compiled.n_work > 0
        np.testing.assert_array_equal(compiled.batch(rows), expected)


def test_workspace_slots_are_used_again(monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(emit, "CHUNK", 20)
    monkeypatch.setattr(emit, "WHOLE", 0)
    compiled = compile_program(program(random_function(5, 3000)), "quick")
    assert compiled.n_work < 200


def test_fast_arithmetic_is_close():
    f = random_function(4, 200)
    row = np.random.default_rng(4).normal(size=6)
    strict, fast = (compile_program(program(f), "optimised", fast=flag)(row) for flag in (False, True))
    np.testing.assert_allclose(fast, strict, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lanes", [1, 2, 8])
@pytest.mark.parametrize("size", [5, 2000])
def test_nothing_is_written_outside_the_arrays(lanes, size, monkeypatch):
    """Newton, solve and cut code together; guard values behind output and workspace must survive."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(emit, "CHUNK", size)
    monkeypatch.setattr(emit, "WHOLE", 0)
    x, y = ca.SX.sym("x", 6), ca.SX.sym("y", 3)
    r = y**3 + y + ca.sin(x[:3]) * y[1] - x[3:]
    residual = ca.Function("r", [x, y], [r])
    jacobian = ca.Function("J", [x, y], [ca.densify(ca.jacobian(r, y))])
    first = random_function(11, 80)
    matrix = ca.Function("matrix", [x], [ca.SX.eye(3) * 4 + x[:3] @ x[3:].T, ca.cos(x[:3])])
    segments = [
        Straight(first, ("x",), ("z",)),
        Straight(ca.Function("start", [x], [x[:3] * 0.1]), ("x",), ("y0",)),
        Newton("y", residual, jacobian, ("x",), "y0", "status"),
        Straight(matrix, ("x",), ("A", "b")),
        Solve("A", "b", "s", 3),
    ]
    outputs = [("z", first.numel_out(0)), ("y", 3), ("status", 2), ("s", 3)]
    c = compile_program(Program("all", [("x", 6)], outputs, segments), "quick", lanes)
    rows = np.random.default_rng(0).normal(size=(2 * lanes + 1, 6))
    out, work = np.full(len(rows) * c.n_out + 50, 7.25), np.full(c.n_work * lanes + 50, 7.25)
    batch = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)(c.batch_address)
    batch(rows.ctypes.data, out.ctypes.data, work.ctypes.data, len(rows))
    assert (out[-50:] == 7.25).all() and (work[-50:] == 7.25).all()
    got = out[:-50].reshape(len(rows), -1)
    assert (got[:, c.slice_out("status")][:, 1] <= 1e-12).all()
    np.testing.assert_array_equal(got, c.batch(rows))
    for row, values in zip(rows, got, strict=True):
        np.testing.assert_allclose(residual(row, values[c.slice_out("y")]), 0, atol=1e-12)
        a, b = matrix(row)
        np.testing.assert_allclose(values[c.slice_out("s")], ca.solve(a, b).full().ravel(), rtol=1e-9)
