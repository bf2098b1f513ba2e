"""Kinds whose coordinates are angles about axes one after the other: Universal, Gimbal, SphericalCoords, Bushing,
CantileverFreeBeam.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ...algebra import Numbers, Transform, VectorLike, VelocityMotor, rotation_angles, rotation_from_angles, stack
from ..closing import DISPLACEMENT, Closing
from ..mobilizer import UNIT, Mobilizer, in_numbers
from .orientation import angle_axes


@dataclass(frozen=True)
class Universal(Mobilizer):
    """2 dof: angle about x, then about the new y."""

    nq, nu, names, letter, turns = 2, 2, ("phi_a", "phi_b"), "U", True

    def transform(self, q: VectorLike) -> Transform:
        return Transform(rotation_from_angles((1, 2), q))

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        return [VelocityMotor(stack(ca.cos(q[1]), 0, ca.sin(q[1]))), UNIT[1]]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        # R = Rx(a) Ry(b): its second column holds a alone, its first row b alone
        R, _ = in_numbers(X_FM)
        return super().fit(X_FM, np.arctan2([R[2, 1], R[0, 2]], [R[1, 1], R[0, 0]]))

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # p = 0, x_F ⟂ y_M; R = Rx(a) Ry(b), ω = ȧ (cos b, 0, sin b) + ḃ y
        return Closing(ca.vertcat(p, R[0, 1]), (*DISPLACEMENT, "angle between the two axes"),
                       angles=(ca.atan2(R[2, 1], R[1, 1]), ca.atan2(R[0, 2], R[0, 0])),
                       speeds=ca.vertcat(V[0] * R[0, 0] + V[2] * R[0, 2], V[1]))


@dataclass(frozen=True)
class Gimbal(Mobilizer):
    """3 dof: body-fixed x-y-z angles, speeds their rates."""

    nq, nu, names, letter = 3, 3, ("phi_1", "phi_2", "phi_3"), "S"

    def transform(self, q: VectorLike) -> Transform:
        return Transform(rotation_from_angles((1, 2, 3), q))

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        return [VelocityMotor(w) for w in angle_axes((1, 2, 3), q)]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return rotation_angles(in_numbers(X_FM)[0], (1, 2, 3), 0.0 if guess is None else guess[0])

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # p = 0; R = Rx Ry Rz
        angles = ca.atan2(-R[1, 2], R[2, 2]), ca.asin(R[0, 2]), ca.atan2(-R[0, 1], R[0, 0])
        c, s = ca.cos(angles[2]), ca.sin(angles[2])
        first = (c * V[0] - s * V[1]) / ca.cos(angles[1])
        return Closing(p, DISPLACEMENT, angles=angles, speeds=ca.vertcat(first, s * V[0] + c * V[1],
                                                                         V[2] - first * R[0, 2]))


@dataclass(frozen=True)
class SphericalCoords(Mobilizer):
    """3 dof: azimuth about z, zenith about the new y, radius along M's z (or x with `radial_axis="x"`).

    `azimuth_offset`, `zenith_offset` and the three signs are Simbody's; the angles used are sign·q + offset.
    """

    azimuth_offset: float = 0.0
    zenith_offset: float = 0.0
    negative_azimuth: bool = False
    negative_zenith: bool = False
    negative_radius: bool = False
    radial_axis: str = "z"
    nq, nu, names = 3, 3, ("azimuth", "zenith", "radius")

    def _signs(self) -> tuple[float, ...]:
        return tuple(-1.0 if flag else 1.0 for flag in
                     (self.negative_azimuth, self.negative_zenith, self.negative_radius))

    def _radial(self) -> np.ndarray:
        return np.array([1.0, 0, 0]) if self.radial_axis == "x" else np.array([0, 0, 1.0])

    def transform(self, q: VectorLike) -> Transform:
        a, b, r = self._signs()
        R = rotation_from_angles((3, 2), [a * q[0] + self.azimuth_offset, b * q[1] + self.zenith_offset])
        return Transform(R, R @ (self._radial() * (r * q[2])))

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        # in M: the azimuth axis is Ry(−zenith) z, the zenith axis y; the radius is carried round by both
        a, b, r = self._signs()
        zenith = b * q[1] + self.zenith_offset
        about_z = VelocityMotor(stack(-ca.sin(zenith), 0, ca.cos(zenith)) * a)
        about_y = VelocityMotor((0, b, 0))
        arm = self._radial() * (r * q[2])
        turning = [VelocityMotor(S.resultant, S.at(arm)) for S in (about_z, about_y)]
        return [*turning, VelocityMotor((0, 0, 0), self._radial() * r)]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        # R = Rz(azimuth) Ry(zenith): its second column holds the azimuth alone, its last row the zenith alone
        (R, p), (a, b, r) = in_numbers(X_FM), self._signs()
        azimuth, zenith = np.arctan2(-R[0, 1], R[1, 1]), np.arctan2(-R[2, 0], R[2, 2])
        radius = r * self._radial() @ R.T @ p
        return super().fit(X_FM, np.array([a * (azimuth - self.azimuth_offset), b * (zenith - self.zenith_offset),
                                           radius]))

    def default(self) -> np.ndarray:
        return np.array([0.0, 0.5, 1.0])


@dataclass(frozen=True)
class Bushing(Mobilizer):
    """6 dof: x-y-z angles and x, y, z translation (translate, then turn), speeds their rates."""

    nq, nu, names = 6, 6, ("phi_1", "phi_2", "phi_3", "x", "y", "z")

    def transform(self, q: VectorLike) -> Transform:
        return Transform(rotation_from_angles((1, 2, 3), q[0:3]), q[3:6])

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        R = rotation_from_angles((1, 2, 3), q[0:3])
        turning = [VelocityMotor(w) for w in angle_axes((1, 2, 3), q)]
        return turning + [VelocityMotor((0, 0, 0), R[k, :].T) for k in range(3)]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.concatenate([Gimbal().fit(X_FM, guess), X_FM.p])

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        return Closing(ca.SX(0, 1), ())


@dataclass(frozen=True)
class CantileverFreeBeam(Mobilizer):
    """3 dof: as Gimbal, the position following the shape of an end-loaded cantilever of `length` L along z:

    p = (⅔ L q₁, −⅔ L q₀, L − 4/15 L (q₀² + q₁²)); kinematics only, no stiffness.
    """

    length: float = 1.0
    nq, nu, names = 3, 3, ("phi_1", "phi_2", "phi_3")

    def transform(self, q: VectorLike) -> Transform:
        L = self.length
        p = stack(2 / 3 * L * q[1], -2 / 3 * L * q[0], L - 4 / 15 * L * (q[0] * q[0] + q[1] * q[1]))
        return Transform(rotation_from_angles((1, 2, 3), q), p)

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        L, R = self.length, rotation_from_angles((1, 2, 3), q)
        slopes = [stack(0, -2 / 3 * L, -8 / 15 * L * q[0]), stack(2 / 3 * L, 0, -8 / 15 * L * q[1]), (0, 0, 0)]
        return [VelocityMotor(w, R.T @ np.array(v) if isinstance(v, tuple) else R.T @ v)
                for w, v in zip(angle_axes((1, 2, 3), q), slopes, strict=True)]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return super().fit(X_FM, Gimbal().fit(X_FM, guess))
