"""How activation follows excitation."""

from __future__ import annotations

import casadi as ca

from ...algebra import Scalar


def first_order(a: ca.SX, e: ca.SX, rising: Scalar, falling: Scalar, least: Scalar) -> ca.SX:
    """ȧ = (e − a)/τ, τ = τ_a (½ + 1.5 a) where it rises, τ_d/(½ + 1.5 a) where it falls; a within [least, 1].

    The rate has a corner where it vanishes: that is no event (Thelen 2003, Millard 2013).
    """
    a = ca.fmin(ca.fmax(a, least), 1)
    z = 0.5 + 1.5 * a
    return (e - a) / ca.if_else((e > a) != 0, rising * z, falling / z)


def smooth_first_order(a: ca.SX, e: ca.SX, rising: Scalar, falling: Scalar, steepness: Scalar = 0.1) -> ca.SX:
    """The same with a smooth change of τ (De Groote, Kinney, Rao, Fregly 2016, eq. 1)."""
    f, z = 0.5 * ca.tanh(steepness * (e - a)), 0.5 + 1.5 * a
    return ((f + 0.5) / (rising * z) + (0.5 - f) * z / falling) * (e - a)
