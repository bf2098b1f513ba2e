"""Joints (Modelica MultiBody.Joints and Simbody's mobilizers): how frame_b moves relative to frame_a."""

from ...language import Joint, members
from .axis_joints import Cylindrical, Planar, Prismatic, Revolute, RevolutePlanarLoopConstraint, Screw, Universal
from .free_joints import FreeMotion, FreeMotionScalarInit, Spherical
from .rods import GearConstraint, SphericalSpherical, UniversalSpherical
from .rolling import RollingWheel, RollingWheelSet
from .simbody_joints import (
    BendStretch,
    Bushing,
    CantileverFreeBeam,
    Ellipsoid,
    FreeLine,
    FunctionBased,
    Gimbal,
    LineOrientation,
    SphericalCoords,
    Translation,
)

__all__ = [
    "BendStretch", "Bushing", "CantileverFreeBeam", "Cylindrical", "Ellipsoid", "FreeLine", "FreeMotion",
    "FreeMotionScalarInit", "FunctionBased", "GearConstraint", "Gimbal", "Joint", "LineOrientation", "Planar",
    "Prismatic", "Revolute", "RevolutePlanarLoopConstraint", "RollingWheel", "RollingWheelSet", "Screw",
    "Spherical", "SphericalCoords", "SphericalSpherical", "Translation", "Universal", "UniversalSpherical",
]

#: what other programs call them
__getattr__ = members("joints", {
    "Hinge": "Revolute", "Pin": "Revolute", "Rotational": "Revolute", "Continuous": "Revolute", "Slider": "Prismatic",
    "Slide": "Prismatic", "Ball": "Spherical", "BallAndSocket": "Spherical", "Free": "FreeMotion",
    "Floating": "FreeMotion", "SixDof": "FreeMotion", "Cylinder": "Cylindrical", "Cardan": "Universal",
    "Weld": "parts.FixedTranslation", "Fixed": "parts.FixedTranslation", "Helical": "Screw",
}, __all__)
