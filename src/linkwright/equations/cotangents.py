"""Linearised equations transposed: from the derivative of a number by the outputs to its derivative by the inputs.

Along a column S = (δx, δd, δp) of tangents (see `tangents`) values v(x, d, p, y) change by V S, perhaps through
algebraic unknowns, r(x, d, p, y) = 0; and w·δv = Λ·S with a vector Λ = Vᵀ w, the same for every S.  With multipliers μ,

    L = w·v + μ·r,      ∂L/∂y = 0,      Λ = ∂L/∂(x, d, p)

so that Λ costs one sweep of reverse automatic differentiation, however many numbers S has: two to three times the cost
of v and r themselves.  Blocks of unknowns that are solved one after another have multipliers in the opposite order.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from .tangents import TangentEquations
from .unknowns import Block


class Pulled(NamedTuple):
    """Λ over the symbols `w`, and the blocks of multipliers μ that it needs beside the unknowns themselves."""

    value: ca.SX
    w: ca.SX
    blocks: list[Block]


def pulled(e: TangentEquations, value: ca.SX) -> Pulled:
    """Λ of values, in the order of a column of the equations."""
    value = ca.vec(ca.densify(value))
    w, own = ca.SX.sym("w", value.numel()), e.own_blocks
    multipliers = [ca.SX.sym("mu", block.y.numel()) for block in own]
    total = ca.dot(w, value)
    for multiplier, block in zip(multipliers, own, strict=True):
        total += ca.dot(multiplier, block.residual)
    # entry by entry: of a single number CasADi gives a row for an empty list of places
    places = [e.arguments[part] for part in "quz"] + [e.arguments[part][k] for part in e.kept for k in e.kept[part]]
    blocks = [Block([f"the multiplier of {name}" for name in block.names], multiplier, ca.gradient(total, block.y),
                    np.zeros(block.y.numel()), True) for block, multiplier in zip(own, multipliers, strict=True)]
    return Pulled(ca.densify(ca.gradient(total, ca.vertcat(*places))), w, blocks[::-1])


def pulled_change(e: TangentEquations, change: ca.SX) -> Pulled:
    """Λ of what a column of the equations (which have one) becomes: `change`, linear in it; multipliers are idle."""
    w = ca.SX.sym("w", change.numel())
    idle = [Block(block.names, symbol := ca.SX.sym("mu", block.y.numel()), symbol, np.zeros(block.y.numel()), True)
            for block in e.own_blocks[::-1]]
    column = e.added[0].symbol
    value = ca.densify(ca.gradient(ca.dot(w, ca.densify(change)), column))
    # calls inside are given the column, though what they are asked for does not change with it
    free = [s for s in ca.symvar(value) if not ca.depends_on(s, column)]
    return Pulled(ca.Function("still", [column, *free], [value]).call([ca.SX.zeros(column.numel()), *free])[0], w, idle)
