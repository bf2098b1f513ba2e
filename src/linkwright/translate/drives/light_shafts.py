"""Shafts without inertia: coordinates of 1-D networks that follow from the balance of laws.

    0 = F(ξ, ξ̇, …)        D = ∂F/∂ξ̇

With a damper at every one of them, D is regular and ξ are states.  Without any, they follow from F(ξ) = 0.  In between,
as for spring – damper – spring in series, only some combinations have dampers:  with E the reduced echelon
form of D, its pivots p and the rest r,

    a = E ξ = ξ_p + C ξ_r     states, their rates from the rows of F that D spans
    ξ_r                       unknowns, from the combinations of F that hold no ξ̇, lᵀ D = 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from ..tolerances import NO_SHARE, SHAFT_SAMPLES
from .networks import tidy

if TYPE_CHECKING:
    from ...language import PartsList
    from ..definitions import Definitions


class LightShaft(NamedTuple):
    """A position without inertia: its symbols, the equation that belongs to it, and whether it is a state."""

    name: str
    position: ca.SX
    velocity: ca.SX
    balance: ca.SX
    is_state: bool


def light_shafts(coordinates: list[tuple[str, tuple, ca.SX]], definitions: Definitions) -> list[LightShaft]:
    """What to solve for, from (name, (position, speed, …), balance) of every coordinate."""
    if not coordinates:
        return []
    names = [name for name, _, _ in coordinates]
    x, v = (ca.vertcat(*[symbols[level] for _, symbols, _ in coordinates]) for level in (0, 1))
    F = ca.vertcat(*[balance for *_, balance in coordinates])
    D = _samples(ca.jacobian(F, v), definitions.plan)
    E, pivots = echelon(np.vstack(D))
    L, rows = echelon(np.vstack([J.T for J in D]))
    rest, free = ([k for k in range(len(names)) if k not in some] for some in (pivots, rows))
    C = E[:, rest]
    if not np.any(C) or len(rows) != len(pivots):
        return [LightShaft(names[k], x[k], v[k], F[k], ca.depends_on(F[k], v[k])) for k in range(len(names))]

    # combinations with dampers become states
    a = [ca.SX.sym(f"{names[p]}.relative") for p in pivots]
    rate = [ca.SX.sym(f"{names[p]}.relative_speed") for p in pivots]
    placed, moving = ca.SX(x), ca.SX.zeros(v.shape)
    for i, p in enumerate(pivots):
        placed[p], moving[p] = a[i] - _mixed(C[i], x, rest), rate[i]
        definitions.define(x[p], lambda p=p: placed[p])
        definitions.define(v[p], lambda i=i: rate[i] - _mixed(C[i], v, rest))
    definitions.forget()
    # F depends on the speeds through Eξ̇ alone, so that those of the rest may stand still
    others = [s for s in ca.symvar(ca.vertcat(F, placed)) if s.element_hash() not in
              {e.element_hash() for e in (*ca.vertsplit(x), *ca.vertsplit(v))}]
    balance = ca.Function("balance", [x, v, *others], [F])
    moved, still = (balance(placed, speeds, *others) for speeds in (moving, ca.SX.zeros(v.shape)))
    out = [LightShaft(f"{names[p]}.relative", a[i], rate[i], moved[row], True)
           for i, (p, row) in enumerate(zip(pivots, rows, strict=True))]
    # lᵀ D = 0: a row that D does not span, less those that it does
    out += [LightShaft(names[k], x[k], v[k], still[row] - _mixed(L[:, row], still, rows), False)
            for k, row in zip(rest, free, strict=True)]
    return out


def _mixed(factors: np.ndarray, column: ca.SX, places: list[int]) -> ca.SX:
    """Σ factor × entry, the entries at `places`; factors are one for each of them."""
    return sum((tidy(f) * column[k] for f, k in zip(factors, places, strict=True) if f != 0), ca.SX(0))


def _samples(J: ca.SX, plan: PartsList) -> list[np.ndarray]:
    """J at several points, parameters near their values: zeros at all of them are structural."""
    symbols = ca.symvar(J)
    known = {symbol.nz[k].element_hash(): float(np.ravel(number)[k]) for symbol, number in plan.parameters.values()
             for k in range(symbol.nnz())}
    function = ca.Function("D", symbols, [ca.densify(J)])
    random = np.random.default_rng(1)
    out = []
    for _ in range(SHAFT_SAMPLES):
        values = [known.get(s.element_hash(), 1.0) * random.uniform(0.8, 1.2) for s in symbols]
        found = np.array(function(*values)) if symbols else np.array(ca.DM(J).full())
        out.append(np.where(np.isfinite(found), found, 0.0))
    return out


def echelon(matrix: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Reduced row echelon form without empty rows, and the columns of its pivots."""
    A = matrix.astype(float)
    A = A[np.any(A, axis=1)]
    A = A / np.abs(A).max(axis=1, keepdims=True, initial=0.0)
    row, pivots = 0, []
    for column in range(A.shape[1]):
        if row == A.shape[0]:
            break
        best = row + int(np.argmax(np.abs(A[row:, column])))
        if abs(A[best, column]) <= NO_SHARE:
            A[row:, column] = 0.0
            continue
        A[[row, best]] = A[[best, row]]
        A[row] /= A[row, column]
        for other in range(A.shape[0]):
            if other != row:
                A[other] -= A[other, column] * A[row]
        pivots.append(column)
        row += 1
    A = A[:row]
    A[np.abs(A) <= NO_SHARE] = 0.0
    return A, pivots
