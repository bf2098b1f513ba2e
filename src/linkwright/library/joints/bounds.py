"""What bounds the motion of a joint: dry friction with true sticking, hard stops and elastic stops.

Friction is forward, backward or stuck.  While it slides the law acts against the motion; while it is stuck the speed is
held at zero by a constraint, until that needs more than the static limit.  Nothing is regularised.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from ...errors import ModelError
from ...language import Component, PartsList, UnknownAttribute, record
from ...language.fields import Record, parameter
from ...language.given_values import as_number
from ...language.ranges import FRACTION
from ..drives.clearances import CompliantStop
from ..tolerances import NO_REACTION_SQUARED

#: what gives a joint friction, and elastic stops
LAWS = {"friction": "Coulomb", "stop": "CompliantStop"}


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
    """

    tau: float | None = None
    peak: float = 1.0
    viscous: float = 0.0
    mu: float | None = None
    radius: float = 1.0
    holds_impacts: bool = False

    def check(self, owner: Component) -> None:
        """Refuse what makes no sense."""
        if (self.tau is None) == (self.mu is None):
            raise ModelError(f"{owner.path}.friction: give either {owner.effort} or mu.", owner)
        for name in ("tau", "viscous", "mu", "radius"):
            value = getattr(self, name)
            if value is not None and as_number(value, f"{owner.path}.friction: {name}", owner) < 0:
                raise ModelError(f"{owner.path}.friction: {name} = {value} cannot be negative.", owner)
        if as_number(self.peak, f"{owner.path}.friction: peak", owner) < 1:
            raise ModelError(f"{owner.path}.friction: peak = {self.peak} must be at least 1.", owner)


class Bounded:
    """Mixin of driven joints: friction, and stops at the ends of their coordinate, hard or elastic."""

    limits = ("phi_min", "phi_max")
    friction = Record(Coulomb, "lw.Coulomb(…)")
    restitution = parameter(0.0, "ratio of the speeds after and before a hard stop is hit", "", only=FRACTION)
    stop = Record(CompliantStop, "lw.CompliantStop(…): elastic stops instead of hard ones")

    def _check(self) -> None:
        super()._check()
        if self.friction is not None:
            self.friction.check(self)
        low, high = (getattr(self, name) for name in self.limits)
        if low is not None and high is not None and not low < high:
            raise ModelError(f"{self.path}: {self.limits[0]} = {low} must lie below {self.limits[1]} = {high}.", self)
        if self.stop is not None:
            self._check_stop()

    def stores_energy(self) -> bool:
        return self.stop is not None

    def loses_power(self) -> bool:
        return self.friction is not None or self.stop is not None

    def _check_stop(self) -> None:
        self.stop.check(self)
        if all(getattr(self, name) is None for name in self.limits):
            raise ModelError(f"{self.path}.stop: give {' or '.join(self.limits)}, where it stops.", self)
        if self.restitution != 0:
            raise ModelError(f"{self.path}: an elastic stop throws back by its own stiffness and damping; leave "
                             "restitution out.", self)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        if self.stop is not None:
            plan.mobility_load(self, 0, self._elastic(plan))
        else:
            for name, _, gap in self._gaps(plan):
                plan.stop(self, name, gap, plan.values(self).restitution)
        law = plan.values(self).friction
        if law is not None:
            u, sliding = plan.joint_symbols(self)[1], self._sliding(law)
            stuck, direction, _ = plan.friction(self, "friction", u[0], law.peak * sliding, lambda _: sliding,
                                                 holds_impacts=law.holds_impacts)
            plan.mobility_load(self, 0, -direction * (1 - stuck) * sliding - law.viscous * u[0])

    def _gaps(self, plan: PartsList) -> list[tuple[str, int, ca.SX]]:
        """(limit, direction in which it presses, way left) of every stop."""
        values, q = plan.values(self), plan.joint_symbols(self)[0]
        return [(name, sign, sign * (q[0] - getattr(values, name)))
                for name, sign in zip(self.limits, (1, -1), strict=True) if getattr(values, name) is not None]

    def _elastic(self, plan: PartsList) -> ca.SX:
        """What elastic stops press with, along the coordinate."""
        u, stop = plan.joint_symbols(self)[1], plan.values(self).stop
        return sum((sign * stop.force(gap, sign * u[0]) for _, sign, gap in self._gaps(plan)), ca.SX(0))

    def _sliding(self, law: Coulomb) -> ca.SX:
        if law.tau is not None:
            return ca.SX(law.tau)
        radial = self.symbol("reaction", (6,))[0:2]
        arm = law.radius if self.limits[0].startswith("phi") else 1.0
        return law.mu * arm * ca.sqrt(ca.dot(radial, radial) + NO_REACTION_SQUARED)

    def __getattr__(self, name: str) -> Any:
        effort = self.effort
        needs = {f"{effort}_friction": ("friction",), "friction_mode": ("friction",), f"{effort}_stop": ("stop",),
                 "loss_power": ("friction", "stop"), "energy": ("stop",)}.get(name)
        if needs is None:
            return super().__getattr__(name)
        if all(getattr(self, need) is None for need in needs):
            raise UnknownAttribute(f"{self.path} has no {name} without {' or '.join(needs)}; give the joint "
                                   f"{' or '.join(f'{need}=lw.{LAWS[need]}(…)' for need in needs)}.", self)
        return self.symbol(name)

    def definitions(self, plan: PartsList) -> dict:
        own, u, law = dict(super().definitions(plan)), plan.joint_symbols(self)[1][0], plan.values(self).friction
        effort = self.effort
        if self.stop is not None:
            stop = plan.values(self).stop
            own[f"{effort}_stop"] = self._elastic(plan)
            own["loss_power"] = sum(stop.loss(gap, sign * u) for _, sign, gap in self._gaps(plan))
            own["energy"] = sum(stop.energy(gap) for _, _, gap in self._gaps(plan))
        if law is not None:
            stuck, direction, push = plan.friction_symbols[id(self)]
            rubbing = direction * (1 - stuck) * self._sliding(law) + law.viscous * u + push
            own |= {f"{effort}_friction": rubbing, "friction_mode": direction * (1 - stuck),
                    "loss_power": rubbing * u + own.get("loss_power", 0)}
        return own
