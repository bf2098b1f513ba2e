"""Parts that bend: beams, and bodies reduced to a few shapes."""

from .beams import Beam
from .closed_forms import beam_modes
from .covered import cover, middles
from .finite_elements import block_mesh
from .modal import Block, ModalBody
from .reduced import Reduced
from .reduction import reduce
from .sections import (
    Aluminium,
    Circle,
    IBeam,
    Material,
    Rectangle,
    Rubber,
    Section,
    SectionStiffness,
    Steel,
    Titanium,
    Tube,
)
from .sid import read_sid, write_sid

__all__ = [
    "Aluminium", "Beam", "Block", "Circle", "IBeam", "Material", "ModalBody", "Rectangle", "Reduced", "Rubber",
    "Section", "SectionStiffness", "Steel", "Titanium", "Tube", "beam_modes", "block_mesh", "cover", "middles",
    "read_sid", "reduce", "write_sid",
]
