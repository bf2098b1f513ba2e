"""1-D translational drive-train components (Modelica Mechanics.Translational)."""

from __future__ import annotations

import casadi as ca

from ..errors import ModelError
from .component import Component
from .connectors import TranslationalFlange as Flange
from .expressions import der
from .fields import parameter, signal, variable
from .one_dimensional import (
    Compliant,
    TwoFlanges,
    acceleration,
    bessel_filter,
    position,
    refuse_negative,
    speed,
)


class Fixed(Component):
    """A flange fixed to the ground."""

    s0 = parameter(0.0, "fixed position", "m")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        plan.tie(self, self.flange, plan.values(self).s0)


class Mass(TwoFlanges):
    """A rigid rod: m a = sum of what acts on its flanges."""

    flange = Flange
    m = parameter(text="mass", unit="kg")
    s = variable("position", "m", initial=True)
    v = variable("speed", "m/s", initial=True)
    a = variable("acceleration", "m/s2", initial=True)

    def _check(self):
        refuse_negative(self, "m")

    def describe(self, plan):
        plan.gear(self, self.flange_a, self.flange_b, 1.0)
        plan.flange_inertia(self, self.flange_a, plan.values(self).m)

    def definitions(self, plan):
        return {"s": position(self.flange_a), "v": speed(self.flange_a), "a": acceleration(self.flange_a)}


class Spring(Compliant):
    """A linear spring: f = c (s_rel − s_rel0)."""

    flange = Flange
    c = parameter(text="stiffness", unit="N/m")
    s_rel0 = parameter(0.0, "unstretched relative position", "m")
    s_rel = variable("relative position of flange_b to flange_a", "m")
    f = variable("force between the flanges", "N")

    def _check(self):
        refuse_negative(self, "c")

    def effort(self, plan):
        v = plan.values(self)
        return v.c * (self.relative()[0] - v.s_rel0)

    def definitions(self, plan):
        return {"s_rel": self.relative()[0], "f": self.effort(plan)}


class Damper(Compliant):
    """A linear damper: f = d v_rel."""

    flange = Flange
    d = parameter(text="damping", unit="N.s/m")
    s_rel = variable("relative position of flange_b to flange_a", "m")
    v_rel = variable("relative speed", "m/s")
    f = variable("force between the flanges", "N")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        refuse_negative(self, "d")

    def effort(self, plan):
        return plan.values(self).d * self.relative()[1]

    def definitions(self, plan):
        offset, rate = self.relative()
        effort = self.effort(plan)
        return {"s_rel": offset, "v_rel": rate, "f": effort, "loss_power": effort * rate}


class SpringDamper(Compliant):
    """Spring and damper in parallel: f = c (s_rel − s_rel0) + d v_rel."""

    flange = Flange
    c = parameter(text="stiffness", unit="N/m")
    d = parameter(text="damping", unit="N.s/m")
    s_rel0 = parameter(0.0, "unstretched relative position", "m")
    s_rel = variable("relative position of flange_b to flange_a", "m")
    v_rel = variable("relative speed", "m/s")
    f = variable("force between the flanges", "N")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        refuse_negative(self, "c", "d")

    def effort(self, plan):
        v = plan.values(self)
        offset, rate = self.relative()
        return v.c * (offset - v.s_rel0) + v.d * rate

    def definitions(self, plan):
        offset, rate = self.relative()
        return {"s_rel": offset, "v_rel": rate, "f": self.effort(plan),
                "loss_power": plan.values(self).d * rate * rate}


class IdealGear(TwoFlanges):
    """A gear without inertia or loss: s_a = ratio s_b, 0 = ratio f_a + f_b."""

    flange = Flange
    ratio = parameter(text="transmission ratio", unit="")

    def _check(self):
        if self.ratio == 0:
            raise ModelError(f"{self.path}.ratio = 0: a gear needs a ratio other than zero.", self)

    def describe(self, plan):
        plan.gear(self, self.flange_a, self.flange_b, plan.values(self).ratio)


class Force(Component):
    """A force from a signal, driving what is connected to `flange` forwards."""

    f = signal(0.0, "force", "N")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        plan.flange_load(self, self.flange, -self.symbol("f"))


class Position(Component):
    """Prescribes the position of a flange: exactly, or through a second-order Bessel filter of f_crit."""

    s_ref = signal(0.0, "reference position", "m")
    exact = parameter(False, "follow exactly (the reference is then differentiated twice)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        reference = self.symbol("s_ref")
        if self.exact:
            rate = der(reference)
            plan.motion(self, self.flange, der(rate), reference, rate)
        else:
            plan.motion(self, self.flange, bessel_filter(reference, self.flange, plan.values(self).f_crit),
                        reference if self.exact else None)


class Speed(Component):
    """Prescribes the speed of a flange: exactly, or through a first-order filter of f_crit."""

    v_ref = signal(0.0, "reference speed", "m/s")
    exact = parameter(False, "follow exactly (the reference is then differentiated)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        reference = self.symbol("v_ref")
        if self.exact:
            plan.motion(self, self.flange, der(reference), None, reference)
        else:
            rate = 2 * ca.pi * plan.values(self).f_crit
            plan.motion(self, self.flange, (reference - speed(self.flange)) * rate)


__all__ = ["Damper", "Fixed", "Flange", "IdealGear", "Mass", "Position", "Speed", "Spring", "SpringDamper", "Force"]
