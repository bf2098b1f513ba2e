"""Planar joints with one degree of freedom, and the base for a user's own."""

from __future__ import annotations

import casadi as ca

from ...algebra import Scalar, Transform, axis_frame, rotation_z, stack
from ...errors import ModelError
from ...language import PartsList, RotationalFlange, TranslationalFlange
from ...language.fields import parameter, variable
from ...language.planar_frame import PlanarFrame, direction
from ...language.ranges import NUMBER
from ...mechanism import kinds
from ..joints.axis_joints import Joint as SpatialJoint
from ..joints.bounds import Bounded
from ..joints.driven import Driven
from .parts import in_plane


class Joint(SpatialJoint):
    """Base of planar joints; a subclass defines `dof` and `position(q)`: x, y, phi of frame_b in frame_a.

    >>> class Cam(Joint):
    ...     dof = 1
    ...     def position(self, q):
    ...         return q[0], 0.1 * sin(q[0]), 0.0
    """

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())
        self._port("frame_b", PlanarFrame())

    def position(self, q: ca.SX) -> tuple[Scalar, Scalar, Scalar]:
        """(x, y, phi) of frame_b in frame_a for coordinates q."""
        raise ModelError(f"{self.path}: a planar joint of your own defines dof and position(self, q).", self)

    def transform(self, q: ca.SX) -> Transform:
        x, y, phi = self.position(q)
        return Transform(rotation_z(phi), stack(x, y, 0.0))

    def turn(self, plan: PartsList) -> Scalar:
        """Angle of frame_b less that of frame_a."""
        turn = self.position(plan.joint_symbols(self)[0])[2]
        return -turn if self.reverse else turn


class Revolute(Bounded, Driven, Joint):
    """1 dof: frame_b turns by phi about the common origin."""

    q = u = a = None
    flange_type, effort = RotationalFlange, "tau"
    phi = variable("angle from frame_a to frame_b", "rad", initial=True)
    w = variable("angular velocity dphi/dt", "rad/s", initial=True)
    z = variable("angular acceleration dw/dt", "rad/s2", initial=True)
    tau = variable("driving torque", "N.m")
    phi_min = parameter(None, "angle of a hard stop", "rad", only=NUMBER)
    phi_max = parameter(None, "angle of a hard stop", "rad", only=NUMBER)

    def mobilizer(self, plan: PartsList) -> tuple:
        return kinds.Revolute(), Transform(), Transform()

    def position(self, q: ca.SX) -> tuple[Scalar, Scalar, Scalar]:
        return 0.0, 0.0, q[0]

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return (("phi", "w", "z"),)


class Prismatic(Bounded, Driven, Joint):
    """1 dof: frame_b slides by s along r, fixed in frame_a."""

    q = u = None
    flange_type, effort = TranslationalFlange, "f"
    r = parameter((1.0, 0.0), "direction of sliding in frame_a", structural=True)
    s = variable("distance from frame_a to frame_b along r", "m", initial=True)
    v = variable("velocity ds/dt", "m/s", initial=True)
    a = variable("acceleration dv/dt", "m/s2", initial=True)
    f = variable("driving force along r", "N")
    limits = ("s_min", "s_max")
    s_min = parameter(None, "distance of a hard stop", "m", only=NUMBER)
    s_max = parameter(None, "distance of a hard stop", "m", only=NUMBER)

    def _check(self) -> None:
        super()._check()
        direction(self)

    def mobilizer(self, plan: PartsList) -> tuple:
        X = Transform(axis_frame(in_plane(direction(self))))
        return kinds.Prismatic(), X, X

    def turn(self, plan: PartsList) -> Scalar:
        return 0.0

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return (("s", "v", "a"),)
