"""What can be done with a system: one study per file."""

from .assemble import assemble
from .control import Plan, control
from .equilibrium import equilibrium
from .external_loads import ExternalForce
from .fit import Fit, fit
from .gradient import gradient
from .inverse import inverse_dynamics
from .inverse_kinematics import inverse_kinematics
from .linearize import linearize
from .modes import modes
from .optimize import Optimum, optimize
from .simulate import TIME_STEPPING, output_times, simulate, stepped
from .static_optimization import static_optimization
from .thermal import sample, thermal

__all__ = [
    "TIME_STEPPING", "ExternalForce", "Fit", "Optimum", "Plan", "assemble", "control",
    "equilibrium", "fit", "goals", "gradient", "inverse_dynamics", "inverse_kinematics", "lane_runs", "linearize",
    "modes", "optimize", "output_times", "sample", "simulate", "static_optimization", "stepped",
    "stepped_runs", "thermal",
]
