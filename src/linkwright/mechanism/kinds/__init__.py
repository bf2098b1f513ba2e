"""The kinds of mobilizers, after Simbody's table (Sherman, *Simbody Theory Manual*, §5), in our conventions.

One class says all about a kind: transform, motion columns, equations that close a loop, coordinates from a pose, and
how the search for closed forms recognises it.  One-axis kinds move along or about their own z.  Orientation kinds hold
a unit quaternion (scalar first) or, with `angles=(i, j, k)`, three body-fixed angles about those axes; their speeds are
V_FM expressed in M.
"""

from .angles import Bushing, CantileverFreeBeam, Gimbal, SphericalCoords, Universal
from .custom import Custom, FunctionBased, Reversed, reverse
from .modal import Integrals, Modal, Place, skews
from .orientation import Ellipsoid, Free, FreeLine, LineOrientation, Spherical
from .strain import COMPONENTS as STRAIN_COMPONENTS
from .strain import POINTS as STRAIN_POINTS
from .strain import Strained, gauss, legendre, masses
from .weld_and_translation import Translation, Weld
from .z_axis import BendStretch, Cylindrical, Planar, Prismatic, Revolute, Screw

__all__ = [
    "STRAIN_COMPONENTS", "STRAIN_POINTS", "BendStretch", "Bushing", "CantileverFreeBeam", "Custom", "Cylindrical",
    "Ellipsoid", "Free", "FreeLine", "FunctionBased", "Gimbal", "Integrals", "LineOrientation", "Modal", "Place",
    "Planar", "Prismatic", "Reversed", "Revolute", "Screw", "Spherical", "SphericalCoords", "Strained",
    "Translation", "Universal", "Weld", "gauss", "legendre", "masses", "reverse", "skews",
]
