"""Accelerations and multipliers of a mechanism with constraints, by one factorisation.

They solve

    [ M   Gᵀ ] [u̇]   [ τ − h ]
    [ G  −ε1 ] [λ] = [  −γ   ]

by one sparse LDLᵀ.  The matrix is quasi-definite (Vanderbei 1995), so redundant rows are harmless; one step of
refinement against ε = 0 makes u̇ exact.  Coordinates and multipliers that belong to one loop alone are eliminated
before what loops share.

Rows of contact stay out of that factorisation: few are in force at a time, and several may be redundant.  With
Z = K⁻¹ Gᵀ of the rest, a loop solves (G Z T) λ = G u̇₀ + γ over those in force (`codegen.solve_closed`).  T is the unit
matrix except for sliding friction: there the force of a normal row is tilted, along −(n − μ e) for a slip along e.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..codegen import solve_closed, sum_in_force
from .constraint_rows import Rows
from .ordering import elimination_order
from .tolerances import EPSILON, NO_ROW

if TYPE_CHECKING:
    from ..algebra import Scalar


class Kkt:
    """[[W, Gᵀ], [G, −ε]], factored once for any number of right-hand sides; modes mask rows.

    The entries `fixed` of x are zero and have no equation.  `missing` > 0 lets the constraints stand in for inertia
    that W lacks (see `massless`).  With `leans` sliding friction takes part.
    """

    def __init__(self, W: ca.SX, rows: list[Rows], fixed: Sequence[int] = (), missing: float = 0.0,
                 epsilon: Scalar = EPSILON, leans: bool = False) -> None:
        self.n = n = W.shape[0]
        self.fixed = [k for k in range(n) if k in set(fixed)]
        if self.fixed:
            keep = self._keep()
            W = ca.sparsify(keep @ W @ keep) + (ca.SX.eye(n) - keep)
            W = ca.sparsify(W)
            rows = [replace(r, G=ca.sparsify(r.G @ keep)) for r in rows]
        every, self.loose, (self._first, self._later) = rows, repeating(rows), parted(rows)
        rows = [r for r in rows if not r.may_repeat]
        self.G, self.mask = masked(rows) if rows else (ca.SX(0, n), ca.SX(0, 1))
        self.epsilon = self.mask * ca.vertcat(ca.SX(0, 1), *[epsilons(W, r, epsilon) for r in rows])
        self.missing = missing
        if missing:
            W = ca.sparsify(W + missing * (self.G.T @ self.G))
        m = self.mask.numel()
        K = ca.blockcat([[W, self.G.T], [self.G, -ca.diag(1 - self.mask)]]) if m else W  # a masked row says λ = 0
        K = ca.sparsify(ca.sparsify(K) - ca.diag(ca.vertcat(ca.SX(n, 1), self.epsilon)))
        if m:
            self.order = elimination_order(W, rows)
            D, LT, _ = ca.ldl(K[self.order, self.order], False)
        else:
            D, LT, self.order = ca.ldl(K, True)
        self._D, self._LT = D, LT
        own = ca.SX(np.where(np.arange(n + m) < n, 1.0, -1.0)) * self._ordered_back(D)
        #: of coordinates, then of multipliers, all positive; those of contact have none
        self.pivots = ca.vertcat(own[:n], merged(own[n:, 0], ca.SX.ones(len(self._later)), self._first, self._later))
        if self.loose:
            columns = [self._held(column, []) for column in ca.horzsplit(ca.densify(closing(self.loose).T))]
            self._Z, self._Y = (ca.sparsify(ca.horzcat(*part)) for part in zip(*columns, strict=True))
            self._lean = leaning(every, self._later) if leans else ca.SX.eye(len(self._later))
            self._give = EPSILON * (ca.sum1(closing(self.loose).T * self._Z).T + NO_ROW)

    def _keep(self) -> ca.SX:
        return ca.sparsify(ca.diag(ca.SX([0.0 if k in set(self.fixed) else 1.0 for k in range(self.n)])))

    def _ordered_back(self, vector: ca.SX) -> ca.SX:
        return vector[np.argsort(self.order).tolist()]

    def _solve(self, right: ca.SX) -> ca.SX:
        return self._ordered_back(ca.ldl_solve(right[self.order], self._D, self._LT, list(range(right.numel()))))

    def solve(self, top: ca.SX, bottom: list[ca.SX], follow_misfits: bool = True) -> tuple[ca.SX, ca.SX]:
        """(x, λ) of [[W, Gᵀ], [G, −ε]] [x, λ] = [top, bottom], refined once against ε = 0.

        In a direction in which G W⁻¹ Gᵀ is S, the fraction 1 − (ε/(S + ε))² of an error is removed.  Without
        `follow_misfits` it is (S/(S + ε))²: then errors in which redundant rows contradict each other (S ≈ 0) remain.
        """
        below = ca.vertcat(ca.SX(0, 1), *bottom)
        x, multipliers = self._held(top, [below[self._first]], follow_misfits)
        if not self.loose:
            return x, multipliers
        G = closing(self.loose)
        found = solve_closed(ca.sparsify(G.T), ca.sparsify(self._Z @ self._lean), self._give, modes(self.loose),
                             G @ x - below[self._later], not follow_misfits)
        pushed = sum_in_force(ca.vertcat(self._Z, self._Y) @ self._lean, modes(self.loose), found)
        # a slice of a single number would be a row
        return x - pushed[: self.n, 0], merged(multipliers - pushed[self.n :, 0], found, self._first, self._later)

    def _held(self, top: ca.SX, bottom: list[ca.SX], follow_misfits: bool = True) -> tuple[ca.SX, ca.SX]:
        """(x, λ) without contact."""
        below = self.mask * ca.vertcat(ca.SX(0, 1), *(bottom or [ca.SX.zeros(self.mask.numel())]))
        if self.fixed:
            top = self._keep() @ top
        if self.missing:
            top = top + self.missing * (self.G.T @ below)
        x = self._solve(ca.vertcat(top, below))
        if below.numel():
            # x solves [K − ε] x = b, so that b − K x = (0, −ελ)
            refined = self._solve(ca.vertcat(ca.SX(self.n, 1), self.epsilon * x[self.n :, 0]))
            x = x - refined if follow_misfits else x + refined
        # a slice of a single number would be a row
        return x[: self.n, 0], x[self.n :, 0]


def solve_kkt(W: ca.SX, rows: list[Rows], top: ca.SX, bottom: list[ca.SX], fixed: Sequence[int] = (),
              missing: float = 0.0, epsilon: Scalar = EPSILON, leans: bool = False) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(x, λ, smallest pivot) of one system of this kind (see `Kkt`)."""
    kkt = Kkt(W, rows, fixed, missing, epsilon, leans)
    return *kkt.solve(top, bottom), ca.mmin(kkt.pivots) if kkt.pivots.numel() else ca.SX(1)


def epsilons(W: ca.SX, rows: Rows, epsilon: Scalar = EPSILON) -> ca.SX:
    """ε of every row; where a mode switches it, in proportion to G W⁻¹ Gᵀ (with the diagonal of W).

    Rows that hold one mobility have its inertia as their only scale, which may be anything.
    """
    count = rows.G.shape[0]
    if rows.mode is None:
        return ca.repmat(ca.SX(epsilon), count, 1)
    total = ca.SX.zeros(count)
    for i, k in zip(*rows.G.sparsity().get_triplet(), strict=True):
        if not W[k, k].is_zero():
            total[i] += rows.G[i, k] ** 2 / W[k, k]
    return EPSILON * (total + NO_ROW)


def masked(rows: list[Rows], loose: bool = True) -> tuple[ca.SX, ca.SX]:
    """G of all rows, zero where a mode is off, and the modes: one 0/1 entry per row; contact only if `loose`."""
    masks = [ca.SX.ones(r.G.shape[0]) if r.mode is None or r.may_repeat and not loose
             else ca.repmat(r.mode, r.G.shape[0], 1) for r in rows]
    G = [r.G if r.mode is None else ca.diag(mask) @ r.G for r, mask in zip(rows, masks, strict=True)]
    return ca.vertcat(*G), ca.vertcat(*masks)


# --- rows of contact ---


def repeating(rows: list[Rows]) -> list[Rows]:
    """The rows that are solved over those in force."""
    return [r for r in rows if r.may_repeat and r.G.shape[0]]


def parted(rows: list[Rows]) -> tuple[list[int], list[int]]:
    """The numbers of the equations that are not of contact, and of those that are."""
    loose = [r.may_repeat for r in rows for _ in range(r.G.shape[0])]
    return [k for k, late in enumerate(loose) if not late], [k for k, late in enumerate(loose) if late]


def merged(first: ca.SX, later: ca.SX, first_places: list[int], later_places: list[int]) -> ca.SX:
    """One column of two, whose entries have their places."""
    return ca.vertcat(first, later)[np.argsort([*first_places, *later_places]).tolist()]


def closing(rows: list[Rows]) -> ca.SX:
    """G of rows, whatever their modes."""
    return ca.vertcat(*[r.G for r in rows])


def modes(rows: list[Rows]) -> ca.SX:
    """The modes of rows, one entry each."""
    return ca.vertcat(*[ca.repmat(r.mode, r.G.shape[0], 1) for r in rows])


def leaning(rows: list[Rows], places: list[int] | None = None) -> ca.SX:
    """T: bodies feel −Gᵀ T λ.  One, and below a row that leans what it pushes of others; of some equations, or all."""
    starts, count = {}, 0
    for r in rows:
        starts[r.name], count = count, count + r.G.shape[0]
    T = ca.SX.eye(count)
    for r in rows:
        for other, share in r.leans if r.G.shape[0] else ():
            for k in range(share.numel() if other in starts else 0):
                T[starts[other] + k, starts[r.name]] = share[k]
    return T if places is None else ca.sparsify(T[places, places])
