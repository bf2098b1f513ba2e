"""Exponential and logarithm of motors: the pose that a constant velocity motor leads to in unit time, and back.

With θ = |ω|, and ω̃ for the product ω × …,

    exp (ω, v) = (R, p),   R = 1 + s₁ ω̃ + s₂ ω̃²,   p = v + s₂ ω̃ v + s₃ ω̃² v
    s₁ = sin θ/θ,   s₂ = (1 − cos θ)/θ²,   s₃ = (θ − sin θ)/θ³

    log (R, p) = (ω, v),   ω = n θ with 0 ≤ θ ≤ π,   v = p − ½ ω̃ p + c ω̃² p,   c = (1 − θ/2 cot θ/2)/θ²

Every motion from one pose to another is a screw motion (Chasles): a turn about an axis with an advance along it, both
at constant speed along the exponential.  Lynch, Park: Modern Robotics, 2017, §3.3.3.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from .arrays import Array, Scalar, choose, cross, dot, skew, vector
from .rotations import quaternion_from_rotation
from .tolerances import SMALL_TURN_SQUARED


def exponential(w: Array, v: Array) -> tuple[Array, Array]:
    """(R, p) after unit time of a frame that moves with the angular velocity w and, at the origin, the velocity v."""
    square = dot(w, w)
    small = square < SMALL_TURN_SQUARED
    angle = ca.sqrt(choose(small, 1.0, square))
    s1 = choose(small, 1 - square / 6 * (1 - square / 20), ca.sin(angle) / angle)
    s2 = choose(small, 0.5 - square / 24 * (1 - square / 30), 2 * (ca.sin(angle / 2) / angle) ** 2)
    s3 = choose(small, 1 / 6 - square / 120 * (1 - square / 42), (angle - ca.sin(angle)) / angle**3)
    W = skew(w)
    across = cross(w, v)
    return np.eye(3) + s1 * W + s2 * (W @ W), v + s2 * across + s3 * cross(w, across)


def logarithm(R: Array, p: Array) -> tuple[Array, Array]:
    """(w, v): the inverse of `exponential`, with the turn that is shorter than half a revolution."""
    w = turn(R)
    square = dot(w, w)
    small = square < SMALL_TURN_SQUARED
    half = ca.sqrt(choose(small, 1.0, square)) / 2
    # cot by cosine and sine: it is zero at half a revolution
    c = choose(small, 1 / 12 + square / 720 * (1 + square / 42),
               (1 - half * ca.cos(half) / ca.sin(half)) / (4 * half * half))
    across = cross(w, vector(p))
    return w, p - across / 2 + c * cross(w, across)


def turn(R: Array) -> Array:
    """The rotation vector n θ, 0 ≤ θ ≤ π, on floats and on symbols: tan θ/2 = |e|/e₀ of the quaternion (e₀, e)."""
    Q = quaternion_from_rotation(R)
    e0, e = Q[0], Q[1:4]
    square = dot(e, e)
    small = square < SMALL_TURN_SQUARED / 4
    length = ca.sqrt(choose(small, 1.0, square))
    # arcsin |e|/|e| = 1 + |e|²/6 + 3|e|⁴/40 + …
    near: Scalar = 1 + square / 6 * (1 + square * (9 / 20))
    return e * (2 * choose(small, near, ca.atan2(length, e0) / length))
