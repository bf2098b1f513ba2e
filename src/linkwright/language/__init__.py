"""What models are made of: components with fields and connectors, formulas, models, actions, given motions.

A component declares parameters, variables and signals (`fields`), makes connectors, tells the translation what it is
made of (`describe`) and how its variables follow from others (`definitions`).  The library builds on nothing else.
"""

from .component import Component, Connector
from .connectors import Frame
from .fields import free, guess, parameter
from .model import Model
from .world import World

__all__ = ["Component", "Connector", "Frame", "Model", "World", "free", "guess", "parameter"]
