"""Molecules in internal coordinates: force fields, atoms, bodies of them, their forces (Simbody manual §11.3).

Here lengths are in nm, masses in Da, times in ps, energies in kJ/mol, and so is the model that molecules are part of.
"""

from . import atoms, elements, field, residues, topology
from .between import Between
from .born import Born
from .elements import ELEMENTS
from .field import ForceField
from .fixman import Fixman
from .molecule import Atoms, Molecule
from .places import place
from .units import COULOMB, COULOMB_OPENMM, GAS_CONSTANT, angstrom, degree, kcal

__all__ = [
    "COULOMB", "COULOMB_OPENMM", "ELEMENTS", "GAS_CONSTANT", "Atoms", "Between", "Born", "Fixman", "ForceField",
    "Molecule", "angstrom", "atoms", "degree", "elements", "field", "kcal", "place", "residues", "topology",
]
