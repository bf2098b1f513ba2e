"""How an equilibrium moves with parameters and inputs: the implicit function of what balances.

At rest u̇ = 0 and ż = 0 in the coordinates and auxiliary states x that are free, whatever the parameters are, so

    ∂(u̇, ż)/∂x δx = −∂(u̇, ż)/∂p δp,      loops closed and unknowns solved along both (see `small_changes`)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..system import State, System, pencil_of
from ..system.tangents import Column
from .freedoms import Tangent
from .linearize import own_states
from .sensitivities import columns_of, refuse_unknown_derivatives
from .small_changes import SmallChanges
from .tolerances import FORCES_LEFT, NOT_PULLED, SHARED

if TYPE_CHECKING:
    from .modes import Modes


def columns_at_rest(system: System, state: State, wanted: Sequence[str]) -> list[Column]:
    """Parameters and inputs by name; start values decide on nothing where all comes to rest."""
    refuse_unknown_derivatives(system)
    columns = [column for name in wanted for column in columns_of(system, state, name)]
    for column in columns:
        if not column.part:
            raise ModelError(f"{column.name}: a start value does not change an equilibrium; name parameters and "
                             "inputs.", column.name)
    return columns


def resting_changes(system: System, state: State, columns: Sequence[Column]) -> SmallChanges:
    """How everything at an equilibrium changes with each column."""
    tangent, z = Tangent(system, state), own_states(system)
    n_q, count = len(tangent.q_free), len(tangent.q_free) + len(z)
    total = count + len(columns)
    directions = {part: np.zeros((len(getattr(state, part)), total)) for part in "quzdp"}
    directions["q"][:, :n_q] = tangent.carry(tangent.basis("position"))
    directions["z"][z, range(n_q, count)] = 1.0
    for k, column in enumerate(columns, count):
        directions[column.part][column.entry, k] = 1.0
    changes = SmallChanges(tangent, directions)
    udot, zdot = (changes.of(system.expression(name)) for name in ("udot", "zdot"))
    forces = np.vstack([udot[tangent.q_free], zdot[z]])
    moves = -np.linalg.lstsq(forces[:, :count], forces[:, count:], rcond=NOT_PULLED)[0]
    left = np.abs(forces[:, :count] @ moves + forces[:, count:])
    sizes = np.maximum(1.0, np.abs(forces[:, count:]).max(axis=0, initial=0.0))
    for k in np.flatnonzero(left.max(axis=0, initial=0.0) > FORCES_LEFT * sizes):
        names = [*tangent.names()[0], *(system.part_names("z")[place] for place in z)]
        raise ModelError(f"{columns[k].name}: no equilibrium follows a change of it: nothing pulls back along "
                         f"{names[int(np.argmax(left[:, k]))]}.", columns[k].name)
    return changes.combined(np.vstack([moves, np.eye(len(columns))]))


def eigenvalue_changes(system: System, found: Modes, wanted: Sequence[str], moves: bool) -> dict[str, np.ndarray]:
    """∂λ/∂p of every mode; `moves` says whether the equilibrium follows.

    With the linearised equations P δẋ = Q (δx, δw) (`equations.linearised`) and both null vectors of an eigenvalue,

        (λ [P 0] − Q) r = 0,      lᵀ (λ [P 0] − Q) = 0      ⇒      δλ = lᵀ (δQ − λ [δP 0]) r / lᵀ [P 0] r
    """
    state = found.state
    columns = columns_at_rest(system, state, wanted)
    changes = resting_changes(system, state, columns) if moves else _held(system, state, columns)
    pencil = pencil_of(system.equations)
    width = pencil.Q.shape[1] - pencil.P.shape[1]
    wide = ca.horzcat(pencil.P, ca.SX(pencil.P.shape[0], width))
    P, Q = (changes.value(ca.densify(matrix)) for matrix in (wide, pencil.Q))
    dP, dQ = (changes.of(matrix) for matrix in (wide, pencil.Q))
    out = {column.name: np.full(len(found.eigenvalue), np.nan, dtype=complex) for column in columns}
    for mode, value in enumerate(found.eigenvalue):
        left, sizes, right = np.linalg.svd(value * P - Q)
        if len(sizes) > 1 and sizes[-2] < SHARED * sizes[0]:
            continue
        l, r = left[:, -1].conj(), right[-1].conj()
        for k, column in enumerate(columns):
            change = (dQ[:, k] - value * dP[:, k]).reshape(P.shape, order="F")
            out[column.name][mode] = (l @ change @ r) / (l @ P @ r)
    return out


def _held(system: System, state: State, columns: Sequence[Column]) -> SmallChanges:
    """Changes of parameters alone, the state staying where it is but for loops that follow."""
    directions = {part: np.zeros((len(getattr(state, part)), len(columns))) for part in "quzdp"}
    for k, column in enumerate(columns):
        directions[column.part][column.entry, k] = 1.0
    return SmallChanges(Tangent(system, state), directions)
