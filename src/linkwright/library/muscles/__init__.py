"""Muscles along the ways of cables: activation, fibres and tendons."""

from . import mujoco
from .degroote_fregly import DeGrooteFregly2016
from .millard import Millard2012
from .mujoco import MujocoMuscle
from .muscle import Muscle
from .rigid_tendon import RigidTendon
from .thelen import Thelen2003

__all__ = ["DeGrooteFregly2016", "Millard2012", "MujocoMuscle", "Muscle", "RigidTendon", "Thelen2003", "mujoco"]
