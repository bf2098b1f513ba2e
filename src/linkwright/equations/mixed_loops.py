"""Loops without a closed form beside loops with one: projection on the coordinates that the closed forms leave.

The change of least kinetic energy (see `impulses`), among those that leave the loops closed that are solved already:

    (Jᵀ M J) Δ_i + (G J)ᵀ Λ = 0,   G J Δ_i = −error,   Δ = J Δ_i
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from .closed_form import Explicit
from .constraint_rows import Rows
from .impulses import held as grip_of
from .kkt import Kkt
from .typical_sizes import Yields


def restoring_mixed(closed: Explicit, gap: ca.SX, rate: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(change of the coordinates along the mobilities, change of the speeds) that take off errors; weakness and holds.

    `gap` are errors of the constraints that closed forms leave on position level, `rate` of those on velocity level
    too.  Where all of them hold in some modes only, any metric will do.
    """
    held, rows = closed.left("position"), closed.left("velocity")
    kkt = _factored(closed, rows)
    first = kkt if len(held) == len(rows) else _factored(closed, held)
    return _change(closed, first, gap), _change(closed, kkt, rate), _grip(closed, rows, kkt)


def _factored(closed: Explicit, rows: list[Rows]) -> Kkt | None:
    if not rows:
        return None
    e, J = closed.equations, closed.maps[0]
    fixed = [column for column in range(len(closed.independent)) if column not in closed.free]
    rows = [replace(r, G=ca.sparsify(r.G @ J)) for r in rows]
    if not closed.partial:
        return Kkt(ca.SX.eye(len(closed.independent)), rows, fixed)
    return Kkt(closed.mass_matrix, rows, fixed, e.missing_inertia, e.epsilon)


def _change(closed: Explicit, kkt: Kkt | None, errors: ca.SX) -> ca.SX:
    if kkt is None:
        return ca.SX.zeros(closed.equations.mechanism.nu)
    return closed.maps[0] @ kkt.solve(ca.SX.zeros(kkt.n), [-errors], not closed.partial)[0]


def _grip(closed: Explicit, rows: list[Rows], kkt: Kkt | None) -> ca.SX:
    """Weakness and holds of loops without a closed form (see `impulses`)."""
    if kkt is None or not closed.partial:
        return ca.SX(0)
    e, J = closed.equations, closed.maps[0]
    inertia, *blocks = (closed.restored(x) for x in (ca.diag(closed.mass_matrix), *[r.G @ J for r in rows]))
    sizes = Yields(e.mechanism, e.symbols, inertia, blocks).more
    return grip_of(rows, kkt.pivots[kkt.n :], sizes)
