"""Cables that run over points and wrap surfaces, and the forces that pull along them."""

from .belt import Belt
from .cable import Cable
from .path_forces import Blankevoort1991, Ligament, PathActuator, PathSpring
from .rope import Rope, Winch
from .route import Wrap, moving, via
from .splines import natural_spline, simm_spline, spline
from .springs import Hoist, Line, SpringCable
from .surfaces import Cylinder, Disc, Ellipsoid, Sphere

__all__ = [
    "Belt", "Blankevoort1991", "Cable", "Cylinder", "Disc", "Ellipsoid", "Hoist", "Ligament", "Line", "PathActuator",
    "PathSpring", "Rope", "Sphere", "SpringCable", "Winch", "Wrap", "moving", "natural_spline", "simm_spline", "spline",
    "via",
]
