"""Newton loops and dense solves inside programs."""

import ctypes

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Newton, Program, Solve, Straight, compile_program, dense_solves
from linkwright.codegen.dialect import Machine, plain
from linkwright.errors import ModelError


def newton_program(equations, n, m, guess=None, **options):
    """Program a → (y, status) that solves equations(a, y) = 0 from a guess vector that is an input."""
    a, y = ca.SX.sym("a", m), ca.SX.sym("y", n)
    r = equations(a, y)
    residual = ca.Function("r", [a, y], [r])
    jacobian = ca.Function("J", [a, y], [ca.densify(ca.jacobian(r, y))])
    segment = Newton("y", residual, jacobian, ("a",), "y0", "status", **options)
    return Program("newton", [("a", m), ("y0", n)], [("y", n), ("status", 2)], [segment])


def circle_and_line(a, y):
    return ca.vertcat(y[0] ** 2 + y[1] ** 2 - a[0], y[0] - a[1] * y[1])


def test_newton_converges_in_every_lane():
    program = newton_program(circle_and_line, 2, 2)
    rows = np.column_stack([np.random.default_rng(0).uniform(0.5, 2, (21, 2)), np.ones((21, 2))])
    expected = compile_program(program, "quick").batch(rows)
    y = np.sqrt(rows[:, 0] / (1 + rows[:, 1] ** 2))
    np.testing.assert_allclose(expected[:, 1], y, rtol=1e-12)
    assert (expected[:, 3] <= 1e-12).all() and (expected[:, 2] <= 8).all()
    assert len(set(expected[:, 2])) > 1  # lanes stop at different times
    for lanes in (1, 2, 4, 8):
        for tier in ("quick", "optimised"):
            np.testing.assert_array_equal(compile_program(program, tier, lanes).batch(rows), expected)


def test_start_at_the_solution_needs_no_iteration():
    compiled = compile_program(newton_program(lambda a, y: y - a, 3, 3))
    np.testing.assert_array_equal(compiled([1, 2, 3, 1, 2, 3]), [1, 2, 3, 0, 0])


def test_newton_without_solution_shows_in_status():
    compiled = compile_program(newton_program(lambda a, y: y**2 + a, 1, 1, max_iterations=7), lanes=2)
    y, iterations, norm = compiled([1.0, 0.3])
    assert iterations == 7 and norm >= 1 and np.isfinite(y)


def test_singular_newton_matrix_shows_in_status():
    compiled = compile_program(newton_program(lambda a, y: y**2 + a, 1, 1))
    assert not np.isfinite(compiled([1.0, 0.0])[2])


def test_newton_stops_when_rounding_forbids_the_tolerance():
    scale = 1e9
    compiled = compile_program(newton_program(lambda a, y: scale * (y**2 - a), 1, 1, tolerance=1e-30))
    y, iterations, norm = compiled([2.0, 1.0])
    assert y == pytest.approx(np.sqrt(2), rel=1e-15) and iterations < 10 and norm > 1e-30


@pytest.mark.parametrize("lanes", [1, 4])
def test_affine_system_takes_one_step(lanes):
    matrix = np.random.default_rng(3).normal(size=(5, 5))
    program = newton_program(lambda a, y: ca.DM(matrix) @ y - a, 5, 5, affine=True)
    rows = np.random.default_rng(4).normal(size=(6, 10))
    out = compile_program(program, lanes=lanes).batch(rows)
    np.testing.assert_allclose(out[:, :5], np.linalg.solve(matrix, rows[:, :5].T).T, rtol=1e-9)
    assert (out[:, 5] == 1).all() and (out[:, 6] < 1e-12).all()


def solve_program(n):
    return Program("solve", [("A", n * n), ("b", n)], [("x", n)], [Solve("A", "b", "x", n)])


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 25])
def test_solve_equals_lapack(n):
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(9, n * n + n))
    rows[0, : n * n] = np.eye(n)[::-1].ravel()  # needs pivoting
    expected = compile_program(solve_program(n), "quick").batch(rows)
    for row, x in zip(rows, expected, strict=True):
        np.testing.assert_allclose(x, np.linalg.solve(row[: n * n].reshape(n, n, order="F"), row[n * n :]), rtol=1e-8)
    for lanes in (2, 8):
        np.testing.assert_array_equal(compile_program(solve_program(n), "optimised", lanes).batch(rows), expected)


def test_singular_matrix_gives_no_finite_solution():
    compiled = compile_program(solve_program(3))
    matrix = np.array([[1.0, 2, 0], [2, 4, 0], [0, 0, 1]])
    assert not np.isfinite(compiled(np.concatenate([matrix.ravel(), [1, 2, 3]]))).all()
    assert not np.isfinite(compiled(np.zeros(12))).all()


def test_segments_pass_vectors_to_one_another():
    x = ca.SX.sym("x", 2)
    assemble = ca.Function(
        "assemble", [x], [ca.vertcat(ca.horzcat(2 + x[0] ** 2, x[1]), ca.horzcat(x[1], 3)), ca.sin(x)]
    )
    s, z = ca.SX.sym("s", 2), ca.SX.sym("z", 2)
    finish = ca.Function("finish", [s, z], [s + z])
    segments = [
        Straight(assemble, ("x",), ("A", "b")),
        Solve("A", "b", "s", 2),
        Straight(finish, ("s", "b"), ("w",)),
        Straight(finish, ("w", "x"), ("v",)),
    ]
    program = Program("chain", [("x", 2)], [("v", 2), ("x", 2), ("s", 2)], segments)
    values = np.array([0.3, -0.8])
    matrix, rhs = np.array([[2.09, -0.8], [-0.8, 3]]), np.sin(values)
    s = np.linalg.solve(matrix, rhs)
    for lanes in (1, 4):
        compiled = compile_program(program, lanes=lanes)
        out = compiled.batch(np.tile(values, (5, 1)))
        np.testing.assert_allclose(out, np.tile(np.concatenate([s + rhs + values, values, s]), (5, 1)), rtol=1e-14)
    assert compiled.slice_out("s") == slice(4, 6)


@pytest.mark.parametrize(
    "segment, message",
    [
        (Solve("A", "b", "b", 2), "already exists"),
        (Solve("A", "c", "x", 2), "nothing has written"),
        (Solve("A", "b", "x", 3), "expects 9 values in 'A', which has 4"),
        ("nonsense", "not a segment"),
    ],
)
def test_programs_that_do_not_fit_are_refused(segment, message):
    with pytest.raises(ModelError, match=message):
        compile_program(Program("p", [("A", 4), ("b", 2)], [], [segment]))


def numbers_of_newton(n, lanes):
    """Unknowns, matrix, residual, status, whether stalled, scratch; one lane has arrived, one has no numbers."""
    rng = np.random.default_rng(0)
    y, a, b = rng.normal(size=(n, lanes)), rng.normal(size=(n * n, lanes)), rng.normal(size=(n, lanes))
    b[:, 0], b[0, 1] = 1e-14, np.nan
    return y.ravel(), a.ravel(), b.ravel(), np.zeros(2 * lanes), np.zeros(lanes), np.zeros(n * (n + 2))


@pytest.mark.parametrize("step, limits", [
    (dense_solves.lw_newton_step, (1e-12, 10.0)), (dense_solves.lw_affine_step, ()),
], ids=["newton", "affine"])
def test_steps_in_checked_python_have_the_bits_of_compiled_ones(step, limits):
    compiled, checked = numbers_of_newton(3, 4), numbers_of_newton(3, 4)
    machine = Machine(step)
    entry = ctypes.CFUNCTYPE(ctypes.c_int64 if limits else None, *[ctypes.c_void_p] * 6, *[ctypes.c_int64] * 2,
                             *[ctypes.c_double] * len(limits))(machine.address)
    going = entry(*(part.ctypes.data for part in compiled), 3, 4, *limits)
    assert plain(step)(*checked, 3, 4, *limits) == going
    for one, other in zip(compiled, checked, strict=True):
        np.testing.assert_array_equal(one, other)
