"""Kinds that move along or about the z axis of F: Revolute, Prismatic, Screw, Cylindrical, BendStretch, Planar."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ...algebra import Numbers, Transform, VectorLike, VelocityMotor, rotation_z, stack
from ..closing import DISPLACEMENT, ROTATION, TILT, Closing, about_z, same_axes, tilt
from ..mobilizer import UNIT, Mobilizer, UnitColumns, in_numbers

Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Revolute(UnitColumns):
    """1 dof: angle about z (Pin)."""

    nq, nu, names, unit_columns, about_z = 1, 1, ("phi",), (2,), True
    letter, turns_over, turns = "R", True, True

    def transform(self, q: VectorLike) -> Transform:
        return Transform(rotation_z(q[0]))

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.array([_turn(X_FM, 0.0 if guess is None else guess[0])])

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # p = 0, z_M ⟂ x_F, z_M ⟂ y_F
        return Closing(ca.vertcat(p, tilt(R)), (*DISPLACEMENT, *TILT), angles=(about_z(R),), speeds=V[2])


@dataclass(frozen=True)
class Prismatic(UnitColumns):
    """1 dof: translation along z (Slider)."""

    nq, nu, names, unit_columns = 1, 1, ("s",), (5,)
    letter, turns_over = "P", True

    def transform(self, q: VectorLike) -> Transform:
        return Transform(None, stack(0, 0, q[0]))

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.array([X_FM.p[2]])

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # p_x = p_y = 0, R = 1
        return Closing(ca.vertcat(p[0:2], same_axes(R)), (*DISPLACEMENT[:2], *ROTATION), lengths=(p[2],), speeds=V[5])


@dataclass(frozen=True)
class Screw(Mobilizer):
    """1 dof: angle about z, translation `pitch`·angle along z (pitch in m/rad)."""

    pitch: float = 0.0
    nq, nu, names, about_z, turns_over = 1, 1, ("phi",), True, True

    def transform(self, q: VectorLike) -> Transform:
        return Transform(rotation_z(q[0]), stack(0, 0, self.pitch * q[0]))

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        return [VelocityMotor(Z, stack(0, 0, self.pitch))]

    def bias(self, q: VectorLike, u: VectorLike) -> VelocityMotor:
        return VelocityMotor()

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        # the height tells the number of turns
        turns = in_numbers(X_FM)[1][2] / self.pitch if self.pitch else (0.0 if guess is None else guess[0])
        return super().fit(X_FM, [_turn(X_FM, turns)])


@dataclass(frozen=True)
class Cylindrical(UnitColumns):
    """2 dof: angle about z and translation along z."""

    nq, nu, names, unit_columns, about_z = 2, 2, ("phi", "s"), (2, 5), True
    turns_over = True

    def transform(self, q: VectorLike) -> Transform:
        return Transform(rotation_z(q[0]), stack(0, 0, q[1]))

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.array([Revolute().fit(X_FM, guess)[0], X_FM.p[2]])

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # p_x = p_y = 0, z_M ⟂ x_F, z_M ⟂ y_F
        return Closing(ca.vertcat(p[0:2], tilt(R)), (*DISPLACEMENT[:2], *TILT), angles=(about_z(R),), lengths=(p[2],),
                       speeds=ca.vertcat(V[2], V[5]))


@dataclass(frozen=True)
class BendStretch(Mobilizer):
    """2 dof: angle about z, then translation along the turned x (polar coordinates)."""

    nq, nu, names, about_z = 2, 2, ("phi", "s"), True

    def transform(self, q: VectorLike) -> Transform:
        R = rotation_z(q[0])
        return Transform(R, R @ stack(q[1], 0, 0))

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        return [VelocityMotor(Z, stack(0, q[1], 0)), UNIT[3]]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        R, p = in_numbers(X_FM)
        return super().fit(X_FM, [*Revolute().fit(X_FM, guess), float(R[:, 0] @ p)])

    def default(self) -> np.ndarray:
        return np.array([0.0, 1.0])


@dataclass(frozen=True)
class Planar(Mobilizer):
    """3 dof: angle about z, position x, y in F."""

    nq, nu, names, about_z = 3, 3, ("phi", "s_x", "s_y"), True

    def transform(self, q: VectorLike) -> Transform:
        return Transform(rotation_z(q[0]), stack(q[1], q[2], 0))

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        c, s = ca.cos(q[0]), ca.sin(q[0])
        return [UNIT[2], VelocityMotor((0, 0, 0), stack(c, -s, 0)), VelocityMotor((0, 0, 0), stack(s, c, 0))]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.array([Revolute().fit(X_FM, guess)[0], X_FM.p[0], X_FM.p[1]])

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # p_z = 0, z_M ⟂ x_F, z_M ⟂ y_F
        v = R @ V[3:6]
        return Closing(ca.vertcat(p[2], tilt(R)), (DISPLACEMENT[2], *TILT), angles=(about_z(R),), lengths=(p[0], p[1]),
                       speeds=ca.vertcat(V[2], v[0], v[1]))


def _turn(X_FM: Transform, guess: float) -> float:
    """The angle about z that comes nearest to a rotation, of its windings the one nearest to `guess`."""
    R, _ = in_numbers(X_FM)
    angle = float(np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]))
    return float(angle + 2 * np.pi * np.round((guess - angle) / (2 * np.pi)))
