"""Rigid transforms X_AB = (R_AB, p_AB)."""

from __future__ import annotations

from typing import TypeVar, overload

import numpy as np

from .arrays import Array, MatrixLike, Scalar, VectorLike, cross, is_symbolic, matrix, snap, vector
from .dyads import Dyad
from .inertia import Inertia, MotorDyad
from .motors import Motor, VelocityMotor
from .rotations import check_rotation
from .screws import exponential, logarithm

Moved = TypeVar("Moved", bound=Motor)


class Transform:
    """The pose of frame B in frame A: rotation `R` (columns: B's axes in A) and position `p` (of B's origin, in A).

    `X_AB @ X_BC` is X_AC; `X_AB @ m` gives a motor (or dyad) known at B's origin in B's axes at A's origin in A's axes;
    `X_AB @ r` gives the point r of B in A.

    >>> X = Transform(rotation_z(np.pi / 2), [1, 0, 0])
    >>> X @ [1, 0, 0]
    array([1., 1., 0.])
    """

    __slots__ = ("R", "p")
    __array_ufunc__ = None

    def __init__(self, R: MatrixLike | None = None, p: VectorLike = (0.0, 0.0, 0.0)) -> None:
        self.R = np.eye(3) if R is None else check_rotation(snap(matrix(R, 3, 3, "rotation")))
        self.p = snap(vector(p, 3, "position"))

    @overload
    def __matmul__(self, other: Transform) -> Transform: ...
    @overload
    def __matmul__(self, other: Moved) -> Moved: ...
    @overload
    def __matmul__(self, other: Inertia) -> Inertia: ...
    @overload
    def __matmul__(self, other: MotorDyad) -> MotorDyad: ...
    @overload
    def __matmul__(self, other: Dyad) -> Dyad: ...
    @overload
    def __matmul__(self, other: VectorLike) -> Array: ...
    def __matmul__(self, other: Transform | Motor | MotorDyad | Dyad | VectorLike
                   ) -> Transform | Motor | MotorDyad | Dyad | Array:
        if isinstance(other, Transform):
            return Transform(self.R @ other.R, self.p + self.R @ other.p)
        if isinstance(other, Motor):
            resultant = self.R @ other.resultant
            return type(other)(resultant, self.R @ other.moment + cross(self.p, resultant))
        if isinstance(other, MotorDyad):
            return other.turned(self.R).moved(self.p)
        if isinstance(other, Dyad):
            return other.seen_from(self)
        return self.p + self.R @ vector(other)

    def inverse(self) -> Transform:
        """X_BA."""
        return Transform(self.R.T, -(self.R.T @ self.p))

    def into(self, motor: Moved) -> Moved:
        """`X_AB.inverse() @ motor` without forming the inverse: a motor known in A, given in B."""
        return type(motor)(self.R.T @ motor.resultant, self.R.T @ motor.at(self.p))

    @classmethod
    def exp(cls, velocity: VelocityMotor) -> Transform:
        """The pose after unit time of a frame that starts at A and moves with a constant velocity motor, in A.

        `Transform.exp(t * V) @ X` is where the pose X goes in the time t; `X.log()` is the way back.

        >>> Transform.exp(VelocityMotor([0, 0, np.pi / 2], [0, 0, 1])) @ [1, 0, 0]
        array([0., 1., 1.])
        """
        return cls(*exponential(velocity.resultant, velocity.moment))

    def log(self) -> VelocityMotor:
        """The velocity motor that leads from A to B in unit time, turning by at most half a revolution."""
        return VelocityMotor(*logarithm(self.R, self.p))

    def interpolate(self, other: Transform, s: Scalar) -> Transform:
        """From this pose (s = 0) to another (s = 1) by the screw motion between them, X exp(s log(X⁻¹ Y)).

        It turns and advances at constant rates, about and along one axis, by the shorter turn.  The motion does not
        depend on the frame in which both poses are given; the origin moves on a helix, not on a straight line.
        """
        return self @ Transform.exp((self.inverse() @ other).log() * s)

    def is_symbolic(self) -> bool:
        return is_symbolic(self.R, self.p)

    def __repr__(self) -> str:
        return f"Transform(R={self.R}, p={self.p})"
