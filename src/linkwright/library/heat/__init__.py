"""Heat (Modelica Thermal.HeatTransfer): capacities, conductors, convection, radiation, sources, sensors.

Every component that loses power has a `heat_port`, so that what friction, dampers and motors lose heats something:

    m.disc = heat.HeatCapacitor(C=2e3)
    m.connect(m.brake.heat_port, m.disc.port)

`Q_flow` at a port is what flows into the component, in W; temperatures are in K, those of `celsius` in °C.
"""

from ...language import HeatPort
from . import celsius
from .conducting import BodyRadiation, Convection, ConvectiveResistor, ThermalConductor, ThermalResistor
from .holding import FixedHeatFlow, FixedTemperature, HeatCapacitor, PrescribedHeatFlow, PrescribedTemperature
from .measuring import RelTemperatureSensor, TemperatureSensor

__all__ = [
    "BodyRadiation", "Convection", "ConvectiveResistor", "FixedHeatFlow", "FixedTemperature", "HeatCapacitor",
    "HeatPort", "PrescribedHeatFlow", "PrescribedTemperature", "RelTemperatureSensor", "TemperatureSensor",
    "ThermalConductor", "ThermalResistor", "celsius",
]
