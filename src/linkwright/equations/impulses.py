"""Back onto the constraints by impulses: the change of least kinetic energy, which leaves momentum along the freedoms.

    M Δ + Gᵀ Λ = 0,   G Δ = −error

Constraint forces push along M⁻¹ Gᵀ, and so do the errors they leave behind in a step; taken off in the same direction
they do no harm, also near a position where constraints lose their hold and their forces grow without bound.  In any
other metric a part of such an error would stay, and energy with it.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from .condensed import Condensed
from .constrained import Kkt, Rows
from .model import Equations

#: relative pivot below which a constraint hardly holds: about the square of the angle to the singular position
WEAK = 0.05


def restoring(e: Equations, gap: ca.SX, rate: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(change of the coordinates along the mobilities, change of the speeds, weakness) that take off errors.

    `gap` are errors of the constraints on position level, `rate` of those on velocity level too.
    """
    rows = [r for r in e.rows if r.level in ("position", "velocity")]
    held = [r for r in rows if r.level == "position"]
    if len(held) == len(rows):
        (shift, step), weakness = impulses(e, rows, gap, rate)
        return shift, step, weakness
    (shift,), _ = impulses(e, held, gap)
    (step,), weakness = impulses(e, rows, rate)
    return shift, step, weakness


def impulses(e: Equations, rows: list[Rows], *errors: ca.SX) -> tuple[list[ca.SX], ca.SX]:
    """The changes Δ that take off each of the errors of `rows`, and the weakness of the rows.

    Weakness counts directions in which the equations hardly hold: Σ 1/(1 + (D/WEAK)⁴) over the pivots D of rows that
    hold in every mode, each relative to what its row gives way in a position of no special kind.  Redundant equations
    count as one each, everywhere.
    """
    if not sum(r.G.shape[0] for r in rows):
        return [ca.SX.zeros(e.mechanism.nu) for _ in errors], ca.SX(0)
    if e.condenses(rows):
        s = Condensed(e.kinematics, rows, e.epsilon)
        found, pivots = [s.change(s.multipliers(s.mask * error)) for error in errors], s.pivots
    else:
        kkt = Kkt(e.mass_matrix, rows, e.given_speeds, e.missing_inertia, e.epsilon)
        found = [kkt.solve(ca.SX.zeros(e.mechanism.nu), [-error])[0] for error in errors]
        pivots = kkt.pivots[kkt.n :]
    ends = np.cumsum([0, *[r.G.shape[0] for r in e.rows]]).tolist()
    sizes = {r.name: size for r, size in zip(e.rows, ca.vertsplit(e.yields.more, ends), strict=True)}
    return found, weakness_of(rows, pivots, ca.vertcat(*[sizes[r.name] for r in rows]))


def weakness_of(rows: list[Rows], pivots: ca.SX, sizes: ca.SX) -> ca.SX:
    """The weakness of rows, from their pivots and what they give way."""
    total, start = ca.SX(0), 0
    for r in rows:
        part, start = slice(start, start + r.G.shape[0]), start + r.G.shape[0]
        if r.mode is None and r.G.shape[0]:
            relative = pivots[part] / (WEAK * sizes[part])
            total += ca.sum1(1 / (1 + (relative * relative) ** 2))
    return total
