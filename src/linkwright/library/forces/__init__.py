"""Force elements (Modelica MultiBody.Forces), and the bases for a user's own laws."""

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
    "Damper", "Force", "ForceAndTorque", "LineForce", "LineForceWithMass", "LineForceWithTwoMasses", "Spring",
    "SpringDamperParallel", "SpringDamperSeries", "Torque", "TwoFrameForce", "WorldForce", "WorldForceAndTorque",
    "WorldTorque",
]
