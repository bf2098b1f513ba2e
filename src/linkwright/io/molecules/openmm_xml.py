"""Force fields in OpenMM's XML files (Amber's parameters as OpenMM ships them).

Their springs are ½ k (x − x₀)², van der Waals is given by σ (d_min = 2^(1/6) σ), and impropers name the atom in the
middle first.  GBSAOBCForce is a solvent (OBC II).  Other forces are refused by name, as leaving them out would be
another field.
"""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from ...errors import ModelError
from ...library.molecules import COULOMB_OPENMM, ELEMENTS, Born, ForceField
from ...library.molecules.field import ANY, AtomClass, AtomType, Periods, Spring, Template

HARMLESS = {"Info", "AtomTypes", "Residues", "Patches", "InitializationScript"}
READ = {"HarmonicBondForce", "HarmonicAngleForce", "PeriodicTorsionForce", "NonbondedForce", "GBSAOBCForce"}
WATER = 78.3  # dielectric constant of the solvent in files with GBSAOBCForce, as OpenMM has it


def read_field(files: Sequence[str]) -> ForceField:
    """One force field from one or more files."""
    if not files:
        raise ModelError("ForceField.read: give at least one file, such as 'amber99sb.xml'.")
    roots = [(_found(file), _root(_found(file))) for file in files]
    nonbonded = [element for _, root in roots for element in root.iter("NonbondedForce")]
    scales = {(float(e.get("coulomb14scale", 1)), float(e.get("lj14scale", 1))) for e in nonbonded}
    if len(scales) > 1:
        raise ModelError(f"{', '.join(map(str, files))}: the files scale 1-4 pairs differently ({sorted(scales)}).")
    coulomb, lennard_jones = scales.pop() if scales else (1.0, 1.0)
    field = ForceField(Path(files[0]).stem, "lorentz_berthelot", COULOMB_OPENMM,
                       scale_van_der_waals=(0, 0, lennard_jones, 1), scale_coulomb=(0, 0, coulomb, 1))
    laws = _pair_laws(nonbonded)
    for path, root in roots:
        other = sorted({child.tag for child in root} - HARMLESS - READ)
        if other:
            raise ModelError(f"{path}: holds {', '.join(other)}, which molecules cannot compute; leave that file out, "
                             "or take a field of bonds, angles, torsions and pairs such as amber99sb.xml.")
        _types(field, root, laws)
    of_types = {name: kind.of.name for name, kind in field.types.items()}
    for _, root in roots:
        _bonded(field, root, of_types)
        _residues(field, root)
    sizes = {atom.get("type", ""): (float(atom.get("radius", 0)), float(atom.get("scale", 0)))
             for _, root in roots for atom in root.iterfind("GBSAOBCForce/Atom")}
    field.born = Born(solvent=WATER, atoms=sizes) if sizes else None
    return field


def _found(file: str) -> Path:
    path = Path(file)
    if path.is_file():
        return path
    package = importlib.util.find_spec("openmm") if path.name == str(file) else None
    for folder in package.submodule_search_locations or () if package else ():
        shipped = Path(folder) / "app" / "data" / path.name
        if shipped.is_file():
            return shipped
    more = "" if package else "; the package openmm, which ships many, is not installed"
    raise ModelError(f"{file}: there is no such force field; looked in {Path.cwd()}{more}.")


def _root(path: Path) -> ET.Element:
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError as error:
        raise ModelError(f"{path}: is no XML ({error}).") from None
    if root.tag != "ForceField":
        raise ModelError(f"{path}: starts with <{root.tag}>; expected <ForceField>, OpenMM's format.")
    return root


def _pair_laws(nonbonded: list[ET.Element]) -> dict[str, ET.Element]:
    return {key: atom for force in nonbonded for atom in force.iter("Atom")
            for key in (atom.get("type") or f"class {atom.get('class')}",)}


def _types(field: ForceField, root: ET.Element, laws: dict[str, ET.Element]) -> None:
    for entry in root.iter("Type"):
        name, own, element = entry.get("name", ""), entry.get("class", ""), entry.get("element", "")
        law = laws.get(name, laws.get(f"class {own}"))
        if law is None or element not in ELEMENTS:
            continue  # a site without mass, or an atom that no pair law is given for
        r_min = float(law.get("sigma", 0)) * 2 ** (1 / 6) / 2
        of = field.classes.setdefault(own, AtomClass(own, element, r_min, float(law.get("epsilon", 0))))
        charge = law.get("charge")
        field.types[name] = AtomType(name, of, float("nan") if charge is None else float(charge),
                                     float(entry.get("mass", 0)), r_min, float(law.get("epsilon", 0)))


def _names(entry: ET.Element, count: int, of_types: dict[str, str]) -> tuple[str, ...]:
    """The classes that an entry is for; types stand for their classes."""
    names = []
    for k in range(1, count + 1):
        own = entry.get(f"class{k}")
        if own is None:
            kind = entry.get(f"type{k}", "")
            own = of_types.get(kind, "" if not kind else f"type {kind}")
        names.append(own or ANY)
    return tuple(names)


def _bonded(field: ForceField, root: ET.Element, of_types: dict[str, str]) -> None:
    for entry in root.iterfind("HarmonicBondForce/Bond"):
        spring = Spring(float(entry.get("k", 0)) / 2, float(entry.get("length", 0)))
        field.bonds.append((_names(entry, 2, of_types), spring))
    for entry in root.iterfind("HarmonicAngleForce/Angle"):
        spring = Spring(float(entry.get("k", 0)) / 2, float(entry.get("angle", 0)))
        field.angles.append((_names(entry, 3, of_types), spring))
    for force in root.iterfind("PeriodicTorsionForce"):
        order = force.get("ordering", "default")
        for tag, table in (("Proper", field.torsions), ("Improper", field.impropers)):
            for entry in force.iterfind(tag):
                terms = []
                while (n := entry.get(f"periodicity{len(terms) + 1}")) is not None:
                    k = len(terms) + 1
                    terms.append((int(n), float(entry.get(f"k{k}", 0)), float(entry.get(f"phase{k}", 0))))
                table.append((_names(entry, 4, of_types), Periods(tuple(terms), None, order)))


def _residues(field: ForceField, root: ET.Element) -> None:
    for entry in root.iterfind("Residues/Residue"):
        atoms = [(a.get("name", ""), a.get("type", ""), float(a.get("charge", "nan"))) for a in entry.iterfind("Atom")]
        if any(kind not in field.types for _, kind, _ in atoms):
            continue  # with sites that have no mass
        number = {name: k for k, (name, _, _) in enumerate(atoms)}

        def end(bond: ET.Element, by_number: str, by_name: str, number: dict = number) -> int:
            return int(bond.get(by_number)) if bond.get(by_number) else number[bond.get(by_name)]

        bonds = tuple((end(b, "from", "atomName1"), end(b, "to", "atomName2")) for b in entry.iterfind("Bond"))
        external = tuple(end(b, "from", "atomName") for b in entry.iterfind("ExternalBond"))
        kept = tuple((name, kind, None if charge != charge else charge) for name, kind, charge in atoms)
        field.templates[entry.get("name", "")] = Template(entry.get("name", ""), kept, bonds, external)
