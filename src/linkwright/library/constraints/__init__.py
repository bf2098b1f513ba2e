"""Constraints between frames and coordinates, beside joints: Simbody's table and Modelica's Joints.Constraints.

A constraint states its residual on position level (or on velocity level where it is nonholonomic, on acceleration level
where only that is meant); rates and forces are derived.  Stations and axes of bodies are frames: put a FixedTranslation
or FixedRotation before the constraint to place them.
"""

from ...language import Constraint, members
from .rolling_and_touching import (
    LineOnLineContact,
    NoSlip1D,
    PointOnPlaneContact,
    SphereOnPlaneContact,
    SphereOnSphereContact,
)
from .stops import CoordinateStop
from .table import (
    Ball,
    ConstantAcceleration,
    ConstantAngle,
    ConstantCoordinate,
    ConstantOrientation,
    ConstantSpeed,
    CoordinateCoupler,
    PointInPlane,
    PointOnLine,
    PrescribedMotion,
    Prismatic,
    Revolute,
    Rod,
    SpeedCoupler,
    Spherical,
    Universal,
    Weld,
)

__all__ = [
    "Ball", "ConstantAcceleration", "ConstantAngle", "ConstantCoordinate", "ConstantOrientation", "ConstantSpeed",
    "Constraint", "CoordinateCoupler", "CoordinateStop", "LineOnLineContact", "NoSlip1D", "PointInPlane", "PointOnLine",
    "PointOnPlaneContact", "PrescribedMotion", "Prismatic", "Revolute", "Rod", "SpeedCoupler", "SphereOnPlaneContact",
    "SphereOnSphereContact", "Spherical", "Universal", "Weld",
]

#: what other programs call them
__getattr__ = members("constraints", {
    "Distance": "Rod", "PointOnPlane": "PointInPlane", "Connect": "Ball", "Gear": "CoordinateCoupler",
    "Fixed": "Weld",
}, __all__)
