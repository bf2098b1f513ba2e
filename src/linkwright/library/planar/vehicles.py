"""Planar vehicles: air resistance and the differential."""

from __future__ import annotations

import casadi as ca

from ...language import Component, PartsList, RotationalFlange
from ...language.fields import appearance, parameter, variable
from ...language.planar_frame import PlanarFrame, direction, load
from ...language.ranges import NOT_NEGATIVE
from .curves import square_times_sign


class AirResistanceLongitudinal(Component):
    """Air drag along the driving direction r in frame_a, for both directions of motion: f = −½ ρ c_W A v|v|."""

    c_W = parameter(text="drag coefficient", only=NOT_NEGATIVE)
    area = parameter(text="frontal area", unit="m2", only=NOT_NEGATIVE)
    rho = parameter(1.18, "density of the air", "kg/m3", only=NOT_NEGATIVE)
    r = parameter((1.0, 0.0), "driving direction in frame_a", structural=True)
    animation = appearance(True, "whether it is shown")
    v = variable("velocity along r", "m/s")
    f = variable("drag on the vehicle along r", "N")

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())

    def required_ports(self) -> list[str]:
        return ["frame_a"]

    def _check(self) -> None:
        direction(self)

    def _along(self) -> ca.SX:
        return self.frame_a.R2 @ ca.DM(direction(self))

    def describe(self, plan: PartsList) -> None:
        load(plan, self, self.frame_a, -self._along() * self.symbol("f"))

    def definitions(self, plan: PartsList) -> dict:
        v = plan.values(self)
        return {"v": ca.dot(self._along(), self.frame_a.v),
                "f": -0.5 * v.rho * v.c_W * v.area * square_times_sign(self.symbol("v"))}


class DifferentialGear(Component):
    """A differential: 2 φ_b = φ_left + φ_right, the driving torque shared evenly."""

    def _make_connectors(self) -> None:
        for name in ("flange_b", "flange_left", "flange_right"):
            self._port(name, RotationalFlange())

    def required_ports(self) -> list[str]:
        return ["flange_b", "flange_left", "flange_right"]

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_b, 2.0), (self.flange_left, -1.0), (self.flange_right, -1.0))
