"""What can be done with a system: one study per file.

`translate` is the single place where a study's argument (a System, a Mechanism, a Model) becomes a System.

May import: `components`, `topology`, `system`, `integrate`, `result`, `mechanism`, `errors`.
"""

from .assemble import assemble
from .equilibrium import equilibrium
from .inverse import inverse
from .linearize import linearize
from .modes import modes
from .simulate import simulate
from .translate import translate

__all__ = ["assemble", "equilibrium", "inverse", "linearize", "modes", "simulate", "translate"]
