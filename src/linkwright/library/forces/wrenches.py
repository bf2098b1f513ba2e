"""Force elements (Modelica MultiBody.Forces), and the bases for a user's own laws."""

from __future__ import annotations

import casadi as ca

from ...algebra import ForceMotor, Transform, VelocityMotor, cross
from ...errors import ModelError
from ...language import Bound, Component, Frame, PartsList, call_law
from ...language.fields import appearance, as_expression, parameter, signal
from ...language.looks import ForceLook, LineLook, WrenchLook
from ..resolution import IN_AB, IN_B, Resolved


class _OneEnd(Resolved):
    """A load on frame_b from outside."""

    choices = IN_B
    resolve_in_frame = parameter("world", "axes of the signals", structural=True)
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_b", Frame())
        self._port("frame_resolve", Frame())

    def _signal(self, name: str) -> ca.SX:
        return self.symbol(name, (3,)) if name in type(self).fields() else ca.SX.zeros(3)

    def describe(self, plan: PartsList) -> None:
        into_b = self.frame_b.R_WF.T @ self.axes_of(self.resolve_in_frame)
        plan.load(self, self.frame_b, -(into_b @ self._signal("force")), -(into_b @ self._signal("torque")))


class WorldForce(ForceLook, _OneEnd):
    """A force on frame_b from outside, three signals."""

    force = signal([0.0, 0.0, 0.0], "force on frame_b", "N", (3,))


class WorldTorque(ForceLook, _OneEnd):
    """A torque on frame_b from outside, three signals."""

    torque = signal([0.0, 0.0, 0.0], "torque on frame_b", "N.m", (3,))


class WorldForceAndTorque(WrenchLook, _OneEnd):
    """A force and a torque on frame_b from outside."""

    force = signal([0.0, 0.0, 0.0], "force on frame_b", "N", (3,))
    torque = signal([0.0, 0.0, 0.0], "torque on frame_b", "N.m", (3,))


class _TwoEnds(Resolved):
    """A load on frame_b and its opposite on frame_a, moment of the force included."""

    choices = IN_AB
    resolve_in_frame = parameter("frame_b", "axes of the signals", structural=True)
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())
        self._port("frame_resolve", Frame())

    _signal = _OneEnd._signal

    def describe(self, plan: PartsList) -> None:
        a, b = self.frame_a, self.frame_b
        R = self.axes_of(self.resolve_in_frame)
        apply_between(plan, self, a, b, R @ self._signal("force"), R @ self._signal("torque"))


def apply_between(plan: PartsList, component: Component, a: Frame, b: Frame, f_W: ca.SX, t_W: ca.SX) -> None:
    """Force and torque (world axes) on b at its origin, and their balance on a."""
    plan.load(component, b, -(b.R_WF.T @ f_W), -(b.R_WF.T @ t_W))
    plan.load(component, a, a.R_WF.T @ f_W, a.R_WF.T @ (t_W + cross(b.r_0 - a.r_0, f_W)))


class Force(WrenchLook, LineLook, _TwoEnds):
    """A force between two frames: positive on frame_b, opposite on frame_a."""

    force = signal([0.0, 0.0, 0.0], "force on frame_b", "N", (3,))


class Torque(WrenchLook, LineLook, _TwoEnds):
    """A torque between two frames: positive on frame_b, opposite on frame_a."""

    torque = signal([0.0, 0.0, 0.0], "torque on frame_b", "N.m", (3,))


class ForceAndTorque(WrenchLook, LineLook, _TwoEnds):
    """A force and a torque between two frames."""

    force = signal([0.0, 0.0, 0.0], "force on frame_b", "N", (3,))
    torque = signal([0.0, 0.0, 0.0], "torque on frame_b", "N.m", (3,))


class TwoFrameForce(Component):
    """A general law between two frames; a subclass defines `wrench(self, X_ab, V_ab)`.

    It returns the force motor on frame_b, at frame_b's origin, expressed in frame_a; X_ab is the pose and V_ab the
    velocity motor of frame_b in frame_a (both in frame_a's axes, at frame_b's origin).  `self.state` and `self.unknown`
    add states and algebraic unknowns to the law.
    """

    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def required_ports(self) -> list[str]:
        return ["frame_a", "frame_b"]

    def wrench(self, X_ab: Transform, V_ab: VelocityMotor) -> ForceMotor:
        """The force motor on frame_b, expressed in frame_a."""
        raise ModelError(f"{self.path}: a two-frame law of your own defines wrench(self, X_ab, V_ab).", self)

    def describe(self, plan: PartsList) -> None:
        a, b = self.frame_a, self.frame_b
        R_WA = a.R_WF
        p = R_WA.T @ (b.r_0 - a.r_0)
        R_AB = R_WA.T @ b.R_WF
        V = VelocityMotor(R_AB @ b.w - a.w, R_WA.T @ (b.v_0 - a.v_0) - cross(a.w, p))
        motor = call_law(self, "wrench(X_ab, V_ab)", type(self).wrench, Bound(self, plan), Transform(R_AB, p), V)
        if not isinstance(motor, ForceMotor):
            raise ModelError(f"{self.path}: wrench must return a lw.ForceMotor, got {type(motor).__name__}.", self)
        f = as_expression(motor.resultant, (3,), f"{self.path}: wrench")
        t = as_expression(motor.moment, (3,), f"{self.path}: wrench")
        apply_between(plan, self, a, b, R_WA @ f, R_WA @ t)
