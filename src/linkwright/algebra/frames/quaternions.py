"""Orientations as unit quaternions, scalar FIRST: Q = (e₀, e₁, e₂, e₃) = (cos φ/2, n sin φ/2).

Modelica's Frames.Quaternions has the same functions with the scalar LAST; to move a quaternion from there write
`Q = np.roll(Q_modelica, 1)`.  Time derivatives are four numbers too.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..arrays import Array, MatrixLike, Scalar, VectorLike, matrix, stack, unit
from ..rotations import quaternion_from_rotation
from .orientation import (
    NO_ROTATION,
    absolute_rotation,
    angular_velocity1,
    angular_velocity2,
    equality_constraint,
    inverse_rotation,
    multiple_resolve1,
    multiple_resolve2,
    orientation_constraint,
    relative_rotation,
    resolve1,
    resolve2,
    small_rotation,
    to_T,
    to_T_inv,
)

__all__ = [
    "absolute_rotation", "angular_velocity1", "angular_velocity2", "equality_constraint", "from_T", "from_T_inv",
    "inverse_rotation", "multiple_resolve1", "multiple_resolve2", "null_rotation", "orientation_constraint",
    "planar_rotation", "relative_rotation", "resolve1", "resolve2", "small_rotation", "to_T", "to_T_inv",
]


def null_rotation() -> np.ndarray:
    """(1, 0, 0, 0)."""
    return np.array(NO_ROTATION)


def planar_rotation(e: VectorLike, angle: Scalar) -> Array:
    """Rotation of frame 2 by `angle` about e: (cos φ/2, e sin φ/2)."""
    return stack(ca.cos(angle / 2), unit(e) * ca.sin(angle / 2))


def from_T(T: MatrixLike, Q_guess: VectorLike = NO_ROTATION) -> Array:
    """From the matrix T with v₂ = T v₁, of ±Q the one nearer to `Q_guess`."""
    return from_T_inv(matrix(T, 3, 3, "transformation matrix T").T, Q_guess)


def from_T_inv(T_inv: MatrixLike, Q_guess: VectorLike = NO_ROTATION) -> Array:
    """From Tᵀ = R_12, of ±Q the one nearer to `Q_guess`."""
    return quaternion_from_rotation(T_inv, Q_guess)
