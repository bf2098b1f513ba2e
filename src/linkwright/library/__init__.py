"""What users connect, in Modelica's packages: parts, joints, forces, sensors, drives, blocks, planar; and molecules.

Every component here is written in the words of `language`; a user's own is written in the same words.
"""

from . import (
    assemblies,
    blocks,
    cables,
    constraints,
    contact,
    flexible,
    forces,
    heat,
    joints,
    molecules,
    muscles,
    parts,
    planar,
    rolling,
    sensors,
    visualizers,
)
from .drives import rotational, translational

__all__ = [
    "assemblies", "blocks", "cables", "constraints", "contact", "flexible", "forces", "heat", "joints", "molecules",
    "muscles", "parts", "planar", "rolling", "rotational", "sensors", "translational", "visualizers",
]
