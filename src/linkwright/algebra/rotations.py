"""Rotation matrices `R_AB` (columns: B's axes in A), built so that exact zeros stay exact.

Unit quaternions are scalar first: Q = (e₀, e₁, e₂, e₃).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import casadi as ca
import numpy as np

from ..errors import ModelError
from .arrays import (
    SNAP,
    Array,
    MatrixLike,
    Numbers,
    Scalar,
    VectorLike,
    choose,
    cross,
    dot,
    is_symbolic,
    matrix,
    outer,
    rows,
    skew,
    snap,
    stack,
    unit,
    vector,
)
from .tolerances import LOCKED, NO_TURN, NOT_ORTHONORMAL


def _cos_sin(angle: Scalar) -> tuple[Scalar, Scalar]:
    """cos and sin, exact for numeric multiples of a quarter turn: rotations enter products before anyone snaps them."""
    if isinstance(angle, ca.SX) and angle.is_constant():
        angle = float(angle)
    angle = angle if is_symbolic(angle) else float(angle)
    c, s = ca.cos(angle), ca.sin(angle)
    if isinstance(c, float):
        if abs(s) < SNAP:
            return (1.0 if c > 0 else -1.0), 0.0
        if abs(c) < SNAP:
            return 0.0, (1.0 if s > 0 else -1.0)
    return c, s


def rotation_x(angle: Scalar) -> Array:
    """Rotation by `angle` about x."""
    c, s = _cos_sin(angle)
    return rows((1, 0, 0), (0, c, -s), (0, s, c))


def rotation_y(angle: Scalar) -> Array:
    """Rotation by `angle` about y."""
    c, s = _cos_sin(angle)
    return rows((c, 0, s), (0, 1, 0), (-s, 0, c))


def rotation_z(angle: Scalar) -> Array:
    """Rotation by `angle` about z."""
    c, s = _cos_sin(angle)
    return rows((c, -s, 0), (s, c, 0), (0, 0, 1))


ABOUT = {1: rotation_x, 2: rotation_y, 3: rotation_z}


def check_rotation(R: Array) -> Array:
    """R itself; an error unless a numeric R has orthonormal, right-handed columns x, y, x × y."""
    if isinstance(R, ca.SX):
        return R
    (a, d, g), (b, e, h), (c, f, i) = R.tolist()
    error = max(
        abs(a * a + b * b + c * c - 1), abs(d * d + e * e + f * f - 1), abs(a * d + b * e + c * f),
        abs(b * f - c * e - g), abs(c * d - a * f - h), abs(a * e - b * d - i),
    )
    if error > NOT_ORTHONORMAL:
        raise ModelError(
            f"rotation = {R.tolist()} is no rotation matrix: its columns must be orthonormal and right-handed, "
            f"they miss it by {error:.2g}. Build it with axis_rotation, rotation_from_angles or frames.from_nxy."
        )
    return R


def axis_rotation(n: VectorLike, angle: Scalar) -> Array:
    """Rotation by `angle` about the direction n: R = n nᵀ + (1 − n nᵀ) cos φ + [n]× sin φ."""
    e = unit(n)
    c, s = _cos_sin(angle)
    projector = outer(e, e)
    return snap(projector + (np.eye(3) - projector) * c + skew(e) * s)


def axis_frame(n: VectorLike) -> np.ndarray:
    """A rotation whose z axis is the direction `n`.

    Along a coordinate axis it is a cyclic permutation (with two signs if n is negative), so that no rounding enters.
    """
    e = unit(n)
    if isinstance(e, ca.SX):
        raise ModelError("an axis decides the structure of the code and cannot be a symbol; give numbers.")
    if np.count_nonzero(e) == 1:
        k = int(np.argmax(np.abs(e)))
        x = np.zeros(3)
        x[(k + 1) % 3] = 1.0
        return snap(np.column_stack([x, np.cross(e, x), e]))
    x = np.zeros(3)
    x[int(np.argmin(np.abs(e)))] = 1.0
    y = np.cross(e, x)
    y /= np.linalg.norm(y)
    return snap(np.column_stack([np.cross(y, e), y, e]))


def rotation_from_angles(sequence: Sequence[int], angles: VectorLike) -> Array:
    """Rotations about axes of the moving frame, one after another: R = R₁(φ₁) R₂(φ₂) R₃(φ₃).

    `sequence` counts axes from 1, as Modelica does: (1, 2, 3) is x, then the new y, then the new z.
    """
    sequence = tuple(sequence)
    angles = vector(angles, len(sequence), "angles")
    R = np.eye(3)
    for i, axis in enumerate(sequence):
        if axis not in ABOUT:
            raise ModelError(f"sequence = {sequence}: axes are counted 1, 2, 3.")
        R = R @ ABOUT[axis](angles[i])
    return snap(R)


@overload
def rotation_angles(R: np.ndarray, sequence: Sequence[int] = (1, 2, 3), guess: float = 0.0) -> np.ndarray: ...
@overload
def rotation_angles(R: MatrixLike, sequence: Sequence[int] = (1, 2, 3), guess: float = 0.0) -> Array: ...
def rotation_angles(R: MatrixLike, sequence: Sequence[int] = (1, 2, 3), guess: float = 0.0) -> Array:
    """The three angles of `rotation_from_angles`, for any of the twelve sequences, numeric or symbolic.

    Of the two solutions the one whose first angle is nearest to `guess` (modulo a full turn); in gimbal lock, where
    only the sum or difference of the outer angles is determined, the first angle is `guess` itself.
    """
    sequence = tuple(sequence)
    if len(sequence) != 3 or not set(sequence) <= {1, 2, 3} or sequence[1] in (sequence[0], sequence[2]):
        raise ModelError(f"sequence = {sequence}: three axes counted 1, 2, 3 are needed, neighbours different.")
    R = matrix(R, 3, 3, "rotation")
    i, j, k = (a - 1 for a in sequence)
    m = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if k == i:
        # R e_i = (cos φ₂ along i, sin φ₁ sin φ₂ along j, −sign cos φ₁ sin φ₂ along m)
        A, B = R[j, i], -sign * R[m, i]
    else:
        # R e_k = (sign sin φ₂ along i, −sign sin φ₁ cos φ₂ along j, cos φ₁ cos φ₂ along k)
        A, B = -sign * R[j, k], R[k, k]
    first = choose(A * A + B * B < LOCKED**2, guess, nearest_angle(ca.atan2(A, B), guess))
    # undo one rotation after the other; what is left is about one axis
    rest = ABOUT[i + 1](-first) @ R
    second = ca.atan2(-sign * rest[m, i], rest[i, i]) if k == i else ca.atan2(sign * rest[i, k], rest[k, k])
    last = ABOUT[j + 1](-second) @ rest
    a, b = (k + 1) % 3, (k + 2) % 3
    return stack(first, second, ca.atan2(last[b, a], last[a, a]))


def nearest_angle(angle: Scalar, guess: Scalar) -> Scalar:
    """Of `angle` and `angle` ± π the one nearest to `guess` (modulo 2π)."""
    return angle + choose(ca.cos(angle - guess) < 0, choose(angle > 0, -np.pi, np.pi), 0.0)


# --- unit quaternions, scalar first ---


@overload
def rotation_from_quaternion(Q: Numbers) -> np.ndarray: ...
@overload
def rotation_from_quaternion(Q: VectorLike) -> Array: ...
def rotation_from_quaternion(Q: VectorLike) -> Array:
    """R = 1 + 2 e₀[e]× + 2 [e]×[e]×, the quaternion being of unit length (only then is R orthogonal)."""
    e0, e1, e2, e3 = Q[0], Q[1], Q[2], Q[3]
    xx, yy, zz = e1 * e1, e2 * e2, e3 * e3
    xy, xz, yz = e1 * e2, e1 * e3, e2 * e3
    wx, wy, wz = e0 * e1, e0 * e2, e0 * e3
    return rows(
        (1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)),
        (2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)),
        (2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)),
    )


@overload
def quaternion_from_rotation(R: Sequence[Numbers] | np.ndarray, guess: VectorLike = ...) -> np.ndarray: ...
@overload
def quaternion_from_rotation(R: MatrixLike, guess: VectorLike = ...) -> Array: ...
def quaternion_from_rotation(R: MatrixLike, guess: VectorLike = (1.0, 0.0, 0.0, 0.0)) -> Array:
    """The unit quaternion of a rotation, of ±Q the one nearer to `guess` (by default e₀ ≥ 0), numeric or symbolic.

    The linear form K(R) = 4 Q Qᵀ has four columns parallel to Q; the longest one is stable near every half turn
    (Shepperd 1978).
    """
    R = matrix(R, 3, 3, "rotation")
    x, y, z = R[0, 0], R[1, 1], R[2, 2]
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    K = rows(
        (1 + x + y + z, wx, wy, wz),
        (wx, 1 + x - y - z, xy, xz),
        (wy, xy, 1 - x + y - z, yz),
        (wz, xz, yz, 1 - x - y + z),
    )
    Q, longest = K[:, 0], K[0, 0]
    for k in (1, 2, 3):
        longer = K[k, k] > longest
        Q, longest = choose(longer, K[:, k], Q), choose(longer, K[k, k], longest)
    Q = Q / ca.sqrt(dot(Q, Q))
    return snap(choose(dot(Q, vector(guess, 4, "guess")) < 0, -Q, Q))


@overload
def quaternion_product(P: Numbers, Q: Numbers) -> np.ndarray: ...
@overload
def quaternion_product(P: VectorLike, Q: VectorLike) -> Array: ...
def quaternion_product(P: VectorLike, Q: VectorLike) -> Array:
    """The quaternion of R(P) R(Q): (p₀ q₀ − p·q, p₀ q + q₀ p + p × q)."""
    P, Q = vector(P, 4, "quaternion"), vector(Q, 4, "quaternion")
    p0, p, q0, q = P[0], P[1:4], Q[0], Q[1:4]
    return stack(p0 * q0 - dot(p, q), p0 * q + q0 * p + cross(p, q))


@overload
def conjugate(Q: Numbers) -> np.ndarray: ...
@overload
def conjugate(Q: VectorLike) -> Array: ...
def conjugate(Q: VectorLike) -> Array:
    """The quaternion of R(Q)ᵀ."""
    return stack(Q[0], -Q[1], -Q[2], -Q[3])


def slerp(P: Numbers, Q: Numbers, s: float) -> np.ndarray:
    """From P (s = 0) to ±Q (s = 1) on the shorter great arc, at constant angular velocity (floats)."""
    P, Q = vector(P, 4, "quaternion"), vector(Q, 4, "quaternion")
    turn = rotation_vector_of_quaternion(quaternion_product(conjugate(P), Q))
    return quaternion_product(P, quaternion_of_rotation_vector(s * turn))


def quaternion_rate(Q: VectorLike, w: VectorLike) -> Array:
    """Q̇ for the angular velocity `w` expressed in the turning frame: Q̇ = ½ Q ∘ (0, w)."""
    e0, e1, e2, e3 = Q[0], Q[1], Q[2], Q[3]
    half = vector(w) * 0.5
    x, y, z = half[0], half[1], half[2]
    return stack(
        -e1 * x - e2 * y - e3 * z, e0 * x - e3 * y + e2 * z, e3 * x + e0 * y - e1 * z, -e2 * x + e1 * y + e0 * z
    )


def angular_velocity(Q: VectorLike, Qdot: VectorLike) -> Array:
    """The inverse of `quaternion_rate`: w = 2 vec(Q̄ ∘ Q̇), in the turning frame."""
    return 2 * quaternion_product(conjugate(Q), Qdot)[1:4]


# --- rotation vectors r = n φ: logarithm and exponential, on floats ---


def rotation_vector_of_quaternion(Q: Numbers) -> np.ndarray:
    """The vector n φ with 0 ≤ φ ≤ π of a unit quaternion: tan φ/2 = |e|/e₀."""
    Q = vector(Q, 4, "quaternion")
    Q = -Q if Q[0] < 0 else Q
    length = float(np.linalg.norm(Q[1:]))
    # |e| → 0: φ/|e| → 2/e₀, with an error of order |e|²
    return Q[1:] * (2 / Q[0] if length < NO_TURN else 2 * np.arctan2(length, Q[0]) / length)


def quaternion_of_rotation_vector(r: Numbers) -> np.ndarray:
    """(cos φ/2, n sin φ/2) for r = n φ."""
    r = vector(r, 3, "rotation vector")
    half = float(np.linalg.norm(r)) / 2
    return stack(np.cos(half), r / 2 * np.sinc(half / np.pi))


def rotation_vector(R: Sequence[Numbers] | np.ndarray) -> np.ndarray:
    """The logarithm of a numeric rotation: the vector n φ with 0 ≤ φ ≤ π."""
    return rotation_vector_of_quaternion(quaternion_from_rotation(R))


def rotation_from_vector(r: Numbers) -> np.ndarray:
    """The exponential: rotation by φ = |r| about r, R = 1 + 2 e₀[e]× + 2 [e]×[e]×."""
    return snap(rotation_from_quaternion(quaternion_of_rotation_vector(r)))
