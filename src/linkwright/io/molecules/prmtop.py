"""Molecules from Amber's files: topology and parameters (.prmtop, .parm7) with coordinates (.inpcrd, .rst7).

A topology file lists every term by the numbers of its atoms, in Å and kcal/mol, charges times 18.2223, van der Waals by
coefficients A/r¹² − B/r⁶ of pairs of kinds (ambermd.org/FileFormats.php).  What cannot be computed is refused by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from ...errors import ModelError
from ...library.molecules import ELEMENTS, Born, ForceField, angstrom, kcal
from ...library.molecules.atoms import Atom
from ...library.molecules.elements import NUMBERS
from ...library.molecules.field import Periods, Spring
from ...library.molecules.topology import Term
from ..tolerances import MIXED

CHARGE = 18.2223  # by which charges are multiplied: √(332.0522… kcal Å)
COULOMB_AMBER = CHARGE**2 * kcal * angstrom
SCALED = {"SCEE_SCALE_FACTOR": 1.2, "SCNB_SCALE_FACTOR": 2.0}  # of 1-4 pairs, where a file has none
REFUSED = {"CMAP_COUNT": "CMAP corrections", "LENNARD_JONES_CCOEF": "12-6-4 van der Waals terms",
           "POLARIZABILITY": "polarisable atoms", "CHARMM_UREY_BRADLEY_COUNT": "Urey–Bradley terms"}


@dataclass(frozen=True)
class Amber:
    """What a topology file holds, in our units."""

    atoms: tuple[Atom, ...]
    bonds: tuple[tuple[int, int], ...]
    terms: tuple[Term, ...]
    field: ForceField


def read_amber(topology: str, coordinates: str | np.ndarray, born: Born | None = None) -> Amber:
    """A molecule with its terms; `born` is a solvent, whose radii and scales the file has."""
    sections = _sections(topology)
    _refuse(topology, sections)
    names, charges = sections["ATOM_NAME"], np.array(sections["CHARGE"]) / CHARGE
    places = _places(topology, coordinates, len(names))
    field, kinds = _field(topology, sections), _kinds(topology, sections)
    residues = _residues(sections)
    atoms, sizes = [], {}
    for k, name in enumerate(names):
        r_min, epsilon = kinds[sections["ATOM_TYPE_INDEX"][k] - 1]
        kind, element = f"{sections['AMBER_ATOM_TYPE'][k]} {k + 1}", _element(sections, k)
        field.atom_class(kind, element, r_min, epsilon)
        field.atom_type(kind, kind, charges[k], sections["MASS"][k])
        if "RADII" in sections and "SCREEN" in sections:
            sizes[kind] = sections["RADII"][k] * angstrom, sections["SCREEN"][k]
        label, number = residues[k]
        atoms.append(Atom(name, field.types[kind], tuple(map(float, places[k])), f"{label}{number}", number))
    field.born = None if born is None else born.with_atoms(sizes)
    return Amber(tuple(atoms), tuple(_bonds(sections)), tuple(_terms(sections)), field)


# --- the file ---


def _sections(path: str) -> dict[str, list]:
    """Name of a section → its values, read by the format the file states for it."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}).") from None
    found: dict[str, list] = {}
    name, width, convert = "", 0, str
    for number, line in enumerate(lines, 1):
        if line.startswith("%FLAG"):
            name = line.split()[1]
            found[name] = []
        elif line.startswith("%FORMAT"):
            style = re.search(r"\(\s*\d+\s*([aIEeFf])\s*(\d+)", line)
            if style is None:
                raise ModelError(f"{path}, line {number}: the format {line!r} is not known.")
            width, convert = int(style[2]), {"a": str, "i": int}.get(style[1].lower(), float)
        elif name and not line.startswith("%"):
            pieces = [line[k:k + width] for k in range(0, len(line.rstrip("\n")), width)] if width else []
            try:
                found[name] += [convert(piece.strip()) for piece in pieces if piece.strip() or convert is str]
            except ValueError:
                raise ModelError(f"{path}, line {number}: {name} holds no numbers: {line.strip()!r}.") from None
    needed = ("POINTERS", "ATOM_NAME", "CHARGE", "MASS", "ATOM_TYPE_INDEX", "AMBER_ATOM_TYPE", "RESIDUE_LABEL")
    missing = [flag for flag in needed if flag not in found]
    if missing:
        raise ModelError(f"{path}: has no section {missing[0]}; expected a topology file of Amber 7 or later.")
    atoms = found["POINTERS"][0]
    for flag in ("ATOM_NAME", "AMBER_ATOM_TYPE"):
        found[flag] = found[flag][:atoms]
    found["RESIDUE_LABEL"] = found["RESIDUE_LABEL"][:found["POINTERS"][11]]
    return found


def _refuse(path: str, sections: dict[str, list]) -> None:
    held = [what for flag, what in REFUSED.items() if any(sections.get(flag, ()))]
    if len(sections["POINTERS"]) > 27 and sections["POINTERS"][27]:
        held.append("a periodic box")
    if any(sections.get("HBOND_ACOEF", ())):
        held.append("10-12 hydrogen bonds")
    if held:
        raise ModelError(f"{path}: holds {', '.join(held)}, which molecules cannot compute; make a topology without.")


def _places(path: str, coordinates: str | np.ndarray, count: int) -> np.ndarray:
    """(n, 3) in nm, from a file of coordinates in Å or given."""
    if not isinstance(coordinates, (str, Path)):
        places = np.asarray(coordinates, dtype=float)
    else:
        try:
            lines = Path(coordinates).read_text().splitlines()[2:]
            numbers = [float(line[k:k + 12]) for line in lines for k in range(0, len(line.rstrip()), 12)]
        except (OSError, ValueError) as error:
            raise ModelError(f"{coordinates}: cannot be read as Amber's coordinates ({error}).") from None
        if len(numbers) < 3 * count:
            raise ModelError(f"{coordinates}: has {len(numbers) // 3} places; {path} has {count} atoms.")
        places = np.array(numbers[:3 * count]).reshape(-1, 3) * angstrom
    if places.shape != (count, 3):
        raise ModelError(f"coordinates have shape {places.shape}; {path} has {count} atoms, so ({count}, 3) is needed.")
    return places


# --- what it means ---


def _field(path: str, sections: dict[str, list]) -> ForceField:
    """An empty field with the factors of 1-4 pairs."""
    factors = []
    for flag, usual in SCALED.items():
        # torsions that no 1-4 pair goes with have 0
        given = {value for value in sections.get(flag, ()) if value} or {usual}
        if len(given) > 1:
            raise ModelError(f"{path}: {flag} differs from torsion to torsion ({sorted(given)}); one factor for all "
                             "1-4 pairs is needed.")
        factors.append(1 / given.pop())
    return ForceField(Path(path).stem, "lorentz_berthelot", COULOMB_AMBER, scale_coulomb=(0, 0, factors[0], 1),
                      scale_van_der_waals=(0, 0, factors[1], 1))


def _kinds(path: str, sections: dict[str, list]) -> list[tuple[float, float]]:
    """(r_min, ε) of every kind of atoms; pairs of kinds must be mixed as Amber does."""
    n = sections["POINTERS"][1]
    A, B = np.array(sections["LENNARD_JONES_ACOEF"]), np.array(sections["LENNARD_JONES_BCOEF"])
    index = np.array(sections["NONBONDED_PARM_INDEX"]).reshape(n, n) - 1

    def of(a: float, b: float) -> tuple[float, float]:
        return (0.5 * (2 * a / b) ** (1 / 6) * angstrom, b * b / (4 * a) * kcal) if a and b else (0.0, 0.0)

    kinds = [of(A[index[k, k]], B[index[k, k]]) for k in range(n)]
    for i in range(n):
        for j in range(i):
            r, epsilon = of(A[index[i, j]], B[index[i, j]])
            expected = np.sqrt(kinds[i][1] * kinds[j][1])
            if abs(epsilon - expected) > MIXED * expected or (
                    expected and abs(r - 0.5 * (kinds[i][0] + kinds[j][0])) > MIXED * r):
                raise ModelError(f"{path}: van der Waals between kinds {j + 1} and {i + 1} is not mixed by Lorentz and "
                                 "Berthelot; coefficients of single pairs are not computed.")
    return kinds


def _residues(sections: dict[str, list]) -> list[tuple[str, int]]:
    """Name and number of the residue of every atom."""
    starts = [*sections["RESIDUE_POINTER"], sections["POINTERS"][0] + 1]
    return [(label, number) for number, (label, (first, after)) in
            enumerate(zip(sections["RESIDUE_LABEL"], pairwise(starts), strict=True), 1) for _ in range(first, after)]


def _element(sections: dict[str, list], k: int) -> str:
    """By the atomic number, else the element of that mass."""
    if "ATOMIC_NUMBER" in sections:
        number = sections["ATOMIC_NUMBER"][k]
        if number in NUMBERS:
            return NUMBERS[number]
        raise ModelError(f"atom {sections['ATOM_NAME'][k]}: the element of number {number} is not known.")
    return min(ELEMENTS, key=lambda name: abs(ELEMENTS[name].mass - sections["MASS"][k]))


def _rows(sections: dict[str, list], name: str, width: int) -> np.ndarray:
    """Terms with and without hydrogen, one row each."""
    both = [*sections.get(f"{name}_INC_HYDROGEN", ()), *sections.get(f"{name}_WITHOUT_HYDROGEN", ())]
    return np.array(both, dtype=int).reshape(-1, width)


def _bonds(sections: dict[str, list]) -> list[tuple[int, int]]:
    return [(int(a) // 3, int(b) // 3) for a, b, _ in _rows(sections, "BONDS", 3)]


def _terms(sections: dict[str, list]) -> list[Term]:
    found = []
    for name, kind, width, unit in (("BOND", "bond", 3, angstrom), ("ANGLE", "angle", 4, 1.0)):
        k, at = sections.get(f"{name}_FORCE_CONSTANT", []), sections.get(f"{name}_EQUIL_VALUE", [])
        for row in _rows(sections, f"{name}S", width):
            spring = Spring(k[row[-1] - 1] * kcal / unit**2, at[row[-1] - 1] * unit)
            found.append(Term(kind, tuple(int(a) // 3 for a in row[:-1]), spring))
    # terms of one torsion with several periods are rows that follow each other
    periods: dict[tuple, list[tuple[int, float, float]]] = {}
    for row in _rows(sections, "DIHEDRALS", 5):
        which = row[4] - 1
        term = (round(sections["DIHEDRAL_PERIODICITY"][which]), sections["DIHEDRAL_FORCE_CONSTANT"][which] * kcal,
                sections["DIHEDRAL_PHASE"][which])
        key = ("improper" if row[3] < 0 else "torsion", *[abs(int(a)) // 3 for a in row[:4]])
        periods.setdefault(key, []).append(term)
    return found + [Term(key[0], key[1:], Periods(tuple(terms))) for key, terms in periods.items()]
