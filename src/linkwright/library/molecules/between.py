"""Forces between molecules."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter
from .atom_pairs import pairs_across
from .forces import Forces, Site
from .molecule import Molecule


class Between(Forces):
    """Forces between molecules: every atom of one on every atom of the others.

        m.both = molecules.Between(m.first, m.second)          # r["both.coulomb"], r["both.energy"]
    """

    molecules = parameter(text="which act on each other", structural=True)

    def __init__(self, *molecules: Molecule, **given: Any) -> None:
        if len(molecules) < 2 or not all(isinstance(m, Molecule) for m in molecules):
            raise ModelError("Between: forces act between two or more molecules: Between(m.first, m.second).")
        if len({id(m.topology.field) for m in molecules}) > 1:
            raise ModelError(f"Between: {', '.join(m.path for m in molecules)} have different force fields; how their "
                             "atoms act on one another would be anybody's guess. Read them with one field.")
        if molecules[0].topology.field.born is not None:
            raise ModelError(f"Between: {', '.join(m.path for m in molecules)} are in a solvent, which feels all atoms "
                             "together; read them as one molecule (one PDB file, or one list of atoms).")
        starts = np.cumsum([0, *[len(m.topology.atoms) for m in molecules]])
        sites = [Site(tuple(int(first) + a for a in site.atoms), site.stations, site.point)
                 for first, molecule in zip(starts, molecules, strict=False) for site in molecule.energy.sites]
        pairs = pairs_across(molecules[0].topology.field, [m.topology.atoms for m in molecules])
        super().__init__(sites, None, (), pairs, molecules=molecules, **given)

    def describe(self, plan: PartsList) -> None:
        bodies = [body for molecule in self.molecules for body in molecule.body]
        for k, body in enumerate(bodies):
            if all(component is not body for component in plan.components):
                raise ModelError(f"{self.path}: a molecule it acts on is no part of the model.", self)
            plan.join(body.frame_a, self.frame(k))
        super().describe(plan)
