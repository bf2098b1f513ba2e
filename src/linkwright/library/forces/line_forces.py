"""Forces along the line between two frames, with or without masses on it (Modelica MultiBody.Forces)."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...errors import ModelError
from ...language import Bound, Component, Frame, PartsList, TranslationalFlange, call_law
from ...language.fields import appearance, as_expression, parameter, variable
from ...language.looks import DamperLook, SpringLook, SpringMassLook
from ...language.ranges import MASS, NUMBER
from ..tolerances import S_SMALL


class Line(Component):
    """Base: the line from frame_a to frame_b, its length, direction and rate.

    `fixed_rotation_at_frame_a` (or b) keeps the axes of that frame parallel to the world's: the element then takes the
    torque that this needs.  A point where only lines meet needs no such help.
    """

    s_small = parameter(S_SMALL, "smallest length the line is taken to have", "m")
    fixed_rotation_at_frame_a = parameter(False, "frame_a keeps the axes of the world", structural=True)
    fixed_rotation_at_frame_b = parameter(False, "frame_b keeps the axes of the world", structural=True)
    animation = appearance(True, "whether it is shown")
    s = variable("length of the line", "m", initial=True)
    length = variable("length of the line", "m")
    v = variable("its rate", "m/s", initial=True)
    e_rel_0 = variable("unit vector from frame_a to frame_b, in the world", "", (3,))
    r_rel_0 = variable("vector from frame_a to frame_b, in the world", "m", (3,), initial=True)

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def required_ports(self) -> list[str]:
        return ["frame_a", "frame_b"]

    def pull(self, plan: PartsList, f_a: ca.SX, f_b: ca.SX) -> None:
        """Loads −e f on the element at its ends, f being the forces at the ends of the line."""
        e = self.symbol("e_rel_0", (3,))
        for frame, f, fixed in ((self.frame_a, f_a, self.fixed_rotation_at_frame_a),
                                (self.frame_b, f_b, self.fixed_rotation_at_frame_b)):
            plan.load(self, frame, -(frame.R_WF.T @ e) * f, ca.SX.zeros(3))
            if fixed:
                plan.keep_upright(self, frame)

    def geometry(self, plan: PartsList) -> dict[str, ca.SX]:
        """Length (never below s_small, so that the direction stays finite), direction and rate."""
        r, small = self.frame_b.r_0 - self.frame_a.r_0, plan.values(self).s_small
        s, e = self.symbol("s"), self.symbol("e_rel_0", (3,))
        return {"r_rel_0": r, "s": ca.sqrt(ca.fmax(ca.dot(r, r), small * small)), "length": s, "e_rel_0": r / s,
                "v": ca.dot(e, self.frame_b.v_0 - self.frame_a.v_0)}

    def acceleration(self) -> ca.SX:
        """s̈ = e·r̈ + (|ṙ|² − ṡ²)/s."""
        v_rel, a_rel = self.frame_b.v_0 - self.frame_a.v_0, self.frame_b.a_0 - self.frame_a.a_0
        v = self.symbol("v")
        return ca.dot(self.symbol("e_rel_0", (3,)), a_rel) + (ca.dot(v_rel, v_rel) - v * v) / self.symbol("s")

    def point_guess(self, frames: Mapping, frame: Frame) -> np.ndarray | None:
        """Where a massless point at one end may start: the other end plus the guessed relative position."""
        given = self._initial.get("r_rel_0")
        other = self.frame_a if frame is self.frame_b else self.frame_b
        known = frames.get(other.path)
        if given is None or known is None or known.body >= 0:
            return None
        r = np.array([entry.value if hasattr(entry, "value") else entry or 0.0 for entry in given])
        return np.asarray(known.X_BQ.p) + (r if frame is self.frame_b else -r)


class LineForce(Line):
    """A force along the line from frame_a to frame_b; a subclass defines `force(self, s, v)`, tension positive.

    >>> class CubicSpring(LineForce):
    ...     k = parameter(1.0, "stiffness", unit="N/m3")
    ...     def force(self, s, v):
    ...         return self.k * s**3
    """

    f = variable("force along the line, positive pulls the ends together", "N")

    def force(self, s: ca.SX, v: ca.SX) -> ca.SX:
        """The force along the line for length s and rate v."""
        raise ModelError(f"{self.path}: a line force of your own defines force(self, s, v).", self)

    def describe(self, plan: PartsList) -> None:
        f = self.symbol("f")
        self.pull(plan, f, -f)
        # the law may bring states and unknowns of its own, so it is asked here, once
        value = call_law(self, "force(s, v)", type(self).force, Bound(self, plan), self.symbol("s"), self.symbol("v"))
        plan.keep(self, as_expression(value, (), f"{self.path}: force(s, v)"))

    def definitions(self, plan: PartsList) -> dict:
        return {**self.geometry(plan), "f": plan.kept(self)}


def mass_on_line(plan: PartsList, line: Line, m: Scalar, fraction: Scalar) -> None:
    """A point mass at `fraction` of the way from frame_a to frame_b; its load divides as the lever does."""
    a, b = line.frame_a, line.frame_b
    if not (isinstance(m, ca.SX) or m):
        return
    r = a.r_0 + fraction * (b.r_0 - a.r_0)
    plan.point_mass(line, m, r)
    felt = m * ((1 - fraction) * a.a_0 + fraction * b.a_0 - plan.gravity_at(r))
    plan.cut(line, a, a.R_WF.T @ felt * (1 - fraction))
    plan.cut(line, b, b.R_WF.T @ felt * fraction)


class Spring(SpringMassLook, LineForce):
    """A linear spring between two frames, with an optional point mass on the line."""

    c = parameter(text="stiffness", unit="N/m")
    s_unstretched = parameter(0.0, "free length", "m")
    m = parameter(0.0, "mass on the line", "kg", only=MASS)
    length_fraction = parameter(0.5, "place of the mass, 0 at frame_a and 1 at frame_b")
    energy = variable("elastic energy", "J")

    def force(self, s: ca.SX, v: ca.SX) -> ca.SX:
        return self.c * (s - self.s_unstretched)

    def definitions(self, plan: PartsList) -> dict:
        p = plan.values(self)
        return {**super().definitions(plan), "energy": p.c * (self.symbol("s") - p.s_unstretched) ** 2 / 2}

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        v = plan.values(self)
        mass_on_line(plan, self, v.m, v.length_fraction)


class Damper(DamperLook, LineForce):
    """A linear damper between two frames."""

    d = parameter(text="damping", unit="N.s/m")
    loss_power = variable("dissipated power", "W")

    def force(self, s: ca.SX, v: ca.SX) -> ca.SX:
        return self.d * v

    def definitions(self, plan: PartsList) -> dict:
        return {**super().definitions(plan), "loss_power": self.symbol("f") * self.symbol("v")}


class SpringDamperParallel(DamperLook, SpringLook, LineForce):
    """Spring and damper side by side between two frames."""

    c = parameter(text="stiffness", unit="N/m")
    s_unstretched = parameter(0.0, "free length", "m")
    d = parameter(0.0, "damping", "N.s/m")
    loss_power = variable("dissipated power", "W")
    energy = variable("elastic energy", "J")

    def force(self, s: ca.SX, v: ca.SX) -> ca.SX:
        return self.c * (s - self.s_unstretched) + self.d * v

    def definitions(self, plan: PartsList) -> dict:
        v, p = self.symbol("v"), plan.values(self)
        return {**super().definitions(plan), "loss_power": p.d * v * v,
                "energy": p.c * (self.symbol("s") - p.s_unstretched) ** 2 / 2}


class SpringDamperSeries(DamperLook, SpringLook, LineForce):
    """Spring and damper in series between two frames; the damper's length is a state."""

    c = parameter(text="stiffness", unit="N/m")
    s_unstretched = parameter(0.0, "free length of the spring", "m")
    d = parameter(text="damping", unit="N.s/m")
    s_damper_start = parameter(0.0, "initial length of the damper", "m")
    s_damper = variable("length of the damper", "m")
    loss_power = variable("dissipated power", "W")
    energy = variable("elastic energy", "J")

    def _check(self) -> None:
        if isinstance(self.d, float) and self.d <= 0:
            raise ModelError(f"{self.path}.d = {self.d:g}: a damper in series needs positive damping.", self)

    def force(self, s: ca.SX, v: ca.SX) -> ca.SX:
        return self.c * (s - self.s_unstretched - self.s_damper)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        v = plan.values(self)
        plan.state(self, "s_damper", self.symbol("s_damper"), self.symbol("f") / v.d, self.s_damper_start)

    def definitions(self, plan: PartsList) -> dict:
        f = self.symbol("f")
        own = super().definitions(plan)
        own["loss_power"], own["energy"] = f * f / plan.values(self).d, f * f / (2 * plan.values(self).c)
        return own


class _WithFlanges(Line):
    """Base of lines driven by 1-D components between flange_a (at 0) and flange_b (at the length of the line).

    If only one flange is connected the other end gets the opposite force.
    """

    fa = variable("force at flange_a", "N")
    fb = variable("force at flange_b", "N")

    def _make_connectors(self) -> None:
        super()._make_connectors()
        self._port("flange_a", TranslationalFlange())
        self._port("flange_b", TranslationalFlange())

    def describe(self, plan: PartsList) -> None:
        # rigid rings of 1-D elements and rotors that follow the length pull at both ends by themselves
        ring = self.symbol("fb") - self._ends(plan, "law")[1]
        self.pull(plan, self.symbol("fa") + ring, self.symbol("fb") - ring)
        e = self.symbol("e_rel_0", (3,))
        plan.cut(self, self.frame_a, (self.frame_a.R_WF.T @ e) * ring)
        plan.cut(self, self.frame_b, -(self.frame_b.R_WF.T @ e) * ring)
        plan.tie(self, self.flange_a, 0, 0, 0)
        plan.tie(self, self.flange_b, self.symbol("s"), self.symbol("v"), self.acceleration())

    def _ends(self, plan: PartsList, effort: str) -> tuple[ca.SX, ca.SX]:
        """Forces at both ends; "law" leaves out what rigid rings and rotors exert."""
        ends = self.flange_a, self.flange_b
        at_a, at_b = (plan.is_connected(flange) for flange in ends)
        f_a, f_b = (flange.symbol(effort) for flange in ends)
        return f_a if at_a else (-f_b if at_b else ca.SX(0)), f_b if at_b else (-f_a if at_a else ca.SX(0))

    def definitions(self, plan: PartsList) -> dict:
        f_a, f_b = self._ends(plan, "f")
        return {**self.geometry(plan), "fa": f_a, "fb": f_b}


class LineForceWithMass(_WithFlanges):
    """A line force from 1-D components, with an optional point mass on the line."""

    m = parameter(0.0, "mass on the line", "kg", only=MASS)
    length_fraction = parameter(0.5, "place of the mass, 0 at frame_a and 1 at frame_b")

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        v = plan.values(self)
        mass_on_line(plan, self, v.m, v.length_fraction)


class LineForceWithTwoMasses(_WithFlanges):
    """A line force from 1-D components, with point masses at L_a from frame_a and L_b from frame_b."""

    m_a = parameter(0.0, "mass near frame_a", "kg", only=MASS)
    m_b = parameter(0.0, "mass near frame_b", "kg", only=MASS)
    L_a = parameter(0.0, "distance of m_a from frame_a", "m")
    L_b = parameter(None, "distance of m_b from frame_b; default L_a", "m", only=NUMBER)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        v, a, b = plan.values(self), self.frame_a, self.frame_b
        e, s, rate = self.symbol("e_rel_0", (3,)), self.symbol("s"), self.symbol("v")
        # r = s e  ⇒  ë = (r̈ − 2 ṡ ė − s̈ e)/s
        e_dot = ((b.v_0 - a.v_0) - rate * e) / s
        e_ddot = ((b.a_0 - a.a_0) - 2 * rate * e_dot - self.acceleration() * e) / s
        ends = ((a, b, v.m_a, v.L_a, e, e_ddot), (b, a, v.m_b, v.L_a if v.L_b is None else v.L_b, -e, -e_ddot))
        for near, far, m, L, along, along_ddot in ends:
            if not (isinstance(m, ca.SX) or m):
                continue
            r = near.r_0 + L * along
            plan.point_mass(self, m, r)
            felt = m * (near.a_0 + L * along_ddot - plan.gravity_at(r))
            turning = (felt - e * ca.dot(e, felt)) * (L / s)
            plan.cut(self, near, near.R_WF.T @ (felt - turning))
            plan.cut(self, far, far.R_WF.T @ turning)


__all__ = ["Damper", "LineForce", "LineForceWithMass", "LineForceWithTwoMasses", "Spring", "SpringDamperParallel",
           "SpringDamperSeries"]
