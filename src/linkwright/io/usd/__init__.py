"""USD Physics: rigid bodies, joints, drives and colliders of a USD stage (openusd.org, "UsdPhysics"), by the package
usd-core.

    stage     the file, its units, poses without scale, the elements that reports name
    solids    shapes of colliders, and the masses that follow from them
    joints    joints with their limits and drives
    reader    bodies, joints, what is free and what touches
"""

from .reader import read_usd

__all__ = ["read_usd"]
