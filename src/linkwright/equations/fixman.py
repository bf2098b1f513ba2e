"""Fixman's term: with it, frozen bonds give the same configurations at a temperature as very stiff ones.

At a temperature T momenta are distributed as exp(−½ uᵀM u/kT), so that frozen bonds give a configuration the weight
√det M(q).  In a molecule whose bonds are only very stiff this weight is absent.  The potential that removes it (Fixman,
Proc. Natl. Acad. Sci. 71 (1974) 3050) and its forces on the mobilities are

    E = ½ kT log det M,     τ = −Nᵀ ∂E/∂q

The determinant comes from the pivots of the articulated recursion, log det M = Σ log D; with constraints from those of
the factored equations, whose product is det M det(G M⁻¹ Gᵀ).  The forces are one reverse sweep through either.
"""

from __future__ import annotations

import casadi as ca

from .articulated import articulated_inertias
from .constraint_rows import Rows
from .kinematics import Kinematics
from .kkt import Kkt


def log_det_tree(kin: Kinematics) -> ca.SX:
    """log det M of a tree."""
    factors, _ = articulated_inertias(kin)
    return -sum((ca.log(D_inverse) for joint in factors.D_inverse for D_inverse in joint), ca.SX(0))


def log_det_constrained(mass_matrix: ca.SX, rows: list[Rows], fixed: list[int], missing: float,
                        epsilon: ca.SX) -> ca.SX:
    """log (det M det(G M⁻¹ Gᵀ))."""
    return ca.sum1(ca.log(Kkt(mass_matrix, rows, fixed, missing, epsilon).pivots))


def mobility_forces(energy: ca.SX, q: ca.SX, u: ca.SX, qdot: ca.SX) -> ca.SX:
    """−Nᵀ ∂E/∂q for q̇ = N u."""
    return -(ca.jacobian(qdot, u).T @ ca.gradient(energy, q))
