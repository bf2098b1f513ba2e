"""The equations of motion, written in motors and traced with CasADi: one algorithm, one file.

`Equations(mechanism)` holds the symbols (t, q, u, z, d, p, f) and gives expressions on demand: accelerations by the
articulated-body recursion for trees, by one sparse factorisation with constraints; mass matrix, Jacobians, energies,
reactions, errors of constraints, and the blocks of algebraic unknowns.
"""

from .applied_loads import law_expressions
from .articulated import articulated_inertias, outward, solve_tree
from .constraint_rows import Rows
from .cotangents import Pulled, pulled, pulled_change
from .derivatives import forward_derivatives, inverse_derivatives
from .equations import Block, Equations
from .fast_directions import with_balances
from .impulses import holds, restoring
from .kinematics import accelerations
from .kkt import Kkt, epsilons, leaning, masked, solve_kkt
from .laws import ACCELERATION, VELOCITY
from .linearised import Pencil, held_equations, linearise
from .mixed_loops import restoring_mixed
from .momenta import floating, momenta, momentum_rates, speeds_of
from .relations import hold_comparisons
from .tangents import COMPANION, Column, TangentEquations
from .tolerances import EPSILON

__all__ = [
    "ACCELERATION", "COMPANION", "EPSILON", "VELOCITY", "Block", "Column", "Equations", "Kkt", "Pencil", "Pulled",
    "Rows", "TangentEquations", "accelerations", "articulated_inertias", "epsilons", "floating",
    "forward_derivatives", "held_equations", "hold_comparisons", "holds", "inverse_derivatives", "law_expressions",
    "leaning", "linearise", "masked", "momenta", "momentum_rates", "outward", "pulled", "pulled_change", "restoring",
    "restoring_mixed", "solve_kkt", "solve_tree", "speeds_of", "with_balances",
]
