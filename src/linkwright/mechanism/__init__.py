"""The immutable description of a mechanism, and the kinds of mobilizers it is made of.

A `Mobilizer` says how frame M moves in frame F; a `Mechanism` is a tree of bodies on mobilizers with loads,
constraints, algebraic unknowns, auxiliary states and parameters.  `MechanismBuilder` describes one directly; models
made of components are translated into one by `translate`.
"""

from .balance import Balance
from .bending import Bending, FrameOf, Ride
from .builder import MechanismBuilder, check
from .closing import DISPLACEMENT, ROTATION, Closing, same_axes, wind
from .complex_numbers import Complex
from .contacts import ENCOUNTER, Contact, Encounter
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
    PlacedShape,
    PointMass,
    Range,
    Requirement,
    Unknown,
    Variable,
    points_name,
)
from .events import CUT, Events, Relation, Update, When, sentence
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
from .memory import DEGREE, Clock, Controller, Delay
from .mobilizer import Mobilizer
from .rows import Ball, Row
from .start import Start, StartEquation, StartValue, Winding
from .union_find import Joined

__all__ = [
    "CUT", "DEGREE", "DISPLACEMENT", "ENCOUNTER", "ROTATION", "TIME", "WORLD", "Balance",
    "Ball", "BendStretch", "Bending", "Body", "BodyLoad", "Bushing", "CantileverFreeBeam", "Clock", "Closing",
    "Closure", "Complex", "Constraint", "Contact", "ContinuousState", "Controller", "Custom", "Cylindrical", "Delay",
    "Ellipsoid", "Encounter", "Events", "Frame", "FrameOf", "Free", "FreeLine", "FunctionBased", "GearedRotor",
    "Gimbal", "Gravity", "Joined", "LineOrientation", "Mechanism", "MechanismBuilder", "MobilityLoad", "Mobilizer",
    "Named", "PlacedShape", "Planar", "PointMass", "Prismatic", "Range", "Relation", "Requirement", "Reversed",
    "Revolute", "Ride", "Row", "Screw", "Spherical", "SphericalCoords", "Start", "StartEquation", "StartValue",
    "Translation", "Universal", "Unknown", "Update", "Variable", "Weld", "When", "Winding", "check", "closed_forms",
    "points_name", "reverse", "same_axes", "sentence", "wind",
]
