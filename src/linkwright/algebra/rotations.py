"""Rotation matrices `R_AB` (columns: B's axes in A), built so that exact zeros stay exact.

Unit quaternions are scalar first: Q = (e₀, e₁, e₂, e₃).
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..errors import ModelError
from .arrays import dot, is_symbolic, outer, rows, skew, snap, stack, unit, vector


def rotation_x(angle):
    """Rotation by `angle` about x."""
    c, s = ca.cos(angle), ca.sin(angle)
    return rows((1, 0, 0), (0, c, -s), (0, s, c))


def rotation_y(angle):
    """Rotation by `angle` about y."""
    c, s = ca.cos(angle), ca.sin(angle)
    return rows((c, 0, s), (0, 1, 0), (-s, 0, c))


def rotation_z(angle):
    """Rotation by `angle` about z."""
    c, s = ca.cos(angle), ca.sin(angle)
    return rows((c, -s, 0), (s, c, 0), (0, 0, 1))


ABOUT = {1: rotation_x, 2: rotation_y, 3: rotation_z}


def axis_rotation(n, angle):
    """Rotation by `angle` about the direction n: R = n nᵀ + (1 − n nᵀ) cos φ + [n]× sin φ."""
    e = unit(n)
    if is_symbolic(e, angle):
        e = snap(e)
    projector = outer(e, e)
    R = projector + (np.eye(3) - projector) * ca.cos(angle) + skew(e) * ca.sin(angle)
    return snap(R)


def axis_frame(n):
    """A rotation whose z axis is the direction `n`.

    Along a coordinate axis it is a cyclic permutation (with two signs if n is negative), so that no rounding enters.
    """
    e = unit(n)
    for k in range(3):
        if not is_symbolic(e) and abs(e[k]) == 1.0:
            z, x = np.zeros(3), np.zeros(3)
            z[k], x[(k + 1) % 3] = e[k], 1.0
            return np.column_stack([x, np.cross(z, x), z])
    if is_symbolic(e):
        raise ModelError("an axis decides the structure of the code and cannot be a symbol; give numbers.")
    x = np.zeros(3)
    x[int(np.argmin(np.abs(e)))] = 1.0
    y = np.cross(e, x)
    y /= np.linalg.norm(y)
    return snap(np.column_stack([np.cross(y, e), y, e]))


def rotation_from_angles(sequence, angles):
    """Rotations about axes of the moving frame, one after another: R = R₁(φ₁) R₂(φ₂) R₃(φ₃).

    `sequence` counts axes from 1, as Modelica does: (1, 2, 3) is x, then the new y, then the new z.
    """
    R = np.eye(3)
    for axis, angle in zip(sequence, [angles[i] for i in range(len(sequence))], strict=True):
        if axis not in ABOUT:
            raise ModelError(f"sequence = {tuple(sequence)}: axes are counted 1, 2, 3.")
        R = R @ ABOUT[axis](angle)
    return snap(R)


def rotation_angles(R, sequence=(1, 2, 3), guess: float = 0.0):
    """The three angles of `rotation_from_angles`, the first one nearest to `guess` (numeric or symbolic R).

    For three different axes and for a ≠ b, c = a (proper Euler angles).
    """
    i, j, k = (a - 1 for a in sequence)
    if i == j or j == k:
        raise ModelError(f"sequence = {tuple(sequence)}: neighbouring axes must differ.")
    # the third axis of the sequence, e_k, seen in the first frame after undoing φ₁ lies in a plane ⟂ to e_j's turn
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if k == i:
        m = 3 - i - j
        # R e_i = (cos φ₂ along i, sin φ₁ sin φ₂ along j, −sign cos φ₁ sin φ₂ along m)
        first = ca.atan2(R[j, i], -sign * R[m, i])
    else:
        # e_k after φ₂: component along i is sign·sin φ₂, the rest turns with φ₁
        first = ca.atan2(-sign * R[j, k], R[k, k])
    first = nearest_angle(first, guess)
    rest = ABOUT[i + 1](-first) @ R
    second = ca.atan2(sign * rest[i, k], rest[k, k]) if k != i else ca.atan2(-sign * rest[3 - i - j, i], rest[i, i])
    last = ABOUT[j + 1](-second) @ rest
    a, b = (k + 1) % 3, (k + 2) % 3
    third = ca.atan2(last[b, a], last[a, a])
    return stack(first, second, third)


def nearest_angle(angle, guess):
    """Of `angle` and `angle` ± π the one nearest to `guess` (modulo 2π)."""
    away = ca.cos(angle - guess) < 0
    if is_symbolic(angle, guess):
        return angle + ca.if_else(away, ca.if_else(angle > 0, -np.pi, np.pi), 0)
    return angle + ((-np.pi if angle > 0 else np.pi) if away else 0.0)


# --- unit quaternions, scalar first ---


def rotation_from_quaternion(Q):
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


def quaternion_from_rotation(R) -> np.ndarray:
    """The unit quaternion with e₀ ≥ 0 of a numeric rotation, stable near every half turn (Shepperd 1978)."""
    R = np.asarray(R, dtype=float)
    trace = np.trace(R)
    pivots = np.array([trace, R[0, 0], R[1, 1], R[2, 2]])
    k = int(np.argmax(pivots))
    if k == 0:
        Q = np.array([1 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, m = k - 1, k % 3, (k + 1) % 3
        Q = np.empty(4)
        Q[0] = R[m, j] - R[j, m]
        Q[1 + i] = 1 + R[i, i] - R[j, j] - R[m, m]
        Q[1 + j] = R[i, j] + R[j, i]
        Q[1 + m] = R[i, m] + R[m, i]
    Q /= np.linalg.norm(Q)
    return snap(-Q if Q[0] < 0 else Q)


def quaternion_product(P, Q):
    """The quaternion of R(P) R(Q)."""
    p0, p, q0, q = P[0], P[1:4], Q[0], Q[1:4]
    from .arrays import cross

    return stack(p0 * q0 - dot(p, q), p0 * q + q0 * p + cross(p, q))


def quaternion_rate(Q, w):
    """Q̇ for the angular velocity `w` expressed in the turning frame: Q̇ = ½ Q ∘ (0, w)."""
    e0, e1, e2, e3 = Q[0], Q[1], Q[2], Q[3]
    half = vector(w) * 0.5
    x, y, z = half[0], half[1], half[2]
    return stack(
        -e1 * x - e2 * y - e3 * z, e0 * x - e3 * y + e2 * z, e3 * x + e0 * y - e1 * z, -e2 * x + e1 * y + e0 * z
    )


def angular_velocity(Q, Qdot):
    """The inverse of `quaternion_rate`: w = 2 vec(Q̄ ∘ Q̇), in the turning frame."""
    conjugate = stack(Q[0], -Q[1], -Q[2], -Q[3])
    return 2 * quaternion_product(conjugate, Qdot)[1:4]


def rotation_vector(R) -> np.ndarray:
    """The vector n φ (0 ≤ φ ≤ π) of a numeric rotation."""
    Q = quaternion_from_rotation(R)
    length = float(np.linalg.norm(Q[1:]))
    if length < 1e-12:
        return 2 * Q[1:]
    return Q[1:] / length * 2 * np.arctan2(length, Q[0])
