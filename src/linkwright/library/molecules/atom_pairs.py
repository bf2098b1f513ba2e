"""Pairs of atoms that act on each other at a distance, as arrays: a protein has hundreds of thousands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .atoms import Atom
from .field import ForceField


@dataclass(frozen=True, eq=False)
class Pairs:
    """Arrays over pairs: numbers of both atoms (n, 2), C qᵢ qⱼ/κ, d_min and ε, with all factors in them."""

    atoms: np.ndarray
    charges: np.ndarray
    d_min: np.ndarray
    epsilon: np.ndarray

    def __len__(self) -> int:
        return len(self.atoms)

    def where(self, mask: np.ndarray) -> Pairs:
        """Some of them."""
        return Pairs(self.atoms[mask], self.charges[mask], self.d_min[mask], self.epsilon[mask])

    def energies(self, x: np.ndarray) -> tuple[float, float]:
        """(van der Waals, Coulomb) of all of them with atoms at places x."""
        r2 = ((x[self.atoms[:, 0]] - x[self.atoms[:, 1]]) ** 2).sum(axis=1)
        sixth = (self.d_min**2 / r2) ** 3
        return float((self.epsilon * (sixth**2 - 2 * sixth)).sum()), float((self.charges / np.sqrt(r2)).sum())


def pairs_within(field: ForceField, atoms: Sequence[Atom], separations: Mapping[tuple[int, int], int]) -> Pairs:
    """Of the atoms of a molecule, scaled by how many bonds they are apart (i < j)."""
    i, j = np.triu_indices(len(atoms), 1)
    away = np.zeros((len(atoms), len(atoms)), dtype=int)
    for (a, b), bonds in separations.items():
        away[a, b] = bonds
    between = away[i, j]
    scale_v, scale_c = (np.array([1.0, *factors])[between] for factors in (field.scale_van_der_waals,
                                                                           field.scale_coulomb))
    return _pairs(field, atoms, i, j, scale_v, scale_c)


def pairs_across(field: ForceField, molecules: Sequence[Sequence[Atom]]) -> Pairs:
    """Of every atom of a molecule with every atom of the others; atoms are counted through all of them."""
    of = np.repeat(np.arange(len(molecules)), [len(atoms) for atoms in molecules])
    i, j = np.triu_indices(len(of), 1)
    apart = of[i] != of[j]
    ones = np.ones(int(apart.sum()))
    return _pairs(field, [atom for atoms in molecules for atom in atoms], i[apart], j[apart], ones, ones)


def _pairs(field: ForceField, atoms: Sequence[Atom], i: np.ndarray, j: np.ndarray, scale_v: np.ndarray,
           scale_c: np.ndarray) -> Pairs:
    # mixed once for every two kinds of atoms
    kinds = {(atom.type.r_min, atom.type.epsilon): atom.type for atom in atoms}
    number = {key: k for k, key in enumerate(kinds)}
    own = np.array([number[atom.type.r_min, atom.type.epsilon] for atom in atoms], dtype=int)
    mixed = np.array([[field.pair(a, b) for b in kinds.values()] for a in kinds.values()]).reshape(-1, len(kinds), 2)
    d_min, epsilon = mixed[own[i], own[j]].reshape(-1, 2).T
    q = np.array([atom.type.charge for atom in atoms])
    charges = field.coulomb / field.dielectric * q[i] * q[j] * scale_c * field.factor("coulomb")
    epsilon = epsilon * (scale_v * field.factor("van_der_waals"))
    acts = (charges != 0) | (epsilon != 0)
    return Pairs(np.column_stack([i, j]), charges, d_min, epsilon).where(acts)
