"""Molecules written for other programs: PDB files, of one configuration or many, and DCD trajectories.

A PDB file has columns of fixed width and places in Å to three digits (wwPDB format 3.3); configurations of a run are
its MODELs, bonds its CONECT lines.  A DCD file (CHARMM, NAMD) is binary, little-endian: records of Fortran, each
between two copies of its length, with places in Å as 32-bit numbers and the time between frames in units of 48.89 fs.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from ...errors import ModelError
from ...library.molecules import angstrom
from ...library.molecules.topology import Topology

AKMA = 0.04888821  # ps
MOST = 99999  # atoms that the columns of a PDB file can count
WIDEST = 9999.9995  # Å that its columns can hold


def write_pdb(path: str | Path, topology: Topology, places: np.ndarray) -> None:
    """Configurations (n, atoms, 3) in nm; several are MODELs."""
    if len(topology.atoms) > MOST:
        raise ModelError(f"{path}: a PDB file counts up to {MOST} atoms; the molecule has {len(topology.atoms)}.")
    if not np.abs(places / angstrom).max() < WIDEST:
        raise ModelError(f"{path}: an atom is more than {WIDEST:g} Å from the origin, which a PDB file cannot hold. "
                         "Likely: the molecule flew away; hold it at the world (frame_a), or write a DCD file.")
    lines = []
    for number, frame in enumerate(places, 1):
        lines += [f"MODEL     {number:4d}"] if len(places) > 1 else []
        lines += [_line(topology, k, place / angstrom) for k, place in enumerate(frame)]
        lines += ["ENDMDL"] if len(places) > 1 else []
    for k, near in enumerate(topology.neighbours):
        # four to a line
        lines += [f"CONECT{k + 1:5d}" + "".join(f"{other + 1:5d}" for other in near[start:start + 4])
                  for start in range(0, len(near), 4)]
    Path(path).write_text("\n".join([*lines, "END", ""]))


def _line(topology: Topology, k: int, place: np.ndarray) -> str:
    atom = topology.atoms[k]
    residue = atom.residue[:atom.residue.index(str(atom.number))] if atom.residue else "MOL"
    # a name begins in the second column unless its element has two letters
    name = atom.name if len(atom.element) == 2 or len(atom.name) > 3 else f" {atom.name}"
    x, y, z = place
    return (f"{'ATOM' if atom.residue else 'HETATM':<6s}{k + 1:5d} {name[:4]:<4s} {residue[:3]:>3s} A"
            f"{(atom.number or 1) % 10000:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          {atom.element:>2s}")


def write_dcd(path: str | Path, places: np.ndarray, step: float) -> None:
    """Configurations (n, atoms, 3) in nm, `step` ps apart."""
    count, atoms = places.shape[:2]
    header = struct.pack("<4s9if10i", b"CORD", count, 0, 1, count, 0, 0, 0, 0, 0, step / AKMA, *[0] * 9, 24)
    title = struct.pack("<i80s", 1, b"written by Linkwright".ljust(80))
    with Path(path).open("wb") as file:
        for record in (header, title, struct.pack("<i", atoms)):
            file.write(_record(record))
        for frame in places / angstrom:
            for axis in range(3):
                file.write(_record(np.ascontiguousarray(frame[:, axis], dtype="<f4").tobytes()))


def _record(content: bytes) -> bytes:
    length = struct.pack("<i", len(content))
    return length + content + length
