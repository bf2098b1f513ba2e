"""What rotational and translational drive-train components share; only names and units differ."""

from __future__ import annotations

import casadi as ca

from ..errors import ModelError
from .component import Component, Connector


def position(flange: Connector) -> ca.SX:
    """Angle or position of a flange."""
    return flange.symbol("phi" if flange.kind.startswith("rotational") else "s")


def speed(flange: Connector) -> ca.SX:
    """Its rate."""
    return flange.symbol("w" if flange.kind.startswith("rotational") else "v")


def acceleration(flange: Connector) -> ca.SX:
    """Its second derivative."""
    return flange.symbol("a")


class TwoFlanges(Component):
    """Base: a component between flange_a and flange_b."""

    flange: type[Connector] = Connector

    def _make_connectors(self):
        self._port("flange_a", self.flange())
        self._port("flange_b", self.flange())


class Compliant(TwoFlanges):
    """Base of laws between two flanges: `effort(plan)` acts on flange_b and back on flange_a.

    A component feels +effort at flange_b and −effort at flange_a, so that a stretched spring pulls its ends together.
    """

    def effort(self, plan) -> ca.SX:
        raise NotImplementedError

    def relative(self):
        """(relative position, relative speed) of flange_b to flange_a."""
        return position(self.flange_b) - position(self.flange_a), speed(self.flange_b) - speed(self.flange_a)

    def describe(self, plan):
        effort = self.effort(plan)
        plan.flange_load(self, self.flange_b, effort)
        plan.flange_load(self, self.flange_a, -effort)


def refuse_negative(component, *names: str) -> None:
    """Parameters that cannot be negative."""
    for name in names:
        value = getattr(component, name)
        if value is not None and value < 0:
            raise ModelError(f"{component.path}.{name} = {value:g} cannot be negative.", component)


def bessel_filter(reference, flange, f_crit):
    """Acceleration of a flange that follows `reference` through a second-order Bessel filter, as Modelica's Position.

    a = ((r − x) ω − 1.3617 v) ω / 0.6180,  ω = 2π f_crit.
    """
    w = 2 * 3.141592653589793 * f_crit
    return ((reference - position(flange)) * w - 1.3617 * speed(flange)) * w / 0.6180
