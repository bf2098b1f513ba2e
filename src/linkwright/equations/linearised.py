"""The equations linearised about a state, as two sparse matrices: nothing is solved symbolically.

With the accelerations u̇, the multipliers λ and the unknowns y as symbols all equations are short,

    q̇ = N u
    R₁ = M u̇ + h(q, u) − applied(t, q, u, z, y) + Gᵀ T λ = 0      (u̇ = given where a joint's motion is prescribed)
    R₂ = G u̇ + γ = 0                                            (λ = 0 where a mode is off)
    R₃ = r(t, q, u, z, u̇, λ, y) = 0
    ż = ż(t, q, u, z, u̇, λ, y)

and small changes of the states x = (q, u, z) and of w = (λ, y) obey  P δẋ = Q (δx, δw).  So J = ∂ẋ/∂x, which is dense
along a chain and long as code, need never be formed: an implicit method solves

    ([μP 0] − Q) (δx, δw) = P r      for      (μ − J) δx = r.

The tree's part of ∂R₁ comes from motor formulas (`derivatives`), everything else from automatic differentiation of the
expressions above.  A unit quaternion is differentiated along the mobilities: ∂R₁/∂q = (∂R₁/∂q N) N⁺.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from .derivatives import inverse_derivatives
from .equations import Equations
from .kkt import closing, epsilons, leaning, masked, repeating


@dataclass
class Pencil:
    """P (rows × states) and Q (rows × states and w), structurally sparse."""

    P: ca.SX
    Q: ca.SX


class _Held(Equations):
    """The same equations with u̇ and λ as symbols in place of their solution."""

    def __init__(self, e: Equations):
        self.mechanism, self.symbols = e.mechanism, e.symbols
        self.kinematics, self.rows = e.kinematics, e.rows
        multipliers = ca.SX.sym("lambda", sum(rows.G.shape[0] for rows in e.rows))
        self._solution = e.symbols["udot"], multipliers, ca.SX(1)

    @property
    def y(self) -> ca.SX:
        return ca.vertcat(ca.SX(0, 1), *[symbol for _, symbol, _, _ in self.unknowns])


def held_equations(e: Equations) -> Equations:
    """The equations with accelerations and multipliers as symbols, nothing solved."""
    return _Held(e)


def linearise(e: Equations) -> Pencil:
    """P and Q at the accelerations, multipliers and unknowns that solve the equations."""
    held = _Held(e)
    x = {name: e.symbols[name] for name in "quz"}
    w = {"lambda": held.multipliers, "y": held.y}
    forces = _forces(held, x | w)
    rows = _constraints(held, x | w, forces["udot"])
    rest = {name: ca.jacobian(held.unknown_residuals, s) for name, s in _all(held, x | w).items()}
    rates = {name: ca.jacobian(held.zdot, s) for name, s in _all(held, x | w).items()}
    nq, nu, nz, nw = *[s.numel() for s in x.values()], sum(s.numel() for s in w.values())
    along = {name: ca.jacobian(e.qdot, s) for name, s in x.items()}
    P = ca.blockcat([
        [ca.SX.eye(nq), ca.SX(nq, nu), ca.SX(nq, nz)],
        *[[ca.SX(part["udot"].shape[0], nq), part["udot"], ca.SX(part["udot"].shape[0], nz)]
          for part in (forces, rows, rest)],
        [ca.SX(nz, nq), -rates["udot"], ca.SX.eye(nz)],
    ])
    Q = ca.blockcat([
        [*along.values(), ca.SX(nq, nw)],
        *[[*[-part[name] for name in x], -ca.horzcat(*[part[name] for name in w])] for part in (forces, rows, rest)],
        [*[rates[name] for name in x], ca.horzcat(*[rates[name] for name in w])],
    ])
    return _at_solution(e, held, P, Q)


def _all(held: _Held, parts: dict[str, ca.SX]) -> dict[str, ca.SX]:
    return {"udot": held.symbols["udot"], **parts}


def _forces(held: _Held, parts: dict[str, ca.SX]) -> dict[str, ca.SX]:
    """Derivatives of R₁."""
    m, udot = held.mechanism, held.symbols["udot"]
    on_body, tau = held._applied
    inverse = inverse_derivatives(held.kinematics, udot, held._world_acceleration, on_body)
    out = {name: ca.SX(m.nu, s.numel()) for name, s in parts.items()}
    out |= {"udot": inverse.mass, "q": inverse.q @ _speeds_of_rates(held), "u": inverse.u}
    G, _ = masked(held.rows) if held.rows else (ca.SX(0, m.nu), None)
    others = held.off_tree.forces(udot) - tau + G.T @ held.multipliers
    if repeating(held.rows):
        others += closing(held.rows).T @ ((leaning(held.rows) - ca.SX.eye(G.shape[0])) @ held.multipliers)
    for name, s in _all(held, parts).items():
        out[name] += ca.jacobian(others, s)
    # a load on a body is held in its axes by the motor formulas; its own change is felt by the joints that carry it
    for body, motor in zip(m.bodies, on_body, strict=True):
        if motor is None:
            continue
        load, J = ca.SX(motor.vector()), held.jacobian(body.name)
        felt = ca.vertcat(J[3:, :], J[:3, :]).T  # (f, τ) against (ω, v)
        for name, s in parts.items():
            out[name] -= felt @ ca.jacobian(load, s)
    for k, given in held.prescribed.items():
        own = held.mechanism.slices()[1][k]
        for name, s in _all(held, parts).items():
            out[name][own, :] = (ca.SX.eye(m.nu)[own, :] if name == "udot" else 0) - ca.jacobian(given, s)
    return {name: ca.sparsify(value) for name, value in out.items()}


def _constraints(held: _Held, parts: dict[str, ca.SX], mass: ca.SX) -> dict[str, ca.SX]:
    """Derivatives of R₂; redundant rows are harmless with ε as in `kkt`."""
    if not held.rows:
        return {name: ca.SX(0, s.numel()) for name, s in _all(held, parts).items()}
    G, mask = masked(held.rows)
    gamma = ca.vertcat(*[rows.gamma for rows in held.rows])
    epsilon = mask * ca.vertcat(*[epsilons(mass, rows, held.epsilon) for rows in held.rows])
    residual = G @ held.symbols["udot"] + mask * gamma - (1 - mask) * held.multipliers
    out = {name: ca.jacobian(residual, s) for name, s in _all(held, parts).items()}
    return out | {"lambda": out["lambda"] - ca.diag(epsilon)}


def _speeds_of_rates(held: _Held) -> ca.SX:
    """N⁺ of u = N⁺ q̇."""
    m, q = held.mechanism, held.symbols["q"]
    rate = ca.SX.sym("rate", m.nq)
    speeds = [ca.SX(body.mobilizer.speeds(q[part], rate[part]))
              for body, part in zip(m.bodies, m.slices()[0], strict=True) if body.mobilizer.nq]
    return ca.jacobian(ca.vertcat(ca.SX(0, 1), *speeds), rate)


def _at_solution(e: Equations, held: _Held, P: ca.SX, Q: ca.SX) -> Pencil:
    """The matrices with the solution in the place of its symbols."""
    udot, multipliers, _ = held._solution
    others = [symbol for name, symbol in e.symbols.items() if name != "udot"] + [e.y]
    function = ca.Function("pencil", [udot, multipliers, *others], [P, Q])
    return Pencil(*map(ca.sparsify, function.call([e.udot, e.multipliers, *others])))
