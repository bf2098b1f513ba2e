"""Wheels that roll without slip on the plane z = 0, by one name: `parts` has them with mass, `joints` without."""

from .joints.rolling import RollingConstraintVerticalWheel
from .joints.rolling import RollingWheelSet as RollingWheelSetJoint
from .parts.rolling import RollingWheel, RollingWheelSet

__all__ = ["RollingConstraintVerticalWheel", "RollingWheel", "RollingWheelSet", "RollingWheelSetJoint"]
