"""Rigid parts: bodies, point masses, and massless links (Modelica MultiBody.Parts)."""

from .bodies import Body, BodyShape, PointMass
from .density_bodies import BodyBox, BodyCylinder
from .drives3d import BevelGear1D, Mounting1D, Rotor1D
from .links import Fixed, FixedRotation, FixedTranslation

__all__ = [
    "BevelGear1D", "Body", "BodyBox", "BodyCylinder", "BodyShape", "Fixed", "FixedRotation", "FixedTranslation",
    "Mounting1D", "PointMass", "Rotor1D",
]
