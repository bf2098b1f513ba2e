"""What can be done with a system: one study per file."""

from .assemble import assemble
from .equilibrium import equilibrium
from .inverse import inverse
from .linearize import linearize
from .modes import modes
from .simulate import simulate
from .thermal import sample, thermal

__all__ = ["assemble", "equilibrium", "inverse", "linearize", "modes", "sample", "simulate", "thermal"]
