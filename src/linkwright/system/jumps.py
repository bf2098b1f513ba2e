"""Programs for jumps of speeds and coordinates: impulses, and what they move, with the constraints in force.

    M Δu + Gᵀ Λ = J,      G Δu = b

the equations of motion integrated over no time (Simbody Theory Manual §8.6.1), solved by the same factorisation; rows
whose mode is off are left out.  With a gap as b the same equations move coordinates.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from ..codegen import Program
from ..equations import ACCELERATION, Equations
from ..mechanism import Gravity
from .layout import Layout
from .programs import advance, build_program
from .tolerances import IMPULSE


def jump_program(layout: Layout) -> Program:
    """Δu, Λ and G Δu of an impulse J and changes b of the rates; and the present rates and gaps of all rows, and the
    Jacobian of rows with a mode, column by column.  With `stopped` = 1 the rates are taken off b: rows come to rest."""
    e = layout.equations
    m = e.mechanism
    count = sum(r.G.shape[0] for r in e.rows)
    impulse, bottom, stopped = ca.SX.sym("impulse", m.nu), ca.SX.sym("bottom", count), ca.SX.sym("stopped")
    rates = [r.rate if r.level != "acceleration" else ca.SX.zeros(r.G.shape[0]) for r in e.rows]
    change, push = e.solve_impulses(impulse, bottom - stopped * ca.vertcat(ca.SX(0, 1), *rates))
    outputs = {
        "change": change,
        "push": push,
        "moved": ca.vertcat(ca.SX(0, 1), *[r.G @ change for r in e.rows]),
        "rates": ca.vertcat(ca.SX(0, 1), *rates),
        "gaps": ca.vertcat(ca.SX(0, 1), *[r.value if r.level == "position" else ca.SX.zeros(r.G.shape[0])
                                          for r in e.rows]),
        "directions": ca.vec(ca.densify(ca.horzcat(ca.SX(m.nu, 0), *[r.G.T for r in e.rows if r.mode is not None]))),
    }
    if m.events.opens:
        outputs["shift"] = advance(e, change)  # of the coordinates, where Δu is a change of position
    if proportional(e):
        outputs["rubbing"] = rubbing(e, change, push)
    extra = {"impulse": impulse, "stopped": stopped} | ({"bottom": bottom} if count else {})
    return build_program("jump", layout, outputs, extra=extra)


def proportional(e: Equations) -> list[int]:
    """Numbers of the rows in proportion to forces that may be impulses: reactions, multipliers, accelerations."""
    return [k for k, row in enumerate(e.mechanism.events.bounded)
            if any(e.mechanism.variables[n].quantity in ACCELERATION for n in e.laws.reads(*row.law))]


def rubbing(e: Equations, change: ca.SX, push: ca.SX) -> ca.SX:
    """The impulses (limit, back, sliding) of every row in proportion to forces, one after another.

    Their laws with impulses Δu, Λ in the place of accelerations and forces: the limit of law(k Δu, k Λ)/k for large
    k, in which a torque of given size vanishes.
    """
    x, p = ca.SX.sym("x", change.numel()), ca.SX.sym("p", push.numel())
    blow = _Impulse(e, x, p)
    rows = [e.mechanism.events.bounded[k] for k in proportional(e)]
    law = blow.finish(ca.vertcat(*[part for row in rows for part in row.law]))[0]
    others = [s for s in ca.symvar(law) if not ca.depends_on(ca.vertcat(x, p), s)]
    return ca.Function("law", [x, p, *others], [law]).call([IMPULSE * change, IMPULSE * push, *others])[0] / IMPULSE


class _Impulse(Equations):
    """The equations of a mechanism at rest under impulses alone, with a solution that is given."""

    def __init__(self, e: Equations, change: ca.SX, push: ca.SX):
        super().__init__(replace(e.mechanism, gravity=Gravity(), loads=(), unknowns=()))
        self.symbols = e.symbols | {"u": ca.SX.zeros(change.numel())}
        self._solution = change, push, ca.SX(1)


def alone(e: Equations) -> list[tuple[int, int, float]]:
    """(row, place in u, slope) of rows with a mode that hold a single speed which no constraint ties to others."""
    found, start = [], 0
    for r in e.rows:
        if r.mode is not None and r.G.nnz() == r.G.shape[0]:
            for i, k in zip(*r.G.sparsity().get_triplet(), strict=True):
                if r.G[i, k].is_constant() and not any(o.mode is None and o.G[:, k].nnz() for o in e.rows):
                    found.append((start + i, k, float(r.G[i, k])))
        start += r.G.shape[0]
    return found
