"""Smooth characteristic curves of slip (PlanarMechanics.Utilities.Functions)."""

from __future__ import annotations

import casadi as ca

from ...algebra import Scalar


def limit_by_s_form(x_min: Scalar, x_max: Scalar, y_min: Scalar, y_max: Scalar, x: Scalar) -> ca.SX:
    """From y_min to y_max along −½ξ³ + 1.5 ξ, constant outside [x_min, x_max]."""
    xi = ca.fmax(-1, ca.fmin(1, (2 * x - x_min - x_max) / (x_max - x_min)))
    return (y_min + y_max) / 2 + (y_max - y_min) / 2 * (1.5 * xi - 0.5 * xi**3)


def limit_by_striple(x_max: Scalar, x_sat: Scalar, y_max: Scalar, y_sat: Scalar, x: Scalar) -> ca.SX:
    """An odd curve: up to y_max at x_max, down to y_sat at x_sat, constant after."""
    # up to x_max the second factor is y_max, beyond it the first is ±1: smooth, without a comparison
    return limit_by_s_form(-x_max, x_max, -1, 1, x) * limit_by_s_form(x_max, x_sat, y_max, y_sat, ca.fabs(x))


def square_times_sign(u: Scalar) -> ca.SX:
    """u² with the sign of u."""
    return u * ca.fabs(u)
