"""Planar mechanics: parts that move in a plane, with the connector x, y, phi; fx, fy, t (Zimmer's PlanarMechanics).

    from linkwright import planar as pl

Planar parts compile onto the same recursions as spatial ones: a planar frame is a frame in space that stays in the plane
of its planar world, and tracing leaves nothing but planar code.

May import: `algebra`, `mechanism`, `errors`, the spatial components, NumPy, CasADi.
"""

from .frame import PlanarFrame as Frame
from .joints import Joint, Prismatic, Revolute
from .parts import Body, Fixed, FixedRotation, FixedTranslation
from .world import World, WorldIn3D

__all__ = [
    "Body", "Fixed", "FixedRotation", "FixedTranslation", "Frame", "Joint", "Prismatic", "Revolute", "World", "WorldIn3D",
]
