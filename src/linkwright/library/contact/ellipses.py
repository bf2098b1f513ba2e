"""Hertz contact of surfaces with two different curvatures: an ellipse instead of a circle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import casadi as ca

from ...algebra import Scalar
from ..tolerances import MEAN_ROUNDS

#: coefficients in q = log10²(B/A) of the exponent of the ratio of semi-axes (Antoine, Visa, Sauvey, Abba 2006)
UP = (1.0, 0.40227436, 3.7491752e-2, 7.4855761e-4, 2.1667028e-6)
DOWN = (1.0, 0.42678878, 4.2605401e-2, 9.0786922e-4, 2.7868927e-6)


def hertz_factor(ratio: Scalar) -> Scalar:
    """ε = π k √E(m) / (2 K(m)^{3/2}), m = 1 − 1/k²: the force of an ellipse over that of a circle of equal mean
    curvature.  `ratio` ≥ 1 of the relative principal curvatures; k, the ratio of the semi-axes, to five digits."""
    k = axes_ratio(ratio)
    K, E = elliptic_integrals(1 / k)
    return math.pi * k * ca.sqrt(E) / (2 * K * ca.sqrt(K))


def axes_ratio(ratio: Scalar) -> Scalar:
    """k ≈ (B/A)^p, p = ⅔ Σ UP q^i / Σ DOWN q^i."""
    logarithm = ca.log(ratio) / math.log(10)
    q = logarithm * logarithm
    p = 2 / 3 * _polynomial(UP, q) / _polynomial(DOWN, q)
    return ca.exp(p * ca.log(ratio))


def elliptic_integrals(b: Scalar) -> tuple[Scalar, Scalar]:
    """Complete elliptic integrals (K, E) for √(1 − m) = b, by the arithmetic-geometric mean."""
    a, total = 1.0, 0.5 * (1 - b * b)
    for n in range(MEAN_ROUNDS):
        a, b, c = (a + b) / 2, ca.sqrt(a * b), (a - b) / 2
        total = total + 2.0**n * c * c
    K = math.pi / (2 * a)
    return K, K * (1 - total)


def _polynomial(coefficients: Sequence[float], x: Scalar) -> Scalar:
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value
