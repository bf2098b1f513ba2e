"""Tendons that go round a sphere or a cylinder on its outside, by the rule of the format, from the pose alone.

In the plane of the circle (`tendon_circles`) it goes the shorter way, where the straight line between its ends would
cut the circle.  But where that line passes the centre on the side that is opposite to the side site, cutting the ray
from the centre away from it, the tendon goes the longer way (found beside MuJoCo 4; its description is
mujoco.readthedocs.io, "Spatial tendon").  So its side may change from one pose to the next: without a side site where
both ways are equally long, with one where an end passes behind the centre, and there its length jumps.
"""

from __future__ import annotations

import casadi as ca

from ...geometry import Wrapped, wrap_cylinder
from .tendon_circles import in_plane


def way_around(P1: ca.SX, P2: ca.SX, radius: ca.SX, side: ca.SX | None, sphere: bool) -> tuple[Wrapped, ca.SX]:
    """(where a tendon touches a surface, whether it does), in its axes; of a cylinder z is the axis."""
    plane = in_plane(P1, P2, sphere)
    p1, p2 = plane.T @ P1, plane.T @ P2
    angle = ca.atan2(_across(p1, p2), ca.dot(p1, p2))
    turn = ca.if_else(angle < 0, -1, 1)
    alpha = turn * angle
    if side is not None:
        long = _passes_behind(p1, p2, plane.T @ side) > 0
        turn, alpha = ca.if_else(long, -turn, turn), ca.if_else(long, 2 * ca.pi - alpha, alpha)
    outside = ca.fmin(ca.dot(p1, p1), ca.dot(p2, p2)) - radius * radius
    if not sphere:
        found = wrap_cylinder(P1, P2, radius, turn, alpha)
    else:
        found = wrap_cylinder(ca.vertcat(p1, 0), ca.vertcat(p2, 0), radius, turn, alpha)
        found = found._replace(first=plane @ found.first[:2], last=plane @ found.last[:2])
    return found, ca.fmin(found.angle, outside) > 0


def _passes_behind(p1: ca.SX, p2: ca.SX, side: ca.SX) -> ca.SX:
    """Positive where the straight line from p₁ to p₂ cuts the ray from the centre away from the side."""
    a1, a2 = _across(side, p1), _across(side, p2)
    return ca.fmin(-a1 * a2, ca.dot(side, p1 * a2 - p2 * a1) * (a1 - a2))


def _across(a: ca.SX, b: ca.SX) -> ca.SX:
    return a[0] * b[1] - a[1] * b[0]
