"""Exponential and logarithm of motors: each undoes the other, and the exponential solves Ẋ = V X (Chasles' screws)."""

import casadi as ca
import numpy as np
import pytest
from algebra_strategies import law, numbers, transforms, velocities
from hypothesis import given
from scipy.linalg import expm

from linkwright.algebra import Transform, VelocityMotor, axis_rotation, skew


def homogeneous(X):
    return np.block([[X.R, np.reshape(X.p, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def generator(V):
    return np.block([[skew(V.resultant), np.reshape(V.moment, (3, 1))], [np.zeros((1, 4))]])


def same(X, Y, tolerance=1e-12):
    np.testing.assert_allclose(homogeneous(X), homogeneous(Y), atol=tolerance)


@law
@given(velocities)
def test_the_exponential_is_that_of_matrices(V):
    np.testing.assert_allclose(homogeneous(Transform.exp(V)), expm(generator(V)), atol=1e-12)


@law
@given(transforms)
def test_the_logarithm_undoes_it(X):
    """Also next to no turn and to half a turn; where it is half a turn, both ways lead there."""
    same(Transform.exp(X.log()), X, 1e-13)
    assert np.linalg.norm(X.log().resultant) <= np.pi + 1e-12


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 0.00999, 0.0100001, 1.0, 3.1415, np.pi - 1e-9])
def test_small_turns_and_nearly_half_turns_keep_their_digits(angle):
    n = np.array([2.0, -1.0, 2.0]) / 3
    V = VelocityMotor(angle * n, [0.3, -0.7, 1.1])
    back = Transform.exp(V).log()
    np.testing.assert_allclose(back.vector(), V.vector(), atol=1e-13 if angle < 3 else 1e-7)
    same(Transform.exp(back), Transform.exp(V), 2e-14)


@law
@given(velocities, numbers, numbers)
def test_times_add_up(V, s, t):
    """exp((s + t) V) = exp(s V) exp(t V): one axis, turned about and slid along at constant rates."""
    same(Transform.exp((s + t) * V), Transform.exp(s * V) @ Transform.exp(t * V))


@law
@given(transforms, velocities)
def test_another_frame_sees_the_same_motion(X, V):
    """X exp(V) X⁻¹ = exp(X V)."""
    same(X @ Transform.exp(V) @ X.inverse(), Transform.exp(X @ V), 1e-11)


@law
@given(velocities)
def test_points_of_the_axis_slide_by_the_pitch(V):
    if np.linalg.norm(V.resultant) < 1e-3:
        return
    point, direction = V.axis()
    angle = np.linalg.norm(V.resultant)
    # a long way off, the axis of a slow turn magnifies rounding
    np.testing.assert_allclose(Transform.exp(V) @ point, point + V.pitch() * angle * direction,
                               atol=1e-12 * (1 + np.linalg.norm(point)))


@law
@given(transforms, transforms)
def test_interpolation_begins_and_ends_and_does_not_see_the_frame(X, Y):
    same(X.interpolate(Y, 0.0), X)
    same(X.interpolate(Y, 1.0), Y)
    middle = X.interpolate(Y, 0.5)
    if np.linalg.norm((X.inverse() @ Y).log().resultant) < 3.0:  # at half a turn there are two ways
        same(middle, Y.interpolate(X, 0.5), 1e-11)
        frame = Transform(axis_rotation([1, 2, 3], 0.7), [0.4, -1, 2])
        same((frame @ X).interpolate(frame @ Y, 0.3), frame @ X.interpolate(Y, 0.3), 1e-11)


def test_symbols_give_the_same_and_have_slopes():
    V = ca.SX.sym("V", 6)
    X = Transform.exp(VelocityMotor(V[:3], V[3:]))
    pose = ca.Function("pose", [V], [X.R, X.p])
    back = ca.Function("back", [V], [X.log().vector()])
    slope = ca.Function("slope", [V], [ca.jacobian(X.log().vector(), V)])
    for values in ([0.0] * 6, [1e-9, 0, 0, 1, 2, 3], [0.3, -1.0, 0.7, 1, -2, 0.5]):
        whole = Transform.exp(VelocityMotor(values[:3], values[3:]))
        R, p = pose(values)
        np.testing.assert_allclose(np.array(R), whole.R, atol=1e-15)
        np.testing.assert_allclose(np.array(p).ravel(), whole.p, atol=1e-15)
        np.testing.assert_allclose(np.array(back(values)).ravel(), values, atol=1e-14)
        np.testing.assert_allclose(np.array(slope(values)), np.eye(6), atol=1e-12)
