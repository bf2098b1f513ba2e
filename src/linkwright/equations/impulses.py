"""Projection onto the constraints by impulses: the change of least kinetic energy, which keeps free momentum.

    M Δ + Gᵀ Λ = 0,   G Δ = −error

Constraint forces change speeds along M⁻¹ Gᵀ, and the errors of a step lie in the same direction.  Removed in that
direction they do no harm, even near a singular position, where constraint forces grow without bound.  In any other
metric a part of the error would remain, and change the energy.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from .condensed import Condensed
from .constraint_rows import Rows
from .equations import Equations
from .kkt import Kkt
from .tolerances import WEAK


def restoring(e: Equations, gap: ca.SX, rate: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(change of the coordinates along the mobilities, change of the speeds) that take off errors; weakness and holds.

    `gap` are errors of the constraints on position level, `rate` of those on velocity level too.
    """
    rows = [r for r in e.rows if r.level in ("position", "velocity")]
    held = [r for r in rows if r.level == "position"]
    if len(held) == len(rows):
        (shift, step), grip = impulses(e, rows, gap, rate)
        return shift, step, grip
    (shift,), _ = impulses(e, held, gap)
    (step,), grip = impulses(e, rows, rate)
    return shift, step, grip


def impulses(e: Equations, rows: list[Rows], *errors: ca.SX) -> tuple[list[ca.SX], ca.SX]:
    """The changes Δ that take off each of the errors of `rows`, weakness and holds of the rows.

    Errors in which redundant rows contradict each other are not followed (see `Kkt.solve`).  The weakness counts
    directions in which the equations are nearly dependent: Σ 1/(1 + (D/WEAK)⁴) over the pivots D of rows that are in
    force in every mode, each relative to its size in a general position.  Redundant equations count one each,
    everywhere.
    """
    if not sum(r.G.shape[0] for r in rows):
        return [ca.SX.zeros(e.mechanism.nu) for _ in errors], ca.SX(0)
    if e.condenses(rows):
        s = Condensed(e.kinematics, rows, e.epsilon)
        still = ca.SX.zeros(e.mechanism.nu)
        found, pivots = [s.solve(error, still, follow_misfits=False)[0] for error in errors], s.pivots
    else:
        kkt = Kkt(e.mass_matrix, rows, e.given_speeds, e.missing_inertia, e.epsilon)
        found = [kkt.solve(ca.SX.zeros(e.mechanism.nu), [-error], False)[0] for error in errors]
        pivots = kkt.pivots[kkt.n :]
    ends = np.cumsum([0, *[r.G.shape[0] for r in e.rows]]).tolist()
    sizes = {r.name: size for r, size in zip(e.rows, ca.vertsplit(e.yields.more, ends), strict=True)}
    return found, held(rows, pivots, ca.vertcat(*[sizes[r.name] for r in rows]))


def held(rows: list[Rows], pivots: ca.SX, sizes: ca.SX) -> ca.SX:
    """(weakness, holds) of rows, from their pivots and the sizes of these."""
    return ca.vertcat(_weakness(rows, pivots, sizes), holds(rows, pivots))


def _weakness(rows: list[Rows], pivots: ca.SX, sizes: ca.SX) -> ca.SX:
    total, start = ca.SX(0), 0
    for r in rows:
        part, start = slice(start, start + r.G.shape[0]), start + r.G.shape[0]
        if r.mode is None and r.G.shape[0]:
            relative = pivots[part] / (WEAK * sizes[part])
            total += ca.sum1(1 / (1 + (relative * relative) ** 2))
    return total


def holds(rows: list[Rows], pivots: ca.SX) -> ca.SX:
    """How well every constraint holds, in a unit of its own: √ Π D of its pivots D.

    The product of pivots, unlike any single one, does not depend on their order: it is det(G M⁻¹ Gᵀ + ε), in
    proportion to the square of the distance from a position where an equation follows from the others.  Equations that
    do so everywhere have a factor ε there that stays as it is.  Constraints that a mode switches do not count.
    """
    found, start = [], 0
    for r in rows:
        own, start = pivots[start : start + r.G.shape[0]], start + r.G.shape[0]
        if r.mode is None and r.G.shape[0]:
            product = ca.SX(1)
            for value in ca.vertsplit(own):
                product *= value
            found.append(ca.sqrt(ca.fmax(product, 0)))
    return ca.vertcat(ca.SX(0, 1), *found)
