"""The exponential of a velocity motor and its tangent, by series without a branch or a root: smooth at rest.

With w, v the resultant and moment of Ω, W = [w]×, V = [v]× and x = w·w, of X = exp Ω and Ẋ X⁻¹ = T(Ω) Ω̇

    R = 1 + a W + b W² = 1 + W t,      p = t v
    T = (t, 0; s, t),        t = 1 + b W + c W²,      s = dt along v = B + W C + C W
    B, C = [b v + 2 (w·v) b′ w]×, [c v + (w·v) c′ w]×

    a = Σ (−x)ᵏ/(2k+1)!,   b = Σ (−x)ᵏ/(2k+2)!,   c = Σ (−x)ᵏ/(2k+3)!

and X⁻¹ Ẋ = T(−Ω) Ω̇.  With c_n = Σ (−x)ᵏ/(2k+n)! all of them follow from c₆ and c₇ without a division:

    c_n = 1/n! − x c_{n+2},      c_n′ = (n c_{n+2} − c_{n+1})/2

The moment follows the resultant as the dual part of a dual number follows its real part (Study), which is how s comes
out of t.  Eight terms of c₄ and c₅ are exact to rounding up to |w| = 1.5 rad.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from .arrays import Array, Scalar, dot, skew, symmetric
from .motors import VelocityMotor
from .tolerances import TERMS
from .transform import Transform


def exponential(motor: VelocityMotor) -> Transform:
    """exp Ω: the pose that the constant velocity Ω leads to in a unit of time."""
    return Tangent(motor).seen_from(Transform()).pose()


class _Blocks:
    """The matrix (t, 0; s, t) of a dual one, t + ε s."""

    t: Array
    s: Array

    def __matmul__(self, rate: VelocityMotor) -> VelocityMotor:
        w, v = rate.resultant, rate.moment
        return VelocityMotor(self.t @ w, self.s @ w + self.t @ v)


class Tangent(_Blocks):
    """T(Ω): the velocity Ẋ X⁻¹ of X = exp Ω, in the axes and at the origin where X starts, is T(Ω) Ω̇."""

    def __init__(self, motor: VelocityMotor) -> None:
        self.motor = motor
        w, v = motor.resultant, motor.moment
        W, x, self.along = skew(w), dot(w, w), 2 * dot(w, v)
        self.c = _series(x)
        b, c = self.c[2], self.c[3]
        self.t = np.eye(3) + b * W + symmetric(W @ (c * W))
        half = skew(c * v + (self._slope(3) * self.along / 2) * w)
        self.s = skew(b * v + (self._slope(2) * self.along) * w) + symmetric(W @ half + half @ W)

    def _slope(self, n: int) -> Scalar:
        """c_n′."""
        return (n * self.c[n + 2] - self.c[n + 1]) / 2

    def _bend(self, n: int) -> Scalar:
        """c_n″."""
        return (n * self._slope(n + 2) - self._slope(n + 1)) / 2

    def seen_from(self, X: Transform) -> CarriedTangent:
        """X T, for the pose X of where the exponential starts."""
        return CarriedTangent(self, X)

    def bias(self, rate: VelocityMotor) -> VelocityMotor:
        """Ṫ Ω̇, with T Ω̇ = Ω̇ + b Ω × Ω̇ + c Ω × (Ω × Ω̇) and dual numbers b, c."""
        once = self.motor.cross(rate)
        twice = self.motor.cross(once)
        w, v = self.motor.resultant, self.motor.moment
        x_rate = 2 * dot(w, rate.resultant)
        along_rate = 2 * (dot(w, rate.moment) + dot(v, rate.resultant))
        total = _scaled(rate.cross(once), self.c[3], self._slope(3) * self.along)
        for n, motor in ((2, once), (3, twice)):
            total = total + _scaled(motor, self._slope(n) * x_rate,
                                    self._bend(n) * self.along * x_rate + self._slope(n) * along_rate)
        return total


class CarriedTangent(_Blocks):
    """X T(Ω): what it gives is in the axes and at the origin in which X is known."""

    def __init__(self, tangent: Tangent, X: Transform) -> None:
        self.motor, self.start = tangent.motor, X
        self.t = X.R @ tangent.t
        self.s = X.R @ tangent.s + skew(X.p) @ self.t

    def pose(self) -> Transform:
        """X exp Ω, by 1 + W t."""
        X, w = self.start, self.start.R @ self.motor.resultant
        return Transform(X.R + skew(w) @ self.t, X.p + self.t @ self.motor.moment)


def _scaled(motor: VelocityMotor, real: Scalar, dual: Scalar) -> VelocityMotor:
    """A motor times a dual number."""
    return VelocityMotor(motor.resultant * real, motor.moment * real + motor.resultant * dual)


def _series(x: Scalar) -> dict[int, Scalar]:
    """c_n for n = 2 … 7."""
    c: dict[int, Scalar] = {}
    for n in (6, 7):
        c[n] = 1 / factorial(2 * TERMS - 4 + n)
        for k in reversed(range(TERMS - 2)):
            c[n] = 1 / factorial(2 * k + n) - x * c[n]
    for n in (5, 4, 3, 2):
        c[n] = 1 / factorial(n) - x * c[n + 2]
    return c
