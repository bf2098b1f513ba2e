"""Stops of joints: at the ends of their coordinates, at a cone of swing, at a twist; hard or elastic.

A stop is a way that is left, gap(q) ≥ 0.  A hard one throws back with `restitution` or holds.  An elastic one (`stop=`)
presses with f along the gap, which is f ∂ġ/∂u along the speeds u of the joint.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from ...errors import ModelError
from ...language import Component, PartsList, UnknownAttribute
from ...language.fields import parameter
from ...language.ranges import FRACTION
from ..drives.clearances import CompliantStop

#: what gives a joint friction, and elastic stops
LAWS = {"friction": "Coulomb", "stop": "CompliantStop", "stop_phi": "CompliantStop"}


class Range(NamedTuple):
    """A coordinate between two limits, given by parameters; those of `stop`, a law by its name, are elastic."""

    coordinate: int
    low: str
    high: str
    stop: str


class Way(NamedTuple):
    """What is left of a way to a stop: the limit's name, the gap as an expression of q, and its elastic law."""

    limit: str
    gap: ca.SX
    stop: CompliantStop | None


class Stopped:
    """Mixin of joints with stops: `ranges()` of coordinates, and `ways(plan)` where there are others."""

    restitution = parameter(0.0, "ratio of the speeds after and before a hard stop is hit", "", only=FRACTION)

    def ranges(self) -> tuple[Range, ...]:
        """The coordinates that have stops."""
        return ()

    def limited(self) -> dict[str, tuple[str, ...]]:
        """Elastic law → the limits it is for."""
        found: dict[str, tuple[str, ...]] = {}
        for way in self.ranges():
            found[way.stop] = (*found.get(way.stop, ()), way.low, way.high)
        return found

    def _check(self) -> None:
        super()._check()
        for way in self.ranges():
            low, high = getattr(self, way.low), getattr(self, way.high)
            if low is not None and high is not None and not low < high:
                raise ModelError(f"{self.path}: {way.low} = {low} must lie below {way.high} = {high}.", self)
        for law, limits in self.limited().items():
            if getattr(self, law) is not None:
                self._check_stop(law, limits)

    def _check_stop(self, law: str, limits: tuple[str, ...]) -> None:
        getattr(self, law).check(self)
        if all(getattr(self, name) is None for name in limits):
            raise ModelError(f"{self.path}.{law}: give {' or '.join(limits)}, where it stops.", self)
        if self.restitution != 0 and all(getattr(self, other) is not None for other in self.limited()):
            raise ModelError(f"{self.path}: an elastic stop throws back by its own stiffness and damping; leave "
                             "restitution out.", self)

    def stores_energy(self) -> bool:
        return any(getattr(self, law) is not None for law in self.limited())

    def loses_power(self) -> bool:
        return self.stores_energy()

    def ways(self, plan: PartsList) -> list[Way]:
        """The remaining distance to every stop."""
        values, q = plan.values(self), plan.joint_symbols(self)[0]
        return [Way(name, sign * (q[way.coordinate] - getattr(values, name)), getattr(values, way.stop))
                for way in self.ranges() for name, sign in ((way.low, 1), (way.high, -1))
                if getattr(values, name) is not None]

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        for way in self.ways(plan):
            if way.stop is None:
                plan.stop(self, way.limit, way.gap, plan.values(self).restitution)
        for k, force in enumerate(ca.vertsplit(self.pressing(plan)) if self.stores_energy() else ()):
            if not force.is_zero():
                plan.mobility_load(self, k, force)

    def _rate(self, plan: PartsList, gap: ca.SX) -> tuple[ca.SX, ca.SX]:
        """How fast a gap opens, and how that follows from the speeds: ġ = ∂g/∂q N(q) u."""
        q, u, _ = plan.joint_symbols(self)
        rate = ca.jtimes(gap, q, ca.SX(plan.joint_kind(self).qdot(q, u)))
        return rate, ca.jacobian(rate, u)

    def pressing(self, plan: PartsList) -> ca.SX:
        """What elastic stops press with, along the speeds of the joint."""
        total = ca.SX(plan.joint_symbols(self)[1].numel(), 1)
        for way in self.ways(plan):
            if way.stop is not None:
                rate, slope = self._rate(plan, way.gap)
                total += way.stop.force(way.gap, rate) * slope.T
        return total

    def __getattr__(self, name: str) -> Any:
        if name in ("energy", "loss_power") and self.limited():
            return given_by(self, name, tuple(self.limited()))
        return super().__getattr__(name)

    def definitions(self, plan: PartsList) -> dict:
        own = dict(super().definitions(plan))
        elastic = [way for way in self.ways(plan) if way.stop is not None]
        if elastic:
            own["loss_power"] = sum(way.stop.loss(way.gap, self._rate(plan, way.gap)[0]) for way in elastic)
            own["energy"] = sum(way.stop.energy(way.gap) for way in elastic)
        return own


def given_by(joint: Component, name: str, needs: tuple[str, ...]) -> ca.SX:
    """A variable that a joint has only with one of these laws."""
    if all(getattr(joint, need) is None for need in needs):
        raise UnknownAttribute(f"{joint.path} has no {name} without {' or '.join(needs)}; give the joint "
                               f"{' or '.join(f'{need}=lw.{LAWS[need]}(…)' for need in needs)}.", joint)
    return joint.symbol(name)
