"""Derivatives of the accelerations with respect to coordinates, speeds and parameters.

Changes of q are taken along the mobilities, δq = N e_k, so that ∂u̇/∂q is nu × nu for quaternions too and agrees with
the plain derivative where q̇ = u.  Accelerations are defined implicitly, by τ(q, u, u̇) = applied forces or by the
constrained equations, and differentiated that way:

    ∂u̇/∂x = M⁻¹ (∂applied/∂x − ∂τ/∂x)
    [M Gᵀ; G 0] [∂u̇; ∂λ] = −∂/∂x [τ(q, u, u̇) − applied + Gᵀ λ;  G u̇ + γ]        (u̇, λ held)

The tree's ∂τ/∂x by motor formulas (`equations.derivatives`), laws by automatic differentiation of their expressions.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from ..algebra import ForceMotor
from ..equations import Equations, forward_derivatives, inverse_derivatives, leaning, solve_kkt


def acceleration_derivative(e: Equations, part: str) -> ca.SX:
    """∂u̇/∂q (along the mobilities) or ∂u̇/∂u, nu × nu; or ∂u̇/∂p, a column for each parameter that is an input."""
    if e.blocks or (e.prescribed and (part == "p" or e.mechanism.constraints)):
        return _through_unknowns(e, part)
    if not e.mechanism.is_tree or part == "p":
        return _constrained(e, part)
    return _tree(e, part)


def along(e: Equations, expression: ca.SX, part: str) -> ca.SX:
    """Derivative of an expression along the mobilities (part "q"), with the speeds ("u") or with parameters ("p")."""
    J = ca.jacobian(expression, e.symbols[part])
    return J if part != "q" else J @ ca.jacobian(e.qdot, e.symbols["u"])


def _tree(e: Equations, part: str) -> ca.SX:
    """Motor formulas, with −∂(applied)/∂x added and the given accelerations of prescribed joints followed."""
    on_body, tau = e._applied
    inverse = inverse_derivatives(e.kinematics, e.udot, e._world_acceleration, on_body)
    by_q = inverse.q - along(e, tau, "q")
    by_u = inverse.u - along(e, tau, "u")
    for k, motor in enumerate(on_body):
        if motor is None:
            continue
        load = ca.SX(motor.vector())
        columns = e.laws.relative("world", e.mechanism.bodies[k].name).columns
        for matrix, change in ((by_q, along(e, load, "q")), (by_u, along(e, load, "u"))):
            for j, S in columns.items():
                for i in sorted(set(change.sparsity().get_col())):
                    matrix[j, i] -= S.dot(ForceMotor.from_vector(ca.densify(change[:, i])))
    given = ca.SX(e.mechanism.nu, 1)
    for k, value in e.prescribed.items():
        given[e.mechanism.slices()[1][k]] = value
    moved = {name: along(e, ca.densify(given), name) for name in "qu"}
    inverse = replace(inverse, q=by_q + inverse.mass @ moved["q"], u=by_u + inverse.mass @ moved["u"])
    forward = forward_derivatives(e.kinematics, inverse)
    return getattr(forward, part) + moved[part]


def _constrained(e: Equations, part: str) -> ca.SX:
    """Implicit differentiation of the constrained equations at their solution."""
    m = e.mechanism
    udot, multipliers = e.symbols["udot"], ca.SX.sym("lambda", e.multipliers.numel())
    G = e.constraint_matrix
    gamma = ca.vertcat(ca.SX(0, 1), *[r.gamma for r in e.rows])
    top = along(e, e.tau - e.symbols["f"] + G.T @ (leaning(e.rows) @ multipliers), part)
    bottom = along(e, G @ udot + gamma, part)
    held = ca.Function("held", [udot, multipliers, *_others(e)], [top, bottom])
    top, bottom = held.call([e.udot, e.multipliers, *_others(e)])
    columns = [ca.SX(m.nu, 0)]
    for k in range(top.shape[1]):
        below, start = [], 0
        for r in e.rows:
            below.append(-ca.densify(bottom[start : (start := start + r.G.shape[0]), k]))
        columns.append(solve_kkt(e.mass_matrix, e.rows, -ca.densify(top[:, k]), below,
                                 missing=e.missing_inertia, epsilon=e.epsilon, leans=True)[0])
    return ca.horzcat(*columns)


def _others(e: Equations) -> list[ca.SX]:
    return [symbol for name, symbol in e.symbols.items() if name != "udot"]


def _through_unknowns(e: Equations, part: str) -> ca.SX:
    """Automatic differentiation; unknowns y follow their equations: du̇ = ∂u̇ − ∂u̇/∂y (∂r/∂y)⁻¹ ∂r."""
    direct = along(e, e.udot, part)
    y = e.y
    through = ca.jacobian(e.udot, y) if y.numel() else ca.SX(0, 0)
    if not through.nnz():
        return direct
    r = ca.vertcat(*[block.residual for block in e.blocks])
    return direct - through @ ca.solve(ca.densify(ca.jacobian(r, y)), ca.densify(along(e, r, part)))
