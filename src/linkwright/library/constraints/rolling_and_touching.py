"""Bilateral contacts: touching on position level, rolling without slip on velocity level (Simbody's table)."""

from __future__ import annotations

from types import SimpleNamespace

import casadi as ca

from ...algebra import cross, dot, norm
from ...language import Component, Frame, PartsList, Relative, across, unit_axis
from ...language.fields import parameter
from ..tolerances import SAME_CENTRE_SQUARED


class PointOnPlaneContact(Relative):
    """3 equations: the origin of frame_b stays in a plane of frame_a (1) and does not slip on it (2)."""

    n = parameter((0.0, 0.0, 1.0), "normal of the plane through frame_a's origin", structural=True)

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return dot(ca.SX(unit_axis(self, "n")), p)

    def rolled(self, v: SimpleNamespace, R: ca.SX, p: ca.SX, w: ca.SX, velocity: ca.SX) -> ca.SX:
        return ca.vertcat(*[dot(ca.SX(e), velocity) for e in across(unit_axis(self, "n"))])


class SphereOnPlaneContact(Relative):
    """A sphere about frame_b's origin touches a plane of frame_a (1 equation) and rolls on it (2 more)."""

    n = parameter((0.0, 0.0, 1.0), "normal of the plane through frame_a's origin", structural=True)
    radius = parameter(text="radius of the sphere", unit="m")
    rolling = parameter(True, "no slip at the point of contact", structural=True)

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return dot(ca.SX(unit_axis(self, "n")), p) - v.radius

    def rolled(self, v: SimpleNamespace, R: ca.SX, p: ca.SX, w: ca.SX, velocity: ca.SX) -> ca.SX:
        if not self.rolling:
            return ca.SX(0, 1)
        n = ca.SX(unit_axis(self, "n"))
        slip = velocity + cross(w, -v.radius * n)
        return ca.vertcat(*[dot(ca.SX(e), slip) for e in across(unit_axis(self, "n"))])


class SphereOnSphereContact(Relative):
    """Spheres about the two origins touch from outside (1 equation) and roll on one another (2 more)."""

    radius_a = parameter(text="radius of the sphere on frame_a", unit="m")
    radius_b = parameter(text="radius of the sphere on frame_b", unit="m")
    rolling = parameter(True, "no slip at the point of contact", structural=True)

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        distance = v.radius_a + v.radius_b
        return (dot(p, p) - distance * distance) / (2 * distance)

    def rolled(self, v: SimpleNamespace, R: ca.SX, p: ca.SX, w: ca.SX, velocity: ca.SX) -> ca.SX:
        if not self.rolling:
            return ca.SX(0, 1)
        e = p / ca.sqrt(dot(p, p) + SAME_CENTRE_SQUARED)  # defined where the centres coincide, before assembly
        slip = velocity + cross(w, -v.radius_b * e)
        return ca.vertcat(*[dot(tangent, slip) for tangent in tangents(e)])


class LineOnLineContact(Relative):
    """Two edges touch (1 equation) and do not slip where they touch (2 more)."""

    n_a = parameter((1.0, 0.0, 0.0), "direction of the edge through frame_a's origin", structural=True)
    n_b = parameter((0.0, 1.0, 0.0), "direction of the edge through frame_b's origin, in frame_b", structural=True)
    rolling = parameter(True, "no slip at the point of contact", structural=True)

    def _geometry(self, R: ca.SX, p: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """The edges' directions and common normal in frame_a, and the point of contact from frame_a's origin."""
        a, b = ca.SX(unit_axis(self, "n_a")), R @ unit_axis(self, "n_b")
        n = cross(a, b)
        # p + t b = s a + (gap) n, multiplied by b × n
        s = dot(cross(p, b), n) / dot(n, n)
        return a, n / norm(n), a * s

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        _, n, _ = self._geometry(R, p)
        return dot(n, p)

    def rolled(self, v: SimpleNamespace, R: ca.SX, p: ca.SX, w: ca.SX, velocity: ca.SX) -> ca.SX:
        if not self.rolling:
            return ca.SX(0, 1)
        a, n, point = self._geometry(R, p)
        slip = velocity + cross(w, point - p)
        return ca.vertcat(dot(a, slip), dot(cross(n, a), slip))


class NoSlip1D(Component):
    """1 equation: at a point fixed on a housing, two bodies have the same velocity in a direction fixed on it (gears,
    discs)."""

    r = parameter((0.0, 0.0, 0.0), "the point, in frame_case", "m", shape=(3,))
    n = parameter((1.0, 0.0, 0.0), "the direction, in frame_case", structural=True)

    def _make_connectors(self) -> None:
        for name in ("frame_case", "frame_a", "frame_b"):
            self._port(name, Frame())

    def describe(self, plan: PartsList) -> None:
        case = self.frame_case
        point = case.r_0 + case.R_WF @ plan.values(self).r
        n = case.R_WF @ unit_axis(self, "n")
        speeds = [dot(n, f.v_0 + cross(f.R_WF @ f.w, point - f.r_0)) for f in (self.frame_a, self.frame_b)]
        plan.constraint(self, "", speeds[0] - speeds[1], "velocity", frames=(self.frame_a, self.frame_b, case))


def tangents(e: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Two unit vectors perpendicular to the unit vector e and to one another (Duff et al. 2017), for expressions."""
    s = ca.if_else(e[2] >= 0, 1.0, -1.0)
    a = -1 / (s + e[2])
    b = e[0] * e[1] * a
    return (ca.vertcat(1 + s * e[0] * e[0] * a, s * b, -s * e[0]), ca.vertcat(b, s + e[1] * e[1] * a, -e[1]))
