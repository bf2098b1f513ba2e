"""The cone problem alone: complementarity, cone and maximal dissipation on random and degenerate problems."""

import numpy as np
import pytest

from linkwright.run import cone


def box(rng, n):
    """W of n points of a rigid box on a plane (n = 4: redundant), and a random approach of it."""
    a = rng.uniform(0.2, 1.0, 3)
    M = np.diag([1.0] * 3 + [*(np.array([a[1]**2 + a[2]**2, a[0]**2 + a[2]**2, a[0]**2 + a[1]**2]) / 12)])
    corners = np.array([[x, y, -1] for x in (-1, 1) for y in (-1, 1)]) * a / 2
    G = np.vstack([_rows(r) for r in corners[:n]])
    u = rng.normal(size=6)
    u[2] -= 1.0
    return G @ np.linalg.inv(M) @ G.T, G @ u


def _rows(r):
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    return np.hstack([np.eye(3), -cross])[[2, 0, 1]]


def check(W, b, mu, least, force, tolerance):
    a = W @ force + b
    size, fast = np.abs(force).max() + 1e-12, max(np.abs(b).max(), np.abs(W @ force).max())
    for i, k in enumerate(range(0, len(b), 3)):
        t = slice(k + 1, k + 3)
        assert force[k] - least[i] >= -tolerance * size
        assert a[k] >= -tolerance * fast
        assert (force[k] - least[i]) * a[k] <= tolerance * size * fast
        limit, rub, slip = mu[i] * force[k], np.hypot(*force[t]), np.hypot(*a[t])
        assert rub <= limit + tolerance * size
        # against the slip, and all of it where there is one
        assert abs(force[t] @ a[t] + limit * slip) <= tolerance * size * fast


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0, 1.5])
def test_impacts_of_a_box_are_solved_exactly(n, mu):
    rng = np.random.default_rng(n)
    for _ in range(12):
        W, b = box(rng, n)
        coefficients, none = np.full(n, mu), np.zeros(n)
        first = cone.solve(W, b, coefficients)
        assert first is not None
        check(W, b, coefficients, none, first, 1e-9)
        least = 0.8 * first[0::3]
        second = cone.solve(W, W @ first + b, coefficients, least)
        assert second is not None
        check(W, W @ first + b, coefficients, least, second, 1e-9)


def test_a_known_direction_of_sliding_is_kept():
    W, b = np.diag([1.0, 2.0, 2.0]), np.array([-3.0, 0.0, 0.0])
    force = cone.solve(W, b, [0.5], directions={0: np.array([0.6, 0.8])})
    assert force == pytest.approx([3.0, -0.9, -1.2], abs=1e-11)


def test_rows_that_nothing_moves_have_no_force():
    W, b = np.diag([1.0, 2.0, 0.0]), np.array([-3.0, 0.5, 0.0])
    assert cone.solve(W, b, [0.5]) == pytest.approx([3.0, -0.25, 0.0], abs=1e-11)


def test_a_paradox_has_no_solution():
    """A rod that slides so that friction presses it down (Painlevé): W_nn − μ W_nt < 0 and it approaches."""
    W = np.array([[1.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 1.0]])
    assert cone.solve(W, np.array([-1.0, 0.0, 0.0]), [1.0], directions={0: np.array([1.0, 0.0])}) is None
