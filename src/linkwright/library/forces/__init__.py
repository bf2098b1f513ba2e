"""Force elements (Modelica MultiBody.Forces), and the bases for a user's own laws."""

from ...language import members
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
    "CoordinateForce", "Damper", "Force", "ForceAndTorque", "LineForce", "LineForceWithMass", "LineForceWithTwoMasses",
    "Spring", "SpringDamperParallel", "SpringDamperSeries", "Torque", "TwoFrameForce", "WorldForce",
    "WorldForceAndTorque", "WorldTorque",
]

#: what other programs call them
__getattr__ = members("forces", {
    "SpringDamper": "SpringDamperParallel", "TranslationalSpring": "Spring", "Gravity": "lw.World",
    "Bushing": "TwoFrameForce", "Motor": "rotational.Torque",
}, __all__)
