"""Rotations and their parameters: round trips, also at and near every singular rotation, on floats and on symbols."""

import numpy as np
import pytest
from algebra_strategies import SEQUENCES, angles, axes, close, law, rotations, symbolically, vectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from linkwright.algebra import (
    axis_frame,
    axis_rotation,
    rotation_angles,
    rotation_from_angles,
    rotation_from_vector,
    rotation_vector,
    rotation_x,
    rotation_y,
    rotation_z,
)
from linkwright.algebra.rotations import (
    angular_velocity,
    conjugate,
    quaternion_from_rotation,
    quaternion_of_rotation_vector,
    quaternion_product,
    quaternion_rate,
    rotation_from_quaternion,
    slerp,
)

three_angles = st.tuples(angles, angles, angles).map(np.array)
quaternions = rotations.map(quaternion_from_rotation)


@law
@given(axes, angles)
def test_axis_rotation_is_orthogonal_and_keeps_its_axis(n, angle):
    R = axis_rotation(n, angle)
    close(R @ R.T, np.eye(3), 1e-13)
    close(np.linalg.det(R), 1.0, 1e-13)
    close(R @ n, n, 1e-13)
    close(R, Rotation.from_rotvec(angle * n / np.linalg.norm(n)).as_matrix(), 1e-13)


@law
@given(angles)
def test_rotations_about_coordinate_axes_are_axis_rotations(angle):
    for rotation, n in zip((rotation_x, rotation_y, rotation_z), np.eye(3), strict=True):
        close(rotation(angle), axis_rotation(n, angle), 1e-13)


@pytest.mark.parametrize("sequence", SEQUENCES)
@law
@given(three_angles, angles)
def test_angles_of_every_sequence_give_their_rotation_back(sequence, phi, guess):
    R = rotation_from_angles(sequence, phi)
    close(R, Rotation.from_euler("".join(".XYZ"[a] for a in sequence), phi).as_matrix(), 1e-13)
    found = rotation_angles(R, sequence, guess)
    close(rotation_from_angles(sequence, found), R, 1e-11)
    traced = symbolically(lambda R: rotation_angles(R, sequence, guess), R)
    close(rotation_from_angles(sequence, traced), R, 1e-11)
    for solution in (found, traced):
        assert np.cos(solution[0] - guess) > -1e-9  # the nearer of the two


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_in_gimbal_lock_keep_the_guess(sequence):
    lock = (0.0, np.pi) if sequence[0] == sequence[2] else (np.pi / 2, -np.pi / 2)
    for second in lock:
        R = rotation_from_angles(sequence, [0.3, second, 0.5])
        assert rotation_angles(R, sequence, guess=0.7)[0] == 0.7
        close(rotation_from_angles(sequence, rotation_angles(R, sequence, 0.7)), R, 1e-12)


@law
@given(rotations)
def test_quaternion_gives_its_rotation_back_and_has_a_positive_scalar(R):
    Q = quaternion_from_rotation(R)
    close(np.linalg.norm(Q), 1.0, 1e-13)
    assert Q[0] >= 0
    close(rotation_from_quaternion(Q), R, 1e-13)
    close(symbolically(quaternion_from_rotation, R), Q, 1e-13)
    close(symbolically(rotation_from_quaternion, Q), R, 1e-13)


@law
@given(rotations, rotations)
def test_quaternion_takes_the_sign_of_the_guess(R, near):
    guess = quaternion_from_rotation(near)
    assert quaternion_from_rotation(R, guess) @ guess >= 0
    assert quaternion_from_rotation(R, -guess) @ -guess >= 0


@law
@given(quaternions, quaternions)
def test_quaternion_product_is_the_product_of_rotations(P, Q):
    close(rotation_from_quaternion(quaternion_product(P, Q)), rotation_from_quaternion(P) @ rotation_from_quaternion(Q))
    close(rotation_from_quaternion(conjugate(Q)), rotation_from_quaternion(Q).T)
    close(symbolically(quaternion_product, P, Q), quaternion_product(P, Q))


@law
@given(quaternions, vectors)
def test_quaternion_rate_and_angular_velocity_are_inverse(Q, w):
    rate = quaternion_rate(Q, w)
    close(angular_velocity(Q, rate), w)
    close(Q @ rate, 0.0)
    close(symbolically(quaternion_rate, Q, w), rate)
    close(symbolically(angular_velocity, Q, rate), w)
    # against the finite rotation R exp(h w)
    h = 1e-5
    ahead, back = (quaternion_product(Q, quaternion_of_rotation_vector(s * h * w)) for s in (1, -1))
    close((ahead - back) / (2 * h), rate, 1e-8)


@law
@given(rotations)
def test_rotation_vector_is_the_logarithm(R):
    r = rotation_vector(R)
    assert np.linalg.norm(r) <= np.pi + 1e-12
    close(rotation_from_vector(r), R, 1e-13)


@law
@given(axes, angles)
def test_exponential_is_the_rotation_about_its_vector(n, angle):
    n = n / np.linalg.norm(n)
    close(rotation_from_vector(n * angle), axis_rotation(n, angle), 1e-13)
    if abs(angle) < 3.1:
        close(rotation_vector(axis_rotation(n, angle)), n * angle, 2e-14)


@law
@given(quaternions, quaternions, st.floats(0, 1))
def test_slerp_turns_evenly_from_one_end_to_the_other(P, Q, s):
    close(slerp(P, Q, 0.0), P, 1e-13)
    close(rotation_from_quaternion(slerp(P, Q, 1.0)), rotation_from_quaternion(Q), 1e-13)
    between = slerp(P, Q, s)
    close(np.linalg.norm(between), 1.0, 1e-13)
    whole, part = (rotation_vector(rotation_from_quaternion(P).T @ rotation_from_quaternion(x)) for x in (Q, between))
    if np.linalg.norm(whole) < 3.1:
        close(part, s * whole, 1e-12)


@law
@given(axes)
def test_axis_frame_is_a_rotation_with_z_along_the_axis(n):
    R = axis_frame(n)
    close(R @ R.T, np.eye(3), 1e-14)
    close(np.linalg.det(R), 1.0, 1e-13)
    close(R[:, 2], n / np.linalg.norm(n), 1e-14)


@pytest.mark.parametrize("tilt", [1e-6, 1e-8, 1e-10, 1e-13])
def test_axis_frame_follows_an_axis_that_is_nearly_a_coordinate_axis(tilt):
    assert axis_frame([1, tilt, 0])[1, 2] == pytest.approx(tilt, rel=1e-6)
