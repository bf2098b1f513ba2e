"""Derivatives of the accelerations with respect to coordinates and speeds."""

from __future__ import annotations

import casadi as ca

from ..equations import Equations


def acceleration_derivative(e: Equations, part: str) -> ca.SX:
    """∂u̇/∂q or ∂u̇/∂u; unknowns y follow their equations: du̇ = ∂u̇ − ∂u̇/∂y (∂r/∂y)⁻¹ ∂r."""
    x = e.symbols[part]
    direct = ca.jacobian(e.udot, x)
    if not e.blocks:
        return direct
    y = e.y
    through = ca.jacobian(e.udot, y)
    if not through.nnz():
        return direct
    r = ca.vertcat(*[block.residual for block in e.blocks])
    return direct - through @ ca.solve(ca.densify(ca.jacobian(r, y)), ca.densify(ca.jacobian(r, x)))
