"""Temperatures in °C (Modelica Thermal.HeatTransfer.Celsius); at ports they are in K, as everywhere."""

from __future__ import annotations

from ...language.fields import parameter, signal, variable
from ...language.ranges import Range
from . import holding, measuring
from .holding import ZERO_CELSIUS

ABOVE_ABSOLUTE_ZERO = Range(" °C lies below absolute zero", lambda x: x >= -ZERO_CELSIUS)


class FixedTemperature(holding.FixedTemperature):
    """A constant temperature in °C."""

    zero = ZERO_CELSIUS
    T = parameter(text="temperature", unit="degC", only=ABOVE_ABSOLUTE_ZERO)


class PrescribedTemperature(holding.PrescribedTemperature):
    """A temperature from a signal in °C."""

    zero = ZERO_CELSIUS
    T = signal(holding.ROOM_TEMPERATURE - ZERO_CELSIUS, "temperature", "degC")


class TemperatureSensor(measuring.TemperatureSensor):
    """Temperature of a port in °C."""

    zero = ZERO_CELSIUS
    T = variable("temperature", "degC")


__all__ = ["FixedTemperature", "PrescribedTemperature", "TemperatureSensor"]
