"""Planar sensors between two frames that coincide: what flows from one to the other."""

from __future__ import annotations

import casadi as ca

from ...algebra import Scalar, Transform
from ...language import PartsList
from ...language.fields import appearance, parameter, variable
from .resolution import IN_A, Resolved


class _Cut(Resolved):
    """Base: frame_a and frame_b coincide; the load on frame_a is read."""

    frames, choices = ("frame_a", "frame_b"), IN_A
    animation = appearance(True, "whether it is shown")

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_b, Transform())

    def turn(self, plan: PartsList) -> Scalar:
        """Angle of frame_b less that of frame_a."""
        return 0.0

    def _force(self) -> ca.SX:
        return self.into(self.resolve_in_frame, self.frame_a.force) * (1 if self.positive_sign else -1)

    def _torque(self) -> ca.SX:
        return self.frame_a.t * (1 if self.positive_sign else -1)


class CutForce(_Cut):
    """Force from frame_a to frame_b."""

    resolve_in_frame = parameter("frame_a", "axes of the output: world, frame_a or frame_resolve", structural=True)
    positive_sign = parameter(True, "the load on frame_a, else its opposite", structural=True)
    force = variable("cut force", "N", (2,))

    def definitions(self, plan: PartsList) -> dict:
        return {"force": self._force()}


class CutTorque(_Cut):
    """Torque from frame_a to frame_b."""

    choosing = ()
    positive_sign = parameter(True, "the load on frame_a, else its opposite", structural=True)
    torque = variable("cut torque", "N.m")

    def definitions(self, plan: PartsList) -> dict:
        return {"torque": self._torque()}


class CutForceAndTorque(_Cut):
    """Force and torque from frame_a to frame_b."""

    resolve_in_frame = parameter("frame_a", "axes of the output: world, frame_a or frame_resolve", structural=True)
    positive_sign = parameter(True, "the load on frame_a, else its opposite", structural=True)
    force = variable("cut force", "N", (2,))
    torque = variable("cut torque", "N.m")

    def definitions(self, plan: PartsList) -> dict:
        return {"force": self._force(), "torque": self._torque()}


class Power(_Cut):
    """Power that flows from frame_a to frame_b."""

    choosing = ()
    power = variable("power", "W")

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        return {"power": ca.dot(a.force, a.v) + a.t * a.w}
