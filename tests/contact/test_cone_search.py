"""The search for impulses within cones: checked Python and machine code agree, and its derivatives are right."""

import numpy as np

from linkwright.integrate.gauss_seidel import CONTACT, SINGLE, TURN
from linkwright.run import cone, cone_search


def problem():
    """Contacts (one with a known direction), turning of the first, and a single row."""
    rng, kinds = np.random.default_rng(3), np.array([CONTACT, CONTACT, TURN, SINGLE, CONTACT])
    n = len(kinds)
    half = rng.normal(size=(3 * n, 3 * n))
    W = half @ half.T + np.eye(3 * n)
    W[[10, 11]], W[:, [10, 11]] = 0.0, 0.0
    W[[10, 11], [10, 11]] = 1.0
    b = 20 * rng.normal(size=3 * n)
    b[10:12] = 0.0
    laws = np.array([[0.5, 0, 0], [0.3, 0, 0], [0.2, 0.1, 0], [-1.0, 2.0, 0], [0.9, 0, 0]])
    known, ways = np.array([0, 1, 0, 0, 0]), np.tile([0.6, 0.8], (n, 1))
    r = np.zeros(3 * n)
    cone.find_steps(W, kinds, r)
    return [n, W, b, r, kinds, np.array([2, -1, 0, -1, -1]), laws, np.zeros(n), known, ways]


def test_checked_python_and_machine_code_agree_to_the_bit():
    a = problem()
    n = len(a[2])
    results = []
    for search in (cone_search.search, cone_search.search.plain):
        best = np.zeros(n)
        room = [np.zeros(n) for _ in range(4)], np.zeros(2 * n), np.zeros((2 * n, n)), np.zeros(n)
        left = search(*a, np.zeros(n), np.array([5, 20, 60]), 20.0, 20.0, *room[0], *room[1:], best)
        assert left <= 1e-11
        results.append(best)
    np.testing.assert_array_equal(*results)


def test_the_derivatives_are_those_of_the_residual():
    a = problem()
    n, step = len(a[1]), 1e-7
    rng = np.random.default_rng(1)
    for _ in range(20):
        force, J = rng.normal(size=n), np.zeros((n, n))
        x, F = np.zeros(n), np.zeros(n)
        cone_search.residual(*a, force, x, F)
        cone_search.jacobian(*a[:2], *a[3:], x, J)
        changed = np.zeros((n, n))
        for k in range(n):
            ends = []
            for sign in (1, -1):
                moved = force.copy()
                moved[k] += sign * step
                ends.append(np.zeros(n))
                cone_search.residual(*a, moved, x, ends[-1])
            changed[:, k] = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(J, changed, atol=1e-6)


def test_a_single_row_gives_way_at_either_end_of_its_interval():
    for speed, impulse in ((-30.0, 2.0), (30.0, -1.0), (-0.5, 0.5)):
        W, b, laws = np.diag([1.0, 0, 0]), np.array([speed, 0, 0]), np.array([[-1.0, 2.0, 0]])
        found = cone.solve_rows(W, b, np.array([SINGLE]), np.array([-1]), laws)
        np.testing.assert_allclose(found, [impulse, 0, 0], atol=1e-10)


def test_a_damped_step_beside_rows_that_are_decoupled_is_finite():
    """Of a contact that stays open the derivatives are those of a unit matrix, which reflections leave as it is."""
    a = problem()
    n = len(a[2])
    best, room = np.zeros(n), [np.zeros(n) for _ in range(5)]
    a[2] = np.abs(a[2])
    cone_search.search(*a, np.linspace(-5, 5, n), np.array([0]), 20.0, 20.0, *room[:4], np.zeros(2 * n),
                       np.zeros((2 * n, n)), room[4], best)
    F = np.zeros(n)
    cone_search.residual(*a, best, np.zeros(n), F)
    assert np.abs(F).max() < 1e-9
