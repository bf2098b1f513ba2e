"""Coordinate projection, unit quaternions, prescribed motion."""

import integrate_models as models
import numpy as np
import pytest

from linkwright.integrate import METHODS

CIRCLE = {"rhs": models.circle.address, "project": models.circle_project.address}
X0 = [1.0, 0.0, 0.0, 0.0]


def options_of(method, h=1e-3):
    return {} if METHODS[method].adaptive else {"h": h}


@pytest.mark.parametrize("method", METHODS)
def test_projection_keeps_a_cartesian_pendulum_on_its_circle(method):
    s = models.stepper(method, CIRCLE, 5, 0, (2, 2, 0), X0, **options_of(method))
    grid = np.linspace(0, 10, 1001)
    assert s.run(10.0, grid) == "end"
    for states in (s.grid_x, s.steps_x, s.dense(np.linspace(0, 10, 333))):
        x, y, vx, vy = states.T
        assert np.abs(x**2 + y**2 - 1).max() < 1e-10
        assert np.abs(x * vx + y * vy).max() < 1e-9
    energy = 0.5 * (s.grid_x[:, 2:] ** 2).sum(axis=1) + 9.81 * s.grid_x[:, 1]
    assert np.abs(energy).max() < {1: 1.0, 2: 1e-3}.get(METHODS[method].order, 2e-6)


def test_without_projection_the_pendulum_drifts():
    s = models.plain("dopri5", {"rhs": models.circle.address}, 5, 0, (2, 2, 0), X0, accuracy=1e-6)
    s.run(10.0)
    p = models.plain("dopri5", CIRCLE, 5, 0, (2, 2, 0), X0, accuracy=1e-6)
    p.run(10.0)
    assert abs(np.hypot(*s.x[:2]) - 1) > 1e3 * abs(np.hypot(*p.x[:2]) - 1)
    assert p.counters["projections"] >= p.counters["steps"]


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau"])
def test_projecting_the_error_allows_larger_steps_of_the_same_accuracy(method):
    both = {**CIRCLE, "project_error": models.circle_project_error.address}
    plain = models.stepper(method, CIRCLE, 5, 0, (2, 2, 0), X0)
    better = models.stepper(method, both, 5, 0, (2, 2, 0), X0)
    plain.run(5.0)
    better.run(5.0)
    assert better.counters["steps"] <= plain.counters["steps"]
    fine = models.plain("dop853", CIRCLE, 5, 0, (2, 2, 0), X0, accuracy=1e-13)
    fine.run(5.0)
    np.testing.assert_allclose(better.x, fine.x, atol=1e-6)


def test_a_projection_that_cannot_close_is_reported():
    functions = {"rhs": models.circle.address, "project": models.never_closed.address}
    s = models.plain("dopri5", functions, 5, 0, (2, 2, 0), X0)
    assert s.run(1.0) == "failed" and s.failure[1] == "projection" and s.failure[0] == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_quaternions_stay_unit_and_momentum_constant(method):
    x0 = [1.0, 0.0, 0.0, 0.0, 0.1, 2.0, 0.1]
    functions = {"rhs": models.spinning.address}
    s = models.stepper(method, functions, 8, 0, (4, 3, 0), x0, quaternions=[0], **options_of(method))
    s.run(10.0, np.linspace(0, 10, 400))
    q, w = s.grid_x[:, :4], s.grid_x[:, 4:]
    assert np.abs((q**2).sum(axis=1) - 1).max() < 1e-15 * 5
    # angular momentum in the world: R(q) diag(1, 2, 3) ω
    h = w * [1, 2, 3]
    t = 2 * np.cross(q[:, 1:], h)
    world = h + q[:, :1] * t + np.cross(q[:, 1:], t)
    bound = {1: 0.2, 2: 1e-3}.get(METHODS[method].order, 1e-5)
    assert np.abs(world - world[0]).max() < bound


@pytest.mark.parametrize("method", METHODS)
def test_prescribed_coordinates_follow_their_law_exactly(method):
    functions = {"rhs": models.follow_cosine.address, "prescribe": models.prescribe_cosine.address}
    s = models.stepper(
        method, functions, 5, 0, (2, 2, 0), [1.0, 0.0, 0.0, 0.0], weights=[0, 1, 0, 1], **options_of(method)
    )
    grid = np.linspace(0, 5, 101)
    s.run(5.0, grid)
    np.testing.assert_allclose(s.grid_x[:, 0], np.cos(grid), atol=1e-15)
    # q₂ = 1 − cos t from q̈₂ = cos t
    assert np.abs(s.grid_x[:, 1] - (1 - np.cos(grid))).max() < {1: 5e-3, 2: 1e-5}.get(METHODS[method].order, 1e-7)


def test_speeds_are_projected_until_they_keep_a_constraint_that_is_not_linear_in_them():
    """Newton's method on v² = 1 from v = 5: one iteration leaves 2.6, six leave rounding."""
    functions = {"rhs": models.gliding.address, "project": models.of_unit_speed.address}
    s = models.plain("dopri5", functions, 5, 0, (2, 2, 0), [0.0, 0.0, 3.0, 4.0])
    assert s.run(1.0) == "end"
    assert abs(np.hypot(*s.steps_x[0, 2:]) - 1) < 1e-9
    np.testing.assert_allclose(s.x, [0.6, 0.8, 0.6, 0.8], atol=1e-8)
