"""Laws of 1-D drive trains, written once for shafts and rods.

A class here states a law with generic names: x position, v speed, a acceleration, e effort (torque or force); `spell`
turns them into a domain's own (`x_rel` is phi_rel or s_rel).  `rotational` and `translational` declare the fields.

Signs: a component feels `effort` at its flange; what is connected there feels the opposite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca

from .component import Component, Connector

if TYPE_CHECKING:
    from ..algebra import Scalar
    from .parts_list import PartsList

ROTATIONAL = {"x": "phi", "v": "w", "e": "tau"}
TRANSLATIONAL = {"x": "s", "v": "v", "e": "f"}


def names(flange: Connector | type[Connector]) -> dict[str, str]:
    """Names of position, speed and effort at a flange."""
    return ROTATIONAL if flange.kind.startswith("rotational") else TRANSLATIONAL


def position(flange: Connector) -> ca.SX:
    """Angle or position of a flange."""
    return flange.symbol(names(flange)["x"])


def speed(flange: Connector) -> ca.SX:
    """Its rate."""
    return flange.symbol(names(flange)["v"])


def acceleration(flange: Connector) -> ca.SX:
    """Its second derivative."""
    return flange.symbol("a")


def effort(flange: Connector) -> ca.SX:
    """Torque or force on the component at a flange."""
    return flange.symbol(names(flange)["e"])


class OneDimensional(Component):
    """Base of 1-D components: a kind of flange and the names that go with it."""

    flange_type: type[Connector] = Connector
    ports: tuple[str, ...] = ("flange",)
    with_support = False

    def _make_connectors(self) -> None:
        for name in self.ports:
            self._port(name, self.flange_type())
        if self.with_support:
            self._port("support", self.flange_type())

    @classmethod
    def spell(cls, generic: str) -> str:
        """A generic name in the domain's own letters."""
        own = names(cls.flange_type)
        return own[generic[0]] + generic[1:] if generic[0] in own and generic[1:2] in ("", "_", "0") else generic

    def spelled(self, **values: Any) -> dict:
        """Definitions under the domain's names."""
        return {self.spell(name): value for name, value in values.items()}

    def value(self, plan: PartsList, generic: str) -> Any:
        """A parameter by its generic name."""
        return getattr(plan.values(self), self.spell(generic))

    def describe(self, plan: PartsList) -> None:
        if self.with_support:
            plan.support(self, self.support)

    def moving(self) -> tuple[ca.SX, ca.SX]:
        """(position, speed) of the flange against the support."""
        if not self.with_support:
            return position(self.flange), speed(self.flange)
        return position(self.flange) - position(self.support), speed(self.flange) - speed(self.support)


class TwoFlanges(OneDimensional):
    """Base: a component between flange_a and flange_b."""

    ports = ("flange_a", "flange_b")

    def relative(self) -> tuple[ca.SX, ca.SX]:
        """(relative position, relative speed) of flange_b to flange_a."""
        return position(self.flange_b) - position(self.flange_a), speed(self.flange_b) - speed(self.flange_a)


class Ground(OneDimensional):
    """A flange fixed to the ground at x0."""

    def describe(self, plan: PartsList) -> None:
        plan.tie(self, self.flange, self.value(plan, "x0"))


class Massive(TwoFlanges):
    """A rigid piece with inertia: inertia × a = sum of the efforts on its flanges."""

    inertia_name = "J"

    def length(self, plan: PartsList) -> Scalar:
        """Distance of the flanges."""
        return 0.0

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0), value=self.length(plan))
        plan.flange_inertia(self, self.flange_a, getattr(plan.values(self), self.inertia_name))

    def definitions(self, plan: PartsList) -> dict:
        return self.spelled(x=position(self.flange_a) + self.length(plan) / 2, v=speed(self.flange_a),
                            a=acceleration(self.flange_a))


class Rigid(TwoFlanges):
    """A massless rigid piece: flange_b at a fixed distance from flange_a."""

    distance_name = ""

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0), value=self.value(plan, self.distance_name))

    def definitions(self, plan: PartsList) -> dict:
        return self.spelled(x=(position(self.flange_a) + position(self.flange_b)) / 2)


class Compliant(TwoFlanges):
    """Base of laws between two flanges: `law(plan)` acts on flange_b and back on flange_a.

    A component feels +law at flange_b and −law at flange_a, so that a stretched spring pulls its ends together.
    """

    def law(self, plan: PartsList) -> ca.SX:
        raise NotImplementedError

    def describe(self, plan: PartsList) -> None:
        law = self.law(plan)
        plan.flange_load(self, self.flange_b, law)
        plan.flange_load(self, self.flange_a, -law)

    def definitions(self, plan: PartsList) -> dict:
        return self.spelled(x_rel=self.relative()[0], e=self.law(plan))


class Elastic(Compliant):
    """A linear spring: e = c (x_rel − x_rel0)."""

    def law(self, plan: PartsList) -> ca.SX:
        return plan.values(self).c * (self.relative()[0] - self.value(plan, "x_rel0"))

    def definitions(self, plan: PartsList) -> dict:
        stretched = self.relative()[0] - self.value(plan, "x_rel0")
        return {**super().definitions(plan), "energy": plan.values(self).c * stretched**2 / 2}


class Viscous(Compliant):
    """A linear damper: e = d v_rel."""

    def law(self, plan: PartsList) -> ca.SX:
        return plan.values(self).d * self.relative()[1]

    def definitions(self, plan: PartsList) -> dict:
        rate = self.relative()[1]
        return {**super().definitions(plan),
                **self.spelled(v_rel=rate, loss_power=plan.values(self).d * rate * rate)}


class ElasticViscous(Viscous, Elastic):
    """Spring and damper in parallel: e = c (x_rel − x_rel0) + d v_rel."""

    def law(self, plan: PartsList) -> ca.SX:
        return Elastic.law(self, plan) + Viscous.law(self, plan)


class Gear(TwoFlanges):
    """A gear without inertia or loss: x_a − x_s = ratio (x_b − x_s)."""

    with_support = True

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        ratio = plan.values(self).ratio
        plan.relation(self, (self.flange_a, 1.0), (self.flange_b, -ratio), (self.support, ratio - 1.0))


class Initial(OneDimensional):
    """Start values of a flange, where they are given."""

    def describe(self, plan: PartsList) -> None:
        for name, where in (("x_start", position), ("v_start", speed), ("a_start", acceleration)):
            given = self.spell(name)
            if given in self._signals and getattr(self, f"use_{given}"):
                plan.initial_equation(self.path_of(given), where(self.flange) - self.symbol(given))
