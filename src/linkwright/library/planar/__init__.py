"""Planar mechanics: parts that move in a plane, with the connector x, y, phi; fx, fy, t (Zimmer's PlanarMechanics).

    from linkwright import planar as pl

Planar parts compile onto the same recursions as spatial ones: a planar frame is a frame in space that stays in the
plane of its planar world, and tracing leaves nothing but planar code.
"""

from ...language.planar_frame import PlanarFrame as Frame
from ...language.planar_world import World, WorldIn3D
from . import cables, contact, flexible
from .axis_joints import Joint, Prismatic, Revolute
from .bridge import To3D
from .constraint import Constraint
from .curves import limit_by_s_form, limit_by_striple
from .cut_sensors import CutForce, CutForceAndTorque, CutTorque, Power
from .gears import RigidNoLossExternal, RigidNoLossInternal
from .parts import Body, Fixed, FixedRotation, FixedTranslation
from .rolling import DryFrictionBasedRolling, IdealRolling
from .sensors import (
    AbsoluteAcceleration,
    AbsolutePosition,
    AbsoluteVelocity,
    Distance,
    RelativeAcceleration,
    RelativePosition,
    RelativeVelocity,
    TransformAbsoluteVector,
    TransformRelativeVector,
)
from .sources import QuadraticSpeedDependentForce, RelativeForce, WorldForce
from .springs import Damper, LineForce, Spring, SpringDamper, TwoFrameForce
from .vehicles import AirResistanceLongitudinal, DifferentialGear
from .wheels import DryFrictionWheelJoint, IdealWheelJoint, SlipBasedWheelJoint

__all__ = [
    "AbsoluteAcceleration", "AbsolutePosition", "AbsoluteVelocity", "AirResistanceLongitudinal", "Body", "Constraint",
    "CutForce", "CutForceAndTorque", "CutTorque", "Damper", "DifferentialGear", "Distance", "DryFrictionBasedRolling",
    "DryFrictionWheelJoint", "Fixed", "FixedRotation", "FixedTranslation", "Frame", "IdealRolling", "IdealWheelJoint",
    "Joint", "LineForce", "Power", "Prismatic", "QuadraticSpeedDependentForce", "RelativeAcceleration",
    "RelativeForce", "RelativePosition", "RelativeVelocity", "Revolute", "RigidNoLossExternal", "RigidNoLossInternal",
    "SlipBasedWheelJoint", "Spring", "SpringDamper", "To3D", "TransformAbsoluteVector", "TransformRelativeVector",
    "TwoFrameForce", "World", "WorldForce", "WorldIn3D", "cables", "contact", "flexible",
    "limit_by_s_form", "limit_by_striple",
]
