"""What a user connects: the world, parts, joints, forces, sensors, and 1-D drive trains.

A component declares parameters, variables and signals (`fields`), makes connectors, tells the translation what it is
made of (`describe`) and how its variables follow from others (`definitions`).

May import: `algebra`, `mechanism`, `errors`, NumPy, CasADi.
"""

from .component import Component, Connector
from .connectors import Frame
from .fields import free, guess, parameter
from .model import Model
from .world import World

__all__ = ["Component", "Connector", "Frame", "Model", "World", "free", "guess", "parameter"]
