"""Constraints between frames and coordinates, beside joints: Simbody's table and Modelica's Joints.Constraints.

A constraint states its residual on position level (or on velocity level where it is nonholonomic, on acceleration level
where only that is meant); rates and forces are derived.  Stations and axes of bodies are frames: put a FixedTranslation
or FixedRotation before the constraint to place them.
"""

from __future__ import annotations

from types import SimpleNamespace

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...errors import ModelError
from ...language import Conditional, PartsList, Relative, across, unit_axis
from ...language.fields import parameter, signal
from ...mechanism import same_axes
from .rubbing import Rubs


class Rod(Relative):
    """1 equation: the origins keep a fixed distance (Simbody's Rod or ConstantDistance)."""

    length = parameter(text="distance of the origins, not zero", unit="m")

    def _check(self) -> None:
        if not self.length > 0:
            raise ModelError(f"{self.path}.length = {self.length:g}: a rod needs a positive length; use Ball for a "
                             "common point.", self)

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return (ca.dot(p, p) - v.length**2) / (2 * v.length)

    def fixed_distance(self, v: SimpleNamespace) -> Scalar:
        """The distance that is kept."""
        return v.length


class Ball(Relative):
    """3 equations: the origins coincide."""

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return p


class Weld(Relative):
    """6 equations: the frames coincide."""

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return ca.vertcat(p, same_axes(R))


class PointInPlane(Rubs):
    """1 equation: the origin of frame_b stays in the plane of frame_a with normal n at `height`."""

    n = parameter((0.0, 0.0, 1.0), "normal of the plane, in frame_a", structural=True)
    height = parameter(0.0, "distance of the plane from frame_a's origin along n", "m")

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return ca.dot(ca.SX(unit_axis(self, "n")), p) - v.height

    def ways(self) -> tuple[np.ndarray, ...]:
        """Across the normal."""
        return across(unit_axis(self, "n"))


class PointOnLine(Rubs):
    """2 equations: the origin of frame_b stays on the line through frame_a's origin along n; friction=lw.Coulomb(f=…),
    or mu times the force across the line."""

    n = parameter((1.0, 0.0, 0.0), "direction of the line, in frame_a", structural=True)

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return ca.vertcat(*[ca.dot(ca.SX(e), p) for e in across(unit_axis(self, "n"))])

    def ways(self) -> tuple[np.ndarray, ...]:
        """Along the line."""
        return (unit_axis(self, "n"),)


class ConstantAngle(Relative):
    """1 equation: a fixed angle between n_a in frame_a and n_b in frame_b; not for angles near 0 and 180°."""

    n_a = parameter((1.0, 0.0, 0.0), "direction in frame_a", structural=True)
    n_b = parameter((1.0, 0.0, 0.0), "direction in frame_b", structural=True)
    angle = parameter(np.pi / 2, "angle between the two", "rad")

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return ca.dot(ca.SX(unit_axis(self, "n_a")), R @ unit_axis(self, "n_b")) - ca.cos(v.angle)


class ConstantOrientation(Relative):
    """3 equations: the axes of the two frames stay parallel."""

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return same_axes(R)


class Locked(Relative):
    """Base of Modelica's constraints: displacements of frame_b in frame_a's axes, each locked or free."""

    x_locked = parameter(True, "no displacement along x of frame_a", structural=True)
    y_locked = parameter(True, "no displacement along y of frame_a", structural=True)
    z_locked = parameter(True, "no displacement along z of frame_a", structural=True)

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        locked = [p[k] for k, name in enumerate(("x_locked", "y_locked", "z_locked")) if getattr(self, name)]
        return ca.vertcat(ca.SX(0, 1), *locked, self.turned(R))

    def turned(self, R: ca.SX) -> ca.SX:
        """The equations of orientation."""
        return ca.SX(0, 1)


class Spherical(Locked):
    """All rotations free, displacements locked one by one."""


class Prismatic(Locked):
    """No relative rotation, displacements locked one by one."""

    def turned(self, R: ca.SX) -> ca.SX:
        return same_axes(R)


class Revolute(Locked):
    """Rotation about n only, displacements locked one by one."""

    n = parameter((0.0, 1.0, 0.0), "axis in frame_a and frame_b", structural=True)

    def turned(self, R: ca.SX) -> ca.SX:
        n = unit_axis(self, "n")
        return ca.vertcat(*[ca.dot(ca.SX(e), R @ n) for e in across(n)])


class Universal(Locked):
    """Rotations about n_a (in frame_a) and n_b (in frame_b), displacements locked one by one."""

    n_a = parameter((1.0, 0.0, 0.0), "first axis, in frame_a", structural=True)
    n_b = parameter((0.0, 1.0, 0.0), "second axis, in frame_b, perpendicular to the first", structural=True)

    def turned(self, R: ca.SX) -> ca.SX:
        return ca.dot(ca.SX(unit_axis(self, "n_a")), R @ unit_axis(self, "n_b"))


class _OnVariables(Conditional):
    """Base of constraints on coordinates and speeds of joints."""

    level = "position"

    def describe(self, plan: PartsList) -> None:
        plan.constraint(self, "", self.equation(plan.values(self)), self.level)


class ConstantCoordinate(_OnVariables):
    """1 equation: a coordinate keeps a value."""

    coordinate = signal(0.0, "the coordinate, such as rev.phi", opens=False)
    value = parameter(0.0, "its value")

    def equation(self, v: SimpleNamespace) -> ca.SX:
        return self.coordinate - v.value


class ConstantSpeed(_OnVariables):
    """1 equation: a speed keeps a value."""

    level = "velocity"
    speed = signal(0.0, "the speed, such as rev.w", opens=False)
    value = parameter(0.0, "its value")

    def equation(self, v: SimpleNamespace) -> ca.SX:
        return self.speed - v.value


class ConstantAcceleration(_OnVariables):
    """1 equation: an acceleration keeps a value; coordinate and speed may start anywhere."""

    level = "acceleration"
    acceleration = signal(0.0, "the acceleration, such as rev.a", opens=False)
    value = parameter(0.0, "its value")

    def equation(self, v: SimpleNamespace) -> ca.SX:
        return self.acceleration - v.value


class CoordinateCoupler(_OnVariables):
    """1 equation: a function of coordinates (and time) is zero."""

    function = signal(0.0, "the expression that shall be zero, such as rev1.phi - 2 * rev2.phi", opens=False)

    def equation(self, v: SimpleNamespace) -> ca.SX:
        return self.function


class SpeedCoupler(_OnVariables):
    """1 equation: a function of speeds (and coordinates and time) is zero."""

    level = "velocity"
    function = signal(0.0, "the expression that shall be zero, such as rev1.w - rev2.phi * rev3.w", opens=False)

    def equation(self, v: SimpleNamespace) -> ca.SX:
        return self.function


class PrescribedMotion(_OnVariables):
    """1 equation: a coordinate follows a function of time."""

    coordinate = signal(0.0, "the coordinate, such as rev.phi", opens=False)
    function = signal(0.0, "its course, an expression of lw.time", opens=False)

    def equation(self, v: SimpleNamespace) -> ca.SX:
        return self.coordinate - self.function
