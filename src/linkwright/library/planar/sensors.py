"""Planar sensors of motion: outputs are variables of three entries, x and y in the chosen axes and the angle."""

from __future__ import annotations

import casadi as ca

from ...language import PartsList
from ...language.fields import appearance, parameter, signal, variable
from ...language.planar_frame import turned
from ..sensors import rounded_length
from ..tolerances import S_SMALL
from .resolution import IN_A, IN_AB, Resolved


class _Absolute(Resolved):
    """Base: a sensor at frame_a."""

    choices = IN_A
    resolve_in_frame = parameter("frame_a", "axes of the output: world, frame_a or frame_resolve", structural=True)
    animation = appearance(True, "whether it is shown")

    def _out(self, vector: ca.SX, third: ca.SX) -> ca.SX:
        return ca.vertcat(self.into(self.resolve_in_frame, vector), third)


class AbsolutePosition(_Absolute):
    """Position of frame_a and its angle, both seen from the chosen axes."""

    r = variable("x, y and angle", "", (3,))

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        return {"r": self._out(a.r, a.phi - self.angle(self.resolve_in_frame))}


class AbsoluteVelocity(_Absolute):
    """Velocity of frame_a in the plane, and its angular velocity."""

    v = variable("velocity along x, y and angular velocity", "", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"v": self._out(self.frame_a.v, self.frame_a.w)}


class AbsoluteAcceleration(_Absolute):
    """The acceleration of frame_a in the plane, and its angular acceleration.

    >>> m.accelerometer = pl.AbsoluteAcceleration()
    >>> m.connect(m.body.frame_a, m.accelerometer.frame_a)
    """

    a = variable("acceleration along x, y and angular acceleration", "", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"a": self._out(self.frame_a.a, self.frame_a.z)}


class _Relative(Resolved):
    """Base: the motion of frame_b as an observer on frame_a sees it, its vectors turned into the chosen axes.

    With r = R_aᵀ (r_b − r_a):  v = R_aᵀ Δv − w_a × r,  a = R_aᵀ Δa − w_a × R_aᵀ Δv − z_a × r − w_a × v.
    """

    frames, choices = ("frame_a", "frame_b"), IN_AB
    resolve_in_frame = parameter("frame_a", "axes of the output: world, frame_a, frame_b or frame_resolve",
                                 structural=True)
    animation = appearance(True, "whether it is shown")

    def _seen(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(r, v, a) of frame_b in frame_a's axes."""
        a, b = self.frame_a, self.frame_b
        R = a.R2.T
        r, dv = R @ (b.r - a.r), R @ (b.v - a.v)
        v = dv - a.w * turned(r)
        return r, v, R @ (b.a - a.a) - a.w * turned(dv) - a.z * turned(r) - a.w * turned(v)

    def _out(self, vector: ca.SX, third: ca.SX) -> ca.SX:
        return ca.vertcat(self.into(self.resolve_in_frame, self.frame_a.R2 @ vector), third)


class RelativePosition(_Relative):
    """Position of frame_b from frame_a and the angle between them."""

    r_rel = variable("distance along x, y and angle", "", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"r_rel": self._out(self._seen()[0], self.frame_b.phi - self.frame_a.phi)}


class RelativeVelocity(_Relative):
    """Velocity of frame_b seen from frame_a."""

    v_rel = variable("velocity along x, y and angular velocity", "", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"v_rel": self._out(self._seen()[1], self.frame_b.w - self.frame_a.w)}


class RelativeAcceleration(_Relative):
    """Acceleration of frame_b seen from frame_a; the axes of the output do not change what is measured."""

    a_rel = variable("acceleration along x, y and angular acceleration", "", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"a_rel": self._out(self._seen()[2], self.frame_b.z - self.frame_a.z)}


class _Transform(Resolved):
    """Base: a signal (x, y, angle) given in one set of axes and wanted in another.

    The third entry is an angle counted from the axes: the angle of the first is added, that of the second taken off.
    """

    choosing = ("frame_r_in", "frame_r_out")
    r_in = signal([0.0, 0.0, 0.0], "x, y and angle in the first axes", "", (3,))
    r_out = variable("x, y and angle in the second axes", "", (3,))

    def _third(self, given: ca.SX) -> ca.SX:
        return given + self.angle(self.frame_r_in) - self.angle(self.frame_r_out)

    def definitions(self, plan: PartsList) -> dict:
        r = self.symbol("r_in", (3,))
        turned_out = self.into(self.frame_r_out, self.rotation(self.frame_r_in) @ r[0:2])
        return {"r_out": ca.vertcat(turned_out, self._third(r[2]))}


class TransformAbsoluteVector(_Transform):
    """Turns a vector and an angle between the axes of the plane, of frame_a and of frame_resolve."""

    choices = IN_A
    frame_r_in = parameter("frame_a", "axes of r_in: world, frame_a or frame_resolve", structural=True)
    frame_r_out = parameter("frame_a", "axes of r_out: world, frame_a or frame_resolve", structural=True)


class TransformRelativeVector(_Transform):
    """Turns a vector between the axes of the plane, frame_a, frame_b and frame_resolve; a relative angle stays."""

    frames, choices = ("frame_a", "frame_b"), IN_AB
    frame_r_in = parameter("frame_a", "axes of r_in: world, frame_a, frame_b or frame_resolve", structural=True)
    frame_r_out = parameter("frame_a", "axes of r_out: world, frame_a, frame_b or frame_resolve", structural=True)

    def _third(self, given: ca.SX) -> ca.SX:
        return given


class Distance(_Relative):
    """Distance of the origins of frame_a and frame_b; its derivative stays finite where they coincide."""

    resolve_in_frame = "world"
    choosing = ()
    s_small = parameter(S_SMALL, "distance below which it is smoothed", "m")
    distance = variable("distance", "m")

    def definitions(self, plan: PartsList) -> dict:
        return {"distance": rounded_length(self.frame_b.r - self.frame_a.r, plan.values(self).s_small)}
