"""The circle that a tendon of MJCF goes round.

Of a sphere it lies in the plane of both ends and the centre, of a cylinder across the axis.
"""

from __future__ import annotations

import casadi as ca

from ..tolerances import NO_TURN_SQUARED


def in_plane(P1: ca.SX, P2: ca.SX, sphere: bool) -> ca.SX:
    """Both axes of the plane of the circle, as columns; P₂ is on the left of P₁ in that of a sphere."""
    if not sphere:
        return ca.DM.eye(3)[:, :2]
    x, normal = P1 / size(P1), ca.cross(P1, P2)
    return ca.horzcat(x, ca.cross(normal / size(normal), x))


def nearest_to_centre(p1: ca.SX, p2: ca.SX) -> ca.SX:
    """The point of the straight line from p₁ to p₂, ends included, that is nearest to the centre."""
    along = p2 - p1
    share = ca.fmax(0, ca.fmin(1, -ca.dot(along, p1) / (ca.dot(along, along) + NO_TURN_SQUARED)))
    return p1 + share * along


def size(v: ca.SX) -> ca.SX:
    """The length of a vector, with a derivative where it is zero."""
    return ca.sqrt(ca.dot(v, v) + NO_TURN_SQUARED)
