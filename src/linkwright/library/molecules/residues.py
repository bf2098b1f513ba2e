"""Molecules from residues, as PDB files have them: they are compared with the templates of a force field.

Names of hydrogens differ from file to file, so a residue is a template's where its bonds are: atoms of the same
elements, joined in the same way.  Which atoms of a residue are bonded is seen by their distance.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...errors import ModelError
from ..tolerances import NEARNESS
from .atoms import Atom
from .elements import ELEMENTS
from .field import ForceField, Template


@dataclass(frozen=True)
class Read:
    """An atom as a file has it, at a place in nm."""

    name: str
    element: str
    position: np.ndarray


@dataclass(frozen=True)
class Residue:
    """A residue as a file has it."""

    name: str
    number: int
    chain: str
    atoms: tuple[Read, ...]

    @property
    def label(self) -> str:
        return f"{self.name}{self.number}{self.chain}"


def atoms_and_bonds(residues: list[Residue], field: ForceField) -> tuple[list[Atom], list[tuple[int, int]]]:
    """Atoms with their types, and bonds, of residues that are all in the field's templates."""
    first, total = [], 0
    for residue in residues:
        first.append(total)
        total += len(residue.atoms)
    near = list(_bonded_by_distance(residues))
    inside: list[list[tuple[int, int]]] = [[] for _ in residues]
    outside: list[Counter] = [Counter() for _ in residues]
    across = []
    for (r, a), (s, b) in near:
        if r == s:
            inside[r].append((a, b))
        else:
            outside[r][a] += 1
            outside[s][b] += 1
            across.append((first[r] + a, first[s] + b))
    atoms: list[Atom] = []
    bonds: list[tuple[int, int]] = []
    for k, residue in enumerate(residues):
        template, order = _template(residue, inside[k], outside[k], field)
        for read, number in zip(residue.atoms, order, strict=True):
            _, kind, charge = template.atoms[number]
            type_ = field.types[kind] if charge is None else replace(field.types[kind], charge=charge)
            if type_.charge != type_.charge:
                raise ModelError(f"{residue.label}_{read.name}: neither type {kind!r} nor template {template.name} of "
                                 f"{field.name} gives its charge.")
            atoms.append(Atom(read.name, type_, tuple(read.position), residue.label, residue.number))
        place = {number: first[k] + a for a, number in enumerate(order)}
        bonds += [(place[a], place[b]) for a, b in template.bonds]
    return atoms, bonds + across


def _bonded_by_distance(residues: list[Residue]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of (residue, atom in it) that are near enough to be bonded; two hydrogens never are."""
    where = [(r, a) for r, residue in enumerate(residues) for a in range(len(residue.atoms))]
    atoms = [residues[r].atoms[a] for r, a in where]
    x = np.array([atom.position for atom in atoms])
    radius = np.array([ELEMENTS[atom.element].radius for atom in atoms])
    light = np.array([atom.element == "H" for atom in atoms])
    for i in range(len(x) - 1):
        reach = NEARNESS * (radius[i] + radius[i + 1:])
        close = (np.linalg.norm(x[i + 1:] - x[i], axis=1) < reach) & ~(light[i] & light[i + 1:])
        for j in np.flatnonzero(close):
            yield where[i], where[i + 1 + int(j)]


def _template(residue: Residue, bonds: list[tuple[int, int]], outside: Counter,
              field: ForceField) -> tuple[Template, list[int]]:
    """The template of a residue, and for each of its atoms the number in the template."""
    if not field.templates:
        raise ModelError(f"{residue.label}: {field.name} has no templates of residues; build the molecule by hand with "
                         "Molecule(atoms, bonds, field).")
    elements = Counter(atom.element for atom in residue.atoms)
    named = [t for t in field.templates.values() if t.name == residue.name or t.name[1:] == residue.name]
    for template in [*named, *field.templates.values()]:
        if Counter(field.types[kind].of.element for _, kind, _ in template.atoms) == elements:
            order = _matched(residue, bonds, outside, template, field)
            if order is not None:
                return template, order
    raise ModelError(_why_none(residue, elements, named, outside, field))


def _matched(residue: Residue, bonds: list[tuple[int, int]], outside: Counter, template: Template,
             field: ForceField) -> list[int] | None:
    """Atoms of a residue → atoms of a template with the same bonds, found by trying, or None."""
    n = len(residue.atoms)
    near: list[set[int]] = [set() for _ in range(n)]
    there: list[set[int]] = [set() for _ in range(n)]
    for graph, edges in ((near, bonds), (there, template.bonds)):
        for a, b in edges:
            graph[a].add(b)
            graph[b].add(a)
    external = Counter(template.external)
    names = [name for name, _, _ in template.atoms]
    elements = [field.types[kind].of.element for _, kind, _ in template.atoms]
    # one after another along bonds, so that a wrong choice shows soon
    order, seen = [], set()
    for start in range(n):
        front = [start]
        while front:
            a = front.pop(0)
            if a not in seen:
                seen.add(a)
                order.append(a)
                front += sorted(near[a])
    found: list[int] = [-1] * n

    def place(k: int, used: set[int]) -> bool:
        if k == n:
            return True
        a = order[k]
        own = residue.atoms[a]
        for b in sorted(set(range(n)) - used, key=lambda b: names[b] != own.name):
            if (elements[b] == own.element and external[b] == outside[a] and len(there[b]) == len(near[a])
                    and all(found[c] in there[b] for c in near[a] if found[c] >= 0)):
                found[a] = b
                if place(k + 1, used | {b}):
                    return True
                found[a] = -1
        return False

    return found if place(0, set()) else None


def _why_none(residue: Residue, elements: Counter, named: list[Template], outside: Counter, field: ForceField) -> str:
    """What is said of a residue without template: the atoms that are missing or too many."""
    if not named:
        known = ", ".join(itertools.islice(field.templates, 12))
        return (f"{residue.label}: {field.name} has no template for this residue; it has {known} …. Add the file that "
                "holds it to ForceField.read, or build the molecule by hand.")

    def gap(template: Template) -> int:
        own = Counter(field.types[kind].of.element for _, kind, _ in template.atoms)
        return sum((own - elements).values()) + sum((elements - own).values())

    template = min(named, key=gap)
    names, own = {name for name, _, _ in template.atoms}, {atom.name for atom in residue.atoms}
    wanted = Counter(field.types[kind].of.element for _, kind, _ in template.atoms)
    missing, more = wanted - elements, elements - wanted
    said = [f"{_atoms(sum(part.values()))} {word} ({', '.join(f'{n} {e}' for e, n in part.items())}; "
            f"by name {', '.join(sorted(some))})"
            for part, word, some in ((missing, "missing", names - own), (more, "too many", own - names))
            if part]
    if not said:
        said = [f"its {len(own)} atoms are bonded differently (bonds to other residues: "
                f"{', '.join(residue.atoms[a].name for a in outside) or 'none'}; the template has "
                f"{', '.join(template.atoms[a][0] for a in template.external) or 'none'})"]
    return (f"{residue.label}: does not fit the template {template.name} of {field.name}: {'; '.join(said)}. All "
            "hydrogens must be in the file; ends of a chain have templates of their own (N…, C…, ACE, NME).")


def _atoms(count: int) -> str:
    return "1 atom is" if count == 1 else f"{count} atoms are"
