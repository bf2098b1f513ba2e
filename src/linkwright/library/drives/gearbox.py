"""A gearbox: losses, and behind them elasticity and play."""

from __future__ import annotations

from typing import Any

from ...language import Connector, HeatPort, Model, RotationalFlange
from ...language.fields import parameter
from ...language.ranges import NOT_NEGATIVE, NOT_ZERO, POSITIVE
from .clearances import ElastoBacklash
from .lossy_gear import LossyGear


class Gearbox(Model):
    """A LossyGear with an ElastoBacklash behind it: efficiency, bearing friction, elasticity, damping and play.

    phi_rel and w_rel are the twist of the elastic part, from `lossy_gear.flange_b` to flange_b, and its rate.  The
    wheels have no inertia; connect an Inertia to either side.
    """

    ratio = parameter(text="transmission ratio phi_a/phi_b", unit="", only=NOT_ZERO)
    loss_table = parameter([[0, 1, 1, 0, 0]], "rows (|w_a|, eta_mf1, eta_mf2, tau_bf1, tau_bf2), as of a LossyGear",
                           structural=True)
    c = parameter(text="stiffness of the gear", unit="N.m/rad", only=POSITIVE)
    d = parameter(0.0, "damping of the gear", "N.m.s/rad", only=NOT_NEGATIVE)
    b = parameter(0.0, "total backlash", "rad", only=NOT_NEGATIVE)

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        self.flange_a, self.flange_b, self.support = RotationalFlange(), RotationalFlange(), RotationalFlange()
        self.lossy_gear = LossyGear(ratio=self.ratio, loss_table=self.loss_table)
        self.elasto_backlash = ElastoBacklash(c=self.c, d=self.d, b=self.b)
        self.connect(self.flange_a, self.lossy_gear.flange_a)
        self.connect(self.lossy_gear.flange_b, self.elasto_backlash.flange_a)
        self.connect(self.elasto_backlash.flange_b, self.flange_b)
        self.connect(self.lossy_gear.support, self.support)
        self.output("phi_rel", self.elasto_backlash.phi_rel, "rad")
        self.output("w_rel", self.elasto_backlash.w_rel, "rad/s")
        self.output("loss_power", self.lossy_gear.loss_power + self.elasto_backlash.loss_power, "W")

    def loses_power(self) -> bool:
        return True

    def _heat_port(self) -> Connector:
        self.heat_port = HeatPort()
        self.connect(self.heat_port, self.lossy_gear.heat_port, self.elasto_backlash.heat_port)
        return self.heat_port
