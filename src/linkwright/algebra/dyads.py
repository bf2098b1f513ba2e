"""General motor dyads (von Mises 1924): linear functions that turn motors into motors.

A dyad is a sum of products a ⊗ b, and (a ⊗ b) applied to c is a (b·c).  Its kind follows from its factors: velocity ⊗
velocity is a mobility (force in, velocity out), force ⊗ force a stiffness, velocity ⊗ force a projector of velocities.
The symmetric dyad momentum ⊗ momentum of inertia, kept in three blocks, is `MotorDyad`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from .arrays import Array, MatrixLike, Scalar, is_symbolic, matrix, outer, skew
from .motors import Motor, VelocityMotor

if TYPE_CHECKING:
    from .transform import Transform


class Dyad:
    """T with T ∘ c = T Γ c, where Γ exchanges resultant and moment; 6×6 on (resultant, moment).

    `left` and `right` are the kinds of motor of its factors; T takes motors that have an inner product with `right`.

    >>> S = VelocityMotor([0, 0, 1])
    >>> Dyad.product(S, S) @ ForceMotor([0, 0, 0], [0, 0, 2])      # S (S·f) = 2 S
    """

    __slots__ = ("T", "left", "right")
    __array_ufunc__ = None

    def __init__(self, T: MatrixLike, left: type[Motor], right: type[Motor]) -> None:
        self.T, self.left, self.right = matrix(T, 6, 6, "dyad"), left, right

    @classmethod
    def product(cls, a: Motor, b: Motor) -> Dyad:
        """a ⊗ b."""
        return cls(outer(a.vector(), b.vector()), type(a), type(b))

    @classmethod
    def identity(cls, left: type[Motor], right: type[Motor]) -> Dyad:
        """G = Γ, neutral in dyad products and on motors of the kind `left`."""
        return cls(_exchange(np.eye(6)), left, right)

    def __matmul__(self, other: Motor | Dyad) -> Motor | Dyad:
        """T ∘ c on a motor, T₁ Γ T₂ on a dyad."""
        inner = other.left if isinstance(other, Dyad) else type(other)
        if (inner is VelocityMotor) is (self.right is VelocityMotor):
            raise TypeError(f"a dyad of {self.left.kind} ⊗ {self.right.kind} has no product with a {inner.kind} motor")
        if isinstance(other, Dyad):
            return Dyad(self.T @ _exchange(other.T), self.left, other.right)
        return self.left.from_vector(self.T @ _exchange(other.vector()))

    def __add__(self, other: Dyad) -> Dyad:
        if (self.left, self.right) != (other.left, other.right):
            raise TypeError("dyads of different kinds cannot be added")
        return Dyad(self.T + other.T, self.left, self.right)

    def __mul__(self, factor: Scalar) -> Dyad:
        return Dyad(self.T * factor, self.left, self.right)

    __rmul__ = __mul__

    def transpose(self) -> Dyad:
        """b ⊗ a for a ⊗ b."""
        return Dyad(self.T.T, self.right, self.left)

    def seen_from(self, X: Transform) -> Dyad:
        """In frame A for a dyad given in B, X = X_AB: both factors change the frame, A T Aᵀ."""
        A = motor_matrix(X)
        return Dyad(A @ self.T @ A.T, self.left, self.right)


def motor_matrix(X: Transform) -> Array:
    """The 6×6 matrix of `X @ motor` on (resultant, moment): [[R, 0], [[p]× R, R]]."""
    R, PR = X.R, skew(X.p) @ X.R
    if is_symbolic(R, PR):
        return ca.blockcat([[R, ca.SX.zeros(3, 3)], [PR, R]])
    return np.block([[R, np.zeros((3, 3))], [PR, R]])


def _exchange(x: Array) -> Array:
    """Γ x: resultant and moment rows exchanged."""
    return ca.vertcat(x[3:6, :], x[0:3, :]) if is_symbolic(x) else np.concatenate([x[3:6], x[0:3]])
