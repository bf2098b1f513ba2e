"""An orientation in any of its three representations, and what can be asked of all three alike.

An orientation of frame 2 in frame 1 is given as

    Orientation(T, w)   T with v₂ = T v₁, and w, the angular velocity of frame 2 in frame 1, resolved in frame 2
    T                   the 3×3 matrix alone; in Linkwright's notation T = R_12ᵀ
    Q                   a unit quaternion, scalar FIRST (Modelica: scalar last), T = R(Q)ᵀ

Orientations form a group.  Each representation brings a product (`absolute_rotation`), an inverse and its matrix; the
functions below follow from these and are the same objects in `frames`, `frames.quaternions`, `frames.matrices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeGuard, overload

import casadi as ca
import numpy as np

from ...errors import ModelError
from .. import rotations
from ..arrays import Array, MatrixLike, Scalar, VectorLike, cross, dot, matrix, stack, unit, vector
from ..rotations import conjugate, quaternion_from_rotation, quaternion_product, rotation_from_quaternion

NO_ROTATION = (1.0, 0.0, 0.0, 0.0)


class Orientation:
    """Modelica's orientation object R: v₂ = T v₁ and angular velocity w, resolved in frame 2.

    >>> R = Orientation(rotation_z(0.1).T, [0, 0, 2])
    >>> resolve1(R, [1, 0, 0])                      # frame 2's x axis in frame 1
    """

    __slots__ = ("T", "w")

    def __init__(self, T: MatrixLike | None = None, w: VectorLike = (0.0, 0.0, 0.0)) -> None:
        self.T = np.eye(3) if T is None else matrix(T, 3, 3, "transformation matrix T")
        self.w = vector(w, 3, "angular velocity w")

    def __repr__(self) -> str:
        return f"Orientation(T={self.T}, w={self.w})"


#: an orientation in any of its three representations
Rotation: TypeAlias = Orientation | VectorLike | MatrixLike


#: one without its angular velocity
Bare: TypeAlias = VectorLike | MatrixLike


def _is_quaternion(R: Rotation) -> TypeGuard[VectorLike]:
    if isinstance(R, Orientation):
        return False
    shape = R.shape if isinstance(R, (np.ndarray, ca.SX)) else (len(R),)
    return shape in ((4,), (4, 1))


def _as_matrix(T: Bare, what: str) -> Array:
    whole: Any = T  # a vector is refused there
    return matrix(whole, 3, 3, what)


# --- matrix, product, inverse: what each representation brings ---


def to_T(R: Rotation) -> Array:
    """The transformation matrix T, v₂ = T v₁."""
    if isinstance(R, Orientation):
        return R.T
    if _is_quaternion(R):
        return rotation_from_quaternion(vector(R, 4, "quaternion")).T
    return _as_matrix(R, "transformation matrix T")


@overload
def absolute_rotation(R1: Orientation, R_rel: Orientation) -> Orientation: ...
@overload
def absolute_rotation(R1: Bare, R_rel: Bare) -> Array: ...
@overload
def absolute_rotation(R1: Rotation, R_rel: Rotation) -> Orientation | Array: ...
def absolute_rotation(R1: Rotation, R_rel: Rotation) -> Orientation | Array:
    """Frame 2 in 0, from frame 1 in 0 and frame 2 in 1: T = T_rel T₁, w = T_rel w₁ + w_rel, Q = Q₁ ∘ Q_rel."""
    if isinstance(R1, Orientation) and isinstance(R_rel, Orientation):
        return Orientation(R_rel.T @ R1.T, R_rel.T @ R1.w + R_rel.w)
    if isinstance(R1, Orientation) or isinstance(R_rel, Orientation):
        raise ModelError("an orientation object combines with another one, not with a bare matrix or quaternion.")
    if _is_quaternion(R1):
        other: Any = R_rel  # a matrix is refused there
        return quaternion_product(R1, other)
    return to_T(R_rel) @ to_T(R1)


@overload
def inverse_rotation(R: Orientation) -> Orientation: ...
@overload
def inverse_rotation(R: Bare) -> Array: ...
def inverse_rotation(R: Rotation) -> Orientation | Array:
    """Frame 1 in 2: Tᵀ, −Tᵀ w; the conjugate quaternion."""
    if isinstance(R, Orientation):
        return Orientation(R.T.T, -(R.T.T @ R.w))
    return conjugate(R) if _is_quaternion(R) else to_T(R).T


def angular_velocity2(R: Rotation, der_R: Any = None) -> Array:
    """Angular velocity of frame 2 in 1, resolved in 2; of T and Q it needs the time derivative.

    R.w, or [w]× = T Ṫᵀ, or 2 vec(Q̄ ∘ Q̇).
    """
    if isinstance(R, Orientation):
        return R.w
    if _is_quaternion(R):
        return rotations.angular_velocity(R, vector(der_R, 4, "der_Q"))
    W = to_T(R) @ matrix(der_R, 3, 3, "der_T").T
    return stack(W[2, 1], W[0, 2], W[1, 0])


def orientation_constraint(R: Rotation) -> Array:
    """Residues that vanish for a proper orientation: six of Tᵀ T = 1, or Q·Q − 1."""
    if _is_quaternion(R):
        return stack(dot(R, R) - 1)
    x, y, z = (to_T(R)[:, i] for i in range(3))
    return stack(dot(x, x) - 1, dot(y, y) - 1, dot(z, z) - 1, dot(x, y), dot(y, z), dot(z, x))


def small_rotation(R: Rotation, with_residues: bool = False) -> Array:
    """The angles about x, y, z of an orientation near to none: (T₂₃, −T₁₃, T₁₂), or 2 vec Q.

    With residues also the three of the diagonal, T_ii − 1, which together say that the rotation is none.
    """
    T = to_T(R)
    phi = stack(2 * R[1], 2 * R[2], 2 * R[3]) if _is_quaternion(R) else stack(T[1, 2], -T[0, 2], T[0, 1])
    return stack(phi, T[0, 0] - 1, T[1, 1] - 1, T[2, 2] - 1) if with_residues else phi


# --- what follows for every representation ---


def to_T_inv(R: Rotation) -> Array:
    """Tᵀ, that is R_12."""
    return to_T(R).T


def to_Q(R: Rotation, Q_guess: VectorLike = NO_ROTATION) -> Array:
    """The quaternion, scalar first, of ±Q the one nearer to `Q_guess`."""
    if _is_quaternion(R):
        R = to_T(R)
    return quaternion_from_rotation(to_T_inv(R), Q_guess)


@overload
def relative_rotation(R1: Orientation, R2: Orientation) -> Orientation: ...
@overload
def relative_rotation(R1: Bare, R2: Bare) -> Array: ...
def relative_rotation(R1: Rotation, R2: Rotation) -> Orientation | Array:
    """Frame 2 in 1 of two orientations in one frame: T = T₂ T₁ᵀ, w = w₂ − T₂ T₁ᵀ w₁, Q = Q̄₁ ∘ Q₂."""
    return absolute_rotation(inverse_rotation(R1), R2)


def equality_constraint(R1: Rotation, R2: Rotation) -> Array:
    """Three residues that vanish if and only if the orientations are equal, to first order the angles between them.

    atan2 of the off-diagonal (2,3), −(1,3), (1,2) of T₂ T₁ᵀ over the diagonal 1, 2, 3; the arctangent tells a half turn
    from none, which is why it is used for bare matrices too.
    """
    T = relative_rotation(to_T(R1), to_T(R2))
    return stack(ca.atan2(T[1, 2], T[0, 0]), ca.atan2(-T[0, 2], T[1, 1]), ca.atan2(T[0, 1], T[2, 2]))


def angular_velocity1(R: Rotation, der_R: Any = None) -> Array:
    """Angular velocity of frame 2 in 1, resolved in 1: Tᵀ w."""
    return to_T_inv(R) @ angular_velocity2(R, der_R)


def resolve1(R: Rotation, v2: VectorLike) -> Array:
    """v₁ = Tᵀ v₂."""
    return to_T_inv(R) @ vector(v2)


def resolve2(R: Rotation, v1: VectorLike) -> Array:
    """v₂ = T v₁."""
    return to_T(R) @ vector(v1)


def multiple_resolve1(R: Rotation, v2: MatrixLike) -> Array:
    """`resolve1` of every column of a 3×n matrix."""
    return to_T_inv(R) @ matrix(v2, 3, _columns(v2), "vectors")


def multiple_resolve2(R: Rotation, v1: MatrixLike) -> Array:
    """`resolve2` of every column of a 3×n matrix."""
    return to_T(R) @ matrix(v1, 3, _columns(v1), "vectors")


def _columns(v: MatrixLike) -> int:
    if isinstance(v, ca.SX):
        return v.shape[1]
    rows: Any = v
    return np.shape(rows)[-1]


def resolve_relative(v1: VectorLike, R1: Rotation, R2: Rotation) -> Array:
    """v₂ = T₂ T₁ᵀ v₁: from one frame to another, both given in a third."""
    return resolve2(R2, resolve1(R1, v1))


def resolve_dyade1(R: Rotation, D2: MatrixLike) -> Array:
    """D₁ = Tᵀ D₂ T."""
    return to_T_inv(R) @ matrix(D2) @ to_T(R)


def resolve_dyade2(R: Rotation, D1: MatrixLike) -> Array:
    """D₂ = T D₁ Tᵀ."""
    return to_T(R) @ matrix(D1) @ to_T_inv(R)


def axes_rotations_angles(R: Rotation, sequence: Sequence[int] = (1, 2, 3), guess_angle1: float = 0.0) -> Array:
    """The three angles of `axes_rotations`; of two solutions the one whose first angle is nearer to `guess_angle1`."""
    return rotations.rotation_angles(to_T_inv(R), sequence, guess_angle1)


def planar_rotation_angle(e: VectorLike, v1: VectorLike, v2: VectorLike) -> Scalar:
    """The angle about e that takes v₁ into its representation v₂ = T v₁, neither of them along e.

    φ = atan2(−(e × v₁)·v₂, v₁·v₂ − (e·v₁)(e·v₂)).
    """
    e, v1, v2 = unit(e), vector(v1), vector(v2)
    return ca.atan2(-dot(cross(e, v1), v2), dot(v1, v2) - dot(e, v1) * dot(e, v2))


def to_vector(R: Rotation) -> Array:
    """The nine elements of T, column by column."""
    T = to_T(R)
    return ca.vec(T) if isinstance(T, ca.SX) else T.flatten(order="F")


def to_exy(R: Rotation) -> Array:
    """[e_x, e_y], 3×2: frame 2's x and y axes in frame 1."""
    return to_T_inv(R)[:, 0:2]
