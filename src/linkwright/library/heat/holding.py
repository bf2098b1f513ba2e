"""At one place: heat that is stored, a temperature that is held, a heat flow that is given."""

from __future__ import annotations

import casadi as ca

from ...language import Component, HeatPort, PartsList
from ...language.fields import Guess, parameter, signal, variable
from ...language.ranges import NOT_NEGATIVE, POSITIVE

#: K: where temperatures start that nobody gives (20 °C, Modelica's), and where the scale of Celsius begins
ROOM_TEMPERATURE, ZERO_CELSIUS = 293.15, 273.15


class AtOnePort(Component):
    """Base: one port."""

    def _make_connectors(self) -> None:
        self._port("port", HeatPort())


class HeatCapacitor(AtOnePort):
    """A heat capacity with a uniform temperature: C dT/dt = Q_flow.

    A body of mass m and specific heat c has C = m c.
    """

    C = parameter(text="heat capacity", unit="J/K", only=POSITIVE)
    T = variable("temperature; starts at 293.15 K unless it is given", "K", initial=True)
    der_T = variable("its rate", "K/s")
    Q_flow = variable("heat flow into it", "W")

    def describe(self, plan: PartsList) -> None:
        given = self.initial_value("T")
        start = ROOM_TEMPERATURE if not given or given[0] is None else given[0]
        number = start.value if isinstance(start, Guess) else start
        plan.heat_store(self, self.port, plan.values(self).C, self.symbol("T"), Guess(number) if given else number)

    def definitions(self, plan: PartsList) -> dict:
        flow = self.port.symbol("Q_flow")
        return {"T": self.port.symbol("T"), "der_T": flow / plan.values(self).C, "Q_flow": flow}


class HeldTemperature(AtOnePort):
    """Base: a temperature that is held, whatever flows."""

    zero = 0.0  # K: where its scale begins
    Q_flow = variable("heat flow into it", "W")

    def describe(self, plan: PartsList) -> None:
        plan.temperature(self, self.port, plan.values(self).T + self.zero)

    def definitions(self, plan: PartsList) -> dict:
        return {"Q_flow": self.port.symbol("Q_flow")}


class FixedTemperature(HeldTemperature):
    """A constant temperature, for example that of the surroundings."""

    T = parameter(text="temperature", unit="K", only=NOT_NEGATIVE)


class PrescribedTemperature(HeldTemperature):
    """A temperature from a signal."""

    T = signal(ROOM_TEMPERATURE, "temperature", "K")

    def describe(self, plan: PartsList) -> None:
        plan.temperature(self, self.port, self.symbol("T") + self.zero)


class GivenHeatFlow(AtOnePort):
    """Base: Q_flow (1 + alpha (T − T_ref)) flows into what is connected."""

    T_ref = parameter(ROOM_TEMPERATURE, "reference temperature", "K", only=NOT_NEGATIVE)
    alpha = parameter(0.0, "how much the heat flow grows with the temperature", "1/K")

    def given(self, plan: PartsList) -> ca.SX:
        """The heat flow at the reference temperature."""
        raise NotImplementedError

    def describe(self, plan: PartsList) -> None:
        v = plan.values(self)
        plan.heat_flow(self, self.port, -self.given(plan) * (1 + v.alpha * (self.port.symbol("T") - v.T_ref)))


class FixedHeatFlow(GivenHeatFlow):
    """A constant heat flow into the connected part; it may depend on the temperature."""

    Q_flow = parameter(text="heat flow at the reference temperature", unit="W")

    def given(self, plan: PartsList) -> ca.SX:
        return ca.SX(plan.values(self).Q_flow)


class PrescribedHeatFlow(GivenHeatFlow):
    """A heat flow, given by a signal, into the connected part; it may depend on the temperature."""

    Q_flow = signal(0.0, "heat flow at the reference temperature", "W")

    def given(self, plan: PartsList) -> ca.SX:
        return self.symbol("Q_flow")
