"""Between two places: heat that flows with the difference of their temperatures."""

from __future__ import annotations

import casadi as ca

from ...language import Component, HeatPort, PartsList
from ...language.fields import parameter, signal, variable
from ...language.ranges import NOT_NEGATIVE, POSITIVE

#: W/(m² K⁴): the Stefan–Boltzmann constant, exact since the SI of 2019
STEFAN_BOLTZMANN = 5.670374419e-8


class Conducting(Component):
    """Base: `flow(plan)` goes from the first port to the second."""

    ports: tuple[str, str] = ("port_a", "port_b")
    Q_flow = variable("heat flow from the first port to the second", "W")
    dT = variable("temperature of the first port less that of the second", "K")

    def _make_connectors(self) -> None:
        for name in self.ports:
            self._port(name, HeatPort())

    def required_ports(self) -> list[str]:
        return list(self.ports)

    def temperatures(self) -> tuple[ca.SX, ca.SX]:
        """Of the first port and of the second."""
        first, second = (self._connectors[name].symbol("T") for name in self.ports)
        return first, second

    def difference(self) -> ca.SX:
        """dT."""
        first, second = self.temperatures()
        return first - second

    def flow(self, plan: PartsList) -> ca.SX:
        """Q_flow."""
        raise NotImplementedError

    def describe(self, plan: PartsList) -> None:
        first, second = (self._connectors[name] for name in self.ports)
        plan.heat_flow(self, first, self.flow(plan))
        plan.heat_flow(self, second, -self.flow(plan))

    def definitions(self, plan: PartsList) -> dict:
        return {"Q_flow": self.flow(plan), "dT": self.difference()}


class ThermalConductor(Conducting):
    """Conduction: Q_flow = G dT."""

    G = parameter(text="thermal conductance: of a bar λ A/l", unit="W/K", only=NOT_NEGATIVE)

    def flow(self, plan: PartsList) -> ca.SX:
        return plan.values(self).G * self.difference()


class ThermalResistor(Conducting):
    """Conduction: dT = R Q_flow."""

    R = parameter(text="thermal resistance", unit="K/W", only=POSITIVE)

    def flow(self, plan: PartsList) -> ca.SX:
        return self.difference() / plan.values(self).R


class Convection(Conducting):
    """Convection from a solid to a fluid that flows along it: Q_flow = Gc (T_solid − T_fluid)."""

    ports = ("solid", "fluid")
    Gc = signal(0.0, "convective conductance: area times heat transfer coefficient", "W/K")

    def flow(self, plan: PartsList) -> ca.SX:
        return self.symbol("Gc") * self.difference()


class ConvectiveResistor(Conducting):
    """Convection from a solid to a fluid that flows along it: T_solid − T_fluid = Rc Q_flow."""

    ports = ("solid", "fluid")
    Rc = signal(1.0, "convective resistance", "K/W")

    def flow(self, plan: PartsList) -> ca.SX:
        return self.difference() / self.symbol("Rc")


class BodyRadiation(Conducting):
    """Radiation between two bodies: Q_flow = Gr σ (T_a⁴ − T_b⁴)."""

    Gr = parameter(text="net radiation conductance: of a body in large surroundings emissivity times area",
                   unit="m2", only=NOT_NEGATIVE)

    def flow(self, plan: PartsList) -> ca.SX:
        first, second = self.temperatures()
        return plan.values(self).Gr * STEFAN_BOLTZMANN * (first**4 - second**4)
