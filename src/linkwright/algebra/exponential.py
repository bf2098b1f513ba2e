"""The exponential of a velocity motor and its tangent, by series without a branch or a root: smooth at rest.

With w, v the resultant and moment of Ω, W = [w]×, V = [v]× and x = w·w, of X = exp Ω and X⁻¹ dX = T(Ω) dΩ

    R = 1 + a W + b W²,      p = (1 + b W + c W²) v
    T = (t, 0; s, t),        t = 1 − b W + c W²,      s = dt along v = −b V + c (W V + V W) + 2 (w·v) (c′ W² − b′ W)

    a = Σ (−x)ᵏ/(2k+1)!,   b = Σ (−x)ᵏ/(2k+2)!,   c = Σ (−x)ᵏ/(2k+3)!

All of them follow from two series, e = Σ (−x)ᵏ/(2k+4)! and f = Σ (−x)ᵏ/(2k+5)!, without a division:

    c = 1/6 − x f,   b = 1/2 − x e,   a = 1 − x c,      b′ = e − c/2,   c′ = (3 f − e)/2

The moment follows the resultant as the dual part of a dual number follows its real part (Study), which is how s comes
out of t.  Eight terms of these are exact to rounding up to |w| = 1.5 rad.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from .arrays import Array, Scalar, cross, dot, skew
from .motors import VelocityMotor
from .tolerances import TERMS
from .transform import Transform


def exponential(motor: VelocityMotor) -> Transform:
    """exp Ω: the pose that the constant velocity Ω leads to in a unit of time."""
    w, v = motor.resultant, motor.moment
    W, x = skew(w), dot(w, w)
    a, b, c, _, _ = _coefficients(x)
    turned = cross(w, v)
    return Transform(np.eye(3) + a * W + b * (W @ W), v + b * turned + c * cross(w, turned))


class Tangent:
    """T(Ω): the velocity X⁻¹ Ẋ of X = exp Ω is T(Ω) Ω̇."""

    def __init__(self, motor: VelocityMotor) -> None:
        w, v = motor.resultant, motor.moment
        W, V, x, along = skew(w), skew(v), dot(w, w), 2 * dot(w, v)
        _, b, c, b_slope, c_slope = _coefficients(x)
        square = W @ W
        self.t: Array = np.eye(3) - b * W + c * square
        self.s: Array = (c * (W @ V + V @ W) - b * V
                         + along * (c_slope * square - b_slope * W))

    def __matmul__(self, rate: VelocityMotor) -> VelocityMotor:
        w, v = rate.resultant, rate.moment
        return VelocityMotor(self.t @ w, self.s @ w + self.t @ v)


def _coefficients(x: Scalar) -> tuple[Scalar, ...]:
    """a, b, c, b′, c′."""
    e, f = _series(x, 4), _series(x, 5)
    b, c = 1 / 2 - x * e, 1 / 6 - x * f
    return 1 - x * c, b, c, e - c / 2, (3 * f - e) / 2


def _series(x: Scalar, first: int) -> Scalar:
    """Σ (−x)ᵏ/(2k + first)!."""
    y: Scalar = 1 / factorial(2 * TERMS - 2 + first)
    for k in reversed(range(TERMS - 1)):
        y = 1 / factorial(2 * k + first) - x * y
    return y
