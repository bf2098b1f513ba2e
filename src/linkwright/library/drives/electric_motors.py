"""Electric motors as 1-D sources."""

from __future__ import annotations

from ...errors import ModelError
from ...language import PartsList, RotationalFlange
from ...language import one_dimensional as base
from ...language.fields import Guess, parameter, signal, variable
from ...language.ranges import NOT_NEGATIVE


class DCMotor(base.OneDimensional):
    """A direct-current motor: L di/dt = v − R i − k w, tau = k i, with the inertia J of its rotor.

    Power: v i = R i² + L i di/dt + tau w.  With L = 0 the current follows without delay.
    """

    flange_type = RotationalFlange
    with_support = True
    R = parameter(text="resistance of the armature", unit="Ohm", only=NOT_NEGATIVE)
    L = parameter(0.0, "inductance of the armature", "H", only=NOT_NEGATIVE)
    k = parameter(text="torque per current and back-EMF per speed", unit="N.m/A")
    J = parameter(0.0, "moment of inertia of the rotor", "kg.m2", only=NOT_NEGATIVE)
    v = signal(0.0, "voltage", "V")
    i = variable("current; starts at 0 unless it is given", "A", initial=True)
    w = variable("speed against the support", "rad/s")
    tau = variable("torque of the field on the rotor", "N.m")
    v_emf = variable("back-EMF", "V")
    loss_power = variable("heat in the resistance", "W")

    def _check(self) -> None:
        if self.R == 0 and self.L == 0:
            raise ModelError(f"{self.path}.R = 0: without inductance L there must be a resistance.", self)

    def _has_state(self) -> bool:
        return self.L != 0

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        p = plan.values(self)
        rate = self.moving()[1]
        tau = p.k * self.symbol("i")
        plan.flange_load(self, self.flange, -tau)
        plan.flange_load(self, self.support, tau)
        if self.J != 0:
            plan.flange_inertia(self, self.flange, p.J)
        if self._has_state():
            plan.state(self, "i", self.symbol("i"), (self.symbol("v") - p.R * self.symbol("i") - p.k * rate) / p.L,
                       Guess(0.0) if "i" in self._initial else 0.0)

    def definitions(self, plan: PartsList) -> dict:
        p = plan.values(self)
        i, rate = self.symbol("i"), self.moving()[1]
        own = {"w": rate, "tau": p.k * i, "v_emf": p.k * rate, "loss_power": p.R * i * i}
        return own if self._has_state() else {**own, "i": (self.symbol("v") - p.k * rate) / p.R}
