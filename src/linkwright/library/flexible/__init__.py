"""Parts that bend: beams, and bodies reduced to a few shapes."""

from .beams import Beam
from .closed_forms import beam_modes
from .modal import ModalBody
from .reduced import Reduced
from .sections import Aluminium, Circle, IBeam, Material, Rectangle, Rubber, Section, Steel, Titanium, Tube

__all__ = [
    "Aluminium", "Beam", "Circle", "IBeam", "Material", "ModalBody", "Rectangle", "Reduced", "Rubber", "Section",
    "Steel", "Titanium", "Tube", "beam_modes",
]
