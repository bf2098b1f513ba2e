"""Tendons that touch a sphere or a cylinder from within: a side site inside the geom asks for that.

Where the straight line between the ends p₁, p₂ misses the circle (in the plane of both and the centre; of a cylinder
across its axis), the tendon is led through the point of the circle in which both parts make equal angles φ with the
radius.  With the angle G between p₁ and p₂ seen from the centre,

    G − 2φ + asin(r sin φ/p₁) + asin(r sin φ/p₂) = 0;

the left side falls and is concave over 0 … π/2, and Newton's method from π/2 comes down to the root without passing it.
(mujoco.readthedocs.io, "Spatial tendon"; MuJoCo itself stops where the left side is below 1e-6.)
"""

from __future__ import annotations

import casadi as ca

from ...geometry import Wrapped
from ..tolerances import INSIDE_STEPS, NO_TURN_SQUARED
from .tendon_circles import in_plane, nearest_to_centre, size


def way_within(P1: ca.SX, P2: ca.SX, radius: ca.SX, sphere: bool) -> tuple[Wrapped, ca.SX]:
    """(where a tendon touches a surface from within, whether it does), in its axes; of a cylinder z is the axis."""
    plane = in_plane(P1, P2, sphere)
    p1, p2 = plane.T @ P1, plane.T @ P2
    touched, on = _touched(p1, p2, radius)
    point = plane @ touched
    if not sphere:  # one straight line, unrolled
        before, after = size(p1 - touched), size(p2 - touched)
        point = ca.vertcat(touched, P1[2] + (P2[2] - P1[2]) * before / (before + after))
    return Wrapped(point, point, ca.SX(0), ca.SX(0)), on


def _touched(p1: ca.SX, p2: ca.SX, radius: ca.SX) -> tuple[ca.SX, ca.SX]:
    """(the point of the circle, whether the tendon is led through it)."""
    s1, s2 = size(p1), size(p2)
    A, B = (radius / ca.fmax(s, radius) for s in (s1, s2))
    side = p1[0] * p2[1] - p1[1] * p2[0]
    G = ca.atan2(ca.fabs(side), ca.dot(p1, p2))
    phi = ca.SX(ca.pi / 2)
    for _ in range(INSIDE_STEPS):
        value, slope = G - 2 * phi, ca.SX(-2)
        for share in (A, B):
            x = share * ca.sin(phi)
            value, slope = value + ca.asin(x), slope + share * ca.cos(phi) / ca.sqrt(ca.fmax(1 - x * x,
                                                                                             NO_TURN_SQUARED))
        phi = ca.fmax(0, phi - value / slope)
    # φ lies between the radius to the point and the part to p₁ (or p₂); seen from the centre it is further on by
    turn = phi - ca.asin(A * ca.sin(phi))
    turn = ca.sign(side) * turn
    c, s = ca.cos(turn), ca.sin(turn)
    point = radius / s1 * ca.vertcat(c * p1[0] - s * p1[1], s * p1[0] + c * p1[1])
    middle = p1 + p2  # ends so far round that there is no such point
    beyond = G - ca.pi + ca.asin(A) + ca.asin(B) > 0
    point = ca.if_else(beyond, radius * middle / size(middle), point)
    nearest = nearest_to_centre(p1, p2)
    return point, ca.logic_and(ca.dot(nearest, nearest) > radius * radius, ca.fmin(s1, s2) > radius)
