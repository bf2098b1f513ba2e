"""Planar mechanics: parts that move in a plane, with the connector x, y, phi; fx, fy, t (Zimmer's PlanarMechanics).

    from linkwright import planar as pl

Planar parts compile onto the same recursions as spatial ones: a planar frame is a frame in space that stays in the
plane of its planar world, and tracing leaves nothing but planar code.

May import: `algebra`, `mechanism`, `errors`, the spatial components, NumPy, CasADi.
"""

from . import contact
from .bridge import To3D
from .constraint import Constraint
from .curves import limit_by_s_form, limit_by_striple
from .cut_sensors import CutForce, CutForceAndTorque, CutTorque, Power
from .frame import PlanarFrame as Frame
from .gears import RigidNoLossExternal, RigidNoLossInternal
from .joints import Joint, Prismatic, Revolute
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
from .springs import Damper, LineForce, Spring, SpringDamper
from .vehicles import AirResistanceLongitudinal, DifferentialGear
from .wheels import DryFrictionWheelJoint, IdealWheelJoint, SlipBasedWheelJoint
from .world import World, WorldIn3D

__all__ = [
    "AbsoluteAcceleration", "AbsolutePosition", "AbsoluteVelocity", "AirResistanceLongitudinal", "Body", "Constraint",
    "CutForce", "CutForceAndTorque", "CutTorque", "Damper", "DifferentialGear", "Distance", "DryFrictionBasedRolling",
    "DryFrictionWheelJoint", "Fixed", "FixedRotation", "FixedTranslation", "Frame", "IdealRolling", "IdealWheelJoint",
    "Joint", "LineForce", "Power", "Prismatic", "QuadraticSpeedDependentForce", "RelativeAcceleration",
    "RelativeForce", "RelativePosition", "RelativeVelocity", "Revolute", "RigidNoLossExternal", "RigidNoLossInternal",
    "SlipBasedWheelJoint", "Spring", "SpringDamper", "To3D", "TransformAbsoluteVector", "TransformRelativeVector",
    "World", "WorldForce", "WorldIn3D", "contact", "limit_by_s_form", "limit_by_striple",
]
