"""Ideal gear meshes between two wheels whose centres are planar frames.

With the angles counted over full turns, the mesh fixes the direction ψ of the line of centres,

    external  ψ = (r_a φ_a + r_b φ_b)/(r_a + r_b)        internal  ψ = (r_a φ_a − r_b φ_b)/(r_a − r_b)

With d the way between the centres that ψ is the direction of, and θ the angle from e(ψ) to d, counted from −π to π,
the equation is |d| θ = 0.  (e(ψ) × d = 0 would hold where ψ points the other way too, with the teeth on the far side.)
"""

from __future__ import annotations

import casadi as ca

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter, variable
from ...language.planar_frame import cross2
from ...language.ranges import POSITIVE
from .constraint import Held
from .parts import TwoPlanarFrames


class _Mesh(Held, TwoPlanarFrames):
    """Base: teeth of wheels of radius r_a and r_b in contact; the distance of the centres is held by their bearings."""

    r_a = parameter(1.0, "radius of the wheel at frame_a", "m", only=POSITIVE)
    r_b = parameter(1.0, "radius of the wheel at frame_b", "m", only=POSITIVE)
    phi_gear = variable("direction of the line of centres", "rad")
    f_n = variable("tangential force of the teeth on the wheel at frame_a", "N")

    #: whether the line of centres goes from frame_a to frame_b (1) or back (−1)
    towards = 1

    def required_ports(self) -> list[str]:
        return ["frame_a", "frame_b"]

    def _direction(self, plan: PartsList) -> ca.SX:
        raise NotImplementedError

    def describe(self, plan: PartsList) -> None:
        psi, d = self._direction(plan), self.towards * (self.frame_b.r - self.frame_a.r)
        e = ca.vertcat(ca.cos(psi), ca.sin(psi))
        self.hold(plan, self.towards * ca.sqrt(ca.dot(d, d)) * ca.atan2(cross2(e, d), ca.dot(e, d)))

    def definitions(self, plan: PartsList) -> dict:
        return {"phi_gear": self._direction(plan), "f_n": self.multipliers()[0]}


class RigidNoLossExternal(_Mesh):
    """Two wheels in mesh from outside: r_a (φ_a − φ_gear) = −r_b (φ_b − φ_gear), φ_gear from a to b."""

    def _direction(self, plan: PartsList) -> ca.SX:
        v = plan.values(self)
        return (v.r_a * self.frame_a.phi + v.r_b * self.frame_b.phi) / (v.r_a + v.r_b)


class RigidNoLossInternal(_Mesh):
    """A wheel inside a ring: r_a (φ_a − φ_gear) = r_b (φ_b − φ_gear), φ_gear from b to a."""

    towards = -1

    def _check(self) -> None:
        super()._check()
        if self.r_a == self.r_b:
            raise ModelError(f"{self.path}: r_a = r_b = {self.r_a:g}: a wheel inside a ring must be smaller than it.",
                             self)

    def _direction(self, plan: PartsList) -> ca.SX:
        v = plan.values(self)
        return (v.r_a * self.frame_a.phi - v.r_b * self.frame_b.phi) / (v.r_a - v.r_b)
