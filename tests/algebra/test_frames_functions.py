"""Modelica's frame functions, in all three representations, by the identities that define them."""

import casadi as ca
import numpy as np
import pytest
from algebra_strategies import SEQUENCES, angles, axes, close, law, rotations, symbolically, vectors
from hypothesis import assume, given
from hypothesis import strategies as st

from linkwright.algebra import frames, rotation_from_vector
from linkwright.algebra.frames import Orientation, matrices, quaternions
from linkwright.algebra.rotations import quaternion_rate
from linkwright.errors import ModelError

orientations = st.builds(lambda R, w: Orientation(R.T, w), rotations, vectors)
REPRESENTATIONS = {
    "object": (frames, lambda R: R),
    "matrix": (matrices, frames.to_T),
    "quaternion": (quaternions, frames.to_Q),
}
every_representation = pytest.mark.parametrize("name", REPRESENTATIONS)


def same(a, b, tolerance=1e-11):
    """Equal orientations in whichever representation, angular velocities included."""
    close(frames.to_T(a), frames.to_T(b), tolerance)
    if isinstance(a, Orientation):
        close(a.w, b.w, tolerance)


@every_representation
@law
@given(R=orientations, v=vectors, many=st.lists(vectors, min_size=1, max_size=4))
def test_resolve1_and_resolve2_are_inverse(name, R, v, many):
    package, represent = REPRESENTATIONS[name]
    R1 = represent(R)
    close(package.resolve1(R1, package.resolve2(R1, v)), v)
    close(package.resolve2(R1, v), R.T @ v)
    V = np.column_stack(many)
    close(package.multiple_resolve1(R1, package.multiple_resolve2(R1, V)), V)
    close(package.multiple_resolve2(R1, V)[:, 0], package.resolve2(R1, V[:, 0]))
    close(symbolically(lambda v: package.resolve2(R1, v), v), R.T @ v)


@every_representation
@law
@given(R1=orientations, R2=orientations, v=vectors)
def test_relative_and_absolute_rotation_are_inverse(name, R1, R2, v):
    package, represent = REPRESENTATIONS[name]
    a, b = represent(R1), represent(R2)
    relative = package.relative_rotation(a, b)
    same(package.absolute_rotation(a, relative), b)
    same(package.absolute_rotation(a, package.inverse_rotation(a)), package.null_rotation())
    same(package.inverse_rotation(package.inverse_rotation(a)), a)
    close(frames.resolve2(relative, frames.resolve2(a, v)), frames.resolve2(b, v))
    close(frames.resolve_relative(v, a, b), frames.resolve2(relative, v))


@law
@given(orientations, orientations)
def test_relative_angular_velocity_is_the_difference_in_frame_2(R1, R2):
    relative = frames.relative_rotation(R1, R2)
    close(relative.w, R2.w - frames.resolve_relative(R1.w, R1, R2))
    close(frames.angular_velocity1(R1), frames.resolve1(R1, frames.angular_velocity2(R1)))


@every_representation
@law
@given(R1=orientations, R2=orientations)
def test_equality_constraint_vanishes_if_and_only_if_the_frames_are_equal(name, R1, R2):
    package, represent = REPRESENTATIONS[name]
    a, b = represent(R1), represent(R2)
    close(package.equality_constraint(a, a), np.zeros(3), 1e-13)
    apart = np.abs(R1.T - R2.T).max()
    residue = np.abs(package.equality_constraint(a, b)).max()
    assert residue >= 0.3 * apart - 1e-12


@every_representation
@law
@given(R=orientations, phi=vectors)
def test_equality_constraint_and_small_rotation_are_the_small_angles_between_frames(name, R, phi):
    package, represent = REPRESENTATIONS[name]
    phi = phi * 1e-6
    step = represent(Orientation(rotation_from_vector(phi).T))
    close(package.small_rotation(step), phi, 1e-10)
    close(package.equality_constraint(represent(R), package.absolute_rotation(represent(R), step)), phi, 1e-10)
    close(package.small_rotation(step, with_residues=True)[3:], np.zeros(3), 1e-10)


@every_representation
@law
@given(R=orientations)
def test_orientation_constraint_vanishes_on_orientations(name, R):
    package, represent = REPRESENTATIONS[name]
    residue = package.orientation_constraint(represent(R))
    assert residue.shape == ((1,) if name == "quaternion" else (6,))
    close(residue, np.zeros(residue.shape), 1e-13)


@law
@given(orientations)
def test_angular_velocities_match_finite_differences(R):
    """T(t) and Q(t) of a frame that turns with constant w in its own axes."""
    h = 1e-5
    Q = frames.to_Q(R)
    ahead, back = (rotation_from_vector(s * h * R.w).T @ R.T for s in (1, -1))
    der_T = (ahead - back) / (2 * h)
    der_Q = (frames.to_Q(ahead, Q) - frames.to_Q(back, Q)) / (2 * h)
    close(matrices.angular_velocity2(R.T, der_T), R.w, 1e-8)
    close(quaternions.angular_velocity2(Q, der_Q), R.w, 1e-8)
    for w in (matrices.angular_velocity1(R.T, der_T), quaternions.angular_velocity1(Q, der_Q)):
        close(w, frames.angular_velocity1(R), 1e-8)
    close(quaternions.angular_velocity2(Q, quaternion_rate(Q, R.w)), R.w)
    close(frames.from_T2(R.T, der_T).w, R.w, 1e-8)


@law
@given(orientations, orientations, vectors, vectors)
def test_derivatives_of_resolved_vectors_match_finite_differences(R1, R2, v, slope):
    h = 1e-5

    def at(R, t):
        return Orientation(rotation_from_vector(t * R.w).T @ R.T, R.w)

    def rate(f):
        return (f(h) - f(-h)) / (2 * h)

    close(frames.resolve1_der(R1, v, slope), rate(lambda t: frames.resolve1(at(R1, t), v + t * slope)), 1e-7)
    close(frames.resolve2_der(R1, v, slope), rate(lambda t: frames.resolve2(at(R1, t), v + t * slope)), 1e-7)
    relative = rate(lambda t: frames.resolve_relative(v + t * slope, at(R1, t), at(R2, t)))
    close(frames.resolve_relative_der(v, R1, R2, slope), relative, 1e-7)


@pytest.mark.parametrize("sequence", SEQUENCES)
@law
@given(phi=st.tuples(angles, angles, angles).map(np.array), rates=vectors)
def test_axes_rotations_angles_inverts_axes_rotations(sequence, phi, rates):
    R = frames.axes_rotations(sequence, phi, rates)
    close(R.T, matrices.axes_rotations(sequence, phi), 1e-13)
    found = frames.axes_rotations_angles(R, sequence)
    close(matrices.axes_rotations(sequence, found), R.T)
    h = 1e-5
    ahead, back = (matrices.axes_rotations(sequence, phi + s * h * rates) for s in (1, -1))
    close(R.w, matrices.angular_velocity2(R.T, (ahead - back) / (2 * h)), 1e-8)


@law
@given(axes, angles, vectors, vectors)
def test_planar_rotation_angle_inverts_planar_rotation(e, angle, v, w):
    assume(np.linalg.norm(np.cross(e, v)) > 0.1)
    R = frames.planar_rotation(e, angle, 2.0)
    found = frames.planar_rotation_angle(e, v, frames.resolve2(R, v))
    close([np.cos(found), np.sin(found)], [np.cos(angle), np.sin(angle)])
    close(R.w, 2 * e / np.linalg.norm(e))
    close(frames.to_T(quaternions.planar_rotation(e, angle)), R.T, 1e-13)
    close(symbolically(lambda a: matrices.planar_rotation(e, a), angle), R.T, 1e-13)


@law
@given(st.sampled_from([1, 2, 3]), angles)
def test_axis_rotation_is_the_planar_rotation_about_that_axis(k, angle):
    same(frames.axis_rotation(k, angle, 3.0), frames.planar_rotation(frames.axis(k), angle, 3.0), 1e-13)


@law
@given(orientations, st.lists(vectors, min_size=3, max_size=3).map(np.array))
def test_resolved_dyads_act_like_the_original(R, D):
    close(frames.resolve_dyade1(R, frames.resolve_dyade2(R, D)), D)
    close(frames.resolve_dyade2(R, D) @ (R.T @ D[0]), R.T @ (D @ D[0]))
    close(matrices.resolve_dyade2(R.T, D), frames.resolve_dyade2(R, D))


@law
@given(orientations, orientations)
def test_conversions_give_the_orientation_back(R, near):
    w, guess = R.w, frames.to_Q(near)
    same(frames.from_T(frames.to_T(R), w), R)
    same(frames.from_T_inv(frames.to_T_inv(R), w), R)
    same(frames.from_Q(frames.to_Q(R, guess), w), R)
    assert frames.to_Q(R, guess) @ guess >= 0
    close(quaternions.from_T(R.T, guess), frames.to_Q(R, guess))
    close(quaternions.from_T_inv(R.T.T, guess), matrices.to_Q(R.T, guess))
    close(matrices.from_Q(quaternions.from_T(R.T)), R.T)
    close(frames.to_vector(R).reshape(3, 3).T, R.T)
    close(matrices.from_nxy(*frames.to_exy(R).T), R.T)
    close(frames.from_nxz(R.T[0], R.T[2]).T, R.T)


@law
@given(vectors, vectors)
def test_from_nxy_is_a_rotation_whatever_it_is_given(n_x, n_y):
    for T, second, row in ((matrices.from_nxy(n_x, n_y), n_y, 1), (matrices.from_nxz(n_x, n_y), n_y, 2)):
        close(T @ T.T, np.eye(3), 1e-13)
        close(np.linalg.det(T), 1.0, 1e-13)
        if np.linalg.norm(n_x) > 1e-3 and np.linalg.norm(np.cross(n_x, second)) > 0.1:
            close(T[0], n_x / np.linalg.norm(n_x))
            assert T[row] @ second > 0
            close(T[3 - row] @ second, 0.0)


@pytest.mark.parametrize(
    ("n_x", "n_y", "expected"),
    [
        ((0, 0, 0), (0, 1, 0), np.eye(3)),
        ((1, 0, 0), (0, 0, 0), np.eye(3)),
        ((2, 0, 0), (3, 0, 0), np.eye(3)),
        ((0, 1, 0), (0, 1, 0), [[0, 1, 0], [1, 0, 0], [0, 0, -1]]),
        ((0, 0, 1), (0, 0, 1), [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ((1, 0, 0), (0, 1e-5, 0), np.eye(3)),  # short, not parallel
    ],
)
def test_from_nxy_replaces_directions_that_fail(n_x, n_y, expected):
    np.testing.assert_array_equal(matrices.from_nxy(n_x, n_y), expected)


def test_symbolic_frames_agree_with_numeric_ones():
    phi, rates = np.array([0.3, -0.4, 2.0]), np.array([1.0, 2.0, 3.0])

    def route(phi, rates):
        R = frames.axes_rotations((3, 1, 2), phi, rates)
        S = frames.relative_rotation(frames.planar_rotation([1, 2, 3], phi[0], rates[1]), R)
        Q = frames.to_Q(S, [0, 0, 0, 1])
        parts = [
            frames.equality_constraint(R, S), S.w, frames.to_vector(S), Q,
            frames.axes_rotations_angles(S, (3, 1, 3), 1.0),
            frames.to_vector(frames.from_nxy(rates, phi)), frames.orientation_constraint(S),
            quaternions.resolve1(Q, rates), frames.small_rotation(S, True), frames.resolve1_der(S, phi, rates),
        ]
        return ca.vertcat(*parts) if isinstance(phi, ca.SX) else np.concatenate(parts)

    close(symbolically(route, phi, rates), route(phi, rates))


def test_wrong_input_is_refused_with_a_reason():
    R = frames.null_rotation()
    for wrong in (
        lambda: frames.axis(4), lambda: frames.axis_rotation(0, 0.1), lambda: frames.axes_rotations((1, 2, 3), [0, 0]),
        lambda: frames.axes_rotations_angles(R, (1, 1, 2)), lambda: frames.absolute_rotation(R, np.eye(3)),
        lambda: frames.resolve1(np.eye(2), [1, 2, 3]), lambda: frames.resolve1(R, [1, 2, np.nan]),
        lambda: matrices.angular_velocity2(np.eye(3)), lambda: frames.planar_rotation([0, 0, 0], 1.0),
    ):
        with pytest.raises(ModelError):
            wrong()


def test_quaternions_are_scalar_first():
    close(quaternions.null_rotation(), [1, 0, 0, 0])
    close(quaternions.planar_rotation([0, 0, 1], 0.2), [np.cos(0.1), 0, 0, np.sin(0.1)])
