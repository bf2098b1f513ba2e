"""Orientation objects and their functions under the names of Modelica's MultiBody.Frames, in snake_case.

`Orientation(T, w)` holds T with v₂ = T v₁ (Linkwright's R_12ᵀ) and the angular velocity w of frame 2 in 1, resolved in
2.  `frames.matrices` works on bare T, `frames.quaternions` on unit quaternions, scalar FIRST here and everywhere in
Linkwright (Modelica: scalar last).  Most functions exist once and take any of the three; those that make an orientation
differ.  Angles in radians; floats and CasADi symbols alike.

>>> R = frames.axes_rotations((1, 2, 3), [0.1, 0.2, 0.3], [0, 0, 1])
>>> frames.resolve2(R, frames.resolve1(R, [1, 2, 3]))
array([1., 2., 3.])
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from ...errors import ModelError
from ..arrays import Array, MatrixLike, Scalar, VectorLike, cross, unit, vector
from ..rotations import ABOUT
from . import matrices, quaternions
from .orientation import (
    Orientation,
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
    resolve_relative,
    small_rotation,
    to_exy,
    to_Q,
    to_T,
    to_T_inv,
    to_vector,
)

__all__ = [
    "Orientation", "absolute_rotation", "angular_velocity1", "angular_velocity2", "axes_rotations",
    "axes_rotations_angles", "axis", "axis_rotation", "equality_constraint", "from_Q", "from_T", "from_T2",
    "from_T_inv", "from_nxy", "from_nxz", "inverse_rotation", "matrices", "multiple_resolve1", "multiple_resolve2",
    "null_rotation", "orientation_constraint", "planar_rotation", "planar_rotation_angle", "quaternions",
    "relative_rotation", "resolve1", "resolve1_der", "resolve2", "resolve2_der", "resolve_dyade1", "resolve_dyade2",
    "resolve_relative", "resolve_relative_der", "small_rotation", "to_Q", "to_T", "to_T_inv", "to_exy", "to_vector",
]

AT_REST = (0.0, 0.0, 0.0)


def axis(axis: int) -> np.ndarray:
    """The unit vector of the coordinate axis 1, 2 or 3."""
    if axis not in ABOUT:
        raise ModelError(f"axis = {axis!r}: axes are counted 1, 2, 3.")
    return np.eye(3)[axis - 1]


# --- making orientations ---


def null_rotation() -> Orientation:
    """T = 1, w = 0."""
    return Orientation()


def planar_rotation(e: VectorLike, angle: Scalar, der_angle: Scalar = 0.0) -> Orientation:
    """Frame 2 turned by `angle` about e: T = e eᵀ + (1 − e eᵀ) cos φ − [e]× sin φ, w = e φ̇."""
    return Orientation(matrices.planar_rotation(e, angle), unit(e) * der_angle)


def axis_rotation(axis: int, angle: Scalar, der_angle: Scalar = 0.0) -> Orientation:
    """Frame 2 turned by `angle` about the coordinate axis 1, 2 or 3."""
    T = matrices.axis_rotation(axis, angle)
    return Orientation(T, np.eye(3)[axis - 1] * der_angle)


def axes_rotations(sequence: Sequence[int] = (1, 2, 3), angles: VectorLike = AT_REST,
                   der_angles: VectorLike = AT_REST) -> Orientation:
    """Rotations about axes of the moving frame, one after another.

    T = T₃(φ₃) T₂(φ₂) T₁(φ₁), w = e₃ φ̇₃ + T₃ e₂ φ̇₂ + T₃ T₂ e₁ φ̇₁.
    """
    sequence = tuple(sequence)
    angles = vector(angles, len(sequence), "angles")
    rates = vector(der_angles, len(sequence), "der_angles")
    return reduce(absolute_rotation, [axis_rotation(a, angles[i], rates[i]) for i, a in enumerate(sequence)])


def from_nxy(n_x: VectorLike, n_y: VectorLike) -> Orientation:
    """Frame 2 with x along n_x and y in the plane of n_x and n_y; at rest.  See `matrices.from_nxy`."""
    return Orientation(matrices.from_nxy(n_x, n_y))


def from_nxz(n_x: VectorLike, n_z: VectorLike) -> Orientation:
    """Frame 2 with x along n_x and z in the plane of n_x and n_z; at rest.  See `matrices.from_nxz`."""
    return Orientation(matrices.from_nxz(n_x, n_z))


def from_T(T: MatrixLike, w: VectorLike = AT_REST) -> Orientation:
    """From T and w."""
    return Orientation(T, w)


def from_T2(T: MatrixLike, der_T: MatrixLike) -> Orientation:
    """From T and its time derivative: [w]× = T Ṫᵀ."""
    return Orientation(T, angular_velocity2(T, der_T))


def from_T_inv(T_inv: MatrixLike, w: VectorLike = AT_REST) -> Orientation:
    """From Tᵀ = R_12 and w."""
    return Orientation(matrices.from_T_inv(T_inv), w)


def from_Q(Q: VectorLike, w: VectorLike = AT_REST) -> Orientation:
    """From a unit quaternion, scalar first, and w."""
    return Orientation(matrices.from_Q(Q), w)


# --- derivatives of resolved vectors ---


def resolve1_der(R: Orientation, v2: VectorLike, v2_der: VectorLike) -> Array:
    """d/dt resolve1(R, v₂) = Tᵀ (v̇₂ + w × v₂)."""
    return resolve1(R, vector(v2_der) + cross(R.w, vector(v2)))


def resolve2_der(R: Orientation, v1: VectorLike, v1_der: VectorLike) -> Array:
    """d/dt resolve2(R, v₁) = T v̇₁ − w × T v₁."""
    return resolve2(R, v1_der) - cross(R.w, resolve2(R, v1))


def resolve_relative_der(v1: VectorLike, R1: Orientation, R2: Orientation, v1_der: VectorLike) -> Array:
    """d/dt resolve_relative(v₁, R₁, R₂) = T₂ T₁ᵀ (v̇₁ + w₁ × v₁) − w₂ × T₂ T₁ᵀ v₁."""
    return resolve2_der(R2, resolve1(R1, v1), resolve1_der(R1, v1, v1_der))
