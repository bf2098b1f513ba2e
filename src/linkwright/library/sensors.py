"""Sensors (Modelica MultiBody.Sensors): quantities of frames, between frames, and what flows through a cut.

Outputs are variables like any other (`sensor.r`, `sensor.v_rel`, `sensor.force` …): they are always there, cost nothing
until they are asked for, and can stand in any expression.
"""

from __future__ import annotations

import casadi as ca

from ..algebra import Transform, VelocityMotor, cross, rotation_angles
from ..language import Component, Frame, PartsList, axis_sequence, members
from ..language.fields import appearance, parameter, signal, variable
from ..language.looks import ArrowLook, MarkerLook, WrenchLook
from .resolution import IN_A, IN_AB, Resolved, rate_in, second_rate_in, world_spin
from .tolerances import NO_SPIN, S_SMALL


class _Absolute(Resolved):
    """Base: a sensor at frame_a."""

    choices = IN_A
    resolve_in_frame = parameter("frame_a", "axes of the outputs: world, frame_a or frame_resolve", structural=True)
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_resolve", Frame())

    def _out(self, x_W: ca.SX) -> ca.SX:
        return self.into(self.resolve_in_frame, x_W)


class AbsoluteSensor(ArrowLook, _Absolute):
    """Position, velocity, acceleration and orientation of frame_a; derivatives are taken in the world."""

    sequence = axis_sequence("axes of the angles, counted from 1")
    guess_angle1 = parameter(0.0, "the first angle is the one of two solutions nearer to this", "rad")
    r = variable("position of frame_a", "m", (3,))
    v = variable("velocity of frame_a", "m/s", (3,))
    a = variable("acceleration of frame_a", "m/s2", (3,))
    angles = variable("angles of the sequence that turn the world into frame_a", "rad", (3,))
    w = variable("angular velocity of frame_a", "rad/s", (3,))
    z = variable("angular acceleration of frame_a", "rad/s2", (3,))

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        w, z = world_spin(a)
        return {"r": self._out(a.r_0), "v": self._out(a.v_0), "a": self._out(a.a_0), "w": self._out(w),
                "z": self._out(z), "angles": rotation_angles(a.R_WF, self.sequence, plan.values(self).guess_angle1)}


class AbsolutePosition(_Absolute):
    """Position of frame_a in the world, or in the chosen axes, as `r` (m)."""

    r = variable("position of frame_a", "m", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"r": self._out(self.frame_a.r_0)}


class Marker(MarkerLook, Component):
    """A point fixed to a body, as cameras see it: `r` in the axes of frame_a, `r_0` and `v_0` in the world.

    `lw.inverse_kinematics` finds the poses in which the markers of a model are nearest to measured ones.

    >>> m.wrist = sensors.Marker(r=[0.25, 0, 0.02]); m.connect(m.forearm.frame_a, m.wrist.frame_a)
    """

    r = parameter((0.0, 0.0, 0.0), "place in the axes of frame_a", "m", shape=(3,))
    animation = appearance(True, "whether it is shown")
    r_0 = variable("position in the world", "m", (3,))
    v_0 = variable("velocity in the world", "m/s", (3,))

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())

    def definitions(self, plan: PartsList) -> dict:
        a, r = self.frame_a, ca.SX(plan.values(self).r)
        r = r.T if r.shape[0] == 1 else r
        return {"r_0": a.r_0 + a.R_WF @ r, "v_0": a.v_0 + cross(world_spin(a)[0], a.R_WF @ r)}


class AbsoluteVelocity(_Absolute):
    """Velocity of the origin of frame_a."""

    v = variable("velocity of frame_a", "m/s", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"v": self._out(self.frame_a.v_0)}


class AbsoluteAngularVelocity(_Absolute):
    """Angular velocity of frame_a (right in frame_resolve too, where Modelica 4.0.0 is not)."""

    w = variable("angular velocity of frame_a", "rad/s", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"w": self._out(world_spin(self.frame_a)[0])}


class AbsoluteAngles(Resolved):
    """Three angles that turn the world into frame_a."""

    choosing = ()
    sequence = axis_sequence("axes of the angles, counted from 1")
    guess_angle1 = parameter(0.0, "the first angle is the one of two solutions nearer to this", "rad")
    angles = variable("angles of the sequence", "rad", (3,))

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())

    def definitions(self, plan: PartsList) -> dict:
        return {"angles": rotation_angles(self.frame_a.R_WF, self.sequence, plan.values(self).guess_angle1)}


class _Between(Resolved):
    """Base: a sensor between frame_a and frame_b."""

    choices = IN_AB
    resolve_in_frame = parameter("frame_a", "axes of the outputs: world, frame_a, frame_b or frame_resolve",
                                 structural=True)
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())
        self._port("frame_resolve", Frame())

    def _r(self) -> ca.SX:
        return self.frame_b.r_0 - self.frame_a.r_0

    def _v(self) -> ca.SX:
        return self.frame_b.v_0 - self.frame_a.v_0

    def _spin(self) -> tuple[ca.SX, ca.SX]:
        """Relative angular velocity and its rate, in the world."""
        (w_a, z_a), (w_b, z_b) = world_spin(self.frame_a), world_spin(self.frame_b)
        return w_b - w_a, z_b - z_a

    def _angles(self, plan: PartsList) -> ca.SX:
        R_ab = self.frame_a.R_WF.T @ self.frame_b.R_WF
        return rotation_angles(R_ab, self.sequence, plan.values(self).guess_angle1)


class RelativeSensor(ArrowLook, _Between):
    """Motion of frame_b relative to frame_a.

    The components in `resolve_in_frame` are differentiated; velocities and accelerations are then expressed in
    `resolve_in_frame_after_differentiation` (by default the same).
    """

    choosing = ("resolve_in_frame", "resolve_in_frame_after_differentiation")
    resolve_in_frame_after_differentiation = parameter(None, "axes of the rates; default the same", structural=True)
    sequence = axis_sequence("axes of the angles, counted from 1")
    guess_angle1 = parameter(0.0, "the first angle is the one of two solutions nearer to this", "rad")
    r_rel = variable("position of frame_b relative to frame_a", "m", (3,))
    v_rel = variable("rate of r_rel", "m/s", (3,))
    a_rel = variable("second rate of r_rel", "m/s2", (3,))
    angles = variable("angles of the sequence that turn frame_a into frame_b", "rad", (3,))
    w_rel = variable("relative angular velocity", "rad/s", (3,))
    z_rel = variable("rate of w_rel", "rad/s2", (3,))

    def definitions(self, plan: PartsList) -> dict:
        seen, after = self.resolve_in_frame, self.resolve_in_frame_after_differentiation or self.resolve_in_frame
        r, v, a = self._r(), self._v(), self.frame_b.a_0 - self.frame_a.a_0
        w, z = self._spin()
        return {"r_rel": self.into(seen, r), "v_rel": self.into(after, rate_in(self, seen, r, v)),
                "a_rel": self.into(after, second_rate_in(self, seen, r, v, a)), "angles": self._angles(plan),
                "w_rel": self.into(after, w), "z_rel": self.into(after, rate_in(self, seen, w, z))}


class RelativePosition(_Between):
    """Vector from frame_a to frame_b."""

    r_rel = variable("position of frame_b relative to frame_a", "m", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"r_rel": self.into(self.resolve_in_frame, self._r())}


class RelativeVelocity(_Between):
    """Velocity of frame_b as an observer on frame_a sees it."""

    v_rel = variable("velocity of frame_b relative to frame_a", "m/s", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"v_rel": self.into(self.resolve_in_frame, rate_in(self, "frame_a", self._r(), self._v()))}


class RelativeAngularVelocity(_Between):
    """Angular velocity of frame_b relative to frame_a."""

    w_rel = variable("relative angular velocity", "rad/s", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"w_rel": self.into(self.resolve_in_frame, self._spin()[0])}


class ScrewAxis(_Between):
    """The instantaneous screw axis of frame_b's motion relative to frame_a: it turns about a line and slides along it.

    With ω and v of the relative motion, v at the origin of frame_a,

        n = ω/|ω|,   r = ω × v/ω²,   pitch = ω·v/ω²,   w = |ω|

    r is the point of the line nearest to the origin of frame_a.  Without rotation, the line lies at infinity: n,
    r, pitch and w are zero there.
    """

    r = variable("point of the axis, from the origin of frame_a", "m", (3,))
    n = variable("direction of the axis: the motion turns about it by the right hand", "", (3,))
    pitch = variable("advance per angle", "m/rad")
    w = variable("angular velocity about the axis", "rad/s")

    def definitions(self, plan: PartsList) -> dict:
        w, r = self._spin()[0], self._r()
        motion = VelocityMotor(w, rate_in(self, "frame_a", r, self._v()) - ca.cross(w, r))
        square = ca.dot(w, w)
        turns = square > NO_SPIN**2
        point, direction = motion.axis()
        return {"r": self.into(self.resolve_in_frame, ca.if_else(turns, point, 0)),
                "n": self.into(self.resolve_in_frame, ca.if_else(turns, direction, 0)),
                "pitch": ca.if_else(turns, motion.pitch(), 0), "w": ca.if_else(turns, ca.sqrt(square), 0)}


class RelativeAngles(Resolved):
    """Three angles that turn frame_a into frame_b."""

    choosing = ()
    sequence = axis_sequence("axes of the angles, counted from 1")
    guess_angle1 = parameter(0.0, "the first angle is the one of two solutions nearer to this", "rad")
    angles = variable("angles of the sequence", "rad", (3,))

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def definitions(self, plan: PartsList) -> dict:
        return {"angles": _Between._angles(self, plan)}


class Distance(ArrowLook, Resolved):
    """Distance between the origins of two frames; its derivative stays finite where they coincide."""

    choosing = ()
    s_small = parameter(S_SMALL, "below this length the distance is rounded off", "m")
    distance = variable("distance", "m")
    animation = appearance(True, "whether it is shown")
    _make_connectors = RelativeAngles._make_connectors

    def definitions(self, plan: PartsList) -> dict:
        return {"distance": rounded_length(self.frame_b.r_0 - self.frame_a.r_0, plan.values(self).s_small)}


def rounded_length(r: ca.SX, small: object) -> ca.SX:
    """|r|, below `small` a parabola in |r|² that vanishes with r and has a slope there: |r|²/2s (3 − |r|²/s²)."""
    square = ca.dot(r, r)
    near = square / (2 * small) * (3 - square / (small * small))
    return ca.if_else(square > small * small, ca.sqrt(ca.fmax(square, small * small)), near)


class _Cut(Resolved):
    """Base: a rigid link without mass or length; its frames' f and t are what flows through it."""

    resolve_in_frame = parameter("frame_a", "axes of the outputs: world, frame_a or frame_resolve", structural=True)
    positive_sign = parameter(True, "the load on the sensor at frame_a, else its opposite", structural=True)
    animation = appearance(True, "whether it is shown")
    _make_connectors = _Between._make_connectors

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_b, Transform())

    def _through(self, vector: ca.SX) -> ca.SX:
        a = self.frame_a
        value = vector if self.resolve_in_frame == "frame_a" else self.into(self.resolve_in_frame, a.R_WF @ vector)
        return value if self.positive_sign else -value


class CutForce(WrenchLook, _Cut):
    """Force through the cut between frame_a and frame_b."""

    force = variable("cut force at frame_a", "N", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"force": self._through(self.frame_a.f)}


class CutTorque(WrenchLook, _Cut):
    """Torque through the cut between frame_a and frame_b."""

    torque = variable("cut torque at frame_a", "N.m", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"torque": self._through(self.frame_a.t)}


class CutForceAndTorque(WrenchLook, _Cut):
    """Force and torque through the cut between frame_a and frame_b."""

    force = variable("cut force at frame_a", "N", (3,))
    torque = variable("cut torque at frame_a", "N.m", (3,))

    def definitions(self, plan: PartsList) -> dict:
        return {"force": self._through(self.frame_a.f), "torque": self._through(self.frame_a.t)}


class Power(Resolved):
    """Power that flows from frame_a to frame_b."""

    choosing = ()
    power = variable("power f·v + t·ω at frame_a", "W")
    _make_connectors = RelativeAngles._make_connectors
    describe = _Cut.describe

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        return {"power": ca.dot(a.f, a.R_WF.T @ a.v_0) + ca.dot(a.t, a.w)}


class _Transform(Resolved):
    """Base: a vector given in one frame's axes, expressed in another's."""

    choosing = ("frame_r_in", "frame_r_out")
    frame_r_in = parameter("frame_a", "axes in which r_in is given", structural=True)
    frame_r_out = parameter(None, "axes of r_out; default as frame_r_in", structural=True)
    r_in = signal([0.0, 0.0, 0.0], "the vector", "", (3,))
    r_out = variable("the same vector in other axes", "", (3,))

    def definitions(self, plan: PartsList) -> dict:
        source, target = self.frame_r_in, self.frame_r_out or self.frame_r_in
        r = self.symbol("r_in", (3,))
        return {"r_out": r if source == target else self.into(target, self.axes_of(source) @ r)}


class TransformAbsoluteVector(_Transform):
    """Expresses a vector in other axes: world, frame_a or frame_resolve."""

    choices = IN_A
    _make_connectors = _Absolute._make_connectors


class TransformRelativeVector(_Transform):
    """Expresses a vector in other axes: world, frame_a, frame_b or frame_resolve."""

    choices = IN_AB
    _make_connectors = _Between._make_connectors


__all__ = [
    "AbsoluteAngles", "AbsoluteAngularVelocity", "AbsolutePosition", "AbsoluteSensor", "AbsoluteVelocity", "CutForce",
    "CutForceAndTorque", "CutTorque", "Distance", "Power", "RelativeAngles", "RelativeAngularVelocity",
    "RelativePosition", "RelativeSensor", "RelativeVelocity", "ScrewAxis", "TransformAbsoluteVector",
    "TransformRelativeVector",
]

#: what other programs call them
__getattr__ = members("sensors", {
    "Position": "AbsolutePosition", "Force": "CutForce", "Torque": "CutTorque", "Imu": "AbsoluteSensor",
    "IMU": "AbsoluteSensor",
}, __all__)
