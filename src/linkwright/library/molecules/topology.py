"""Atoms and bonds of a molecule, and the terms of its energy that follow from them and a force field."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...errors import ModelError
from ..tolerances import OVERLAP
from .atom_pairs import Pairs, pairs_within
from .atoms import Atom
from .elements import ELEMENTS
from .field import ANY, ForceField, Periods, Spring


@dataclass(frozen=True)
class Term:
    """A bonded term: which of the kinds of energy, the atoms, and its law."""

    kind: str
    atoms: tuple[int, ...]
    law: Spring | Periods


@dataclass(frozen=True, eq=False)
class Topology:
    """The graph of a molecule in a force field; refuses what cannot be meant, by the names of atoms."""

    atoms: tuple[Atom, ...]
    bonds: tuple[tuple[int, int], ...]
    field: ForceField
    given: tuple[Term, ...] | None = None  # all bonded terms, where a file lists them
    missing: dict[tuple[int, ...], str] = field(default_factory=dict)  # bonds and angles without parameters

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for atom in self.atoms:
            if atom.label in seen:
                raise ModelError(f"two atoms are called {atom.label}; give each another name.")
            seen.add(atom.label)
        bonds: set[frozenset[int]] = set()
        for a, b in self.bonds:
            if a == b or frozenset((a, b)) in bonds:
                raise ModelError(f"the bond {self.said(a, b)} {'joins an atom to itself' if a == b else 'is there'}"
                                 f"{'' if a == b else ' twice'}; two atoms have at most one bond.")
            bonds.add(frozenset((a, b)))
        self._refuse_overlap()

    def _refuse_overlap(self) -> None:
        x = self.positions
        for i in range(len(x) - 1):
            near = np.flatnonzero(np.linalg.norm(x[i + 1:] - x[i], axis=1) < OVERLAP)
            if len(near):
                raise ModelError(f"the atoms {self.said(i, i + 1 + int(near[0]))} lie on one another (nearer than "
                                 f"{OVERLAP} nm); coordinates are in nm, Å are given as 1.09 * molecules.angstrom.")

    def said(self, *atoms: int) -> str:
        """Names of atoms joined by dashes, for messages."""
        return "–".join(self.atoms[k].label for k in atoms)

    @cached_property
    def positions(self) -> np.ndarray:
        """(n, 3) in nm."""
        return np.array([atom.position for atom in self.atoms], dtype=float).reshape(-1, 3)

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The atoms each one is bonded to, in order."""
        found: list[list[int]] = [[] for _ in self.atoms]
        for a, b in self.bonds:
            found[a].append(b)
            found[b].append(a)
        return [sorted(some) for some in found]

    @cached_property
    def separations(self) -> dict[tuple[int, int], int]:
        """(i < j) → how many bonds lie between them, up to four."""
        found: dict[tuple[int, int], int] = {}
        for i in range(len(self.atoms)):
            reached, front = {i}, [i]
            for away in range(1, 5):
                front = sorted({k for a in front for k in self.neighbours[a]} - reached)
                reached.update(front)
                found.update({(i, k): away for k in front if k > i})
        return found

    # --- the terms ---

    def classes(self, atoms: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.atoms[k].type.of.name for k in atoms)

    @cached_property
    def terms(self) -> list[Term]:
        """All bonded terms; bonds and angles that the field does not know are kept in `missing`."""
        if self.given is not None:
            return list(self.given)
        found = []
        for atoms in self.bonds:
            found += self._spring("bond", atoms)
        for middle, around in enumerate(self.neighbours):
            for a, b in itertools.combinations(around, 2):
                found += self._spring("angle", (a, middle, b))
        for b, c in self.bonds:
            for a, d in itertools.product(self.neighbours[b], self.neighbours[c]):
                if len({a, b, c, d}) == 4:
                    law = self._law("torsions", (a, b, c, d))
                    found += [] if law is None else [Term("torsion", (a, b, c, d), law)]
        for middle, around in enumerate(self.neighbours):
            for three in itertools.combinations(around, 3):
                found += self._improper(middle, three)
        return found

    @cached_property
    def _laws(self) -> dict[tuple, Spring | Periods | None]:
        """Laws that were looked up before, by table and classes."""
        return {}

    def _law(self, table: str, atoms: tuple[int, ...]) -> Spring | Periods | None:
        key = (table, *self.classes(atoms))
        if key not in self._laws:
            self._laws[key] = self.field.find(getattr(self.field, table), key[1:])
        return self._laws[key]

    def _spring(self, kind: str, atoms: tuple[int, ...]) -> list[Term]:
        law = self._law(f"{kind}s", atoms)
        if law is None:
            self.missing[atoms] = kind
            return []
        return [Term(kind, atoms, law)]

    def _improper(self, middle: int, around: tuple[int, ...]) -> list[Term]:
        """The improper torsion of an atom and three around it.

        A field of one's own names them a, b, c, d with c in the middle.  Files of OpenMM name the middle first and
        leave the order of two others open: it takes a carbon before another element, the heavier of two elements, and
        of equal ones the first in the file.
        """
        match = None
        for names, law in self.field.impropers:
            if match is not None and ANY in names:
                continue
            own = (names[2], names[0], names[1], names[3]) if law.order == "as given" else names
            if own[0] not in (ANY, self.classes((middle,))[0]):
                continue
            for b, c, d in itertools.permutations(around):
                if all(name in (ANY, cls) for name, cls in zip(own[1:], self.classes((b, c, d)), strict=True)):
                    match = Term("improper", self._ordered(middle, (b, c, d), law.order, ANY in names), law)
                    break
            if match is not None and ANY not in names:
                break
        return [] if match is None else [match]

    def _ordered(self, middle: int, others: tuple[int, int, int], order: str, general: bool) -> tuple[int, ...]:
        b, c, d = others
        if order == "as given":
            return b, c, middle, d
        if order == "charmm" and not general:
            return middle, b, c, d
        if order not in ("default", "charmm"):
            raise ModelError(f"{self.field.name}: impropers ordered by the rule {order!r} are not known; take a field "
                             "with OpenMM's default order, such as amber99sb.xml.")
        first, second = self.atoms[b].element, self.atoms[c].element
        lighter = ELEMENTS[first].mass < ELEMENTS[second].mass
        if (first == second and b > c) or (first not in (second, "C") and (second == "C" or lighter)):
            b, c = c, b
        return b, c, middle, d

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of atoms that act on each other at a distance, scaled by how many bonds apart they are."""
        return pairs_within(self.field, self.atoms, self.separations)
