"""Constants stay exact and fold: one entry of 1e-17 in a rotation multiplies the generated code."""

import casadi as ca
import numpy as np
import pytest
from algebra_strategies import law
from hypothesis import given
from hypothesis import strategies as st

from linkwright.algebra import (
    Inertia,
    Transform,
    VelocityMotor,
    axis_frame,
    axis_rotation,
    cross,
    frames,
    rotation_from_angles,
    rotation_x,
    rotation_y,
    rotation_z,
    skew,
    snap,
    unit,
)

PHI = ca.SX.sym("phi")
right_angles = st.integers(-8, 8).map(lambda k: k * np.pi / 2)


def only_zeros_and_ones(A) -> bool:
    return set(np.abs(np.asarray(A)).ravel().tolist()) <= {0.0, 1.0}


def instructions(expression) -> int:
    return ca.Function("f", [PHI], [ca.cse(ca.SX(expression))]).n_instructions()


@pytest.mark.parametrize("axis", [tuple(e) for e in (*np.eye(3), *-np.eye(3))])
@pytest.mark.parametrize("length", [1.0, 0.3, 1e-5, 7e5])
def test_axis_frame_along_a_coordinate_axis_is_a_signed_permutation(axis, length):
    assert only_zeros_and_ones(axis_frame(length * np.array(axis)))


@law
@given(right_angles, right_angles, right_angles)
def test_right_angles_give_signed_permutations(a, b, c):
    for R in (rotation_x(a), rotation_y(b), rotation_z(c), rotation_from_angles((1, 2, 3), [a, b, c])):
        assert only_zeros_and_ones(R)
    assert only_zeros_and_ones(axis_rotation([0, 2, 0], b))
    assert only_zeros_and_ones(frames.axes_rotations((3, 1, 3), [a, b, c]).T)
    assert only_zeros_and_ones((Transform(rotation_x(a)) @ Transform(rotation_y(b))).R)


@law
@given(right_angles)
def test_a_numeric_right_angle_among_symbols_leaves_no_rounding_error(a):
    R = rotation_from_angles((1, 2, 3), [a, 0, PHI])
    constants = [float(e) for e in ca.vertsplit(ca.vec(R)) if e.is_constant()]
    assert only_zeros_and_ones(constants)
    assert len(constants) == 5


def test_axis_rotation_about_z_is_the_rotation_about_z():
    assert instructions(axis_rotation([0, 0, 3], PHI)) == instructions(rotation_z(PHI))
    assert ca.is_equal(axis_rotation([0, 0, 3], PHI), rotation_z(PHI), 2)


def test_products_with_unit_vectors_cost_nothing():
    v = ca.SX.sym("v", 3)
    for product in (cross(np.array([0.0, 0, 1]), v), skew(v) @ np.array([1.0, 0, 0]), np.eye(3) @ v):
        f = ca.Function("f", [v], [product])
        used = {f.instruction_id(k) for k in range(f.n_instructions())}
        assert used <= {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_NEG}


def test_a_planar_motion_traced_in_space_stays_planar():
    X = Transform(rotation_z(PHI), [0.5, 0, 0])
    v = X @ VelocityMotor([0, 0, 1.0], [0, 0, 0])
    p = (X @ Inertia(2.0, [0.3, 0, 0], [1, 2, 3])) @ v
    for component in (v.resultant[0], v.resultant[1], v.moment[2], p.resultant[2], p.moment[0], p.moment[1]):
        assert component.is_zero()


def test_snap_moves_nothing_but_rounding_errors():
    x = np.array([1e-15, -1e-15, 1 - 5e-15, -1 + 5e-15, 1e-13, 1 - 1e-13, 0.5, 2.0])
    np.testing.assert_array_equal(snap(x), [0, 0, 1, -1, 1e-13, 1 - 1e-13, 0.5, 2.0])
    assert snap(PHI) is PHI
    assert only_zeros_and_ones(unit([0, -1e-20, 3.0]))
    original = np.array([1e-16, 1.0, 2.0])
    snap(original)
    assert original[0] == 1e-16
