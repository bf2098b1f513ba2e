"""What can be done with a system: one study per file."""

from .assemble import assemble
from .control import Plan, control
from .equilibrium import equilibrium
from .fit import Fit, fit
from .gradient import gradient
from .inverse import inverse
from .linearize import linearize
from .modes import modes
from .optimize import Optimum, optimize
from .simulate import accuracy_of_steps, output_times, prepare, simulate
from .thermal import sample, thermal
from .tolerances import FINEST

__all__ = [
    "FINEST", "Fit", "Optimum", "Plan", "accuracy_of_steps", "assemble", "control", "equilibrium", "fit", "goals",
    "gradient", "inverse", "lane_runs", "linearize", "modes", "optimize", "output_times", "prepare", "sample",
    "simulate", "thermal",
]
