"""Planar force elements between two frames: springs along the axes of the plane, along the line, and general laws."""

from __future__ import annotations

import casadi as ca

from ...errors import ModelError
from ...language import Bound, Component, PartsList, call_law
from ...language.fields import as_expression, parameter, variable
from ...language.planar_frame import cross2, load, load_between, turned
from ...language.planar_world import world_of
from ...language.ranges import NOT_NEGATIVE
from ..tolerances import S_SMALL
from .parts import TwoPlanarFrames


class Spring(TwoPlanarFrames):
    """Springs along x and y of the plane and about its normal (not along the connecting line).

    The directions of its forces are fixed in the plane.  If the two forces are not in line, the plane takes their
    couple.
    """

    c_x = parameter(text="stiffness along x", unit="N/m", only=NOT_NEGATIVE)
    c_y = parameter(text="stiffness along y", unit="N/m", only=NOT_NEGATIVE)
    c_phi = parameter(0.0, "stiffness about the normal", "N.m/rad", only=NOT_NEGATIVE)
    s_relx0 = parameter(0.0, "free distance along x", "m")
    s_rely0 = parameter(0.0, "free distance along y", "m")
    phi_rel0 = parameter(0.0, "free angle", "rad")
    s_relx = variable("distance along x", "m", initial=True)
    s_rely = variable("distance along y", "m", initial=True)
    phi_rel = variable("relative angle", "rad", initial=True)
    f_x = variable("force along x, positive pulls together", "N")
    f_y = variable("force along y, positive pulls together", "N")
    tau = variable("torque, positive pulls together", "N.m")
    energy = variable("elastic energy", "J")

    def describe(self, plan: PartsList) -> None:
        pull_together(plan, self)

    def definitions(self, plan: PartsList) -> dict:
        v, a, b = plan.values(self), self.frame_a, self.frame_b
        x, y, phi = b.x - a.x, b.y - a.y, b.phi - a.phi
        energy = (v.c_x * (x - v.s_relx0) ** 2 + v.c_y * (y - v.s_rely0) ** 2 + v.c_phi * (phi - v.phi_rel0) ** 2) / 2
        return {"s_relx": x, "s_rely": y, "phi_rel": phi, "f_x": v.c_x * (x - v.s_relx0),
                "f_y": v.c_y * (y - v.s_rely0), "tau": v.c_phi * (phi - v.phi_rel0), "energy": energy}


def pull_together(plan: PartsList, component: Component) -> None:
    """Force (f_x, f_y) and torque tau of a component pull its frames together."""
    f = ca.vertcat(component.symbol("f_x"), component.symbol("f_y"))
    v = plan.values(component)
    stiff = any(isinstance(x, ca.SX) or x != 0 for x in (v.c_phi, getattr(v, "d_phi", 0.0)))
    tau = component.symbol("tau") if stiff else ca.SX(0)
    load(plan, component, component.frame_a, -f, -tau)
    load(plan, component, component.frame_b, f, tau)
    world = world_of(component)
    if world.carrier is not None:
        # a plane that something carries hands the couple on
        couple = cross2(component.frame_b.r - component.frame_a.r, f)
        plan.load(component, world.seat(plan, component), ca.SX.zeros(3), ca.vertcat(0, 0, -couple))


class SpringDamper(Spring):
    """Spring and damper side by side along x and y of the plane and about its normal.

    The directions of its forces are fixed in the plane.  If the two forces are not in line, the plane takes their
    couple.
    """

    d_x = parameter(0.0, "damping along x", "N.s/m", only=NOT_NEGATIVE)
    d_y = parameter(0.0, "damping along y", "N.s/m", only=NOT_NEGATIVE)
    d_phi = parameter(0.0, "damping about the normal", "N.m.s/rad", only=NOT_NEGATIVE)
    v_relx = variable("relative velocity along x", "m/s", initial=True)
    v_rely = variable("relative velocity along y", "m/s", initial=True)
    w_rel = variable("relative angular velocity", "rad/s", initial=True)
    loss_power = variable("dissipated power, rotation included", "W")

    def definitions(self, plan: PartsList) -> dict:
        v, a, b = plan.values(self), self.frame_a, self.frame_b
        own = super().definitions(plan)
        vx, vy, w = b.vx - a.vx, b.vy - a.vy, b.w - a.w
        return own | {
            "v_relx": vx, "v_rely": vy, "w_rel": w,
            "f_x": own["f_x"] + v.d_x * vx, "f_y": own["f_y"] + v.d_y * vy, "tau": own["tau"] + v.d_phi * w,
            "loss_power": v.d_x * vx * vx + v.d_y * vy * vy + v.d_phi * w * w,
        }


class LineForce(TwoPlanarFrames):
    """Base of forces along the line from frame_a to frame_b; a subclass defines `law(self, s, v)`, tension > 0.

    `self.state` and `self.unknown` add states and algebraic unknowns to the law.
    """

    s_small = parameter(S_SMALL, "smallest length the line is taken to have", "m")
    s = variable("length of the line", "m")
    v = variable("its rate", "m/s")
    f = variable("force along the line, positive pulls the ends together", "N")
    e0 = variable("unit vector from frame_a to frame_b", "", (2,))

    def law(self, s: ca.SX, v: ca.SX) -> ca.SX:
        """The force along the line for length s and rate v."""
        raise NotImplementedError

    def describe(self, plan: PartsList) -> None:
        e, f = self.symbol("e0", (2,)), self.symbol("f")
        load(plan, self, self.frame_a, -e * f)
        load(plan, self, self.frame_b, e * f)
        # the law may bring states and unknowns of its own, so it is asked here, once
        value = call_law(self, "law(s, v)", type(self).law, Bound(self, plan), self.symbol("s"), self.symbol("v"))
        plan.keep(self, as_expression(value, (), f"{self.path}: law(s, v)"))

    def definitions(self, plan: PartsList) -> dict:
        a, b = self.frame_a, self.frame_b
        r, small = b.r - a.r, plan.values(self).s_small
        s, e = self.symbol("s"), self.symbol("e0", (2,))
        return {"s": ca.sqrt(ca.fmax(ca.dot(r, r), small * small)), "e0": r / s, "v": ca.dot(e, b.v - a.v),
                "f": plan.kept(self)}


class TwoFrameForce(TwoPlanarFrames):
    """A general law between two frames in the plane; a subclass defines `wrench(self, p, phi, v, w)`.

    p and phi are position and angle of frame_b in frame_a, v and w their rates, all in frame_a's axes.  It returns
    (f_x, f_y, t): force on frame_b, in frame_a's axes, and torque on it.  `self.state` and `self.unknown` add
    states and algebraic unknowns to the law.

    >>> class Bushing(TwoFrameForce):
    ...     k = parameter(1e4, "stiffness", unit="N/m")
    ...     def wrench(self, p, phi, v, w):
    ...         return [-self.k * p[0], -self.k * p[1], -phi]
    """

    f = variable("force on frame_b, in frame_a's axes", "N", (2,))
    t = variable("torque on frame_b", "N.m")

    def wrench(self, p: ca.SX, phi: ca.SX, v: ca.SX, w: ca.SX) -> list:
        """(f_x, f_y, t) on frame_b, in frame_a's axes."""
        raise ModelError(f"{self.path}: a two-frame law of your own defines wrench(self, p, phi, v, w).", self)

    def required_ports(self) -> list[str]:
        return ["frame_a", "frame_b"]

    def describe(self, plan: PartsList) -> None:
        a, b = self.frame_a, self.frame_b
        p = a.R2.T @ (b.r - a.r)
        v = a.R2.T @ (b.v - a.v) - a.w * turned(p)
        value = call_law(self, "wrench(p, phi, v, w)", type(self).wrench, Bound(self, plan), p, b.phi - a.phi, v,
                         b.w - a.w)
        law = plan.keep(self, as_expression(value, (3,), f"{self.path}: wrench(p, phi, v, w)"))
        load_between(plan, self, a, b, a.R2 @ law[0:2], law[2])

    def definitions(self, plan: PartsList) -> dict:
        law = plan.kept(self)
        return {"f": law[0:2], "t": law[2]}


class Damper(LineForce):
    """A linear damper along the connecting line."""

    d = parameter(1.0, "damping", "N.s/m", only=NOT_NEGATIVE)
    loss_power = variable("dissipated power", "W")

    def law(self, s: ca.SX, v: ca.SX) -> ca.SX:
        return self.d * v

    def definitions(self, plan: PartsList) -> dict:
        return {**super().definitions(plan), "loss_power": self.symbol("f") * self.symbol("v")}
