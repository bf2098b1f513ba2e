"""The built-in mobilizers, after Simbody's table (Sherman, *Simbody Theory Manual*, §5), in our conventions.

One-axis kinds move along or about their own z.  Orientation kinds hold a unit quaternion (scalar first) or, with
`angles=(i, j, k)`, three body-fixed angles about those axes; their speeds are V_FM expressed in M.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..algebra import Transform, VelocityMotor, rotation_angles, rotation_from_angles, rotation_z
from ..algebra.arrays import stack
from ..algebra.rotations import (
    ABOUT,
    angular_velocity,
    quaternion_from_rotation,
    quaternion_rate,
    rotation_from_quaternion,
)
from .mobilizer import Mobilizer

UNIT = [VelocityMotor(np.eye(6)[k][:3], np.eye(6)[k][3:]) for k in range(6)]
Z = (0.0, 0.0, 1.0)


class UnitColumns(Mobilizer):
    """A kind whose columns are constant unit motors, listed in `unit_columns`."""

    unit_columns: tuple[int, ...] = ()

    def units(self):
        return self.unit_columns

    def columns(self, q):
        return [UNIT[k] for k in self.unit_columns]


@dataclass(frozen=True)
class Weld(UnitColumns):
    """No freedom."""

    def transform(self, q):
        return Transform()


@dataclass(frozen=True)
class Revolute(UnitColumns):
    """1 dof: angle about z (Pin)."""

    nq, nu, names, unit_columns, about_z = 1, 1, ("phi",), (2,), True

    def transform(self, q):
        return Transform(rotation_z(q[0]))

    def fit(self, X_FM, guess=None):
        return np.array([_turn(X_FM, 0.0 if guess is None else guess[0])])


@dataclass(frozen=True)
class Prismatic(UnitColumns):
    """1 dof: translation along z (Slider)."""

    nq, nu, names, unit_columns = 1, 1, ("s",), (5,)

    def transform(self, q):
        return Transform(None, stack(0, 0, q[0]))

    def fit(self, X_FM, guess=None):
        return np.array([X_FM.p[2]])


@dataclass(frozen=True)
class Screw(Mobilizer):
    """1 dof: angle about z, translation `pitch`·angle along z (pitch in m/rad)."""

    pitch: float = 0.0
    nq, nu, names, about_z = 1, 1, ("phi",), True

    def transform(self, q):
        return Transform(rotation_z(q[0]), stack(0, 0, self.pitch * q[0]))

    def columns(self, q):
        return [VelocityMotor(Z, stack(0, 0, self.pitch))]

    def bias(self, q, u):
        return VelocityMotor()

    def fit(self, X_FM, guess=None):
        # the height tells the number of turns
        turns = X_FM.p[2] / self.pitch if self.pitch else (0.0 if guess is None else guess[0])
        return super().fit(X_FM, [_turn(X_FM, turns)])


@dataclass(frozen=True)
class Universal(Mobilizer):
    """2 dof: angle about x, then about the new y."""

    nq, nu, names = 2, 2, ("phi_a", "phi_b")

    def transform(self, q):
        return Transform(rotation_from_angles((1, 2), q))

    def columns(self, q):
        return [VelocityMotor(stack(ca.cos(q[1]), 0, ca.sin(q[1]))), UNIT[1]]

    def fit(self, X_FM, guess=None):
        # R = Rx(a) Ry(b): its second column holds a alone, its first row b alone
        R = X_FM.R
        return super().fit(X_FM, [np.arctan2(R[2, 1], R[1, 1]), np.arctan2(R[0, 2], R[0, 0])])


@dataclass(frozen=True)
class Cylindrical(UnitColumns):
    """2 dof: angle about z and translation along z."""

    nq, nu, names, unit_columns, about_z = 2, 2, ("phi", "s"), (2, 5), True

    def transform(self, q):
        return Transform(rotation_z(q[0]), stack(0, 0, q[1]))

    def fit(self, X_FM, guess=None):
        return np.array([Revolute().fit(X_FM, guess)[0], X_FM.p[2]])


@dataclass(frozen=True)
class BendStretch(Mobilizer):
    """2 dof: angle about z, then translation along the turned x (polar coordinates)."""

    nq, nu, names, about_z = 2, 2, ("phi", "s"), True

    def transform(self, q):
        R = rotation_z(q[0])
        return Transform(R, R @ stack(q[1], 0, 0))

    def columns(self, q):
        return [VelocityMotor(Z, stack(0, q[1], 0)), UNIT[3]]

    def fit(self, X_FM, guess=None):
        return super().fit(X_FM, [*Revolute().fit(X_FM, guess), X_FM.R[:, 0] @ X_FM.p])

    def default(self):
        return np.array([0.0, 1.0])


@dataclass(frozen=True)
class Planar(Mobilizer):
    """3 dof: angle about z, position x, y in F."""

    nq, nu, names, about_z = 3, 3, ("phi", "s_x", "s_y"), True

    def transform(self, q):
        return Transform(rotation_z(q[0]), stack(q[1], q[2], 0))

    def columns(self, q):
        c, s = ca.cos(q[0]), ca.sin(q[0])
        return [UNIT[2], VelocityMotor((0, 0, 0), stack(c, -s, 0)), VelocityMotor((0, 0, 0), stack(s, c, 0))]

    def fit(self, X_FM, guess=None):
        return np.array([Revolute().fit(X_FM, guess)[0], X_FM.p[0], X_FM.p[1]])


@dataclass(frozen=True)
class Translation(UnitColumns):
    """3 dof: position of M's origin in F."""

    nq, nu, names, unit_columns = 3, 3, ("x", "y", "z"), (3, 4, 5)

    def transform(self, q):
        return Transform(None, q[0:3])

    def fit(self, X_FM, guess=None):
        return np.array(X_FM.p)


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

    def _signs(self):
        return tuple(-1.0 if flag else 1.0 for flag in
                     (self.negative_azimuth, self.negative_zenith, self.negative_radius))

    def _radial(self):
        return np.array([1.0, 0, 0]) if self.radial_axis == "x" else np.array([0, 0, 1.0])

    def transform(self, q):
        a, b, r = self._signs()
        R = rotation_from_angles((3, 2), [a * q[0] + self.azimuth_offset, b * q[1] + self.zenith_offset])
        return Transform(R, R @ (self._radial() * (r * q[2])))

    def columns(self, q):
        # in M: the azimuth axis is Ry(−zenith) z, the zenith axis y; the radius is carried round by both
        a, b, r = self._signs()
        zenith = b * q[1] + self.zenith_offset
        about_z = VelocityMotor(stack(-ca.sin(zenith), 0, ca.cos(zenith)) * a)
        about_y = VelocityMotor((0, b, 0))
        arm = self._radial() * (r * q[2])
        turning = [VelocityMotor(S.resultant, S.at(arm)) for S in (about_z, about_y)]
        return [*turning, VelocityMotor((0, 0, 0), self._radial() * r)]

    def fit(self, X_FM, guess=None):
        # R = Rz(azimuth) Ry(zenith): its second column holds the azimuth alone, its last row the zenith alone
        R, (a, b, r) = X_FM.R, self._signs()
        azimuth, zenith = np.arctan2(-R[0, 1], R[1, 1]), np.arctan2(-R[2, 0], R[2, 2])
        radius = r * self._radial() @ R.T @ X_FM.p
        return super().fit(X_FM, [a * (azimuth - self.azimuth_offset), b * (zenith - self.zenith_offset), radius])

    def default(self):
        return np.array([0.0, 0.5, 1.0])


@dataclass(frozen=True)
class Gimbal(Mobilizer):
    """3 dof: body-fixed x-y-z angles, speeds their rates."""

    nq, nu, names = 3, 3, ("phi_1", "phi_2", "phi_3")

    def transform(self, q):
        return Transform(rotation_from_angles((1, 2, 3), q))

    def columns(self, q):
        return [VelocityMotor(w) for w in _angle_axes((1, 2, 3), q)]

    def fit(self, X_FM, guess=None):
        return rotation_angles(X_FM.R, (1, 2, 3), 0.0 if guess is None else guess[0])


@dataclass(frozen=True)
class Bushing(Mobilizer):
    """6 dof: x-y-z angles and x, y, z translation (translate, then turn), speeds their rates."""

    nq, nu, names = 6, 6, ("phi_1", "phi_2", "phi_3", "x", "y", "z")

    def transform(self, q):
        return Transform(rotation_from_angles((1, 2, 3), q[0:3]), q[3:6])

    def columns(self, q):
        R = rotation_from_angles((1, 2, 3), q[0:3])
        turning = [VelocityMotor(w) for w in _angle_axes((1, 2, 3), q)]
        return turning + [VelocityMotor((0, 0, 0), R[k, :].T) for k in range(3)]

    def fit(self, X_FM, guess=None):
        return np.concatenate([Gimbal().fit(X_FM, guess), X_FM.p])


@dataclass(frozen=True)
class CantileverFreeBeam(Mobilizer):
    """3 dof: as Gimbal, the position following the shape of an end-loaded cantilever of `length` L along z:

    p = (⅔ L q₁, −⅔ L q₀, L − 4/15 L (q₀² + q₁²)); kinematics only, no stiffness.
    """

    length: float = 1.0
    nq, nu, names = 3, 3, ("phi_1", "phi_2", "phi_3")

    def transform(self, q):
        L = self.length
        p = stack(2 / 3 * L * q[1], -2 / 3 * L * q[0], L - 4 / 15 * L * (q[0] * q[0] + q[1] * q[1]))
        return Transform(rotation_from_angles((1, 2, 3), q), p)

    def columns(self, q):
        L, R = self.length, rotation_from_angles((1, 2, 3), q)
        slopes = [stack(0, -2 / 3 * L, -8 / 15 * L * q[0]), stack(2 / 3 * L, 0, -8 / 15 * L * q[1]), (0, 0, 0)]
        return [VelocityMotor(w, R.T @ np.array(v) if isinstance(v, tuple) else R.T @ v)
                for w, v in zip(_angle_axes((1, 2, 3), q), slopes, strict=True)]

    def fit(self, X_FM, guess=None):
        return super().fit(X_FM, Gimbal().fit(X_FM, guess))


class Orientation(Mobilizer):
    """The part that orientation kinds share: a quaternion or three angles at the head of q, ω_FM in M as speeds."""

    angles: tuple[int, int, int] | None = None

    @property
    def head(self) -> int:
        """How many coordinates the orientation takes."""
        return 3 if self.angles else 4

    @property
    def quaternion(self):
        return None if self.angles else 0

    def rotation(self, q):
        return rotation_from_angles(self.angles, q[0:3]) if self.angles else rotation_from_quaternion(q)

    def orientation_rate(self, q, w):
        return _angle_rates(self.angles, q, w) if self.angles else quaternion_rate(q, w)

    def spin(self, q, qdot):
        """ω_FM in M from the rates of the orientation coordinates."""
        if not self.angles:
            return angular_velocity(q[0:4], qdot[0:4])
        axes = _angle_axes(self.angles, q)
        return axes[0] * qdot[0] + axes[1] * qdot[1] + axes[2] * qdot[2]

    def orientation_fit(self, R, guess=None):
        if self.angles:
            return rotation_angles(R, self.angles, 0.0 if guess is None else guess[0])
        return quaternion_from_rotation(R) if guess is None else quaternion_from_rotation(R, guess[0:4])

    def default(self):
        q = np.zeros(self.nq)
        if not self.angles:
            q[0] = 1.0
        return q

    @property
    def names(self):
        head = ("phi_1", "phi_2", "phi_3") if self.angles else ("Q_0", "Q_1", "Q_2", "Q_3")
        return head + ("x", "y", "z")[: self.nq - self.head]


@dataclass(frozen=True)
class Spherical(Orientation, UnitColumns):
    """3 dof: orientation; speeds ω_FM in M (Ball)."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns = 3, (0, 1, 2)

    @property
    def nq(self):
        return self.head

    def transform(self, q):
        return Transform(self.rotation(q))

    def qdot(self, q, u):
        return self.orientation_rate(q, u[0:3])

    def speeds(self, q, qdot):
        return self.spin(q, qdot)

    def fit(self, X_FM, guess=None):
        return self.orientation_fit(X_FM.R, guess)


@dataclass(frozen=True)
class Ellipsoid(Orientation):
    """3 dof: as Spherical, M's origin riding on an ellipsoid of `radii` (a, b, c) fixed in F at (a n₁, b n₂, c n₃),

    n = M's z axis in F.
    """

    radii: tuple[float, float, float] = (1.0, 1.0, 1.0)
    angles: tuple[int, int, int] | None = None
    nu = 3

    @property
    def nq(self):
        return self.head

    def transform(self, q):
        R = self.rotation(q)
        return Transform(R, stack(*[self.radii[k] * R[k, 2] for k in range(3)]))

    def columns(self, q):
        # ṅ = R (ω × z), so v_M = Rᵀ diag(radii) R (ω × z)
        R = self.rotation(q)
        D = R.T @ np.diag(self.radii) @ R if not _symbolic(self.radii) else R.T @ ca.diag(ca.vertcat(*self.radii)) @ R
        return [VelocityMotor((1, 0, 0), -D[:, 1]), VelocityMotor((0, 1, 0), D[:, 0]), UNIT[2]]

    def qdot(self, q, u):
        return self.orientation_rate(q, u[0:3])

    def speeds(self, q, qdot):
        return self.spin(q, qdot)

    def fit(self, X_FM, guess=None):
        return self.orientation_fit(X_FM.R, guess)


@dataclass(frozen=True)
class LineOrientation(Orientation, UnitColumns):
    """2 dof: orientation of a line along M's z; speeds ω_FM·x, ω_FM·y in M, no spin about the line."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns = 2, (0, 1)

    @property
    def nq(self):
        return self.head

    def transform(self, q):
        return Transform(self.rotation(q))

    def qdot(self, q, u):
        return self.orientation_rate(q, stack(u[0], u[1], 0))

    def speeds(self, q, qdot):
        return self.spin(q, qdot)[0:2]

    def fit(self, X_FM, guess=None):
        return self.orientation_fit(X_FM.R, guess)


@dataclass(frozen=True)
class Free(Orientation, UnitColumns):
    """6 dof: orientation, then position of M's origin in F; speeds V_FM = (ω, v) in M."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns = 6, (0, 1, 2, 3, 4, 5)

    @property
    def nq(self):
        return self.head + 3

    def transform(self, q):
        return Transform(self.rotation(q), q[self.head : self.head + 3])

    def qdot(self, q, u):
        return stack(self.orientation_rate(q, u[0:3]), self.rotation(q) @ u[3:6])

    def speeds(self, q, qdot):
        return stack(self.spin(q, qdot), self.rotation(q).T @ qdot[self.head : self.head + 3])

    def fit(self, X_FM, guess=None):
        return np.concatenate([self.orientation_fit(X_FM.R, guess), X_FM.p])


@dataclass(frozen=True)
class FreeLine(Orientation, UnitColumns):
    """5 dof: as Free for a line along M's z; speeds ω·x, ω·y, v in M."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns = 5, (0, 1, 3, 4, 5)

    @property
    def nq(self):
        return self.head + 3

    def transform(self, q):
        return Transform(self.rotation(q), q[self.head : self.head + 3])

    def qdot(self, q, u):
        return stack(self.orientation_rate(q, stack(u[0], u[1], 0)), self.rotation(q) @ u[2:5])

    def speeds(self, q, qdot):
        v = self.rotation(q).T @ qdot[self.head : self.head + 3]
        return stack(self.spin(q, qdot)[0:2], v)

    def fit(self, X_FM, guess=None):
        return np.concatenate([self.orientation_fit(X_FM.R, guess), X_FM.p])


def _turn(X_FM, guess) -> float:
    """The angle about z that comes nearest to a rotation, of its windings the one nearest to `guess`."""
    R = X_FM.R
    angle = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    return angle + 2 * np.pi * np.round((guess - angle) / (2 * np.pi))


def _symbolic(values) -> bool:
    return any(isinstance(v, ca.SX) for v in values)


def _angle_axes(sequence, q):
    """The three axes of body-fixed angles, in the turned frame: ω = Σ axis_k φ̇_k."""
    i, j, k = sequence
    third, second = ABOUT[k](q[2]).T, ABOUT[j](q[1]).T
    e = np.eye(3)
    return [third @ (second @ e[i - 1]), third @ e[j - 1], e[k - 1]]


def _angle_rates(sequence, q, w):
    """φ̇ from ω in the turned frame; singular where the second angle aligns first and third axis."""
    i, j, k = (axis - 1 for axis in sequence)
    before_third = ABOUT[k + 1](q[2]) @ w
    first_axis = ABOUT[j + 1](q[1]).T @ np.eye(3)[i]
    s = i if k != i else 3 - i - j
    first = before_third[s] / first_axis[s]
    return stack(first, before_third[j], before_third[k] - first_axis[k] * first)


__all__ = [
    "BendStretch", "Bushing", "CantileverFreeBeam", "Cylindrical", "Ellipsoid", "Free", "FreeLine", "Gimbal",
    "LineOrientation", "Planar", "Prismatic", "Revolute", "Screw", "Spherical", "SphericalCoords", "Translation",
    "Universal", "Weld",
]
