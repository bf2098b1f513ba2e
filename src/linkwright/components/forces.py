"""Force elements (Modelica MultiBody.Forces), and the bases for a user's own laws."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, Transform, VelocityMotor, cross
from ..errors import ModelError
from .component import Component
from .connectors import Frame
from .fields import appearance, as_expression, parameter, signal, variable
from .looks import DamperLook, ForceLook, LineLook, SpringLook, SpringMassLook, WrenchLook

S_SMALL = 1e-10


class _Resolved(Component):
    """What elements with a `resolve_in_frame` share: vectors given in world axes, in a frame's or in
    frame_resolve's."""

    choices: tuple[str, ...] = ()

    def _check(self):
        if self.resolve_in_frame not in self.choices:
            raise ModelError(f"{self.path}: resolve_in_frame is one of {', '.join(map(repr, self.choices))}, "
                             f"not {self.resolve_in_frame!r}.", self)

    def _rotation(self):
        """R_W? of the axes in which the signals are given."""
        if self.resolve_in_frame == "world":
            return ca.SX.eye(3)
        return self._connectors[self.resolve_in_frame].R_WF

    def describe(self, plan):
        if "frame_resolve" in self._connectors:
            plan.load(self, self.frame_resolve, ca.SX.zeros(3), ca.SX.zeros(3))
        self._act(plan)


class _OneEnd(_Resolved):
    """A load on frame_b from outside."""

    choices = ("world", "frame_b", "frame_resolve")
    resolve_in_frame = parameter("world", "axes of the signals", structural=True)
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self):
        self._port("frame_b", Frame())
        self._port("frame_resolve", Frame())

    def _signal(self, name):
        return self.symbol(name, (3,)) if name in type(self).fields() else ca.SX.zeros(3)

    def _act(self, plan):
        into_b = self.frame_b.R_WF.T @ self._rotation()
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


class _TwoEnds(_Resolved):
    """A load on frame_b and its opposite on frame_a, moment of the force included."""

    choices = ("world", "frame_a", "frame_b", "frame_resolve")
    resolve_in_frame = parameter("frame_b", "axes of the signals", structural=True)
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self):
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())
        self._port("frame_resolve", Frame())

    _signal = _OneEnd._signal

    def _act(self, plan):
        a, b = self.frame_a, self.frame_b
        f_W, t_W = self._rotation() @ self._signal("force"), self._rotation() @ self._signal("torque")
        apply_between(plan, self, a, b, f_W, t_W)


def apply_between(plan, component, a: Frame, b: Frame, f_W, t_W) -> None:
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


class LineForce(Component):
    """A force along the line from frame_a to frame_b; a user's own law defines `force(self, s, v)`, tension positive.

    >>> class CubicSpring(LineForce):
    ...     k = parameter(1.0, "stiffness", unit="N/m3")
    ...     def force(self, s, v):
    ...         return self.k * s**3
    """

    s_small = parameter(S_SMALL, "smallest length the line is taken to have", "m")
    fixed_rotation_at_frame_a = parameter(False, "frame_a keeps the axes of the world", structural=True)
    fixed_rotation_at_frame_b = parameter(False, "frame_b keeps the axes of the world", structural=True)
    animation = appearance(True, "whether it is shown")
    s = variable("length of the line", "m")
    v = variable("its rate", "m/s")
    f = variable("force along the line, positive pulls the ends together", "N")
    e_rel_0 = variable("unit vector from frame_a to frame_b, in the world", "", (3,))
    r_rel_0 = variable("vector from frame_a to frame_b, in the world", "m", (3,), initial=True)

    def _make_connectors(self):
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def force(self, s, v):
        """The force along the line for length s and rate v."""
        raise ModelError(f"{self.path}: a line force of your own defines force(self, s, v).", self)

    def _length(self, plan):
        """max(|r|, s_small): never zero, so that the direction stays finite."""
        r = self.frame_b.r_0 - self.frame_a.r_0
        small = plan.values(self).s_small
        return ca.sqrt(ca.fmax(ca.dot(r, r), small * small))

    def _law(self, plan) -> ca.SX:
        bound = _Bound(self, plan)
        value = type(self).force(bound, self.symbol("s"), self.symbol("v"))
        return as_expression(value, (), f"{self.path}: force(s, v)")

    def describe(self, plan):
        e, f = self.symbol("e_rel_0", (3,)), self.symbol("f")
        a, b = self.frame_a, self.frame_b
        plan.load(self, a, -(a.R_WF.T @ e) * f, ca.SX.zeros(3))
        plan.load(self, b, (b.R_WF.T @ e) * f, ca.SX.zeros(3))

    def definitions(self, plan):
        r = self.frame_b.r_0 - self.frame_a.r_0
        s, e = self.symbol("s"), self.symbol("e_rel_0", (3,))
        return {"r_rel_0": r, "s": self._length(plan), "length": self._length(plan), "e_rel_0": r / s,
                "v": ca.dot(e, self.frame_b.v_0 - self.frame_a.v_0), "f": self._law(plan)}

    def point_guess(self, translator, frame):
        """Where a massless point at one end may start: the other end plus the guessed relative position."""
        given = self._initial.get("r_rel_0")
        other = self.frame_a if frame is self.frame_b else self.frame_b
        known = translator.frames.get(other.path)
        if given is None or known is None or known.body >= 0:
            return None
        r = np.array([entry.value if hasattr(entry, "value") else entry or 0.0 for entry in given])
        return np.asarray(known.X_BQ.p) + (r if frame is self.frame_b else -r)


class _Bound:
    """A component as its law sees it: parameters are the plan's values (numbers or tunable symbols)."""

    def __init__(self, component: Component, plan):
        self._component, self._values, self._plan = component, plan.values(component), plan

    def __getattr__(self, name):
        if hasattr(self._values, name):
            return getattr(self._values, name)
        return getattr(self._component, name)

    def state(self, name: str, der, start=0.0):
        """A continuous state of the law: ż = der(z)."""
        z = self._component.symbol(name)
        self._plan.state(self._component, name, z, der(z), start)
        return z

    def unknown(self, name: str, residual, start=0.0):
        """An algebraic unknown of the law: residual(y) = 0."""
        y = self._component.symbol(name)
        self._plan.unknown(self._component, name, y, residual(y), start)
        return y


class Spring(SpringMassLook, LineForce):
    """A linear spring between two frames, with an optional point mass on the line."""

    c = parameter(text="stiffness", unit="N/m")
    s_unstretched = parameter(0.0, "free length", "m")
    m = parameter(0.0, "mass on the line", "kg")
    length_fraction = parameter(0.5, "place of the mass, 0 at frame_a and 1 at frame_b")

    def force(self, s, v):
        return self.c * (s - self.s_unstretched)

    def describe(self, plan):
        super().describe(plan)
        if self.m:
            v = plan.values(self)
            plan.point_mass(self, v.m, self.frame_a.r_0 + v.length_fraction * (self.frame_b.r_0 - self.frame_a.r_0))


class Damper(DamperLook, LineForce):
    """A linear damper between two frames."""

    d = parameter(text="damping", unit="N.s/m")
    loss_power = variable("dissipated power", "W")

    def force(self, s, v):
        return self.d * v

    def definitions(self, plan):
        return {**super().definitions(plan), "loss_power": self.symbol("f") * self.symbol("v")}


class SpringDamperParallel(DamperLook, SpringLook, LineForce):
    """Spring and damper side by side between two frames."""

    c = parameter(text="stiffness", unit="N/m")
    s_unstretched = parameter(0.0, "free length", "m")
    d = parameter(0.0, "damping", "N.s/m")
    loss_power = variable("dissipated power", "W")

    def force(self, s, v):
        return self.c * (s - self.s_unstretched) + self.d * v

    def definitions(self, plan):
        v = self.symbol("v")
        return {**super().definitions(plan), "loss_power": plan.values(self).d * v * v}


class SpringDamperSeries(DamperLook, SpringLook, LineForce):
    """Spring and damper in series between two frames; the damper's length is a state."""

    c = parameter(text="stiffness", unit="N/m")
    s_unstretched = parameter(0.0, "free length of the spring", "m")
    d = parameter(text="damping", unit="N.s/m")
    s_damper_start = parameter(0.0, "initial length of the damper", "m")
    s_damper = variable("length of the damper", "m")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        if self.d <= 0:
            raise ModelError(f"{self.path}.d = {self.d:g}: a damper in series needs positive damping.", self)

    def force(self, s, v):
        return self.c * (s - self.s_unstretched - self.s_damper)

    def describe(self, plan):
        super().describe(plan)
        v = plan.values(self)
        plan.state(self, "s_damper", self.symbol("s_damper"), self.symbol("f") / v.d, self.s_damper_start)

    def definitions(self, plan):
        f = self.symbol("f")
        own = super().definitions(plan)
        own["loss_power"] = f * f / plan.values(self).d
        return own


class TwoFrameForce(Component):
    """A general law between two frames; a user's own defines `wrench(self, X_ab, V_ab)`.

    It returns the force motor on frame_b, at frame_b's origin, expressed in frame_a; X_ab is the pose and V_ab the
    velocity motor of frame_b in frame_a (both in frame_a's axes, at frame_b's origin).  `self.state` and `self.unknown`
    give the law states and algebraic unknowns of its own.
    """

    animation = appearance(True, "whether it is shown")

    def _make_connectors(self):
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def wrench(self, X_ab, V_ab) -> ForceMotor:
        """The force motor on frame_b, expressed in frame_a."""
        raise ModelError(f"{self.path}: a two-frame law of your own defines wrench(self, X_ab, V_ab).", self)

    def describe(self, plan):
        a, b = self.frame_a, self.frame_b
        R_WA = a.R_WF
        p = R_WA.T @ (b.r_0 - a.r_0)
        R_AB = R_WA.T @ b.R_WF
        V = VelocityMotor(R_AB @ b.w - a.w, R_WA.T @ (b.v_0 - a.v_0) - cross(a.w, p))
        motor = type(self).wrench(_Bound(self, plan), Transform(R_AB, p), V)
        if not isinstance(motor, ForceMotor):
            raise ModelError(f"{self.path}: wrench must return a lw.ForceMotor, got {type(motor).__name__}.", self)
        f = as_expression(motor.resultant, (3,), f"{self.path}: wrench")
        t = as_expression(motor.moment, (3,), f"{self.path}: wrench")
        apply_between(plan, self, a, b, R_WA @ f, R_WA @ t)


__all__ = [
    "Damper", "Force", "ForceAndTorque", "LineForce", "Spring", "SpringDamperParallel", "SpringDamperSeries", "Torque",
    "TwoFrameForce", "WorldForce", "WorldForceAndTorque", "WorldTorque",
]
