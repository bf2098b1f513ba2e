"""Mobilizers that hold a whole orientation: Spherical, Ellipsoid, LineOrientation, Free, FreeLine.

The orientation is a unit quaternion (scalar first) or, with `angles=(i, j, k)`, three body-fixed angles about those
axes; speeds are V_FM expressed in M.
"""

# mypy: disable-error-code="override"
# how many coordinates there are is a constant of other kinds, and a property of those that may take a quaternion
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ...algebra import (
    ABOUT,
    Array,
    Numbers,
    Transform,
    VectorLike,
    VelocityMotor,
    angular_velocity,
    quaternion_from_rotation,
    quaternion_rate,
    rotation_angles,
    rotation_from_angles,
    rotation_from_quaternion,
    stack,
)
from ..closing import DISPLACEMENT, Closing
from ..mobilizer import UNIT, Mobilizer, UnitColumns, in_numbers


class Orientation(Mobilizer):
    """The part that orientation kinds share: a quaternion or three angles at the head of q, ω_FM in M as speeds."""

    angles: tuple[int, int, int] | None = None

    @property
    def head(self) -> int:
        """How many coordinates the orientation takes."""
        return 3 if self.angles else 4

    @property
    def quaternion(self) -> int | None:
        return None if self.angles else 0

    def rotation(self, q: VectorLike) -> Array:
        return rotation_from_angles(self.angles, q[0:3]) if self.angles else rotation_from_quaternion(q)

    def orientation_rate(self, q: VectorLike, w: Array) -> Array:
        return angle_rates(self.angles, q, w) if self.angles else quaternion_rate(q, w)

    def spin(self, q: VectorLike, qdot: VectorLike) -> Array:
        """ω_FM in M from the rates of the orientation coordinates."""
        if not self.angles:
            return angular_velocity(q[0:4], qdot[0:4])
        axes = angle_axes(self.angles, q)
        return axes[0] * qdot[0] + axes[1] * qdot[1] + axes[2] * qdot[2]

    def orientation_fit(self, R: np.ndarray, guess: Numbers | None = None) -> np.ndarray:
        if self.angles:
            return rotation_angles(R, self.angles, 0.0 if guess is None else guess[0])
        return quaternion_from_rotation(R) if guess is None else quaternion_from_rotation(R, guess[0:4])

    def default(self) -> np.ndarray:
        q = np.zeros(self.nq)
        if not self.angles:
            q[0] = 1.0
        return q

    @property
    def names(self) -> tuple[str, ...]:
        head = ("phi_1", "phi_2", "phi_3") if self.angles else ("Q_0", "Q_1", "Q_2", "Q_3")
        return head + ("x", "y", "z")[: self.nq - self.head]


@dataclass(frozen=True)
class Spherical(Orientation, UnitColumns):
    """3 dof: orientation; speeds ω_FM in M (Ball)."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns, letter = 3, (0, 1, 2), "S"

    @property
    def nq(self) -> int:
        return self.head

    def transform(self, q: VectorLike) -> Transform:
        return Transform(self.rotation(q))

    def qdot(self, q: VectorLike, u: Array) -> Array:
        return self.orientation_rate(q, u[0:3])

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        return self.spin(q, qdot)

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return self.orientation_fit(in_numbers(X_FM)[0], guess)

    def closing(self, R: ca.SX, p: ca.SX, V: ca.SX) -> Closing:
        # p = 0; an orientation of four numbers is not read off
        return Closing(p, DISPLACEMENT)


@dataclass(frozen=True)
class Ellipsoid(Orientation):
    """3 dof: as Spherical, M's origin riding on an ellipsoid of `radii` (a, b, c) fixed in F at (a n₁, b n₂, c n₃),

    n = M's z axis in F.
    """

    radii: tuple[float, float, float] = (1.0, 1.0, 1.0)
    angles: tuple[int, int, int] | None = None
    nu = 3

    @property
    def nq(self) -> int:
        return self.head

    def transform(self, q: VectorLike) -> Transform:
        R = self.rotation(q)
        return Transform(R, stack(*[self.radii[k] * R[k, 2] for k in range(3)]))

    def columns(self, q: VectorLike) -> list[VelocityMotor]:
        # ṅ = R (ω × z), so v_M = Rᵀ diag(radii) R (ω × z)
        R = self.rotation(q)
        D = R.T @ np.diag(self.radii) @ R if not _symbolic(self.radii) else R.T @ ca.diag(ca.vertcat(*self.radii)) @ R
        return [VelocityMotor((1, 0, 0), -D[:, 1]), VelocityMotor((0, 1, 0), D[:, 0]), UNIT[2]]

    def qdot(self, q: VectorLike, u: Array) -> Array:
        return self.orientation_rate(q, u[0:3])

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        return self.spin(q, qdot)

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return self.orientation_fit(in_numbers(X_FM)[0], guess)


@dataclass(frozen=True)
class LineOrientation(Orientation, UnitColumns):
    """2 dof: orientation of a line along M's z; speeds ω_FM·x, ω_FM·y in M, no spin about the line."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns = 2, (0, 1)

    @property
    def nq(self) -> int:
        return self.head

    def transform(self, q: VectorLike) -> Transform:
        return Transform(self.rotation(q))

    def qdot(self, q: VectorLike, u: Array) -> Array:
        return self.orientation_rate(q, stack(u[0], u[1], 0))

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        return self.spin(q, qdot)[0:2]

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return self.orientation_fit(in_numbers(X_FM)[0], guess)


@dataclass(frozen=True)
class Free(Orientation, UnitColumns):
    """6 dof: orientation, then position of M's origin in F; speeds V_FM = (ω, v) in M."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns, free = 6, (0, 1, 2, 3, 4, 5), True

    @property
    def nq(self) -> int:
        return self.head + 3

    def transform(self, q: VectorLike) -> Transform:
        return Transform(self.rotation(q), q[self.head : self.head + 3])

    def qdot(self, q: VectorLike, u: Array) -> Array:
        return stack(self.orientation_rate(q, u[0:3]), self.rotation(q) @ u[3:6])

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        return stack(self.spin(q, qdot), self.rotation(q).T @ qdot[self.head : self.head + 3])

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.concatenate([self.orientation_fit(in_numbers(X_FM)[0], guess), X_FM.p])


@dataclass(frozen=True)
class FreeLine(Orientation, UnitColumns):
    """5 dof: as Free for a line along M's z; speeds ω·x, ω·y, v in M."""

    angles: tuple[int, int, int] | None = None
    nu, unit_columns = 5, (0, 1, 3, 4, 5)

    @property
    def nq(self) -> int:
        return self.head + 3

    def transform(self, q: VectorLike) -> Transform:
        return Transform(self.rotation(q), q[self.head : self.head + 3])

    def qdot(self, q: VectorLike, u: Array) -> Array:
        return stack(self.orientation_rate(q, stack(u[0], u[1], 0)), self.rotation(q) @ u[2:5])

    def speeds(self, q: VectorLike, qdot: Array) -> Array:
        v = self.rotation(q).T @ qdot[self.head : self.head + 3]
        return stack(self.spin(q, qdot)[0:2], v)

    def fit(self, X_FM: Transform, guess: Numbers | None = None) -> np.ndarray:
        return np.concatenate([self.orientation_fit(in_numbers(X_FM)[0], guess), X_FM.p])


def _symbolic(values: Iterable[object]) -> bool:
    return any(isinstance(v, ca.SX) for v in values)


def angle_axes(sequence: Sequence[int], q: VectorLike) -> list[Array]:
    """The three axes of body-fixed angles, in the turned frame: ω = Σ axis_k φ̇_k."""
    i, j, k = sequence
    third, second = ABOUT[k](q[2]).T, ABOUT[j](q[1]).T
    e = np.eye(3)
    return [third @ (second @ e[i - 1]), third @ e[j - 1], e[k - 1]]


def angle_rates(sequence: Sequence[int], q: VectorLike, w: Array) -> Array:
    """φ̇ from ω in the turned frame; singular where the second angle aligns first and third axis."""
    i, j, k = (axis - 1 for axis in sequence)
    before_third = ABOUT[k + 1](q[2]) @ w
    first_axis = ABOUT[j + 1](q[1]).T @ np.eye(3)[i]
    s = i if k != i else 3 - i - j
    first = before_third[s] / first_axis[s]
    return stack(first, before_third[j], before_third[k] - first_axis[k] * first)
