"""Rings of a molecule, and what freedom they have.

With fixed lengths and angles a ring of n atoms is a closed chain of n bonds that turn.  It closes to first order where
the turns ω about the bonds, as motors on their lines (e, r × e), add up to none:

    Σ ωₖ (eₖ, rₖ × eₖ) = 0            six closing equations in n unknowns, n − rank freedoms

In general that is n − 6.  The boat of a six-membered ring is one of Bricard's loops, of rank 5; five bonds close in
single shapes only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..tolerances import DEPENDENT
from .topology import Topology


@dataclass(frozen=True)
class Ring:
    """A ring: its atoms in order, the modes of its bonds, the rank of its closing equations where it was given."""

    atoms: tuple[int, ...]
    modes: frozenset[str]
    rank: int

    def said(self, topology: Topology) -> str:
        """What it does, for the report."""
        names = "–".join(topology.atoms[k].label for k in self.atoms)
        count, free = len(self.atoms), len(self.atoms) - self.rank
        freedoms = "no freedom" if not free else f"{free} freedom{'s' if free > 1 else ''}"
        equations = f"closing equations of rank {self.rank}"
        if "free" in self.modes:
            return f"ring {names}: its bends are free" + ("" if self.modes == {"free"} else " in part")
        if "torsion" in self.modes:
            return f"ring {names}: a closed loop; with fixed lengths and angles its {count} torsions have {freedoms} " \
                   f"({equations})"
        more = "let its bends be free (\"cartesian\")" if not free else "ask for it ({\"rings\": \"torsion\"})"
        return f"ring {names}: rigid; with fixed lengths and angles its {count} torsions would have {freedoms} " \
               f"({equations}). To let it change shape, {more}"


def rings_of(topology: Topology, modes: Mapping[tuple[int, int], str]) -> list[Ring]:
    """The smallest rings, one for each bond that is in one, told once."""
    found: dict[frozenset[int], Ring] = {}
    for bond in sorted(ring_bonds(topology)):
        atoms = _around(topology, bond)
        if frozenset(atoms) not in found:
            pairs = zip(atoms, (*atoms[1:], atoms[0]), strict=True)
            own = frozenset(modes.get((a, b), modes.get((b, a), "")) for a, b in pairs)
            found[frozenset(atoms)] = Ring(atoms, own, closing_rank(topology.positions[list(atoms)]))
    return list(found.values())


def closing_rank(places: np.ndarray) -> int:
    """The rank of the closing equations of a ring through places in their order."""
    along = np.roll(places, -1, axis=0) - places
    size = np.linalg.norm(along, axis=1).mean()
    lines = along / np.linalg.norm(along, axis=1)[:, None]
    moments = np.cross((places - places.mean(axis=0)) / size, lines)
    values = np.linalg.svd(np.column_stack([lines, moments]), compute_uv=False)
    return int((values > DEPENDENT * values[0]).sum())


def ring_bonds(topology: Topology) -> set[tuple[int, int]]:
    """Bonds whose ends stay connected without them: all but the bridges (Tarjan 1974), in one walk."""
    near = topology.neighbours
    order, lowest = [-1] * len(near), [0] * len(near)
    bridges: set[frozenset[int]] = set()
    for start in range(len(near)):
        if order[start] >= 0:
            continue
        order[start] = lowest[start] = count = 0
        walk = [(start, -1, iter(near[start]))]
        while walk:
            here, before, others = walk[-1]
            for k in others:
                if order[k] < 0:
                    count += 1
                    order[k] = lowest[k] = count
                    walk.append((k, here, iter(near[k])))
                    break
                if k != before:
                    lowest[here] = min(lowest[here], order[k])
            else:
                walk.pop()
                if before >= 0:
                    lowest[before] = min(lowest[before], lowest[here])
                    if lowest[here] > order[before]:
                        bridges.add(frozenset((before, here)))
    return {bond for bond in topology.bonds if frozenset(bond) not in bridges}


def _around(topology: Topology, bond: tuple[int, int]) -> tuple[int, ...]:
    """The atoms of the smallest ring through a bond."""
    start, end = bond
    before, front = {start: -1}, [start]
    while end not in before:
        reached = []
        for a in front:
            for k in topology.neighbours[a]:
                if k not in before and (a, k) != (start, end):
                    before[k] = a
                    reached.append(k)
        front = reached
    path = [end]
    while before[path[-1]] != start:
        path.append(before[path[-1]])
    return start, *path
