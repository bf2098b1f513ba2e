"""Residues from PDB files: columns of fixed width, places in Å (wwPDB format 3.3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...errors import ModelError
from ...library.molecules import ELEMENTS, angstrom
from ...library.molecules.residues import Read, Residue


def read_pdb(path: str) -> list[Residue]:
    """The residues of the first model in a PDB file; of atoms with alternative places the first."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}).") from None
    found: dict[tuple, list[Read]] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("ENDMDL"):
            break
        if not line.startswith(("ATOM", "HETATM")):
            continue
        try:
            place = np.array([float(line[k:k + 8]) for k in (30, 38, 46)]) * angstrom
            key = (line[21].strip(), int(line[22:26]), line[26].strip(), line[17:20].strip())
        except ValueError:
            raise ModelError(f"{path}, line {number}: the columns of residue and coordinates hold no numbers: "
                             f"{line.rstrip()!r}.") from None
        atoms, name = found.setdefault(key, []), line[12:16].strip()
        if all(atom.name != name for atom in atoms):
            atoms.append(Read(name, _element(path, number, line), place))
    if not found:
        raise ModelError(f"{path}: holds no atoms; expected lines that start with ATOM or HETATM.")
    chains = len({key[0] for key in found})
    return [Residue(name, number, (chain if chains > 1 else "") + insertion, tuple(atoms))
            for (chain, number, insertion, name), atoms in found.items()]


def _element(path: str, number: int, line: str) -> str:
    """Columns 77–78, else the first letter of the name."""
    given = line[76:78].strip().capitalize()
    name = line[12:16].strip().lstrip("0123456789")
    element = given or (line[12:14].strip().capitalize() if line[12:14].strip().capitalize() in ELEMENTS
                        and not line[12:13].isspace() and not line[12:13].isdigit() and line[12] != "H" else name[:1])
    if element not in ELEMENTS:
        raise ModelError(f"{path}, line {number}: the element of atom {line[12:16].strip()!r} is not known.")
    return element
