"""A vehicle along its road, and what resists its rolling (Modelica Mechanics.Translational)."""

from __future__ import annotations

import casadi as ca

from ...errors import ModelError
from ...language import Connector, PartsList, RotationalFlange, TranslationalFlange
from ...language import one_dimensional as base
from ...language.fields import parameter, signal, variable
from ...language.ranges import NOT_NEGATIVE, NOT_ZERO, POSITIVE
from .friction import Rubbing, speed_against
from .speed_dependent import SIGNS, smooth_sign

STICK = "stick"


class Rolling(Rubbing):
    """Base: cr × the part of the weight that presses on the road, against the motion.

    `inclination` is the tangent of the road's angle α, so that cos α = 1/√(1 + inclination²).
    """

    flange_type = TranslationalFlange
    ports = ("flange",)
    inclination = signal(0.0, "tangent of the angle by which the road rises", "")
    reg = parameter(STICK, "stick: true friction; exp, sine, linear or cosine: rounded off, so that it creeps at rest",
                    structural=True)
    v0 = parameter(0.1, "speed below which it is rounded off", "m/s", only=POSITIVE)

    def _check(self) -> None:
        if self.reg not in (STICK, *SIGNS):
            raise ModelError(f"{self.path}.reg = {self.reg!r}: choose one of "
                             f"{', '.join(map(repr, (STICK, *SIGNS)))}.", self)

    def weight(self, plan: PartsList) -> ca.SX:
        """On a level road."""
        raise NotImplementedError

    def cosine(self) -> ca.SX:
        """Of the road's angle."""
        return 1 / ca.sqrt(1 + self.symbol("inclination") ** 2)

    def sliding(self, plan: PartsList, speed: ca.SX) -> ca.SX:
        return self.symbol("cr") * self.weight(plan) * self.cosine()

    def limit(self, plan: PartsList) -> ca.SX:
        return self.sliding(plan, ca.SX(0))

    def describe(self, plan: PartsList) -> None:
        if self.reg == STICK:
            super().describe(plan)
            return
        base.OneDimensional.describe(self, plan)
        for flange, sign in self.rubbing()[1]:
            plan.flange_load(self, flange, sign * self._rounded_off(plan))

    def _rounded_off(self, plan: PartsList) -> ca.SX:
        rate = self.rubbing()[0]
        return self.sliding(plan, rate) * smooth_sign(self.reg, rate, plan.values(self).v0)

    def definitions(self, plan: PartsList) -> dict:
        if self.reg == STICK:
            return super().definitions(plan)
        rate, force = self.rubbing()[0], self._rounded_off(plan)
        return {"v_rel": rate, "f": force, "loss_power": force * rate}


class RollingResistance(Rolling):
    """The resistance of a rolling wheel: f = cr f_weight cos α against the motion, and up to that value at rest.

    Modelica smooths the law around zero speed; here a wheel at rest stays at rest, unless `reg` selects a smooth law.
    """

    with_support = True
    f_weight = parameter(text="weight on the wheel, on a level road", unit="N", only=NOT_NEGATIVE)
    cr = signal(0.01, "coefficient of rolling resistance", "")
    f = variable("resistance", "N")

    def weight(self, plan: PartsList) -> ca.SX:
        return plan.values(self).f_weight

    def rubbing(self) -> tuple[ca.SX, tuple[tuple[Connector, float], ...]]:
        return speed_against(self.flange, self.support), ((self.flange, 1.0), (self.support, -1.0))


class Vehicle(Rolling):
    """A vehicle along its road, driven at flange_r or drawn at flange_t: s = R phi,

        m a + J a/R² = f_t + tau_r/R − f_drag − f_roll − f_grav

        f_drag = Cd A rho/2 (v − v_wind) |v − v_wind|,   f_roll = cr m g cos α,   f_grav = m g sin α

    `inclination` is tan α, positive uphill.  At rest the rolling resistance holds it, up to cr m g cos α.
    """

    ports = ("flange_t",)
    m = parameter(text="mass of the whole vehicle", unit="kg", only=POSITIVE)
    J = parameter(text="moment of inertia of wheels and drive train", unit="kg.m2", only=NOT_NEGATIVE)
    R = parameter(text="radius of the wheels", unit="m", only=NOT_ZERO)
    A = parameter(1.0, "cross section", "m2", only=NOT_NEGATIVE)
    Cd = parameter(0.5, "drag coefficient", "", only=NOT_NEGATIVE)
    rho = parameter(1.2, "density of air", "kg/m3", only=NOT_NEGATIVE)
    g = parameter(9.80665, "acceleration of gravity", "m/s2", only=NOT_NEGATIVE)
    v0 = parameter(1e-3, "speed below which rolling resistance is rounded off", "m/s", only=POSITIVE)
    cr = signal(0.015, "coefficient of rolling resistance", "")
    v_wind = signal(0.0, "speed of the wind, forwards", "m/s")
    s = variable("position", "m", initial=True)
    v = variable("speed", "m/s", initial=True)
    a = variable("acceleration", "m/s2", initial=True)
    f = variable("rolling resistance", "N")
    f_drag = variable("drag", "N")
    f_grav = variable("what gravity takes uphill", "N")
    loss_power = variable("power that rolling resistance and drag take", "W")

    def _make_connectors(self) -> None:
        super()._make_connectors()
        self._port("flange_r", RotationalFlange())

    def weight(self, plan: PartsList) -> ca.SX:
        return plan.values(self).m * plan.values(self).g

    def rubbing(self) -> tuple[ca.SX, tuple[tuple[Connector, float], ...]]:
        return base.speed(self.flange_t), ((self.flange_t, 1.0),)

    def drag(self, plan: PartsList) -> ca.SX:
        """f_drag."""
        p, through = plan.values(self), base.speed(self.flange_t) - self.symbol("v_wind")
        return p.Cd * p.A * p.rho / 2 * through * ca.fabs(through)

    def downhill(self, plan: PartsList) -> ca.SX:
        """f_grav."""
        return self.weight(plan) * self.symbol("inclination") * self.cosine()

    def describe(self, plan: PartsList) -> None:
        p = plan.values(self)
        plan.relation(self, (self.flange_t, 1.0), (self.flange_r, -p.R))
        plan.flange_inertia(self, self.flange_t, p.m + p.J / p.R**2)
        plan.flange_load(self, self.flange_t, self.drag(plan) + self.downhill(plan))
        super().describe(plan)

    def definitions(self, plan: PartsList) -> dict:
        own, flange, drag = super().definitions(plan), self.flange_t, self.drag(plan)
        return {**own, "s": base.position(flange), "v": base.speed(flange), "a": base.acceleration(flange),
                "f_drag": drag, "f_grav": self.downhill(plan),
                "loss_power": own["loss_power"] + drag * base.speed(flange)}
