"""Files of molecules: Amber's topologies, OpenMM's force fields, PDB files and trajectories.

`molecules.Molecule` and `molecules.ForceField` have methods that read and write them.
"""

from .configurations import write_dcd, write_pdb
from .openmm_xml import read_field
from .pdb import read_pdb
from .prmtop import read_amber

__all__ = ["read_amber", "read_field", "read_pdb", "write_dcd", "write_pdb"]
