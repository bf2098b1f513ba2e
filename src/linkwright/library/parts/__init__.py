"""Rigid parts: bodies, point masses, and massless links (Modelica MultiBody.Parts)."""

from ...language import members
from ..drives.mounted import BevelGear1D, Mounting1D, Rotor1D
from .bodies import Body, BodyShape, PointMass
from .density_bodies import BodyBox, BodyCylinder
from .links import Fixed, FixedRotation, FixedTranslation
from .rolling import RollingWheel, RollingWheelSet

__all__ = [
    "BevelGear1D", "Body", "BodyBox", "BodyCylinder", "BodyShape", "Fixed", "FixedRotation", "FixedTranslation",
    "Mounting1D", "PointMass", "RollingWheel", "RollingWheelSet", "Rotor1D",
]

#: what other programs call them
__getattr__ = members("parts", {
    "Box": "BodyBox", "Cylinder": "BodyCylinder", "RigidBody": "Body", "Link": "BodyShape", "Rod": "FixedTranslation",
    "Ground": "Fixed", "Mass": "PointMass", "Ball": "Body", "Sphere": "Body",
}, __all__)
