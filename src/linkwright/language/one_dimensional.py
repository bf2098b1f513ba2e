"""Laws of 1-D drive trains, written once for shafts and rods.

A class here states a law, and its fields, with generic names: x position, v speed, a acceleration, e effort (torque or
force), in units made of X and E.  A class with a `flange_type` has them in the domain's own letters and units (`x_rel`
in X is phi_rel in rad, or s_rel in m); `rotational` and `translational` give the laws their names.

Signs: a component feels `effort` at its flange; what is connected there feels the opposite.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

import casadi as ca

from .component import Component, Connector
from .fields import Field, parameter, signal, variable
from .ranges import NOT_NEGATIVE, NOT_ZERO

if TYPE_CHECKING:
    from ..algebra import Scalar
    from .parts_list import PartsList

ROTATIONAL = {"x": "phi", "v": "w", "e": "tau"}
TRANSLATIONAL = {"x": "s", "v": "v", "e": "f"}
#: words in names and descriptions, and units
IN_WORDS = {True: {"effort": "torque", "position": "angle", "X": "rad", "E": "N.m"},
            False: {"effort": "force", "position": "position", "X": "m", "E": "N"}}


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

    def __init_subclass__(cls, **options: Any) -> None:
        """Spell the fields of its law in the letters and units of the domain; those that the class declares stay."""
        super().__init_subclass__(**options)
        if cls.flange_type is Connector:
            return
        generic = [base for base in cls.__mro__[1:] if getattr(base, "flange_type", None) is Connector]
        for name in dict.fromkeys(name for base in reversed(generic) for name in vars(base)):
            field = next(vars(base)[name] for base in generic if name in vars(base))
            if isinstance(field, Field):
                cls._spell_field(name, field)

    @classmethod
    def _spell_field(cls, name: str, field: Field) -> None:
        own, given = copy.copy(field), cls.spell(name)
        own.text, own.unit = cls._in_words(field.text), cls._in_words(field.unit)
        if given != name:
            setattr(cls, name, None)
        if not any(given in vars(base) for base in cls.__mro__ if getattr(base, "flange_type", Connector)
                   is not Connector):
            own.name = given
            setattr(cls, given, own)

    @classmethod
    def _in_words(cls, text: str) -> str:
        words = IN_WORDS[names(cls.flange_type) is ROTATIONAL]
        return re.sub(r"\b(effort|position|X|E)\b", lambda found: words[found[0]], text)

    @classmethod
    def spell(cls, generic: str) -> str:
        """A generic name in the domain's own letters: x_rel0 → phi_rel0, use_v_start → use_w_start."""
        own = names(cls.flange_type)
        words = IN_WORDS[own is ROTATIONAL]
        generic = generic.replace("effort", words["effort"])
        return re.sub(r"^(use_)?([xve])(?=_|0|$)", lambda found: (found[1] or "") + own[found[2]], generic)

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

    x0 = parameter(0.0, "fixed position", "X")

    def describe(self, plan: PartsList) -> None:
        plan.tie(self, self.flange, self.value(plan, "x0"))


class Massive(TwoFlanges):
    """A rigid piece with inertia: inertia × a = sum of the efforts on its flanges."""

    x = variable("position of the middle", "X", initial=True)
    v = variable("speed", "X/s", initial=True)
    a = variable("acceleration", "X/s2", initial=True)

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

    x = variable("position half way between the flanges", "X")

    distance_name = ""

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0), value=self.value(plan, self.distance_name))

    def definitions(self, plan: PartsList) -> dict:
        return self.spelled(x=(position(self.flange_a) + position(self.flange_b)) / 2)


class Compliant(TwoFlanges):
    """Base of laws between two flanges: `law(plan)` acts on flange_b and back on flange_a.

    A component feels +law at flange_b and −law at flange_a, so that a stretched spring pulls its ends together.
    """

    x_rel = variable("relative position of flange_b to flange_a", "X")
    e = variable("effort between the flanges", "E")

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

    c = parameter(text="stiffness", unit="E/X", only=NOT_NEGATIVE)
    x_rel0 = parameter(0.0, "unstretched relative position", "X")
    energy = variable("elastic energy", "J")

    def law(self, plan: PartsList) -> ca.SX:
        return plan.values(self).c * (self.relative()[0] - self.value(plan, "x_rel0"))

    def definitions(self, plan: PartsList) -> dict:
        stretched = self.relative()[0] - self.value(plan, "x_rel0")
        return {**super().definitions(plan), "energy": plan.values(self).c * stretched**2 / 2}


class Viscous(Compliant):
    """A linear damper: e = d v_rel."""

    d = parameter(text="damping", unit="E.s/X", only=NOT_NEGATIVE)
    v_rel = variable("relative speed", "X/s")
    loss_power = variable("dissipated power", "W")

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

    ratio = parameter(text="transmission ratio of flange_a to flange_b", unit="", only=NOT_ZERO)

    with_support = True

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        ratio = plan.values(self).ratio
        plan.relation(self, (self.flange_a, 1.0), (self.flange_b, -ratio), (self.support, ratio - 1.0))


class Initial(OneDimensional):
    """Start values of a flange, where they are given."""

    use_x_start = parameter(True, "whether the position holds, where it is given")
    use_v_start = parameter(True, "whether the speed holds, where it is given")
    use_a_start = parameter(True, "whether the acceleration holds, where it is given")
    x_start = signal(0.0, "position at the start", "X")
    v_start = signal(0.0, "speed at the start", "X/s")
    a_start = signal(0.0, "acceleration at the start", "X/s2")

    def describe(self, plan: PartsList) -> None:
        for name, where in (("x_start", position), ("v_start", speed), ("a_start", acceleration)):
            given = self.spell(name)
            if given in self._signals and getattr(self, f"use_{given}"):
                plan.initial_equation(self.path_of(given), where(self.flange) - self.symbol(given))
