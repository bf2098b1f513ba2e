"""Gears with more than two flanges, and between turning and sliding (Modelica Mechanics.Rotational)."""

from __future__ import annotations

from ...language import PartsList, TranslationalFlange
from ...language import RotationalFlange as Flange
from ...language import one_dimensional as base
from ...language.fields import parameter
from ...language.ranges import NOT_ZERO


class IdealPlanetary(base.OneDimensional):
    """A planetary gear: (1 + ratio) phi_carrier = phi_sun + ratio phi_ring.

    tau_ring = ratio tau_sun, tau_carrier = −(1 + ratio) tau_sun.
    """

    flange_type = Flange
    ports = ("sun", "carrier", "ring")
    ratio = parameter(text="teeth of the ring over teeth of the sun", unit="", only=NOT_ZERO)

    def describe(self, plan: PartsList) -> None:
        ratio = plan.values(self).ratio
        plan.relation(self, (self.sun, 1.0), (self.ring, ratio), (self.carrier, -(1.0 + ratio)))


class IdealDifferential(base.OneDimensional):
    """A differential: phi_a = ratio (phi_left + phi_right) / 2; tau_left = tau_right = −ratio tau_a / 2."""

    flange_type = Flange
    ports = ("flange_a", "flange_left", "flange_right")
    ratio = parameter(1.0, "transmission from the drive shaft to the mean of the wheels", only=NOT_ZERO)

    def describe(self, plan: PartsList) -> None:
        half = plan.values(self).ratio / 2
        plan.relation(self, (self.flange_a, 1.0), (self.flange_left, -half), (self.flange_right, -half))


class IdealGearR2T(base.Component):
    """From a turning flange_r to a sliding flange_t: phi = ratio s against the supports, f = −ratio tau."""

    ratio = parameter(text="transmission ratio phi/s", unit="rad/m", only=NOT_ZERO)

    def _make_connectors(self) -> None:
        for name, flange in (("flange_r", Flange), ("flange_t", TranslationalFlange),
                             ("support_r", Flange), ("support_t", TranslationalFlange)):
            self._port(name, flange())

    def describe(self, plan: PartsList) -> None:
        ratio = plan.values(self).ratio
        plan.support(self, self.support_r)
        plan.support(self, self.support_t)
        plan.relation(self, (self.flange_r, 1.0), (self.support_r, -1.0), (self.flange_t, -ratio),
                      (self.support_t, ratio))


class IdealRollingWheel(IdealGearR2T):
    """A wheel that rolls without slip: s = radius phi, tau = −radius f."""

    ratio = None
    radius = parameter(text="radius of the wheel", unit="m", only=NOT_ZERO)

    def describe(self, plan: PartsList) -> None:
        radius = plan.values(self).radius
        plan.support(self, self.support_r)
        plan.support(self, self.support_t)
        plan.relation(self, (self.flange_t, 1.0), (self.support_t, -1.0), (self.flange_r, -radius),
                      (self.support_r, radius))
