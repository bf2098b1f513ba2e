"""Fast coordinates: directions of motion that meet no inertia, in which a mechanism follows in equilibrium.

Where M n = 0 and G n = 0 (no part with mass moves, no constraint resists), the equations of motion multiplied by n say

    nᵀ F(t, q, u) = 0,      F: loads and weights, without inertia forces (which vanish: nᵀ J̇ᵀ … is Mn once more)

It is imposed as a constraint.  M u̇ + Gᵀ λ + Bᵀ μ = F − h with B the slopes of nᵀF, multiplied by nᵀ, leaves
(B n)ᵀ μ = nᵀ F = 0: the constraint needs no force, and what has mass moves as in the limit of small masses.  With
springs alone it is one on position level; with dampers one on velocity level, and the coordinate creeps.

n is 1 along one speed k of each such direction and, with M and G of the other speeds,

    n_s = x of  [[M_ss, G_sᵀ], [G_s, 0]] (x, ν) = −(M_sk, G_k)

nothing at all for a link beyond which there is no mass (Simbody Theory Manual §10.3: fast variables).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import casadi as ca

from ..errors import ModelError
from ..mechanism import Balance, Constraint
from .applied_loads import applied_loads
from .articulated import bias_forces
from .constraint_rows import Rows
from .inverse import joint_forces
from .kinematics import accelerations, kinematics
from .kkt import solve_kkt
from .laws import ACCELERATION

if TYPE_CHECKING:
    from .equations import Equations


def balance_rows(e: Equations, rows: Sequence[Rows]) -> list[Rows]:
    """The equations of the balances, `rows` being those of all other constraints."""
    balances = [c for c in e.mechanism.constraints if isinstance(c, Balance)]
    if not balances:
        return []
    force = _forces(e)
    chosen = [c.mobility for c in balances]
    return [_rows(e, c, ca.dot(_direction(e, rows, c.mobility, chosen), force) / c.size) for c in balances]


def _forces(e: Equations) -> ca.SX:
    """F: loads and weights on every speed, inertia forces left out."""
    m, q, still = e.mechanism, e.symbols["q"], ca.SX(e.mechanism.nu, 1)
    at_rest = kinematics(m, q, still)
    on_body, tau = applied_loads(e.laws)
    A = accelerations(at_rest, still, e._world_acceleration)
    felt, _ = joint_forces(at_rest, A, bias_forces(at_rest, on_body), still)
    off_tree = e.off_tree.forces(still)
    if m.point_masses or m.rotors:
        others = [s for s in ca.symvar(off_tree) if not ca.depends_on(e.symbols["u"], s)]
        off_tree = ca.Function("still", [e.symbols["u"], *others], [off_tree]).call([still, *others])[0]
    return tau - ca.vertcat(ca.SX(0, 1), *felt) - off_tree


def _direction(e: Equations, rows: Sequence[Rows], k: int, chosen: list[int]) -> ca.SX:
    """n of speed k."""
    nu = e.mechanism.nu
    unit = ca.SX(nu, 1)
    unit[k] = 1
    held = [r for r in rows if r.mode is None and r.G.shape[0]]
    top, bottom = ca.sparsify(e.mass_matrix @ unit), [ca.sparsify(r.G @ unit) for r in held]
    if not top.nnz() and not any(part.nnz() for part in bottom):
        return unit
    missing = e.missing_inertia if held else 0.0
    x, _, _ = solve_kkt(e.mass_matrix, held, -ca.densify(top), [-ca.densify(part) for part in bottom],
                        [*chosen, *e.given_speeds], missing)
    return x + unit


def _rows(e: Equations, c: Balance, force: ca.SX) -> Rows:
    """The equation of one balance."""
    _check_known(e, c, force)
    moving = [k for k in range(e.symbols["z"].numel()) if ca.depends_on(force, e.symbols["z"][k])]
    x = ca.vertcat(e.symbols["t"], e.symbols["q"], e.symbols["z"])
    zdot = ca.SX(e.symbols["z"].numel(), 1)
    if moving:
        every = e.laws.evaluate(ca.vertcat(*[state.derivative for state in e.mechanism.states]))[0]
        zdot[moving] = every[moving]
        _check_known(e, c, zdot)
    xdot = ca.vertcat(ca.SX(1), e.qdot, zdot)
    on_velocity = ca.depends_on(force, e.symbols["u"])
    if moving and not on_velocity and ca.depends_on(zdot, e.symbols["u"]):
        raise ModelError(f"{c.name}: the force on what has no inertia there follows a state that depends on speeds "
                         "(a filter, bristles of friction), so that no equilibrium determines it. Give the part some "
                         "mass, or add a damper.", c.name)
    rate = force if on_velocity else ca.jtimes(force, x, xdot)
    G = ca.sparsify(ca.jacobian(rate, e.symbols["u"]))
    value = ca.SX.zeros(1) if on_velocity else force
    return Rows(c.name, "velocity" if on_velocity else "position", value, rate, G, ca.jtimes(rate, x, xdot), {},
                labels=("balance of forces",), kept=(0,), alone={})


def _check_known(e: Equations, c: Constraint, expression: ca.SX) -> None:
    """Refuse forces that read accelerations, reactions, or unknowns that have to be solved for."""
    known = {s.nz[k].element_hash() for name in "tquzdp" for s in [e.symbols[name]] for k in range(s.nnz())}
    left = [s for s in ca.symvar(expression) if s.element_hash() not in known]
    if left:
        raise ModelError(f"{c.name}: what acts on this part without inertia reads {_said(e, left)}, which is itself "
                         "solved for. Give the part some mass, or let the law read positions, speeds and signals "
                         "only.", c.name)


def _said(e: Equations, symbols: Iterable[ca.SX]) -> str:
    hashes = {s.element_hash() for s in symbols}
    names = [f"{v.quantity} of {v.of}" if isinstance(v.of, str) else v.quantity for v in e.mechanism.variables
             if v.quantity in ACCELERATION and any(v.symbol.nz[k].element_hash() in hashes
                                                   for k in range(v.symbol.nnz()))]
    names += [u.name for u in e.mechanism.unknowns
              if any(u.symbol.nz[k].element_hash() in hashes for k in range(u.symbol.nnz()))]
    return ", ".join(names) or ", ".join(sorted({s.name() for s in symbols}))
