"""Amber's topology files: one that we write here is read by us and by OpenMM, to the same energies."""

import numpy as np
import pytest
from linkwright.molecules import Born, angstrom, kcal
from small_molecules import alone, cyclohexane, energies, ethane

from linkwright import ModelError, molecules
from linkwright.library.molecules.elements import NUMBERS
from linkwright.library.molecules.field import Periods
from linkwright.library.molecules.topology import Term


def section(flag, style, values):
    """A section of a topology file: %20a4, 10I8 or 5E16.8."""
    per_line, width = {"a": (20, 4), "I": (10, 8), "E": (5, 16)}[style]
    said = {"a": "20a4", "I": "10I8", "E": "5E16.8"}[style]
    cells = [f"{v:<4s}" if style == "a" else f"{v:8d}" if style == "I" else f"{v:16.8E}" for v in values]
    lines = ["".join(cells[k:k + per_line]) for k in range(0, len(cells), per_line)] or [""]
    return "\n".join([f"%FLAG {flag}", f"%FORMAT({said})", *lines]) + "\n" if width else ""


def prmtop(tmp_path, topology, sizes, **more):
    """A molecule as Amber's files; all atoms are kinds of their own."""
    n, terms = len(topology.atoms), topology.terms
    springs = {kind: [t for t in terms if t.kind == kind] for kind in ("bond", "angle")}
    turned = [t for t in terms if t.kind in ("torsion", "improper")]
    # every 1-4 pair belongs to a torsion, if need be to one without strength
    known = {frozenset((t.atoms[0], t.atoms[3])) for t in turned}
    near = topology.neighbours
    for (i, j), away in topology.separations.items():
        if away == 3 and frozenset((i, j)) not in known:
            b, c = next((b, c) for b in near[i] for c in near[b] if j in near[c])
            turned.append(Term("torsion", (i, b, c, j), Periods(((1, 0.0, 0.0),))))
    torsions = [(t, term) for t in turned for term in t.law.terms]
    kinds = [(atom.type.r_min / angstrom, atom.type.epsilon / kcal) for atom in topology.atoms]
    index, A, B = np.zeros((n, n), dtype=int), [], []
    for i in range(n):
        for j in range(i + 1):
            d, e = kinds[i][0] + kinds[j][0], np.sqrt(kinds[i][1] * kinds[j][1])
            A, B = [*A, e * d**12], [*B, 2 * e * d**6]
            index[i, j] = index[j, i] = len(A)
    rows, seen = [], set()
    for k, (t, _) in enumerate(torsions, 1):
        a, b, c, d = (3 * atom for atom in t.atoms)
        ends = frozenset((t.atoms[0], t.atoms[3]))
        if c == 0 or d == 0:  # zero has no sign
            a, b, c, d = d, c, b, a
        apart = topology.separations.get(tuple(sorted(ends)))
        counted = t.kind == "torsion" and apart == 3 and ends not in seen
        seen |= {ends} if counted else set()
        rows += [a, b, c if counted else -c, -d if t.kind == "improper" else d, k]
    excluded, counts = [], []
    for i in range(n):
        own = [j + 1 for j in range(i + 1, n) if topology.separations.get((i, j), 9) <= 3] or [0]
        excluded, counts = excluded + own, [*counts, len(own)]
    pointers = [n, n, 0, len(springs["bond"]), 0, len(springs["angle"]), 0, len(torsions), 0, 0, len(excluded), 1,
                len(springs["bond"]), len(springs["angle"]), len(torsions), len(springs["bond"]),
                len(springs["angle"]), len(torsions), n, 0, *[0] * 7, 0, n, 0, 0]
    number = {name: k for k, name in NUMBERS.items()}
    values = {
        "POINTERS": ("I", pointers), "ATOM_NAME": ("a", [atom.name for atom in topology.atoms]),
        "CHARGE": ("E", [18.2223 * atom.type.charge for atom in topology.atoms]),
        "ATOMIC_NUMBER": ("I", [number[atom.element] for atom in topology.atoms]),
        "MASS": ("E", [atom.type.mass for atom in topology.atoms]), "ATOM_TYPE_INDEX": ("I", range(1, n + 1)),
        "NUMBER_EXCLUDED_ATOMS": ("I", counts), "NONBONDED_PARM_INDEX": ("I", index.ravel()),
        "RESIDUE_LABEL": ("a", ["MOL"]), "RESIDUE_POINTER": ("I", [1]),
        "BOND_FORCE_CONSTANT": ("E", [t.law.k / kcal * angstrom**2 for t in springs["bond"]]),
        "BOND_EQUIL_VALUE": ("E", [t.law.at / angstrom for t in springs["bond"]]),
        "ANGLE_FORCE_CONSTANT": ("E", [t.law.k / kcal for t in springs["angle"]]),
        "ANGLE_EQUIL_VALUE": ("E", [t.law.at for t in springs["angle"]]),
        "DIHEDRAL_FORCE_CONSTANT": ("E", [k / kcal for _, (_, k, _) in torsions]),
        "DIHEDRAL_PERIODICITY": ("E", [float(p) for _, (p, _, _) in torsions]),
        "DIHEDRAL_PHASE": ("E", [phase for _, (_, _, phase) in torsions]),
        "SCEE_SCALE_FACTOR": ("E", [1.2] * len(torsions)), "SCNB_SCALE_FACTOR": ("E", [2.0] * len(torsions)),
        "SOLTY": ("E", [0.0] * n), "LENNARD_JONES_ACOEF": ("E", A), "LENNARD_JONES_BCOEF": ("E", B),
        "BONDS_INC_HYDROGEN": ("I", []), "ANGLES_INC_HYDROGEN": ("I", []), "DIHEDRALS_INC_HYDROGEN": ("I", []),
        "BONDS_WITHOUT_HYDROGEN": ("I", [x for k, t in enumerate(springs["bond"], 1)
                                         for x in (*[3 * a for a in t.atoms], k)]),
        "ANGLES_WITHOUT_HYDROGEN": ("I", [x for k, t in enumerate(springs["angle"], 1)
                                          for x in (*[3 * a for a in t.atoms], k)]),
        "DIHEDRALS_WITHOUT_HYDROGEN": ("I", rows), "EXCLUDED_ATOMS_LIST": ("I", excluded),
        "HBOND_ACOEF": ("E", []), "HBOND_BCOEF": ("E", []), "HBCUT": ("E", []),
        "AMBER_ATOM_TYPE": ("a", ["X"] * n), "TREE_CHAIN_CLASSIFICATION": ("a", ["M"] * n),
        "RADII": ("E", [r for r, _ in sizes]), "SCREEN": ("E", [s for _, s in sizes]),
    } | more
    text = "%VERSION  VERSION_STAMP = V0001.000  DATE = 01/01/26  00:00:00\n%FLAG TITLE\n%FORMAT(20a4)\nmolecule\n"
    path = tmp_path / "some.prmtop"
    path.write_text(text + "".join(section(flag, *given) for flag, given in values.items()))
    numbers = [f"{x:12.7f}" for x in (topology.positions / angstrom).ravel()]
    lines = ["".join(numbers[k:k + 6]) for k in range(0, len(numbers), 6)]
    there = tmp_path / "some.inpcrd"
    there.write_text("\n".join(["molecule", f"{n:6d}", *lines]) + "\n")
    return str(path), str(there)


def in_openmm(path, there, solvent):
    openmm = pytest.importorskip("openmm")
    from openmm import app

    implicit = {"implicitSolvent": app.OBC2, "solventDielectric": 78.3, "gbsaModel": "ACE"} if solvent else {}
    system = app.AmberPrmtopFile(path).createSystem(nonbondedMethod=app.NoCutoff, constraints=None,
                                                    removeCMMotion=False, **implicit)
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
    context.setPositions(app.AmberInpcrdFile(there).positions)
    return context.getState(getEnergy=True).getPotentialEnergy()._value


@pytest.mark.parametrize("molecule", [ethane, lambda mobile: cyclohexane("boat", mobile)], ids=["ethane", "boat"])
def test_energies_are_those_of_openmm_from_the_same_file(molecule, tmp_path):
    made = molecule("cartesian")
    sizes = [(1.7, 0.72) if atom.element == "C" else (1.2, 0.85) for atom in made.topology.atoms]
    path, there = prmtop(tmp_path, made.topology, sizes)
    read = molecules.Molecule.read_amber(path, there, "rigid")
    ours, own = read.constant_energy, energies(alone(made))
    for term in ("bond", "angle", "torsion", "van_der_waals"):
        assert ours[term] == pytest.approx(own[term], rel=1e-6, abs=1e-5)  # digits of the file
    # Coulomb's constant: theirs is not Amber's
    read.topology.field.coulomb = molecules.COULOMB_OPENMM
    again = molecules.Molecule(read.topology.atoms, read.topology.bonds, read.topology.field, "rigid",
                               terms=read.topology.terms)
    assert sum(again.constant_energy.values()) == pytest.approx(in_openmm(path, there, False), rel=1e-9)
    wet = molecules.Molecule.read_amber(path, there, "rigid", born=Born(solvent=78.3))
    difference = in_openmm(path, there, True) - in_openmm(path, there, False)
    found = wet.constant_energy
    polar = found["born"] * molecules.COULOMB_OPENMM / wet.topology.field.coulomb
    assert polar + found["surface"] == pytest.approx(difference, rel=1e-6)


def test_what_cannot_be_computed_is_refused(tmp_path):
    made = ethane("cartesian")
    sizes = [(1.7, 0.72)] * 8
    path, there = prmtop(tmp_path, made.topology, sizes, CMAP_COUNT=("I", [1, 1]))
    with pytest.raises(ModelError, match="holds CMAP corrections, which molecules cannot compute"):
        molecules.Molecule.read_amber(path, there)
    path, there = prmtop(tmp_path, made.topology, sizes, SCEE_SCALE_FACTOR=("E", [1.2] * 8 + [1.0]))
    with pytest.raises(ModelError, match="SCEE_SCALE_FACTOR differs"):
        molecules.Molecule.read_amber(path, there)
    path, _ = prmtop(tmp_path, made.topology, sizes)
    with pytest.raises(ModelError, match=r"coordinates have shape \(3, 3\); .* has 8 atoms"):
        molecules.Molecule.read_amber(path, np.zeros((3, 3)))
    (tmp_path / "short.inpcrd").write_text("title\n 1\n   0.0000000   0.0000000   0.0000000\n")
    with pytest.raises(ModelError, match="has 1 places; .* has 8 atoms"):
        molecules.Molecule.read_amber(path, str(tmp_path / "short.inpcrd"))
    (tmp_path / "no.prmtop").write_text("nothing\n")
    with pytest.raises(ModelError, match="has no section POINTERS"):
        molecules.Molecule.read_amber(str(tmp_path / "no.prmtop"), there)
