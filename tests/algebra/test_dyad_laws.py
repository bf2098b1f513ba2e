"""Dyads against their 6×6 matrices: change of frame, elimination of a mobility, products of motors."""

import casadi as ca
import numpy as np
import pytest
from algebra_strategies import (
    EXCHANGE,
    angles,
    bodies,
    close,
    dyads,
    forces,
    law,
    matrix6,
    rotations,
    symbolically,
    transforms,
    vectors,
    velocities,
)
from hypothesis import given
from hypothesis import strategies as st

from linkwright.algebra import Dyad, ForceMotor, Inertia, MotorDyad, Transform, VelocityMotor, rotation_z
from linkwright.algebra.dyads import motor_matrix

any_dyad = st.one_of(dyads, bodies)


def congruent(X, M):
    """The 6×6 of M, given in B, in A: Aᵀ M A with the matrix A of v_B = A v_A."""
    A = matrix6(X.inverse())
    return A.T @ M.matrix() @ A


@law
@given(any_dyad, rotations)
def test_turned_is_the_congruence_with_the_rotation(M, R):
    close(M.turned(R).matrix(), congruent(Transform(R), M), 1e-10)


@law
@given(any_dyad, vectors)
def test_moved_is_the_congruence_with_the_translation(M, p):
    close(M.moved(p).matrix(), congruent(Transform(None, p), M), 1e-10)


@law
@given(any_dyad, transforms)
def test_change_of_frame_is_the_congruence_with_its_matrix(M, X):
    close((X @ M).matrix(), congruent(X, M), 1e-10)
    close(motor_matrix(X), matrix6(X))


@law
@given(any_dyad, angles)
def test_turned_about_z_equals_turned(M, angle):
    c, s = np.cos(angle), np.sin(angle)
    close(M.turned_about_z(c, s), M.turned(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])), 1e-10)


@law
@given(dyads, velocities.filter(lambda S: np.linalg.norm(S.vector()) > 0.5))
def test_without_a_mobility_has_it_in_the_null_space(M, S):
    M = M + MotorDyad(np.eye(3), np.zeros((3, 3)), np.eye(3))
    U = M @ S
    D = S.dot(U)
    felt = M.without(U, 1 / D)
    u = np.concatenate([U.moment, U.resultant])
    close(felt.matrix(), M.matrix() - np.outer(u, u) / D, 1e-10)
    close((felt @ S).vector(), np.zeros(6), 1e-9 * max(1.0, np.abs(M.matrix()).max()))


@law
@given(dyads, st.integers(0, 5))
def test_without_a_unit_mobility_clears_its_row_exactly(M, k):
    M = M + MotorDyad(np.eye(3), np.zeros((3, 3)), np.eye(3))
    S = VelocityMotor.from_vector(np.eye(6)[k])
    U = M @ S
    felt, general = M.without(U, 1 / S.dot(U), eliminated=k), M.without(U, 1 / S.dot(U))
    close(felt, general, 1e-10)
    assert not felt.matrix()[k].any() and not felt.matrix()[:, k].any()


@law
@given(dyads, bodies, velocities)
def test_dyads_add_like_their_momenta(M, B, v):
    close((M + B) @ v, M @ v + B @ v)
    close((B + B) @ v, 2 * (B @ v))
    assert isinstance(B + B, Inertia) and not isinstance(B + M, Inertia)


@law
@given(bodies, transforms)
def test_a_rigid_body_stays_one_in_every_frame(M, X):
    seen = M.seen_from(X)
    assert isinstance(seen, Inertia) and isinstance(X @ M, Inertia)
    assert seen.m == M.m
    if M.m > 1e-3:
        close(seen.com(), X @ M.com(), 1e-9)
    close(seen.central(), X.R @ M.central() @ X.R.T, 1e-9)
    close(np.linalg.eigvalsh(seen.central()), np.linalg.eigvalsh(M.central()), 1e-9)


@law
@given(bodies, rotations, vectors, angles, velocities)
def test_symbolic_and_numeric_dyads_agree(M, R, p, angle, v):
    cs = np.array([np.cos(angle), np.sin(angle)])

    def route(R, p, cs):
        U = (M.turned(R).moved(p)) @ v
        return M.turned(R).moved(p).without(U, 0.1).turned_about_z(cs[0], cs[1]).matrix()

    close(symbolically(route, R, p, cs), route(R, p, cs), 1e-10)


@law
@given(bodies, velocities)
def test_gyroscopic_force_is_the_motorial_product_with_the_momentum(M, v):
    close(M.gyroscopic(v), v.cross(M @ v), 1e-10)


def test_change_of_frame_costs_no_arithmetic_on_the_mass_block():
    body, X = Inertia(2.0, [0.1, 0, 0], [1, 2, 3]), Transform(rotation_z(ca.SX.sym("phi")), [1, 0, 0])
    np.testing.assert_array_equal((X @ body).mass, 2 * np.eye(3))


# --- general dyads ---


@law
@given(velocities, forces, velocities, forces)
def test_dyad_product_applied_to_a_motor_is_its_definition(a, b, v, f):
    close(Dyad.product(a, b) @ v, a * b.dot(v))
    close(Dyad.product(b, a) @ f, b * a.dot(f))
    close(Dyad.product(a, b).transpose() @ f, b * a.dot(f))


@law
@given(velocities, forces, velocities, forces, velocities)
def test_dyad_products_compose_and_have_a_neutral_element(a, b, c, d, v):
    T1, T2 = Dyad.product(a, b), Dyad.product(c, d)
    close((T1 @ T2) @ v, T1 @ (T2 @ v), 1e-10)
    identity = Dyad.identity(VelocityMotor, ForceMotor)
    close(identity @ v, v)
    close((identity @ T1).T, T1.T)
    close((T1 @ identity).T, T1.T)
    close((T1 + 2 * T2) @ v, T1 @ v + 2 * (T2 @ v), 1e-10)


@law
@given(transforms, velocities, forces, velocities)
def test_dyad_products_commute_with_change_of_frame(X, a, b, v):
    T = Dyad.product(a, b)
    close((X @ T) @ (X @ v), X @ (T @ v), 1e-9)
    close((X @ T).T, Dyad.product(X @ a, X @ b).T, 1e-9)
    close((X @ T).T, matrix6(X) @ T.T @ matrix6(X).T, 1e-9)


@law
@given(dyads, velocities)
def test_the_inertia_dyad_is_a_sum_of_products_of_momenta(M, v):
    """M = Σ (M eᵢ) ⊗ (M eᵢ)/dᵢ over an M-orthogonal basis; here simply its 6×6 on (resultant, moment)."""
    T = EXCHANGE @ M.matrix() @ EXCHANGE
    close((M @ v).vector(), T @ EXCHANGE @ v.vector(), 1e-10)


@law
@given(velocities, forces, velocities)
def test_symbolic_dyads_agree_with_numeric_ones(a, b, v):
    def route(x, y, z):
        T = Dyad.product(VelocityMotor.from_vector(x), ForceMotor.from_vector(y))
        X = Transform(rotation_z(0.3), [1, 2, 3])
        return ((X @ T) @ VelocityMotor.from_vector(z)).vector()

    inputs = a.vector(), b.vector(), v.vector()
    close(symbolically(route, *inputs), route(*inputs), 1e-10)


def test_dyads_refuse_motors_of_the_wrong_kind():
    v, f = VelocityMotor([1, 0, 0]), ForceMotor([1, 0, 0])
    for refused in (
        lambda: Dyad.product(v, v) @ v, lambda: Dyad.product(v, f) @ f, lambda: Dyad.product(v, v) @ Dyad.product(v, f),
        lambda: Dyad.product(v, v) + Dyad.product(f, f),
    ):
        with pytest.raises(TypeError):
            refused()
