"""1-D rotational drive-train components (Modelica Mechanics.Rotational)."""

from __future__ import annotations

import casadi as ca

from ..errors import ModelError
from .component import Component
from .connectors import RotationalFlange as Flange
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

    phi0 = parameter(0.0, "fixed angle", "rad")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        plan.tie(self, self.flange, plan.values(self).phi0)


class Inertia(TwoFlanges):
    """A rigid shaft: J a = sum of what acts on its flanges."""

    flange = Flange
    J = parameter(text="moment of inertia", unit="kg.m2")
    phi = variable("angle", "rad", initial=True)
    w = variable("speed", "rad/s", initial=True)
    a = variable("acceleration", "rad/s2", initial=True)

    def _check(self):
        refuse_negative(self, "J")

    def describe(self, plan):
        plan.gear(self, self.flange_a, self.flange_b, 1.0)
        plan.flange_inertia(self, self.flange_a, plan.values(self).J)

    def definitions(self, plan):
        return {"phi": position(self.flange_a), "w": speed(self.flange_a), "a": acceleration(self.flange_a)}


class Spring(Compliant):
    """A linear spring: tau = c (phi_rel − phi_rel0)."""

    flange = Flange
    c = parameter(text="stiffness", unit="N.m/rad")
    phi_rel0 = parameter(0.0, "unstretched relative angle", "rad")
    phi_rel = variable("relative angle of flange_b to flange_a", "rad")
    tau = variable("torque between the flanges", "N.m")

    def _check(self):
        refuse_negative(self, "c")

    def effort(self, plan):
        v = plan.values(self)
        return v.c * (self.relative()[0] - v.phi_rel0)

    def definitions(self, plan):
        return {"phi_rel": self.relative()[0], "tau": self.effort(plan)}


class Damper(Compliant):
    """A linear damper: tau = d w_rel."""

    flange = Flange
    d = parameter(text="damping", unit="N.m.s/rad")
    phi_rel = variable("relative angle of flange_b to flange_a", "rad")
    w_rel = variable("relative speed", "rad/s")
    tau = variable("torque between the flanges", "N.m")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        refuse_negative(self, "d")

    def effort(self, plan):
        return plan.values(self).d * self.relative()[1]

    def definitions(self, plan):
        offset, rate = self.relative()
        effort = self.effort(plan)
        return {"phi_rel": offset, "w_rel": rate, "tau": effort, "loss_power": effort * rate}


class SpringDamper(Compliant):
    """Spring and damper in parallel: tau = c (phi_rel − phi_rel0) + d w_rel."""

    flange = Flange
    c = parameter(text="stiffness", unit="N.m/rad")
    d = parameter(text="damping", unit="N.m.s/rad")
    phi_rel0 = parameter(0.0, "unstretched relative angle", "rad")
    phi_rel = variable("relative angle of flange_b to flange_a", "rad")
    w_rel = variable("relative speed", "rad/s")
    tau = variable("torque between the flanges", "N.m")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        refuse_negative(self, "c", "d")

    def effort(self, plan):
        v = plan.values(self)
        offset, rate = self.relative()
        return v.c * (offset - v.phi_rel0) + v.d * rate

    def definitions(self, plan):
        offset, rate = self.relative()
        return {"phi_rel": offset, "w_rel": rate, "tau": self.effort(plan),
                "loss_power": plan.values(self).d * rate * rate}


class IdealGear(TwoFlanges):
    """A gear without inertia or loss: phi_a = ratio phi_b, 0 = ratio tau_a + tau_b."""

    flange = Flange
    ratio = parameter(text="transmission ratio", unit="")

    def _check(self):
        if self.ratio == 0:
            raise ModelError(f"{self.path}.ratio = 0: a gear needs a ratio other than zero.", self)

    def describe(self, plan):
        plan.gear(self, self.flange_a, self.flange_b, plan.values(self).ratio)


class Torque(Component):
    """A torque from a signal, driving what is connected to `flange` forwards."""

    tau = signal(0.0, "torque", "N.m")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        plan.flange_load(self, self.flange, -self.symbol("tau"))


class Position(Component):
    """Prescribes the angle of a flange: exactly, or through a second-order Bessel filter of f_crit."""

    phi_ref = signal(0.0, "reference angle", "rad")
    exact = parameter(False, "follow exactly (the reference is then differentiated twice)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        reference = self.symbol("phi_ref")
        if self.exact:
            rate = der(reference)
            plan.motion(self, self.flange, der(rate), reference, rate)
        else:
            plan.motion(self, self.flange, bessel_filter(reference, self.flange, plan.values(self).f_crit),
                        reference if self.exact else None)


class Speed(Component):
    """Prescribes the speed of a flange: exactly, or through a first-order filter of f_crit."""

    w_ref = signal(0.0, "reference speed", "rad/s")
    exact = parameter(False, "follow exactly (the reference is then differentiated)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz")

    def _make_connectors(self):
        self._port("flange", Flange())

    def describe(self, plan):
        reference = self.symbol("w_ref")
        if self.exact:
            plan.motion(self, self.flange, der(reference), None, reference)
        else:
            rate = 2 * ca.pi * plan.values(self).f_crit
            plan.motion(self, self.flange, (reference - speed(self.flange)) * rate)


__all__ = ["Damper", "Fixed", "Flange", "IdealGear", "Inertia", "Position", "Speed", "Spring", "SpringDamper", "Torque"]
