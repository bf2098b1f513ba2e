"""The best row of a table: compiled code finds what comparing all of them finds, in one lane and in several."""

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Least, Program, Straight, compile_program, least_of, loops_of_calls
from linkwright.codegen.dialect import ByName, plain
from linkwright.errors import ModelError

X, A, B = ca.SX.sym("x", 2), ca.SX.sym("a", 2), ca.SX.sym("b", 3)
SCORE = ca.sumsqr(X - A) + ca.sin(B[0] * X[0]) * B[1] + B[2]
KERNEL = ca.Function("kernel", [X, A, B], [ca.vertcat(SCORE, A[0], B[1], ca.if_else(A[0] < 0, 1.0, 0.0))])
NUMBERS = np.random.default_rng(4)
ROWS = NUMBERS.normal(size=(30, 2)), NUMBERS.normal(size=(20, 3))


def program(kernel, *tables) -> Program:
    x = ca.SX.sym("x", 2)
    found = ca.Function("f", [x], [Least(kernel, *tables)(2 * x)])
    return Program("found", [("x", 2)], [("y", found.numel_out(0))], [Straight(found, ("x",), ("y",))])


@pytest.mark.parametrize("kernel", [KERNEL, ca.Function("alone", [X, A, B], [SCORE])], ids=["beside", "alone"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_it_finds_what_comparing_all_pairs_finds(lanes, kernel):
    points = NUMBERS.normal(size=(7, 2))
    found = compile_program(program(kernel, *ROWS), lanes=lanes).batch(points)
    for x, y in zip(points, found, strict=True):
        every = np.array([np.array(kernel(2 * x, a, b)).ravel() for a in ROWS[0] for b in ROWS[1]])
        assert y == pytest.approx(every[np.argmin(every[:, 0])], rel=1e-14)


def test_the_first_of_equals_and_the_first_of_none():
    equal = ca.Function("equal", [X, A, ca.SX.sym("none")], [ca.vertcat(ca.SX(1), A[0])])
    none = ca.Function("none", [X, A, ca.SX.sym("none")], [ca.vertcat(X[0] / ca.SX(0), A[0])])
    for kernel in (equal, none):
        assert compile_program(program(kernel, ROWS[0]))(np.array([-0.0, 0.0]))[1] == ROWS[0][0, 0]


@pytest.mark.parametrize("rows", [(1, 1), (1, 7), (7, 1), (3, 5), (6, 8), (2, 17)])
def test_of_equals_the_first_pair_is_taken_whatever_the_size_of_the_tables(rows):
    """Rows are scored side by side, the last one again and again to whole vectors: neither may be seen."""
    a, b = ca.SX.sym("a", 2), ca.SX.sym("b", 2)
    kernel = ca.Function("steps", [X, a, b], [ca.vertcat(ca.floor(2 * ca.sumsqr(X - a - b)), a[1], b[1])])
    tables = [np.column_stack([NUMBERS.normal(size=n), np.arange(n)]) for n in rows]
    compiled = compile_program(program(kernel, *tables))
    for x in NUMBERS.normal(size=(20, 2)):
        scores = np.array([[float(kernel(2 * x, one, other)[0]) for other in tables[1]] for one in tables[0]])
        assert tuple(compiled(x)[1:]) == np.unravel_index(np.argmin(scores), scores.shape)


def test_its_kernel_and_tables_can_be_read_back():
    back = least_of(Least(KERNEL, *ROWS).casadi)
    assert np.array_equal(back.a, ROWS[0]) and np.array_equal(back.b, ROWS[1])
    point = NUMBERS.normal(size=2), ROWS[0][3], ROWS[1][5]
    assert np.array_equal(np.array(back.kernel(*point)), np.array(KERNEL(*point)))


def test_it_has_no_slope():
    x = ca.SX.sym("x", 2)
    assert ca.jacobian(Least(KERNEL, *ROWS)(x), x).nnz() == 0 or float(ca.norm_inf(
        ca.Function("J", [x], [ca.jacobian(Least(KERNEL, *ROWS)(x), x)])(np.ones(2)))) == 0


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(ModelError, match=r"table a of a search has shape \(30, 3\)"):
        Least(KERNEL, np.zeros((30, 3)), ROWS[1])


def test_the_search_in_checked_python_finds_what_compiled_code_finds():
    x = NUMBERS.normal(size=2)

    def told(count):
        def call(here, a, b, out):
            rows = [b.data[:3]] if count else [b.data[k::20][:3] for k in range(4)]
            found = [np.array(KERNEL(here.data, a.data, row)).ravel() for row in rows]
            out.data[:] = found[0] if count else [y[0] for y in found]
            out.written[:] = True
        return ByName("kernel", 4, call)

    known = {"N_IN": 2, "N_OUT": 4, "N_A": 30, "N_B": 20, "WIDTH": 4, "A": ROWS[0], "B": ROWS[1],
             "COLUMNS": ROWS[1].T.ravel(), "scores": told(0), "results": told(1)}
    y = np.zeros(4)
    plain(loops_of_calls.best, known)(2 * x, y, 1)
    np.testing.assert_allclose(y, compile_program(program(KERNEL, *ROWS))(x), rtol=1e-14)


def test_slopes_in_checked_python():
    """Of x₀² and x₀ x₁ at (3, 2), by differences of a half and a quarter."""
    def call(x, out):
        out.data[:] = x.data[0] ** 2, x.data[0] * x.data[1]
        out.written[:] = True

    y = np.zeros(8)
    known = {"N_IN": 2, "N_OUT": 2, "STEPS": np.array([0.5, 0.25]), "routine": ByName("product", 2, call)}
    plain(loops_of_calls.slopes, known)(np.array([3.0, np.nan, 2.0, np.nan]), y, 2)
    assert y[::2].tolist() == [6.0, 2.0, 0.0, 3.0] and not y[1::2].any()
