"""Contact: shapes that ride on frames and can touch one another.

    m.skin = contact.Sphere(radius=0.1)
    m.connect(m.ball.frame_a, m.skin.frame_a)
"""

from .array_shapes import Convex, Curve, HeightField, Mesh
from .compliant import Hertz, HuntCrossley, Linear, Smooth
from .exponential import Exponential
from .foundation import ElasticFoundation
from .material import Material
from .pair import Pair
from .rigid import Rigid
from .shapes import Box, Capsule, ContactShape, Cylinder, Disc, Ellipsoid, Plane, Point, Sphere, Torus

__all__ = [
    "Box", "Capsule", "ContactShape", "Convex", "Curve", "Cylinder", "Disc", "ElasticFoundation", "Ellipsoid",
    "Exponential", "HeightField", "Hertz", "HuntCrossley", "Linear", "Material", "Mesh", "Pair", "Plane", "Point",
    "Rigid", "Smooth", "Sphere", "Torus",
]
