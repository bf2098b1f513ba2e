"""Mobilities that are held one by one: stuck frictions, closed stops and locks act inside the recursion.

A row with a mode m that holds a single speed k,

    m (g u̇ₖ + b) = 0

needs no equation beside the tree: while it is in force its mobility is not eliminated (`articulated`), its acceleration
is known, and what is left of the balance of forces along it is its multiplier.  So any number of them costs a few
operations each, and never a factorisation of all of them together.  Where several rows hold one mobility (friction at a
stop) each bears an equal part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from .constraint_rows import Rows


@dataclass(frozen=True)
class HeldSpeed:
    """Equation `row` of all, of the constraint `name`, on speed `k` with slope `g`, in force while `mode` is 1."""

    name: str
    row: int
    k: int
    g: float
    mode: ca.SX


class HeldMobilities:
    """The rows that hold single mobilities; none where constraints without a mode are redundant with them at times."""

    def __init__(self, rows: Sequence[Rows], given: Sequence[int] = ()) -> None:
        self.holds = _holds(rows, set(given)) if all(
            r.mode is not None or not r.G.shape[0] for r in rows) else []
        self._count: dict[int, ca.SX] = {}
        for hold in self.holds:
            self._count[hold.k] = self._count.get(hold.k, 0) + hold.mode
        self._rows_on = {k: sum(hold.k == k for hold in self.holds) for k in self._count}

    @property
    def rows(self) -> list[int]:
        """The numbers of their equations."""
        return [hold.row for hold in self.holds]

    def beside(self, rows: Sequence[Rows]) -> list[Rows]:
        """Those of `rows` that are not among them."""
        names = {hold.name for hold in self.holds}
        return [r for r in rows if r.name not in names]

    @property
    def free(self) -> dict[int, ca.SX]:
        """Speed → 0 while it is held, else 1."""
        return {k: 1 - (count if self._rows_on[k] == 1 else ca.fmin(count, 1)) for k, count in self._count.items()}

    def _share(self, hold: HeldSpeed) -> ca.SX:
        """1 over the rows that hold the mobility too; 0 where this one is not in force."""
        return hold.mode if self._rows_on[hold.k] == 1 else hold.mode / ca.fmax(self._count[hold.k], 1)

    def accelerations(self, b: ca.SX) -> dict[int, ca.SX]:
        """Speed → u̇ = −b/g where it is held, else 0."""
        found: dict[int, ca.SX] = {}
        for hold in self.holds:
            if not b[hold.row].is_zero():
                found[hold.k] = found.get(hold.k, 0) - self._share(hold) * b[hold.row] / hold.g
        return found

    def multipliers(self, force: ca.SX) -> ca.SX:
        """λ of the rows, of the forces along all speeds that have to be held."""
        return ca.vertcat(ca.SX(0, 1), *[self._share(hold) * force[hold.k] / hold.g for hold in self.holds])


def _holds(rows: Sequence[Rows], given: set[int]) -> list[HeldSpeed]:
    found, start = [], 0
    for r in rows:
        count = r.G.shape[0]
        single = not (r.may_repeat or r.leans) and r.G.nnz() == count == len(set(r.G.sparsity().row()))
        for i, k in zip(*r.G.sparsity().get_triplet(), strict=True) if single else ():
            if r.G[i, k].is_constant() and k not in given:
                found.append(HeldSpeed(r.name, start + i, k, float(r.G[i, k]), r.mode))
        start += count
    return found
