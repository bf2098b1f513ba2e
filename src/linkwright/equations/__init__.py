"""The equations of motion, written in motors and traced with CasADi: one algorithm, one file.

`Equations(mechanism)` holds the symbols (t, q, u, z, d, p, f) and gives expressions on demand: accelerations by the
articulated-body recursion for trees, by one sparse factorisation with constraints; mass matrix, Jacobians, energies,
reactions, errors of constraints, and the blocks of algebraic unknowns.
"""

from .equations import Block, Equations

__all__ = ["Block", "Equations"]
