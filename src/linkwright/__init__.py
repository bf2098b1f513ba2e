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

from .algebra import ForceMotor, Inertia, MomentumMotor, Transform, VelocityMotor
from .codegen import clear_cache
from .components import (
    Frame,
    Model,
    World,
    assemblies,
    blocks,
    constraints,
    contact,
    forces,
    free,
    guess,
    joints,
    parameter,
    parts,
    rolling,
    rotational,
    sensors,
    translational,
    visualizers,
)
from .components import planar as planar
from .components.bounded import Coulomb
from .components.clearances import CompliantStop
from .components.expressions import (
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
    fabs,
    floor,
    fmax,
    fmin,
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
from .errors import (
    AssemblyError,
    InitialError,
    LinkwrightError,
    ModelError,
    SimulationError,
    SingularError,
    TopologyError,
)
from .io import read
from .result import Result, load
from .studies import assemble, equilibrium, inverse, linearize, modes, simulate
from .studies.translate import translate as compile
from .system import Stage, State, System

__version__ = "0.1.0"

__all__ = [
    "AssemblyError", "CompliantStop", "Coulomb", "ForceMotor", "Frame", "Inertia", "InitialError", "LinkwrightError",
    "Model", "ModelError", "MomentumMotor", "Result", "SimulationError", "SingularError", "Stage", "State", "System",
    "TopologyError", "Transform", "VelocityMotor", "World", "acos", "asin", "assemble", "assemblies", "atan", "atan2",
    "blocks", "clear_cache", "compile", "constraints", "contact", "cos", "cosh", "deg", "der", "dot", "equilibrium",
    "exp", "fabs", "floor", "fmax", "fmin", "forces", "free", "guess", "inverse", "joints", "linearize", "load", "log",
    "logical_and", "logical_not", "logical_or", "modes", "parameter", "parts", "planar", "read", "rolling",
    "rotation_x", "rotation_y", "rotation_z", "rotational", "sensors", "sign", "simulate", "sin", "sinh",
    "smooth_where", "sqrt", "tan", "tanh", "time", "translational", "visualizers", "where",
]
