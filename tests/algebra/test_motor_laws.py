"""Motors are a Lie algebra whose operations do not depend on the frame (von Mises 1924)."""

import casadi as ca
import numpy as np
import pytest
from algebra_strategies import (
    axes,
    bodies,
    close,
    forces,
    law,
    matrix6,
    momenta,
    motors,
    numbers,
    symbolically,
    transforms,
    vectors,
    velocities,
)
from hypothesis import given

from linkwright.algebra import (
    ForceMotor,
    Inertia,
    MomentumMotor,
    Transform,
    VelocityMotor,
    cross,
    derivative_in_moving_frame,
    rotation_from_vector,
)
from linkwright.errors import ModelError


@law
@given(velocities, velocities, motors)
def test_motorial_product_satisfies_the_jacobi_identity(a, b, c):
    """[a, b] × c = a × (b × c) − b × (a × c), also on forces (c momentum gives force on both sides)."""
    c = ForceMotor(c.resultant, c.moment) if isinstance(c, MomentumMotor) else c
    close(a.cross(b).cross(c), a.cross(b.cross(c)) - b.cross(a.cross(c)))


@law
@given(velocities, velocities)
def test_motorial_product_of_velocities_is_antisymmetric(a, b):
    close(a.cross(b), -b.cross(a))


@law
@given(velocities, momenta)
def test_motorial_product_with_the_velocity_on_the_right_changes_sign(v, p):
    close(p.cross(v), -v.cross(p))
    assert isinstance(p.cross(v), ForceMotor)


@law
@given(velocities, velocities, forces, forces, numbers)
def test_motorial_and_inner_product_are_bilinear(a, b, f, g, k):
    close((a * k + b).cross(f), k * a.cross(f) + b.cross(f))
    close(a.cross(f - g * k), a.cross(f) - a.cross(g) * k)
    close((a * k + b).dot(f), k * a.dot(f) + b.dot(f))
    close(f.dot(a), a.dot(f))


@law
@given(velocities, velocities, forces)
def test_triple_product_is_cyclic(a, b, f):
    close(f.dot(a.cross(b)), -b.dot(a.cross(f)))


@law
@given(transforms, velocities, motors)
def test_motorial_product_commutes_with_change_of_frame(X, v, m):
    close(X @ v.cross(m), (X @ v).cross(X @ m))


@law
@given(transforms, velocities, forces)
def test_inner_product_is_the_same_in_every_frame(X, v, f):
    close(f.dot(v), (X @ f).dot(X @ v))


@law
@given(transforms, motors.filter(lambda m: np.linalg.norm(m.resultant) > 0.1))
def test_pitch_is_invariant_and_the_axis_moves_with_the_frame(X, m):
    close((X @ m).pitch(), m.pitch(), 1e-9)
    point, direction = m.axis()
    close(cross(m.at(point), m.resultant), np.zeros(3), 1e-9)
    close(m.at(point + 0.7 * direction), m.pitch() * m.resultant, 1e-9)
    # the axis in A passes through the image of every point of the axis in B
    close((X @ m).at(X @ point), X.R @ m.at(point), 1e-9)
    close((X @ m).axis()[1], X.R @ direction, 1e-9)


@law
@given(transforms, velocities, bodies)
def test_kinetic_energy_and_momentum_are_the_same_in_every_frame(X, v, M):
    close((X @ M) @ (X @ v), X @ (M @ v))
    close((M @ v).dot(v), ((X @ M) @ (X @ v)).dot(X @ v))


@law
@given(transforms, transforms, motors, vectors)
def test_transforms_compose_and_invert(X, Y, m, r):
    close((X @ Y) @ m, X @ (Y @ m))
    close((X @ Y) @ r, X @ (Y @ r))
    close(X.inverse() @ (X @ m), m)
    close(X.into(m), X.inverse() @ m)
    close((X @ m).vector(), matrix6(X) @ m.vector())


@law
@given(motors, vectors)
def test_moment_at_a_point_is_the_moment_in_a_frame_moved_there(m, r):
    close(m.at(r), (Transform(None, r).inverse() @ m).moment)
    close(m.at(r), m.moment + np.cross(m.resultant, r))


@law
@given(transforms, velocities, motors, motors.map(lambda m: m.vector()))
def test_derivative_in_a_moving_frame_matches_finite_differences(X, v, m, slope):
    """Components m(t) in a frame that moves with constant v in its own axes, X(t) = X exp(t v)."""
    rate = type(m).from_vector(slope)

    def in_fixed_frame(t):
        # exp of a motor by many small exact steps is not needed: second order in t is enough for a central difference
        w, u = v.resultant, v.moment
        step = Transform(rotation_from_vector(w * t), u * t + np.cross(w, u) * t * t / 2)
        return (X @ step) @ (m + rate * t)

    h = 1e-4
    difference = (in_fixed_frame(h) - in_fixed_frame(-h)).vector() / (2 * h)
    exact = derivative_in_moving_frame(rate, v, m)
    close((X @ exact).vector(), difference, 1e-5)
    assert type(exact) is (ForceMotor if isinstance(m, MomentumMotor) else type(m))


@law
@given(bodies, velocities, velocities)
def test_free_body_keeps_its_energy_and_momentum(M, v, a):
    """With M a + v × (M v) = f, the power f·v is the rate of ½ v·M v."""
    f = derivative_in_moving_frame(M @ a, v, M @ v)
    close(f.dot(v), (M @ v).dot(a), 1e-10)


@law
@given(transforms, velocities, momenta, bodies)
def test_symbolic_and_numeric_routes_agree(X, v, p, M):
    def route(R, r, w, u, q, h):
        X, v, p = Transform(R, r), VelocityMotor(w, u), MomentumMotor(q, h)
        moved = (X @ M) @ (X @ v)
        return ca.vertcat(X.into(v.cross(p)).vector(), moved.vector(), p.dot(v), (v - v * 2).at(r))

    def numeric(R, r, w, u, q, h):
        X, v, p = Transform(R, r), VelocityMotor(w, u), MomentumMotor(q, h)
        moved = (X @ M) @ (X @ v)
        return np.concatenate([X.into(v.cross(p)).vector(), moved.vector(), [p.dot(v)], (v - v * 2).at(r)])

    inputs = (X.R, X.p, v.resultant, v.moment, p.resultant, p.moment)
    close(symbolically(route, *inputs), numeric(*inputs))


@law
@given(axes, numbers)
def test_axis_and_pitch_recover_a_screw(n, pitch):
    n = n / np.linalg.norm(n)
    screw = Transform(None, [1, 2, 3]) @ VelocityMotor(n * 2, n * 2 * pitch)
    point, direction = screw.axis()
    close(direction, n)
    close(screw.pitch(), pitch)
    close(np.cross(point - [1, 2, 3], n), np.zeros(3))


def test_motors_of_different_kinds_refuse_each_other():
    v, f, p = VelocityMotor([0, 0, 1], [1, 0, 0]), ForceMotor([0, 5, 0], [0, 0, 2]), MomentumMotor([1, 2, 3])
    with pytest.raises(TypeError) as error:
        f + v
    assert str(error.value) == "a force motor and a velocity motor cannot be added"
    for refused in (
        lambda: v - p, lambda: p + f, lambda: f + 3, lambda: v.dot(3), lambda: f.dot(p), lambda: f.cross(p),
        lambda: v * f, lambda: np.ones(3) @ v, lambda: np.ones(3) + v, lambda: v.cross([1, 2, 3]),
        lambda: Inertia(1) @ f, lambda: derivative_in_moving_frame(v, v, p),
    ):
        with pytest.raises(TypeError):
            refused()


def test_a_couple_has_no_axis():
    couple = ForceMotor([0, 0, 0], [1, 0, 0])
    for question in (couple.axis, couple.pitch):
        with pytest.raises(ModelError, match="axis at infinity"):
            question()


def test_numbers_of_every_kind_scale_a_motor():
    v, k = VelocityMotor([0, 0, 1], [1, 0, 0]), ca.SX.sym("k")
    for scaled in (2 * v, v * 2, np.float64(2) * v, v / 0.5, v * np.array(2.0)):
        close(scaled, VelocityMotor([0, 0, 2], [2, 0, 0]))
    assert (k * v).is_symbolic() and (v * k).is_symbolic()


def test_the_documented_example_runs():
    X = Transform(None, [0, 0, 1])
    v, f = VelocityMotor([0, 0, 1], [1, 0, 0]), ForceMotor([0, 5, 0], [0, 0, 2])
    assert f.dot(v) == 2.0
    close(v.at([0, 1, 0]), [0, 0, 0])
    assert v.pitch() == 0.0
    M = Inertia(mass=2, com=[0.1, 0, 0], central=np.diag([1, 1, 1]))
    p = M @ v
    close(p.vector(), [2, 0.2, 0, 0, 0, 1.02])
    close(0.5 * p.dot(v), 0.5 * (2 * (1 + 0.1**2) + 1))
    close(v.cross(p), ForceMotor([-0.2, 2, 0], [0, 0, 0.2]))
    close(X @ v, VelocityMotor([0, 0, 1], [1, 0, 0]))


def test_a_motor_through_a_point_has_no_moment_there():
    f = ForceMotor.through([1.0, -2.0, 0.5], [0.3, 0.1, -0.7])
    np.testing.assert_allclose(f.at([0.3, 0.1, -0.7]), 0, atol=1e-15)
    turn = VelocityMotor.through([0, 0, 2.0], [1, 0, 0])
    np.testing.assert_allclose(turn.moment, [0, -2.0, 0])


def test_two_turns_whose_axes_meet_have_no_inner_product():
    point = np.array([0.2, -0.4, 1.0])
    a, b = VelocityMotor.through([1, 2, 3], point), VelocityMotor.through([-1, 0, 2], point)
    assert abs(a.dot(b)) < 1e-14
    assert abs(a.dot(VelocityMotor.through([-1, 0, 2], point + [0, 1, 0]))) > 0.1
    assert a.dot(a) == 2 * np.dot(a.resultant, a.moment)


def test_the_motor_of_two_lines_lies_on_their_common_perpendicular():
    """At an angle of 0.7 and a distance of 0.3: resultant sin φ, pitch d cot φ."""
    angle, distance = 0.7, 0.3
    first = ([2.0, 0, 0], [3.0, 0, 0])  # along x, through the origin
    second = ([0, 0, distance], [np.cos(angle), np.sin(angle), 0])
    motor = VelocityMotor.of_lines(first, second)
    np.testing.assert_allclose(motor.resultant, [0, 0, np.sin(angle)], atol=1e-15)
    point, direction = motor.axis()
    np.testing.assert_allclose(np.array(point).ravel()[:2], 0, atol=1e-14)
    np.testing.assert_allclose(np.array(direction).ravel(), [0, 0, 1], atol=1e-14)
    assert motor.pitch() == pytest.approx(distance / np.tan(angle))


@law
@given(transforms, vectors, vectors, axes, axes, numbers, numbers)
def test_the_motor_of_two_lines_knows_lines_not_points(X, p, q, a, b, along_a, along_b):
    """Points may slide along their lines, and both lines may be moved: the motor is that of the lines.  The other way
    round it is the opposite."""
    motor = VelocityMotor.of_lines((p, a), (q, b))
    close(VelocityMotor.of_lines((p + along_a * a, a), (q + along_b * b, b)).vector(), motor.vector())
    close(VelocityMotor.of_lines((X @ p, X.R @ a), (X @ q, X.R @ b)).vector(), (X @ motor).vector())
    close(VelocityMotor.of_lines((q, b), (p, a)).vector(), -motor.vector())

