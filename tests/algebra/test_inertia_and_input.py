"""Ready-made inertias against integrals, what no body can have, and messages for wrong input."""

import casadi as ca
import numpy as np
import pytest
from algebra_strategies import bodies, close, law, numbers, rotations, vectors
from hypothesis import given
from hypothesis import strategies as st

from linkwright.algebra import Inertia, Transform, VelocityMotor, axis_frame, rotation_from_angles
from linkwright.algebra.arrays import matrix, vector
from linkwright.errors import ModelError
from linkwright.geometry import homogeneous

lengths = st.floats(0.01, 3)
X = ca.SX.sym("x")

# points of the unit ball, disk and segment in a rule exact for squares: all coordinates ± their root mean square
SIGNS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)


def of_points(mass, points):
    """The inertia tensor of equal particles."""
    return sum(mass / len(points) * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)


@law
@given(lengths, st.tuples(lengths, lengths, lengths).map(np.array), lengths)
def test_shapes_match_particles_with_the_same_spread(mass, sides, inner):
    close(homogeneous.box(mass, sides).central(), of_points(mass, SIGNS * sides / np.sqrt(12)))
    close(homogeneous.ellipsoid(mass, sides).central(), of_points(mass, SIGNS * sides / np.sqrt(5)))
    close(homogeneous.sphere(mass, inner).central(), 0.4 * mass * inner**2 * np.eye(3))
    r, ri = max(sides[0], inner), min(sides[0], inner)
    across, along = np.sqrt((r * r + ri * ri) / 4), sides[1] / np.sqrt(12)
    tube = homogeneous.cylinder(mass, r, sides[1], [0, 2, 0], inner_radius=ri)
    close(tube.central(), of_points(mass, SIGNS * [across, along, across]))


@law
@given(lengths, lengths, lengths, vectors.filter(lambda n: np.linalg.norm(n) > 0.1), vectors)
def test_cylinder_and_line_turn_with_their_axis(mass, radius, length, n, com):
    R = axis_frame(n)
    upright = homogeneous.cylinder(mass, radius, length).inertia
    close(homogeneous.cylinder(mass, radius, length, n).inertia, R @ upright @ R.T)
    rod = homogeneous.line(mass, length, n, com)
    close(rod.central() @ n, np.zeros(3))
    close(rod.com(), com)
    close(np.trace(rod.central()), mass * length**2 / 6)


@law
@given(bodies, rotations, vectors)
def test_real_bodies_pass_the_triangle_inequality_in_every_frame(M, R, p):
    assert M.check() is None
    assert M.seen_from(Transform(R, p)).check() is None


@law
@given(rotations, vectors, st.floats(1.01, 5))
def test_moments_that_violate_the_triangle_inequality_are_named(R, com, factor):
    text = Inertia(1.0, com, central=R @ np.diag([1, 1, 2 * factor]) @ R.T).check("arm.link")
    assert text.startswith("arm.link: the principal moments") and "are impossible for a real body" in text


@law
@given(st.floats(0.1, 5), vectors, rotations)
def test_inertia_about_the_origin_and_about_the_centre_are_the_same_body(m, com, R):
    central = R @ np.diag([1, 1.5, 2]) @ R.T
    a = Inertia(m, com, central=central)
    b = Inertia(m, com, about_origin=a.inertia)
    close(a, b)
    close(b.central(), central)
    close(a.inertia, central + m * (com @ com * np.eye(3) - np.outer(com, com)))


@law
@given(numbers, vectors)
def test_a_point_mass_has_the_energy_of_its_point(m, r):
    body, v = homogeneous.point_mass(abs(m), r), VelocityMotor([1, -2, 3], [0.5, 0, 1])
    close(0.5 * (body @ v).dot(v), 0.5 * abs(m) * v.at(r) @ v.at(r))


def test_symbolic_inertia_in_every_spelling():
    for central in ([X, 1, 1], [[X, 0, 0], [0, 1, 0], [0, 0, 1]], ca.diag(ca.vertcat(X, 1, 1)), ca.vertcat(X, 1, 1)):
        body = Inertia(X, [0, X, 0], central=central)
        value = ca.Function("f", [X], [body.matrix()])(2.0)
        close(np.array(value), Inertia(2, [0, 2, 0], [2, 1, 1]).matrix())
        assert body.check() is None
    of_symbols = ca.Function("f", [X], [homogeneous.box(X, [X, 1, 1]).matrix()])(2.0)
    close(np.array(of_symbols), homogeneous.box(2, [2, 1, 1]).matrix())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: VelocityMotor([1, 2]), "velocity resultant: expected 3 numbers, got an array of shape \\(2,\\)"),
        (lambda: VelocityMotor([1, 2, np.nan]), "every entry must be finite"),
        (lambda: VelocityMotor([X, np.inf, 0]), "every entry must be finite"),
        (lambda: VelocityMotor([X, 0]), "expected 3 numbers, got an expression"),
        (lambda: VelocityMotor("abc"), "expected 3 numbers, got 'abc'"),
        (lambda: VelocityMotor(5), "got a single number"),
        (lambda: VelocityMotor.from_vector([1, 2, 3]), "expected 6 numbers"),
        (lambda: Transform(np.ones((3, 3))), "no rotation matrix"),
        (lambda: Transform(np.diag([1, 1, -1])), "right-handed"),
        (lambda: Transform(np.eye(2)), "rotation: expected 3×3"),
        (lambda: Transform([[1, 0], [0, 1, 0]]), "rotation: expected 3×3"),
        (lambda: Transform([[X, 0], [0, 1]]), "rotation: expected 3 rows of 3"),
        (lambda: Inertia(-1), "mass = -1"),
        (lambda: Inertia(np.nan), "mass = nan"),
        (lambda: Inertia("heavy"), "mass = 'heavy'"),
        (lambda: Inertia(1, central=[-1, 1, 1]), "none may be negative"),
        (lambda: Inertia(1, central=np.triu(np.ones((3, 3)))), "must be symmetric"),
        (lambda: Inertia(1, central="round"), "central inertia: expected"),
        (lambda: Inertia(1, central=2.0), "central inertia: expected"),
        (lambda: Inertia(1, central=[1, 1, 1], about_origin=[1, 1, 1]), "not both"),
        (lambda: axis_frame([0, 0, 0]), "has no direction"),
        (lambda: axis_frame([X, 0, 0]), "cannot be a symbol"),
        (lambda: rotation_from_angles((1, 2, 4), [0, 0, 0]), "counted 1, 2, 3"),
        (lambda: homogeneous.cylinder(1, 0.1, 1, inner_radius=0.2), "inner_radius = 0.2 is larger"),
        (lambda: homogeneous.sphere(1, -1), "must be a finite length"),
    ],
)
def test_wrong_input_is_refused_with_a_reason(wrong, says):
    with pytest.raises(ModelError, match=says):
        wrong()


def test_vectors_and_matrices_take_every_container():
    for x in ([1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), ca.DM([1, 2, 3]), np.array([[1], [2], [3]])):
        close(vector(x), [1.0, 2.0, 3.0])
    for x in ([X, 0, 1], ca.vertcat(X, 0, 1), ca.horzcat(X, 0, 1), np.array([X, 0, 1], dtype=object)):
        assert ca.is_equal(vector(x), ca.vertcat(X, 0, 1), 1)
    assert ca.is_equal(matrix(np.array([[X, 0], [0, 1]], dtype=object), 2, 2), matrix([[X, 0], [0, 1]], 2, 2), 1)


def test_a_symmetric_tensor_with_rounding_errors_is_accepted():
    R = rotation_from_angles((1, 2, 3), [0.3, 0.7, -2.0])
    tensor = R @ np.diag([1e6, 1e6, 1.5e6]) @ R.T
    assert (Inertia(1, central=tensor).inertia == Inertia(1, central=tensor).inertia.T).all()
