"""Force elements (Modelica MultiBody.Forces), and the bases for a user's own laws."""

from ...language import members
from .bushing import Bushing
from .coordinate_force import CoordinateForce
from .line_forces import (
    Damper,
    LineForce,
    LineForceWithMass,
    LineForceWithTwoMasses,
    Spring,
    SpringDamperParallel,
    SpringDamperSeries,
)
from .wrenches import Force, ForceAndTorque, Torque, TwoFrameForce, WorldForce, WorldForceAndTorque, WorldTorque

__all__ = [
    "Bushing", "CoordinateForce", "Damper", "Force", "ForceAndTorque", "LineForce", "LineForceWithMass",
    "LineForceWithTwoMasses", "Spring", "SpringDamperParallel", "SpringDamperSeries", "Torque", "TwoFrameForce",
    "WorldForce", "WorldForceAndTorque", "WorldTorque",
]

#: what other programs call them
__getattr__ = members("forces", {
    "SpringDamper": "SpringDamperParallel", "TranslationalSpring": "Spring", "Gravity": "lw.World",
    "Motor": "rotational.Torque",
}, __all__)
