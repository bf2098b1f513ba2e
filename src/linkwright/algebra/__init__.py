"""Rotations, transforms, motors and dyads: the language the engine is written in.

Everything works the same on floats (NumPy) and on symbols (CasADi SX).  Rotations are plain 3×3 matrices `R_AB` whose
columns are B's axes in A; transforms are `X_AB = (R_AB, p_AB)`; velocity, force and momentum are motors (von Mises)
that refuse to be added to one another; inertia is a dyad.  Constants within 1e-14 of 0 or ±1 are snapped, because a
rounding error in a constant rotation multiplies the generated code.
"""

from . import frames
from .arrays import (
    Array,
    MatrixLike,
    Numbers,
    Scalar,
    VectorLike,
    choose,
    cross,
    dot,
    is_symbolic,
    norm,
    outer,
    rows,
    skew,
    snap,
    stack,
    unit,
    vector,
)
from .dyads import Dyad
from .exponential import Tangent, exponential
from .inertia import Inertia, MotorDyad
from .motors import ForceMotor, MomentumMotor, Motor, VelocityMotor, derivative_in_moving_frame
from .rotations import (
    ABOUT,
    angular_velocity,
    axis_frame,
    axis_rotation,
    quaternion_from_rotation,
    quaternion_rate,
    rotation_angles,
    rotation_from_angles,
    rotation_from_quaternion,
    rotation_from_vector,
    rotation_vector,
    rotation_x,
    rotation_y,
    rotation_z,
)
from .transform import Transform

__all__ = [
    "ABOUT", "Array", "Dyad", "ForceMotor", "Inertia", "MatrixLike", "MomentumMotor", "Motor", "MotorDyad", "Numbers",
    "Scalar", "Tangent", "Transform", "VectorLike", "VelocityMotor", "angular_velocity", "axis_frame", "axis_rotation",
    "choose", "cross", "derivative_in_moving_frame", "dot", "exponential", "frames", "is_symbolic", "norm", "outer",
    "quaternion_from_rotation", "quaternion_rate", "rotation_angles", "rotation_from_angles",
    "rotation_from_quaternion", "rotation_from_vector", "rotation_vector", "rotation_x", "rotation_y", "rotation_z",
    "rows", "skew", "snap", "stack", "unit", "vector",
]
