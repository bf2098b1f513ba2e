"""Molecules as mechanisms: rigid clusters of atoms, joined about the bonds that turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import Component, Frame, Model, PartsList
from ...language.fields import Variable, appearance, guess, parameter
from .. import joints, parts
from ..tolerances import NO_STATION, NO_TURN, WHOLE_CHARGE
from .atom_clusters import Partition, Torsion, is_straight, partition
from .atoms import Atom
from .born import Born
from .energies import bend, dihedral, energy_numbers, length
from .field import ForceField
from .forces import Forces, OnSites, Site
from .residues import atoms_and_bonds
from .surroundings import surroundings
from .topology import Term, Topology


class PerAtom(Variable):
    """A vector for every atom."""

    def shape_of(self, component: Component) -> tuple:
        return (len(component.elements), 3)


class Atoms(OnSites):
    """Shows the atoms of a molecule as balls and sticks, and exerts no load."""

    r_0 = PerAtom("places of the atoms in the world", "nm")
    elements = parameter(text="elements of the atoms", structural=True)
    bonds = parameter(text="pairs of bonded atoms", structural=True)
    backbone = parameter((), "pairs of neighbouring α-carbons", structural=True)
    notes = parameter((), "lines for the report", structural=True)
    animation = appearance(True, "whether they are shown")
    ball = appearance(0.45, "size of the balls; at 1 bonded atoms touch")
    stick = appearance(0.02, "diameter of the sticks", "nm")
    look = appearance("balls", "'balls' (and sticks), or 'trace': a tube through the α-carbons of a protein")
    trace = appearance(0.06, "diameter of the trace", "nm")

    def __init__(self, sites: Sequence[Site], elements: Sequence[str], bonds: Sequence[tuple[int, int]],
                 **given: Any) -> None:
        super().__init__(sites, elements=tuple(elements), bonds=tuple(bonds), **given)

    def describe(self, plan: PartsList) -> None:
        for k in range(len(self.sites)):
            plan.load(self, self.frame(k), ca.SX.zeros(3), ca.SX.zeros(3))
        for note in self.notes:
            plan.remark(f"{self.path.rpartition('.')[0] or self.path}: {note}")

    def definitions(self, plan: PartsList) -> dict:
        return {"r_0": ca.horzcat(*self.places()).T}


class Molecule(Model):
    """Atoms, bonds and their forces; a model that is part of another, or stands alone.

    `atoms` are (name, type, place in nm), `bonds` pairs of names; bonded terms are the field's, or the `terms` given.
    `mobile` selects the degrees of freedom: "torsions" (rotation about every bond that is not part of a ring and has
    further atoms at both ends), "cartesian" (every atom moves freely), "rigid", or a dict of rules that are applied
    in their order: {"all": "torsions", ("C1", "C2"): "rigid", range(3, 6): "cartesian", "rings": "torsion"}.

        m.world = lw.World(gravity=None)
        m.ethane = molecules.Molecule(atoms, bonds, field)
        r["ethane.C1_C2.phi"], r["ethane.energy.torsion"], r["ethane.potential_energy"], r["ethane.atoms.r_0"]

    Its parts are the clusters `body[k]`, joints named after their atoms, the forces `energy`, and `atoms`.
    `frame_a` is fixed on the first cluster; connect it to the world or to a part to hold the molecule.
    """

    def __init__(self, atoms: Sequence, bonds: Sequence, field: ForceField, mobile: str | Mapping = "torsions",
                 any_charge: bool = False, terms: Sequence[Term] | None = None, name: str | None = None) -> None:
        super().__init__(name)
        known = [atom if isinstance(atom, Atom) else _atom(atom, field) for atom in atoms]
        numbers = {atom.label: k for k, atom in enumerate(known)}
        pairs = tuple(tuple(_number(end, numbers) for end in bond) for bond in bonds)
        topology = Topology(tuple(known), pairs, field, None if terms is None else tuple(terms))
        self.__dict__["topology"] = topology
        self.__dict__["partition"] = partition(topology, mobile)
        self.__dict__["solvent"] = surroundings(topology)
        if not any_charge:
            _refuse_part_charges(topology)
        self._build()

    @classmethod
    def read(cls, file: str, field: ForceField, mobile: str | Mapping = "torsions", **given: Any) -> Molecule:
        """The molecule in a PDB file; all its residues and hydrogens must be in the field's templates."""
        from ...io.molecules import read_pdb

        atoms, bonds = atoms_and_bonds(read_pdb(file), field)
        return cls(atoms, bonds, field, mobile, **given)

    @classmethod
    def read_amber(cls, topology: str, coordinates: str | np.ndarray, mobile: str | Mapping = "torsions",
                   born: Born | None = None, **given: Any) -> Molecule:
        """The molecule of Amber's topology file (.prmtop) with coordinates (.inpcrd, or an array in nm).

        `born` is a solvent around it, with the radii of the file.
        """
        from ...io.molecules import read_amber

        found = read_amber(topology, coordinates, born)
        return cls(found.atoms, found.bonds, found.field, mobile, terms=found.terms, **given)

    # --- what it is made of ---

    def _build(self) -> None:
        topology, own = self.topology, self.partition
        moving = [term for term in topology.terms if not own.together(term.atoms)]
        self._refuse_missing(own)
        pairs = topology.pairs.where(~own.resting(topology.pairs.atoms))
        sites = [self._site(k) for k in range(len(own.clusters))]
        self.body = [self._body(k, sites[k]) for k in range(len(sites))]
        for torsion in own.torsions:
            self._joint(torsion)
        for k, site in enumerate(sites):
            if not site.point and self._is_alone(k) and is_straight(topology.positions[list(site.atoms)]):
                self._let_fly(k)
        # where nothing moves inside, what the solvent does is constant too
        solvent = self.solvent if len(sites) > 1 else None
        self.energy = Forces(sites, topology, moving, pairs, solvent=solvent)
        self.atoms = Atoms(sites, [atom.element for atom in topology.atoms], topology.bonds,
                           backbone=_backbone(topology), notes=self._notes())
        for k, body in enumerate(self.body):
            self.connect(body.frame_a, self.energy.frame(k), self.atoms.frame(k))
        self.frame_a = Frame()
        self.connect(self.frame_a, self.body[own.roots[0]].frame_a)
        self._outputs["potential_energy"] = self.energy.energy
        self._output_units["potential_energy"] = "kJ/mol"

    def _site(self, k: int) -> Site:
        cluster = self.partition.clusters[k]
        stations = np.array([cluster.station(self.topology.positions[a]) for a in cluster.atoms])
        point = len(cluster.atoms) == 1 and self._is_alone(k)
        return Site(cluster.atoms, np.where(abs(stations) < NO_STATION, 0.0, stations), point)

    def _body(self, k: int, site: Site) -> parts.PointMass | parts.Body:
        """A cluster as a body; the free ones start where the atoms are given."""
        masses = np.array([self.topology.atoms[a].type.mass for a in site.atoms])
        cluster = self.partition.clusters[k]
        start = {"r_0": guess(cluster.p)} if k in self.partition.roots else {}
        if site.point:
            return parts.PointMass(m=masses[0], animation=False, **start)
        centre = masses @ site.stations / masses.sum()
        r = site.stations - centre
        inertia = np.einsum("a,aij->ij", masses, np.einsum("ak,ak,ij->aij", r, r, np.eye(3))
                            - np.einsum("ai,aj->aij", r, r))
        if self._is_alone(k) and is_straight(self.topology.positions[list(site.atoms)]):
            start = {}
        return parts.Body(m=masses.sum(), r_cm=centre, inertia=inertia, animation=False, **start)

    def _is_alone(self, k: int) -> bool:
        """Whether no bond of a cluster turns."""
        return all(k not in torsion.clusters for torsion in self.partition.torsions)

    def _let_fly(self, k: int) -> None:
        """A straight body does not turn about itself: five degrees of freedom."""
        R, p = self.partition.clusters[k].R, self.partition.clusters[k].p
        ground, flight = parts.Fixed(animation=False), joints.FreeLine(animation=False)
        there = parts.FixedRotation(r=p, rotation_type="two_axes", n_x=R[:, 0], n_y=R[:, 1], animation=False)
        for name, part in (("ground", ground), ("there", there), ("flight", flight)):
            setattr(self, f"{name}_{k}", part)
        self.chain(ground, there, flight, self.body[k])

    def _joint(self, torsion: Torsion) -> None:
        """A bond that turns: the frames of both clusters at it, and the joint between them."""
        x, own = self.topology.positions, self.partition
        name = self.joint_name(*torsion.bond)
        ends = []
        for side, R_WQ in zip(torsion.clusters, (torsion.R_WF, torsion.R_WM), strict=True):
            cluster, frame = own.clusters[side], self.body[side].frame_a
            R, r = cluster.R.T @ R_WQ, cluster.station(x[torsion.bond[1]])
            if not (np.allclose(R, np.eye(3), atol=NO_TURN) and np.allclose(r, 0, atol=NO_TURN)):
                link = parts.FixedRotation(r=r, rotation_type="two_axes", n_x=R[:, 0], n_y=R[:, 1], animation=False)
                setattr(self, f"{name}_{'from' if not ends else 'to'}", link)
                self.connect(frame, link.frame_a)
                frame = link.frame_b
            ends.append(frame)
        joint = joints.Revolute(n=(0, 0, 1), phi=guess(torsion.angle), animation=False)
        setattr(self, name, joint)
        self.connect(ends[0], joint.frame_a)
        self.connect(ends[1], joint.frame_b)

    def joint_name(self, a: int, b: int) -> str:
        """The name of the joint of a bond: "C1_C2", "ALA2_CA_C", "ALA2_C_NME3_N"."""
        a, b = (a, b) if (a, b) in self.topology.bonds else (b, a)
        first, second = self.topology.atoms[a], self.topology.atoms[b]
        same = first.residue == second.residue
        return f"{first.label}_{second.name if same else second.label}"

    # --- answers ---

    @property
    def torsions(self) -> dict[str, joints.Revolute]:
        """The joints of bonds that turn, by name."""
        names = [self.joint_name(*torsion.bond) for torsion in self.partition.torsions]
        return {name: getattr(self, name) for name in names}

    @property
    def constant_energy(self) -> dict[str, float]:
        """Energies of what rests, by term, in kJ/mol: between atoms that move together.  Not part of `energy`."""
        topology, own = self.topology, self.partition
        found = energy_numbers(topology, [t for t in topology.terms if own.together(t.atoms)],
                               topology.pairs.where(own.resting(topology.pairs.atoms)))
        if self.solvent is not None and len(own.clusters) == 1:
            found["born"], found["surface"] = self.solvent.energy_numbers(topology.positions)
        return found

    def write(self, path: str | Path, result: Any = None) -> None:
        """Write the initial molecule, or its configurations in a result, as a .pdb or .dcd file for other programs.

            m.peptide.write("run.dcd", r)
        """
        from ...io.molecules import write_dcd, write_pdb

        suffix = Path(path).suffix.lower()
        if suffix not in (".pdb", ".dcd"):
            raise ModelError(f"{path}: the suffix {suffix!r} is not known; choose .pdb or .dcd.", self)
        places, t = self.topology.positions[None], np.zeros(1)
        if result is not None:
            places = np.asarray(result[self.atoms.path_of("r_0")])
            t = np.asarray(getattr(result, "t", np.arange(len(places))), dtype=float)
        if suffix == ".pdb":
            write_pdb(path, self.topology, places)
        else:
            write_dcd(path, places, (t[-1] - t[0]) / max(1, len(t) - 1))

    def value(self, *names: str) -> ca.SX:
        """The distance of two atoms, the angle of three, or the torsion angle of four, as an expression."""
        kinds = {2: length, 3: bend, 4: dihedral}
        if len(names) not in kinds:
            raise ModelError(f"{self.path}: give the names of two, three or four atoms, got {len(names)}.", self)
        numbers = {atom.label: k for k, atom in enumerate(self.topology.atoms)}
        places = self.atoms.places()
        return kinds[len(names)](*[places[_number(name, numbers)] for name in names])

    def _notes(self) -> tuple[str, ...]:
        """What the report says: sizes, the energy that is constant, what rings do."""
        topology, own = self.topology, self.partition
        count, turning = len(own.clusters), len(own.torsions)
        constant = sum(self.constant_energy.values())
        first = (f"{len(topology.atoms)} atoms in {count} {'body' if count == 1 else 'bodies'}, {turning} "
                 f"{'bond turns' if turning == 1 else 'bonds turn'}; atoms that rest together have {constant:.6g} "
                 "kJ/mol, which is not part of its energy")
        return first, *[ring.said(topology) for ring in own.rings]

    def _refuse_missing(self, own: Partition) -> None:
        for atoms, kind in self.topology.missing.items():
            if not own.together(atoms):
                classes = "–".join(self.topology.classes(atoms))
                raise ModelError(f"{self.path}: the {kind} {self.topology.said(*atoms)} moves, but "
                                 f"{self.topology.field.name} has no {kind} for the classes {classes}; add "
                                 f"field.{kind}(…), or let these atoms move together (mobile=).", self)


def _backbone(topology: Topology) -> tuple[tuple[int, int], ...]:
    """α-carbons of neighbouring residues: three bonds apart, CA–C–N–CA."""
    alpha = {k for k, atom in enumerate(topology.atoms) if atom.name == "CA" and atom.element == "C"}
    return tuple(pair for pair, away in topology.separations.items() if away == 3 and alpha.issuperset(pair))


def _atom(given: Sequence, field: ForceField) -> Atom:
    """An atom as (name, type, place)."""
    try:
        name, kind, place = given
        x, y, z = (float(part) for part in place)
    except (TypeError, ValueError):
        raise ModelError(f"an atom is given as (name, type, [x, y, z]), got {given!r}.") from None
    if kind not in field.types:
        near = ", ".join(list(field.types)[:8]) or "none"
        raise ModelError(f"atom {name}: {field.name} has no atom type {kind!r}; it has {near}"
                         f"{' …' if len(field.types) > 8 else ''}. Add it with field.atom_type(…).")
    if not np.isfinite([x, y, z]).all():
        raise ModelError(f"atom {name}: its place {place!r} is not finite.")
    return Atom(str(name), field.types[kind], (x, y, z))


def _number(name: object, numbers: dict[str, int]) -> int:
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < len(numbers):
        return int(name)
    if name not in numbers:
        raise ModelError(f"there is no atom {name!r}; there are {', '.join(list(numbers)[:12])}"
                         f"{' …' if len(numbers) > 12 else ''}.")
    return numbers[name]


def _refuse_part_charges(topology: Topology) -> None:
    """Charges of a whole molecule add up to a whole number; where they do not, an atom has a wrong type."""
    total = sum(atom.type.charge for atom in topology.atoms)
    if abs(total - round(total)) < WHOLE_CHARGE:
        return
    sums: dict[str, float] = {}
    for atom in topology.atoms:
        key = atom.residue or atom.label
        sums[key] = sums.get(key, 0.0) + atom.type.charge
    parts_of = ", ".join(f"{key} {q:+.4f}" for key, q in sums.items() if abs(q - round(q)) >= WHOLE_CHARGE)
    raise ModelError(f"the charges of the molecule add up to {total:+.4f} e, which is not whole: {parts_of}. Some atom "
                     "has a wrong type, or is missing; any_charge=True takes the charges as they are.")


