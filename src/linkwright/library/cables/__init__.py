"""Cables that run over points and wrap surfaces, and the forces that pull along them."""

from .cable import Cable
from .route import moving, via
from .splines import natural_spline, simm_spline, spline
from .springs import Line, SpringCable
from .surfaces import Cylinder, Disc, Sphere

__all__ = ["Cable", "Cylinder", "Disc", "Line", "Sphere", "SpringCable", "moving", "natural_spline", "simm_spline", "spline", "via"]
