"""Sensors of temperature: they take no heat.

The heat flow between two places needs none: `Q_flow` of what lies between them is it.
"""

from __future__ import annotations

from ...language import Component, HeatPort, PartsList
from ...language.fields import variable
from .holding import AtOnePort


class TemperatureSensor(AtOnePort):
    """Temperature of a port."""

    zero = 0.0  # K: where its scale begins
    T = variable("temperature", "K")

    def required_ports(self) -> list[str]:
        return ["port"]

    def definitions(self, plan: PartsList) -> dict:
        return {"T": self.port.symbol("T") - self.zero}


class RelTemperatureSensor(Component):
    """Difference of two temperatures: T_rel = T_a − T_b."""

    T_rel = variable("temperature of port_a less that of port_b", "K")

    def _make_connectors(self) -> None:
        for name in ("port_a", "port_b"):
            self._port(name, HeatPort())

    def required_ports(self) -> list[str]:
        return ["port_a", "port_b"]

    def definitions(self, plan: PartsList) -> dict:
        return {"T_rel": self.port_a.symbol("T") - self.port_b.symbol("T")}
