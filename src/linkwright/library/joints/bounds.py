"""Dry friction of joints with true sticking.

Friction is forward, backward or stuck.  While it slides the law acts against the motion; while it is stuck the speed is
held at zero by a constraint, until that needs more than the static limit.  Nothing is regularised.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from ...algebra import Scalar
from ...errors import ModelError
from ...language import Component, PartsList, record
from ...language.fields import Record
from ...language.given_values import as_number
from ..drives.clearances import CompliantStop
from ..tolerances import NO_REACTION_SQUARED
from .lugre import Bristled, LuGre
from .stops import Range, Stopped, given_by


@record
class Coulomb(NamedTuple):
    """Dry friction of a joint with exact sticking.

        m.hinge = joints.Revolute(friction=lw.Coulomb(tau=1.0, peak=1.2, viscous=0.1))
        m.rail = joints.Prismatic(friction=lw.Coulomb(f=5.0))
        m.bush = joints.Revolute(friction=lw.Coulomb(mu=0.1, radius=0.02))

    Give either the sliding friction (`tau` in N·m on a Revolute, `f` in N on a Prismatic) or the coefficient `mu`,
    which multiplies the reaction force of the joint (and the bearing `radius` on a Revolute).  `peak` ≥ 1 is the ratio
    of the static limit to the sliding friction at zero speed, `viscous` the slope over the speed.

    In an impact, friction of given size has no impulse, so a stuck joint slips; friction by `mu` transmits its share
    of the reaction's impulse.  With `holds_impacts=True` a stuck joint transmits any impulse, as if it were locked.

    Spherical, Planar and Cylindrical joints accept `tau` (or `f`): friction of this size against the direction of
    motion, whatever that direction is.  `radius` of a Cylindrical joint is the radius of its sleeve.
    """

    tau: float | None = None
    peak: float = 1.0
    viscous: float = 0.0
    mu: float | None = None
    radius: float | None = None
    holds_impacts: bool = False

    @property
    def arm(self) -> float:
        """The radius of the bearing, 1 m unless given."""
        return 1.0 if self.radius is None else self.radius

    def check(self, owner: Component) -> None:
        """Raise a ModelError for invalid values."""
        if (self.tau is None) == (self.mu is None):
            raise ModelError(f"{owner.path}.friction: give either {owner.effort} or mu.", owner)
        for name in ("tau", "viscous", "mu", "radius"):
            value = getattr(self, name)
            if value is not None and as_number(value, f"{owner.path}.friction: {name}", owner) < 0:
                raise ModelError(f"{owner.path}.friction: {name} = {value} cannot be negative.", owner)
        if as_number(self.peak, f"{owner.path}.friction: peak", owner) < 1:
            raise ModelError(f"{owner.path}.friction: peak = {self.peak} must be at least 1.", owner)


class Bounded(Bristled, Stopped):
    """Mixin of joints of one freedom: friction, and stops at the ends of their coordinate, hard or elastic."""

    limits = ("phi_min", "phi_max")
    effort = "tau"
    friction = Record((Coulomb, LuGre), "lw.Coulomb(…), or lw.LuGre(…) with presliding displacement")
    stop = Record(CompliantStop, "lw.CompliantStop(…): elastic stops instead of hard ones")

    def _check(self) -> None:
        super()._check()
        if self.friction is not None and not self.bristled():
            self.friction.check(self)

    def sliding(self, plan: PartsList, law: LuGre) -> ca.SX:
        return plan.joint_symbols(self)[1][0]

    def ranges(self) -> tuple[Range, ...]:
        return (Range(0, *self.limits, "stop"),)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        law = plan.values(self).friction
        if law is not None and not self.bristled():
            u = plan.joint_symbols(self)[1]
            limit = tuple(law.peak * self._sliding(plan, law, direction) for direction in (1, -1))
            stuck, direction, _ = plan.friction(self, "friction", u[0], limit,
                                                 lambda direction: self._sliding(plan, law, direction),
                                                 holds_impacts=law.holds_impacts)
            plan.mobility_load(self, 0, -direction * (1 - stuck) * self._sliding(plan, law, direction)
                               - law.viscous * u[0])

    def _sliding(self, plan: PartsList, law: Coulomb, direction: Scalar) -> ca.SX:
        """Friction of motion in a direction."""
        if law.tau is not None:
            return ca.SX(law.tau)
        radial = self.symbol("reaction", (6,))[0:2]
        arm = law.arm if self.limits[0].startswith("phi") else 1.0
        return law.mu * arm * ca.sqrt(ca.dot(radial, radial) + NO_REACTION_SQUARED)

    def __getattr__(self, name: str) -> Any:
        if name == "energy" and self.bristled():
            return self.symbol(name)
        effort = self.effort
        needs = {f"{effort}_friction": ("friction",), "friction_mode": ("friction",), f"{effort}_stop": ("stop",),
                 "loss_power": ("friction", "stop"), "energy": ("stop",)}.get(name)
        return super().__getattr__(name) if needs is None else given_by(self, name, needs)

    def definitions(self, plan: PartsList) -> dict:
        own, u, law = dict(super().definitions(plan)), plan.joint_symbols(self)[1][0], plan.values(self).friction
        effort = self.effort
        if self.stop is not None:
            own[f"{effort}_stop"] = self.pressing(plan)[0]
        if law is not None and not self.bristled():
            stuck, direction, push = plan.sticking[id(self)]
            rubbing = direction * (1 - stuck) * self._sliding(plan, law, direction) + law.viscous * u + push
            own |= {f"{effort}_friction": rubbing, "friction_mode": direction * (1 - stuck),
                    "loss_power": rubbing * u + own.get("loss_power", 0)}
        return own


class Bearings:
    """Mixin of joints whose axes are bearings of their own, one behind the other: friction in each of them.

    The torque about each axis sticks and slides by itself; `tau_friction` and `friction_mode` have an entry an axis.
    """

    effort = "tau"
    friction = Record(Coulomb, "lw.Coulomb(tau=…): of each of its bearings")

    def _check(self) -> None:
        super()._check()
        if self.friction is not None:
            self.friction.check(self)
            if self.friction.mu is not None:
                raise ModelError(f"{self.path}.friction: mu is for joints with one bearing; give the torque tau of "
                                 f"each bearing of this {type(self).__name__}.", self)

    def loses_power(self) -> bool:
        return self.friction is not None or super().loses_power()

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        law, u = plan.values(self).friction, plan.joint_symbols(self)[1]
        if law is None:
            return
        told = []
        for k in range(self.dof):
            told.append(plan.friction(self, f"friction[{k}]", u[k], law.peak * law.tau, lambda _: ca.SX(law.tau),
                                      holds_impacts=law.holds_impacts))
            stuck, direction, _ = told[k]
            plan.mobility_load(self, k, -direction * (1 - stuck) * law.tau - law.viscous * u[k])
        plan.keep(self, told)

    def __getattr__(self, name: str) -> Any:
        if name in ("tau_friction", "friction_mode"):
            given_by(self, name, ("friction",))
            return self.symbol(name, (self.dof,))
        if name == "loss_power" and self.friction is not None:
            return self.symbol(name)
        return super().__getattr__(name)

    def definitions(self, plan: PartsList) -> dict:
        own, u, law = dict(super().definitions(plan)), plan.joint_symbols(self)[1], plan.values(self).friction
        if law is not None:
            rubbing = ca.vertcat(*[direction * (1 - stuck) * law.tau + law.viscous * u[k] + push
                                   for k, (stuck, direction, push) in enumerate(plan.kept(self))])
            mode = ca.vertcat(*[direction * (1 - stuck) for stuck, direction, _ in plan.kept(self)])
            own |= {"tau_friction": rubbing, "friction_mode": mode,
                    "loss_power": ca.dot(rubbing, u) + own.get("loss_power", 0)}
        return own
