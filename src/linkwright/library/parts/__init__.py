"""Rigid parts: bodies, point masses, and massless links (Modelica MultiBody.Parts)."""

from ..drives.mounted import BevelGear1D, Mounting1D, Rotor1D
from .bodies import Body, BodyShape, PointMass
from .density_bodies import BodyBox, BodyCylinder
from .links import Fixed, FixedRotation, FixedTranslation

__all__ = [
    "BevelGear1D", "Body", "BodyBox", "BodyCylinder", "BodyShape", "Fixed", "FixedRotation", "FixedTranslation",
    "Mounting1D", "PointMass", "Rotor1D",
]
