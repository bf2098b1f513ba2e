"""Wheels without mass that roll without slip on the plane z = 0 (Modelica MultiBody.Joints); gravity is along −z."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Scalar, cross
from ...errors import ModelError
from ...language import Component, Frame, Model, PartsList, RotationalFlange
from ...language.fields import Guess, parameter, variable
from ..parts.links import Fixed, FixedTranslation
from .axis_joints import Prismatic, Revolute
from .wheel_angles import attitude

UP = np.array([0.0, 0.0, 1.0])


class Rolls(Component):
    """Base of single wheels: a thin disc that rolls on the plane z = 0, its axis y of frame_a, its centre frame_a.

    Contact is one equation on position level, no slip two equations on velocity level (nonholonomic).  The attitude
    is told in two ways, both continuous over a whole run: `spin` counts the turns of the wheel and `heading` those
    of its track; `angles` are Modelica's, in which starts are given, and of which the second is the spin while the
    wheel is upright.
    """

    counted = ("angles",)

    radius = parameter(text="radius of the wheel", unit="m")
    x = variable("position of the centre along x", "m", initial=True)
    y = variable("position of the centre along y", "m", initial=True)
    angles = variable("angles about z, y, x that turn the world into frame_a", "rad", (3,), initial=True)
    der_angles = variable("their derivatives", "rad/s", (3,), initial=True)
    heading = variable("angle about z by which the wheel is steered, turns counted", "rad")
    lean = variable("angle about the direction of rolling by which the axis is lifted from the ground", "rad")
    spin = variable("angle about the axis of the wheel, turns counted", "rad")
    der_heading = variable("rate of the heading", "rad/s")
    der_lean = variable("rate of the lean", "rad/s")
    der_spin = variable("rate of the spin", "rad/s")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())

    def _check(self) -> None:
        if not self.radius > 0:
            raise ModelError(f"{self.path}.radius = {self.radius:g} must be positive.", self)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        rolls(plan, self, self.frame_a, plan.values(self).radius)
        plan.keep(self, attitude(plan, self, self.frame_a))

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        return {**super().definitions(plan), "x": a.r_0[0], "y": a.r_0[1], **plan.kept(self)}


class RollingWheel(Rolls):
    """Ideal rolling of a thin disc on the plane z = 0, without mass: connect a body to frame_a, its centre."""


def rolls(plan: PartsList, component: Component, frame: Frame, radius: Scalar) -> None:
    """A disc with axis y of `frame` touches the plane z = 0 and does not slip on it."""
    axis = frame.R_WF[:, 1]
    steep = ca.sqrt(1 - axis[2] * axis[2])
    # from the centre to the point of contact: down along the disc
    to_contact = -radius * (ca.SX(UP) - axis[2] * axis) / steep
    slip = frame.v_0 + cross(frame.R_WF @ frame.w, to_contact)
    plan.constraint(component, "contact", frame.r_0[2] - radius * steep, frames=(frame,))
    plan.constraint(component, "rolling", slip[0:2], "velocity", frames=(frame,))


class RollingConstraintVerticalWheel(Component):
    """Prevents slip of a wheel that is always upright, with its axis along y of frame_a and its centre at height
    `radius`."""

    radius = parameter(text="radius of the wheel", unit="m")
    lateral_sliding_constraint = parameter(True, "no slip sideways either", structural=True)

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())

    def describe(self, plan: PartsList) -> None:
        a = self.frame_a
        across = a.R_WF[:, 1]
        forward = cross(across, ca.SX(UP))
        slip = a.v_0 + cross(a.R_WF @ a.w, ca.SX(-UP) * plan.values(self).radius)
        rows = [ca.dot(forward, slip)]
        if self.lateral_sliding_constraint:
            rows.append(ca.dot(across, slip))
        plan.constraint(self, "", ca.vertcat(*rows), "velocity", frames=(a,))


class WheelSet(Model):
    """Base of two wheels on one axle that rolls on the plane z = 0."""

    track = parameter(text="distance of the wheels", unit="m")

    def __init__(self, name: str | None = None, x: float | Guess | None = 0.0, y: float | Guess | None = 0.0,
                 phi: float | Guess | None = 0.0, theta1: float | Guess | None = 0.0,
                 theta2: float | Guess | None = 0.0, der_theta1: float | Guess | None = 0.0,
                 der_theta2: float | Guess | None = 0.0, **given: Any) -> None:
        super().__init__(name, **given)
        radius = self._radius()
        self.frame_middle, self.frame1, self.frame2 = Frame(), Frame(), Frame()
        self.axis1, self.axis2, self.support = RotationalFlange(), RotationalFlange(), RotationalFlange()
        self.fixed = Fixed(r=[0, 0, radius])
        self.prismatic1, self.prismatic2 = Prismatic(n=(1, 0, 0), s=x), Prismatic(n=(0, 1, 0), s=y)
        self.revolute = Revolute(n=(0, 0, 1), phi=phi)
        self.rod1 = FixedTranslation(r=[0, self.track / 2, 0])
        self.rod2 = FixedTranslation(r=[0, -self.track / 2, 0])
        self.revolute1 = Revolute(n=(0, 1, 0), phi=theta1, w=der_theta1)
        self.revolute2 = Revolute(n=(0, 1, 0), phi=theta2, w=der_theta2)
        self.rolling1 = RollingConstraintVerticalWheel(radius=radius)
        self.rolling2 = RollingConstraintVerticalWheel(radius=radius, lateral_sliding_constraint=False)
        self.chain(self.fixed, self.prismatic1, self.prismatic2, self.revolute)
        self.connect(self.revolute.frame_b, self.rod1.frame_a, self.rod2.frame_a, self.frame_middle)
        for rod, joint, rolling, frame, axis in (
            (self.rod1, self.revolute1, self.rolling1, self.frame1, self.axis1),
            (self.rod2, self.revolute2, self.rolling2, self.frame2, self.axis2),
        ):
            self.chain(rod, joint, rolling)
            self.connect(joint.frame_b, frame)
            self.connect(joint.axis, axis)
        self.connect(self.revolute1.support, self.support)
        for key, joint, what in (("x", self.prismatic1, "s"), ("y", self.prismatic2, "s"),
                                 ("phi", self.revolute, "phi"), ("theta1", self.revolute1, "phi"),
                                 ("theta2", self.revolute2, "phi"), ("der_theta1", self.revolute1, "w"),
                                 ("der_theta2", self.revolute2, "w")):
            self.output(key, getattr(joint, what))

    def _radius(self) -> Scalar:
        """That of both wheels."""
        raise NotImplementedError


class RollingWheelSet(WheelSet):
    """Ideal rolling of two wheels on one axle on the plane z = 0, without mass."""

    radius = parameter(text="radius of the wheels", unit="m")

    def _radius(self) -> Scalar:
        return self.radius
