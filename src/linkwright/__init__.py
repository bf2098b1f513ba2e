"""Linkwright: a compiler for mechanisms.

    import linkwright as lw
    from linkwright import joints, parts

    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    r = lw.simulate(m, 10.0)
    r["rev.phi"]
"""

import sys

from . import library
from .algebra import ForceMotor, Inertia, MomentumMotor, Transform, VelocityMotor
from .aliases import PACKAGE as _OTHER_NAMES
from .batch import Simulator, Study, choice, lognormal, normal, sweep, truncated, uniform
from .codegen import clear_cache
from .compiler import system_of as compile
from .errors import (
    AssemblyError,
    InitialError,
    LinkwrightError,
    ModelError,
    SimulationError,
    SingularError,
    TopologyError,
)
from .io import export, read, robots
from .language import (
    Frame,
    Model,
    World,
    free,
    guess,
    parameter,
)
from .language.expressions import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    deg,
    der,
    dot,
    exp,
    floor,
    log,
    logical_and,
    logical_not,
    logical_or,
    rotation_x,
    rotation_y,
    rotation_z,
    sign,
    sin,
    sinh,
    smooth_where,
    sqrt,
    tan,
    tanh,
    time,
    where,
)
from .language.expressions import fabs as abs  # noqa: F401
from .language.expressions import largest_of as max  # noqa: F401
from .language.expressions import smallest_of as min  # noqa: F401
from .library import (
    assemblies,
    blocks,
    cables,
    constraints,
    contact,
    flexible,
    forces,
    heat,
    joints,
    molecules,
    muscles,
    parts,
    planar,
    rolling,
    rotational,
    sensors,
    translational,
    visualizers,
)
from .library.drives.clearances import CompliantStop
from .library.joints.bounds import Coulomb
from .library.joints.lugre import LuGre
from .result import Result, load, read_table
from .studies import (
    ExternalForce,
    assemble,
    control,
    equilibrium,
    fit,
    gradient,
    inverse_dynamics,
    inverse_kinematics,
    linearize,
    modes,
    optimize,
    sample,
    simulate,
    static_optimization,
    thermal,
)
from .studies.goals import final, integral, largest, mean, smallest, when
from .system import Stage, State, System
from .verify import verify
from .view import explain

__version__ = "0.1.0"

# `from linkwright.joints import Revolute`: the packages of the library are found where users know them
sys.modules.update({f"{__name__}.{name}": getattr(library, name) for name in library.__all__})


def __getattr__(name: str) -> object:
    if name in _OTHER_NAMES:
        return globals()[_OTHER_NAMES[name]]
    raise AttributeError(f"module 'linkwright' has no attribute {name!r}")


# abs, min and max are left out, so that `from linkwright import *` keeps Python's own
__all__ = [
    "AssemblyError", "CompliantStop", "Coulomb", "ExternalForce", "ForceMotor", "Frame", "Inertia", "InitialError",
    "LinkwrightError", "LuGre", "Model", "ModelError", "MomentumMotor", "Result", "SimulationError", "Simulator",
    "SingularError", "Stage", "State", "Study", "System", "TopologyError", "Transform", "VelocityMotor", "World",
    "acos", "asin", "assemble", "assemblies", "atan", "atan2", "blocks", "cables", "choice", "clear_cache", "compile",
    "constraints", "contact", "control", "cos", "cosh", "deg", "der", "dot", "equilibrium", "exp", "explain", "export",
    "final", "fit", "flexible", "floor", "forces", "free", "gradient", "guess", "heat", "integral", "inverse_dynamics",
    "inverse_kinematics", "joints", "largest", "linearize", "load", "log", "logical_and", "logical_not", "logical_or",
    "lognormal", "mean", "modes", "molecules", "muscles", "normal", "optimize", "parameter", "parts", "planar", "read",
    "read_table", "robots", "rolling", "rotation_x", "rotation_y", "rotation_z", "rotational", "sample", "sensors",
    "sign", "simulate", "sin", "sinh", "smallest", "smooth_where", "sqrt", "static_optimization", "sweep", "tan",
    "tanh", "thermal", "time", "translational", "truncated", "uniform", "verify", "visualizers", "when", "where",
]
