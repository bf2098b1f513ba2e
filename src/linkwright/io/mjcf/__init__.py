"""MJCF: MuJoCo's model files (mujoco.readthedocs.io, XML reference).

    sources     the file with what it includes
    settings    compiler and option: angles, gravity, where inertia comes from
    defaults    classes of attributes
    solids      geoms: shape, mass, inertia
    bodies      the tree: bodies, joints, sites
    drives      tendons and actuators
    bonds       equality constraints
    sensors     outputs
    keyframes   states with names
"""

from .reader import read_mjcf

__all__ = ["read_mjcf"]
