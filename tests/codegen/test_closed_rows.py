"""Equations of which some are in force, solved by a loop inside compiled code."""

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Program, Straight, compile_program, solve_closed


def program(pattern, gently):
    """x of L, R, ε, mask, b, with something computed before and after."""
    L, R = (ca.SX.sym(name, pattern) for name in "LR")
    n = pattern.size2()
    epsilon, mask, b = (ca.SX.sym(name, n) for name in ("epsilon", "mask", "b"))
    x = solve_closed(L, R, epsilon, mask, 2 * b, gently) / 2
    f = ca.Function("f", [ca.vertcat(*L.nonzeros()), ca.vertcat(*R.nonzeros()), epsilon, mask, b], [x])
    names = ("L", "R", "epsilon", "mask", "b")
    sizes = [f.numel_in(i) for i in range(5)]
    return Program("closed", list(zip(names, sizes, strict=True)), [("x", n)], [Straight(f, names, ("x",))])


def evaluate(compiled, *parts):
    return compiled(np.concatenate([np.ravel(p, order="F") for p in parts]))


@pytest.mark.parametrize("gently", [False, True])
@pytest.mark.parametrize("lanes", [1, 4])
def test_what_is_off_is_left_out(gently, lanes):
    """The rest is solved as if nothing else were there: (S + ε) x = b, refined once or twice."""
    rng = np.random.default_rng(3)
    pattern = ca.Sparsity.dense(5, 7)
    code = compile_program(program(pattern, gently), lanes=lanes)
    rows = []
    for _ in range(8):
        L, R = rng.normal(size=(2, 5, 7))
        mask = (rng.uniform(size=7) < 0.5).astype(float)
        epsilon, b = rng.uniform(0.01, 0.1, 7), rng.normal(size=7)
        on = np.flatnonzero(mask)[:5]
        mask[:] = 0
        mask[on] = 1
        A = (L.T @ R)[np.ix_(on, on)] + np.diag(epsilon[on])
        first = np.linalg.solve(A, b[on])
        second = np.linalg.solve(A, epsilon[on] * first)
        third = np.linalg.solve(A, epsilon[on] * second)
        exact = np.zeros(7)
        exact[on] = first - second if gently else first + second - 2 * third
        rows.append((np.concatenate([L.T.ravel(), R.T.ravel(), epsilon, mask, b]), exact))
    found = code.batch(np.array([row for row, _ in rows]))
    assert found == pytest.approx(np.array([x for _, x in rows]), rel=1e-9, abs=1e-9)


def test_rows_that_repeat_each_other_share():
    """Twice the same row: half of the multiplier each, and the motion of one."""
    pattern = ca.Sparsity.dense(2, 3)
    code = compile_program(program(pattern, False))
    G = np.array([[1.0, 1.0, 0.0], [0.5, 0.5, 1.0]])
    x = code.batch(np.concatenate([G.T.ravel(), G.T.ravel(), [1e-9] * 3, [1.0, 1.0, 0.0], [5.0, 5.0, 9.0]])[None])[0]
    assert x == pytest.approx([2.0, 2.0, 0.0], abs=1e-7)
    assert G.T @ G @ x @ [1, 0, 0] == pytest.approx(5.0, abs=1e-12)


@pytest.mark.parametrize("reverse", [False, True])
def test_derivatives_are_those_of_the_solution(reverse):
    """Against central differences, forward and backward, through the matrices and the right-hand side."""
    rng = np.random.default_rng(5)
    A, B, C = rng.normal(size=(3, 4, 3))
    t = ca.SX.sym("t", 2)
    x = solve_closed(A + t[0] * ca.SX(B), A + t[1] * ca.SX(C), ca.SX([1e-9] * 3), ca.SX([1, 0, 1]),
                     t[0] + ca.SX([1, 2, 3]))
    if reverse:
        w = ca.SX([0.3, 0.7, -0.2])
        value, slope = ca.dot(w, x), ca.gradient(ca.dot(w, x), t)
    else:
        value, slope = x, ca.vec(ca.jacobian(x, t))
    f = ca.Function("f", [t], [ca.densify(value), ca.densify(slope)])
    code = compile_program(Program("d", [("t", 2)], [("x", f.numel_out(0)), ("s", f.numel_out(1))],
                                   [Straight(f, ("t",), ("x", "s"))]))
    at, h, n = np.array([0.2, 0.1]), 1e-6, f.numel_out(0)
    columns = [(code(at + h * e)[:n] - code(at - h * e)[:n]) / (2 * h) for e in np.eye(2)]
    assert code(at)[n:] == pytest.approx(np.concatenate(columns), abs=1e-7)
