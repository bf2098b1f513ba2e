"""Parts that bend: beams, and bodies reduced to a few shapes."""

from .beams import Beam
from .closed_forms import beam_modes
from .modal import ModalBody
from .reduced import Reduced
from .reduction import reduce
from .sections import Aluminium, Circle, IBeam, Material, Rectangle, Rubber, Section, Steel, Titanium, Tube
from .sid import read_sid, write_sid

__all__ = [
    "Aluminium", "Beam", "Circle", "IBeam", "Material", "ModalBody", "Rectangle", "Reduced", "Rubber", "Section",
    "Steel", "Titanium", "Tube", "beam_modes", "read_sid", "reduce", "write_sid",
]
