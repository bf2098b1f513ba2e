"""The immutable description of a mechanism, and the kinds of mobilizers it is made of.

A `Mobilizer` says how frame M moves in frame F; a `Mechanism` is a tree of bodies on mobilizers with loads,
constraints, algebraic unknowns, auxiliary states and parameters.  `MechanismBuilder` describes one directly; models
made of components are translated into one by `translate`.
"""

from .builder import MechanismBuilder
from .closing import DISPLACEMENT, ROTATION, Closing, same_axes, wind
from .description import (
    TIME,
    WORLD,
    Body,
    BodyLoad,
    Closure,
    Constraint,
    ContinuousState,
    Frame,
    GearedRotor,
    Gravity,
    Mechanism,
    MobilityLoad,
    Named,
    PointMass,
    Unknown,
    Variable,
)
from .kinds import (
    BendStretch,
    Bushing,
    CantileverFreeBeam,
    Custom,
    Cylindrical,
    Ellipsoid,
    Free,
    FreeLine,
    FunctionBased,
    Gimbal,
    LineOrientation,
    Planar,
    Prismatic,
    Reversed,
    Revolute,
    Screw,
    Spherical,
    SphericalCoords,
    Translation,
    Universal,
    Weld,
    reverse,
)
from .mobilizer import Mobilizer

__all__ = [
    "DISPLACEMENT", "ROTATION", "TIME", "WORLD", "BendStretch", "Body", "BodyLoad", "Bushing", "CantileverFreeBeam",
    "Closing", "Closure", "Constraint",
    "ContinuousState", "Custom", "Cylindrical", "Ellipsoid", "Frame", "Free", "FreeLine", "FunctionBased",
    "GearedRotor", "Gimbal", "Gravity", "LineOrientation", "Mechanism", "MechanismBuilder", "MobilityLoad",
    "Mobilizer", "Named", "Planar", "PointMass", "Prismatic", "Reversed", "Revolute", "Screw", "Spherical",
    "SphericalCoords", "Translation", "Universal", "Unknown", "Variable", "Weld", "reverse",
    "same_axes", "wind",
]
