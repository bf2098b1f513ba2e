"""Orientations as bare transformation matrices T (v₂ = T v₁): Modelica's Frames.TransformationMatrices.

T is R_12ᵀ in Linkwright's notation.  Time derivatives are 3×3 matrices too.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from ...errors import ModelError
from .. import rotations
from ..arrays import Array, MatrixLike, Scalar, VectorLike, cross, matrix, rows, snap, unit, vector
from ..rotations import ABOUT, rotation_from_angles, rotation_from_quaternion
from ..tolerances import ACROSS_X, NO_LENGTH, PARALLEL
from .orientation import (
    absolute_rotation,
    angular_velocity1,
    angular_velocity2,
    axes_rotations_angles,
    equality_constraint,
    inverse_rotation,
    multiple_resolve1,
    multiple_resolve2,
    orientation_constraint,
    planar_rotation_angle,
    relative_rotation,
    resolve1,
    resolve2,
    resolve_dyade1,
    resolve_dyade2,
    small_rotation,
    to_exy,
    to_Q,
    to_T,
    to_T_inv,
    to_vector,
)

__all__ = [
    "absolute_rotation", "angular_velocity1", "angular_velocity2", "axes_rotations", "axes_rotations_angles",
    "axis_rotation", "equality_constraint", "from_Q", "from_T", "from_T_inv", "from_nxy", "from_nxz",
    "inverse_rotation", "multiple_resolve1", "multiple_resolve2", "null_rotation", "orientation_constraint",
    "planar_rotation", "planar_rotation_angle", "relative_rotation", "resolve1", "resolve2", "resolve_dyade1",
    "resolve_dyade2", "small_rotation", "to_Q", "to_T", "to_T_inv", "to_exy", "to_vector",
]


def null_rotation() -> np.ndarray:
    """T = 1."""
    return np.eye(3)


def planar_rotation(e: VectorLike, angle: Scalar) -> Array:
    """Rotation of frame 2 by `angle` about e: T = e eᵀ + (1 − e eᵀ) cos φ − [e]× sin φ."""
    return rotations.axis_rotation(e, angle).T


def axis_rotation(axis: int, angle: Scalar) -> Array:
    """Rotation of frame 2 by `angle` about the coordinate axis 1, 2 or 3."""
    if axis not in ABOUT:
        raise ModelError(f"axis = {axis!r}: axes are counted 1, 2, 3.")
    return ABOUT[axis](angle).T


def axes_rotations(sequence: Sequence[int] = (1, 2, 3), angles: VectorLike = (0.0, 0.0, 0.0)) -> Array:
    """Three rotations, one after another, about axes of the moving frame: T = T₃(φ₃) T₂(φ₂) T₁(φ₁)."""
    return rotation_from_angles(sequence, angles).T


def from_T(T: MatrixLike) -> Array:
    """T itself, checked for its shape."""
    return to_T(matrix(T, 3, 3, "transformation matrix T"))


def from_T_inv(T_inv: MatrixLike) -> Array:
    """From T⁻¹ = Tᵀ = R_12."""
    return from_T(T_inv).T


def from_Q(Q: VectorLike) -> Array:
    """From a unit quaternion, scalar first."""
    return rotation_from_quaternion(vector(Q, 4, "quaternion")).T


def from_nxy(n_x: VectorLike, n_y: VectorLike) -> Array:
    """Frame 2 with its x axis along n_x and its y axis in the plane of n_x and n_y, both resolved in frame 1.

    e_z ∥ e_x × n_y, e_y = e_z × e_x.  Numeric directions that fail are replaced as in Modelica: a zero n_x by x; an n_y
    that is zero or parallel to n_x by y, or x where n_x is (nearly) across x or along y.
    """
    e_x = _direction(n_x, (1, 0, 0))
    e_z = unit(cross(e_x, _second(e_x, n_y, (0, 1, 0))))
    return _from_axes(e_x, cross(e_z, e_x), e_z)


def from_nxz(n_x: VectorLike, n_z: VectorLike) -> Array:
    """Frame 2 with its x axis along n_x and its z axis in the plane of n_x and n_z, both resolved in frame 1.

    e_y ∥ n_z × e_x, e_z = e_x × e_y; an n_z that is zero or parallel to n_x is replaced by z, or x as in `from_nxy`.
    """
    e_x = _direction(n_x, (1, 0, 0))
    e_y = unit(cross(_second(e_x, n_z, (0, 0, 1)), e_x))
    return _from_axes(e_x, e_y, cross(e_x, e_y))


def _direction(n: VectorLike, otherwise: VectorLike) -> Array:
    n = vector(n, 3, "direction")
    if not isinstance(n, ca.SX) and np.linalg.norm(n) < NO_LENGTH:
        return np.array(otherwise, dtype=float)
    return unit(n)


def _second(e_x: Array, n: VectorLike, otherwise: VectorLike) -> Array:
    """A direction for the second axis that is not parallel to e_x."""
    e, otherwise = _direction(n, e_x), np.array(otherwise, dtype=float)
    if isinstance(e_x, ca.SX) or isinstance(e, ca.SX) or _across(e_x, e):
        return e
    return otherwise if abs(e_x[0]) > ACROSS_X and _across(e_x, otherwise) else np.array([1.0, 0.0, 0.0])


def _across(a: np.ndarray, b: np.ndarray) -> bool:
    normal = cross(a, b)
    return float(normal @ normal) > PARALLEL


def _from_axes(*axes: Array) -> Array:
    return snap(rows(*[[e[i] for i in range(3)] for e in axes]))
