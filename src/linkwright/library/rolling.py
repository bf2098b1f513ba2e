"""Wheels that roll without slip on the plane z = 0 (Modelica MultiBody.Parts and Joints); gravity is along −z."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..algebra import Inertia, cross, rotation_angles
from ..errors import ModelError
from ..language.component import Component
from ..language.connectors import Frame, RotationalFlange
from ..language.fields import parameter, variable
from ..language.model import Model
from ..language.parts_list import PartsList
from . import joints, parts
from .parts.bodies import Massive

UP = np.array([0.0, 0.0, 1.0])
SEQUENCE = (3, 2, 1)


class RollingWheel(Massive):
    """A thin disc that rolls on the plane z = 0: its axis is y of frame_a, its centre frame_a.

    Touching holds on position level (1 equation), no slip on velocity level (2, nonholonomic).
    """

    radius = parameter(text="radius of the wheel", unit="m")
    m = parameter(text="mass", unit="kg")
    I_axis = parameter(text="inertia about the axis", unit="kg.m2")
    I_long = parameter(text="inertia across the axis", unit="kg.m2")
    x = variable("position of the centre along x", "m", initial=True)
    y = variable("position of the centre along y", "m", initial=True)
    angles = variable("angles about z, y, x that turn the world into frame_a", "rad", (3,), initial=True)
    der_angles = variable("their derivatives", "rad/s", (3,), initial=True)

    def __init__(self, **given):
        # Modelica's start values: everything that is not given is zero and fixed
        super().__init__(**({"x": 0.0, "y": 0.0, "angles": [0.0] * 3, "der_angles": [0.0] * 3} | given))

    def _make_connectors(self):
        self._port("frame_a", Frame())

    def _check(self):
        for name in ("radius", "m"):
            if not getattr(self, name) > 0:
                raise ModelError(f"{self.path}.{name} = {getattr(self, name):g} must be positive.", self)

    def dyad(self, v) -> Inertia:
        tensor = [v.I_long, v.I_axis, v.I_long]
        return Inertia(v.m, (0, 0, 0), ca.diag(ca.vertcat(*tensor)) if any(isinstance(i, ca.SX) for i in tensor)
                       else np.diag(tensor))

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        rolls(plan, self, self.frame_a, plan.values(self).radius)

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        angles = rotation_angles(a.R_WF, SEQUENCE)
        # w in frame_a from the rates of angles about z, y, x: solved for the rates
        s, c = ca.sin(angles[2]), ca.cos(angles[2])
        first = (s * a.w[1] + c * a.w[2]) / ca.cos(angles[1])
        rates = ca.vertcat(first, c * a.w[1] - s * a.w[2], a.w[0] + ca.sin(angles[1]) * first)
        return {**super().definitions(plan), "x": a.r_0[0], "y": a.r_0[1], "angles": angles, "der_angles": rates}


def rolls(plan, component, frame, radius) -> None:
    """A disc with axis y of `frame` touches the plane z = 0 and does not slip on it."""
    axis = frame.R_WF[:, 1]
    steep = ca.sqrt(1 - axis[2] * axis[2])
    # from the centre to the point of contact: down along the disc
    to_contact = -radius * (ca.SX(UP) - axis[2] * axis) / steep
    slip = frame.v_0 + cross(frame.R_WF @ frame.w, to_contact)
    plan.constraint(component, "contact", frame.r_0[2] - radius * steep, frames=(frame,))
    plan.constraint(component, "rolling", slip[0:2], "velocity", frames=(frame,))


class RollingConstraintVerticalWheel(Component):
    """No slip of a wheel that is always upright, its axis along y of frame_a and its centre at height `radius`."""

    radius = parameter(text="radius of the wheel", unit="m")
    lateral_sliding_constraint = parameter(True, "no slip sideways either", structural=True)

    def _make_connectors(self):
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


class RollingWheelSetJoint(Model):
    """Two wheels on one axle, rolling on the plane z = 0, without mass (Modelica's Joints.RollingWheelSet)."""

    radius = parameter(text="radius of the wheels", unit="m")
    track = parameter(text="distance of the wheels", unit="m")

    def __init__(self, name=None, x=0.0, y=0.0, phi=0.0, theta1=0.0, theta2=0.0, der_theta1=0.0, der_theta2=0.0,
                 **given):
        super().__init__(name, **given)
        self.frame_middle, self.frame1, self.frame2 = Frame(), Frame(), Frame()
        self.axis1, self.axis2, self.support = RotationalFlange(), RotationalFlange(), RotationalFlange()
        self.fixed = parts.Fixed(r=[0, 0, self.radius])
        self.prismatic1, self.prismatic2 = joints.Prismatic(n=(1, 0, 0), s=x), joints.Prismatic(n=(0, 1, 0), s=y)
        self.revolute = joints.Revolute(n=(0, 0, 1), phi=phi)
        self.rod1 = parts.FixedTranslation(r=[0, self.track / 2, 0])
        self.rod2 = parts.FixedTranslation(r=[0, -self.track / 2, 0])
        self.revolute1 = joints.Revolute(n=(0, 1, 0), phi=theta1, w=der_theta1)
        self.revolute2 = joints.Revolute(n=(0, 1, 0), phi=theta2, w=der_theta2)
        self.rolling1 = RollingConstraintVerticalWheel(radius=self.radius)
        self.rolling2 = RollingConstraintVerticalWheel(radius=self.radius, lateral_sliding_constraint=False)
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


class RollingWheelSet(RollingWheelSetJoint):
    """Two wheels with mass on one axle, rolling on the plane z = 0 (Modelica's Parts.RollingWheelSet)."""

    m_wheel = parameter(text="mass of each wheel", unit="kg")
    I_axis = parameter(text="inertia of a wheel about its axis", unit="kg.m2")
    I_long = parameter(text="inertia of a wheel across its axis", unit="kg.m2")

    def __init__(self, name=None, **given):
        super().__init__(name, **given)
        for k, frame in ((1, self.frame1), (2, self.frame2)):
            wheel = parts.Body(m=self.m_wheel, inertia=[self.I_long, self.I_axis, self.I_long])
            setattr(self, f"wheel{k}", wheel)
            self.connect(frame, wheel.frame_a)


__all__ = ["RollingConstraintVerticalWheel", "RollingWheel", "RollingWheelSet", "RollingWheelSetJoint"]
