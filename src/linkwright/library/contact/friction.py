"""Friction coefficients that depend on the slip speed, for compliant contact (Simbody)."""

from __future__ import annotations

import casadi as ca

from ...algebra import Scalar
from ..tolerances import STILL


def step_up(x: Scalar) -> Scalar:
    """S(x) = 10 x³ − 15 x⁴ + 6 x⁵ on 0 … 1: from 0 to 1 with two continuous derivatives."""
    return x * x * x * (10 + x * (6 * x - 15))


def stribeck(slip: Scalar, mu: Scalar, mu_s: Scalar, viscous: Scalar, transition: Scalar) -> Scalar:
    """μ over the slip speed, v = slip/transition:

        0 ≤ v < 1   μ_s S(v)
        1 ≤ v < 3   μ_s − (μ_s − μ) S((v − 1)/2)
        3 ≤ v       μ,                               and viscous · slip everywhere

    (Simbody, CompliantContactSubsystem).
    """
    v = slip / transition
    rising = mu_s * step_up(ca.fmin(v, 1))
    falling = (mu_s - mu) * step_up(ca.fmin(ca.fmax((v - 1) / 2, 0), 1))
    return rising - falling + viscous * slip


def hollars(slip: Scalar, mu: Scalar, mu_s: Scalar, viscous: Scalar, transition: Scalar) -> Scalar:
    """μ = min(v, 1) (μ + 2 (μ_s − μ)/(1 + v²)) + viscous · slip, v = slip/transition (Simbody, HuntCrossleyForce)."""
    v = slip / transition
    return ca.fmin(v, 1) * (mu + 2 * (mu_s - mu) / (1 + v * v)) + viscous * slip


#: by the name that laws give
LAWS = {"stribeck": stribeck, "hollars": hollars}


def length(vector: ca.SX, small: Scalar = STILL) -> ca.SX:
    """√(v·v + small²): the derivative exists at rest too."""
    return ca.sqrt(ca.dot(vector, vector) + small * small)
