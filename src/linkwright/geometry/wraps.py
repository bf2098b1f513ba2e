"""A cable over a cylinder or a sphere, in closed form: where it touches, how long it lies there.

P₁ and P₂ are the neighbours of the surface on the cable, in the axes of the surface (of a cylinder z is the axis).
With d the distance of a point from the axis or centre and ℓ = √(d² − r²) the straight part, a point sees its tangent
under the angle β = atan2(ℓ, r) from the centre; the cable touches over

    θ = α − β₁ − β₂,        α: the angle from P₁ to P₂ about the axis, in the sense in which the cable turns

and lies on the surface where θ > 0.  The length is stationary in both points of tangency, so that forces and rates need
no derivative of them: dl = −e₁·dP₁ − e₂·dP₂, with unit vectors e along the straight parts away from the ends.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from .tolerances import NO_STRAIGHT_PART_SQUARED


class Wrapped(NamedTuple):
    """Where a cable touches a surface first and last, the angle of contact (negative: none), the length there."""

    first: ca.SX
    last: ca.SX
    angle: ca.SX
    arc: ca.SX


def straight_part(distance_squared: ca.SX, radius: ca.SX) -> ca.SX:
    """ℓ = √(d² − r²), real for points inside too, which have none."""
    return ca.sqrt(ca.fmax(distance_squared - radius * radius, NO_STRAIGHT_PART_SQUARED))


def wrap_cylinder(P1: ca.SX, P2: ca.SX, radius: ca.SX, turn: ca.SX, angle: ca.SX) -> Wrapped:
    """Over a cylinder: unrolled, the cable is one straight line over the flat length ℓ₁ + rθ + ℓ₂ (a helix).

    `turn` is +1 where it goes counter-clockwise about z, −1 clockwise; `angle` α counts turns.
    """
    p1, p2 = P1[:2], P2[:2]
    d1, d2 = ca.dot(p1, p1), ca.dot(p2, p2)
    l1, l2 = straight_part(d1, radius), straight_part(d2, radius)
    theta = angle - ca.atan2(l1, radius) - ca.atan2(l2, radius)
    # t = (r/d²)(r p ± ℓ z×p)
    t1 = radius / d1 * (radius * p1 + turn * l1 * ca.vertcat(-p1[1], p1[0]))
    t2 = radius / d2 * (radius * p2 - turn * l2 * ca.vertcat(-p2[1], p2[0]))
    flat, rise = l1 + radius * theta + l2, P2[2] - P1[2]
    slope = rise / flat
    return Wrapped(ca.vertcat(t1, P1[2] + slope * l1), ca.vertcat(t2, P2[2] - slope * l2), theta,
                   radius * theta * ca.sqrt(1 + slope * slope))


def wrap_sphere(P1: ca.SX, P2: ca.SX, radius: ca.SX, long: bool = False) -> Wrapped:
    """Over a sphere: the arc of a great circle in the plane of P₁, P₂ and the centre, the short way or the long way."""
    normal = ca.cross(P1, P2)
    size = ca.sqrt(ca.dot(normal, normal) + NO_STRAIGHT_PART_SQUARED)
    d1, d2 = ca.dot(P1, P1), ca.dot(P2, P2)
    l1, l2 = straight_part(d1, radius), straight_part(d2, radius)
    alpha = ca.atan2(size, ca.dot(P1, P2))
    normal = normal / size
    if long:
        alpha, normal = 2 * ca.pi - alpha, -normal
    theta = alpha - ca.atan2(l1, radius) - ca.atan2(l2, radius)
    return Wrapped(radius / d1 * (radius * P1 + l1 * ca.cross(normal, P1)),
                   radius / d2 * (radius * P2 - l2 * ca.cross(normal, P2)), theta, radius * theta)
