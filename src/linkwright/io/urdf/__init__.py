"""URDF: robots as links and joints (wiki.ros.org/urdf/XML), with xacro where that package is installed.

A link becomes a Body of its name, a joint a joint of its name; z is up.
"""

from .reader import read_urdf

__all__ = ["read_urdf"]
