"""Rings: rigid by default, closed loops of six torsion joints where asked for."""

from pathlib import Path

import numpy as np
import pytest
from small_molecules import alone, cyclohexane

import linkwright as lw
from linkwright import ModelError, joints, molecules, parts
from linkwright.library.molecules.atom_rings import closing_rank

KT = 300 * molecules.GAS_CONSTANT


def test_a_ring_is_rigid_unless_asked_for():
    mol = cyclohexane("chair", "torsions")
    assert len(mol.partition.clusters) == 1 and lw.compile(alone(mol)).dof == 6


def test_the_chair_has_no_freedom_and_the_boat_one():
    """With fixed lengths and angles; the boat is a Bricard loop, one of its equations follows from the others."""
    chair, boat = (lw.compile(alone(cyclohexane(kind))) for kind in ("chair", "boat"))
    assert (chair.dof, boat.dof) == (6, 7)
    assert (chair.redundant, boat.redundant) == (0, 1)
    for system, rank in ((chair, 5), (boat, 4)):
        state = system.state()
        assert np.linalg.matrix_rank(system.constraint_matrix(state), tol=1e-9) == rank


def test_the_report_says_what_rings_do():
    """Six closing equations over six torsions: rank 6 in the chair, 5 in the boat."""
    chair, boat = (lw.compile(alone(cyclohexane(kind))) for kind in ("chair", "boat"))
    rigid = lw.compile(alone(cyclohexane("boat", "rigid")))
    name = "mol: ring C1–C2–C3–C4–C5–C6: "
    assert f"{name}a closed loop; with fixed lengths and angles its 6 torsions have no freedom (closing equations of " \
           "rank 6)" in chair.report(full=True)
    assert f"{name}a closed loop; with fixed lengths and angles its 6 torsions have 1 freedom (closing equations of " \
           "rank 5)" in boat.report(full=True)
    assert f"{name}rigid; with fixed lengths and angles its 6 torsions would have 1 freedom" in rigid.report(full=True)
    assert "18 atoms in 1 body, 0 bonds turn; atoms that rest together have" in rigid.report(full=True)


def test_closing_equations_keep_their_rank_along_the_way():
    model = alone(cyclohexane("boat"))
    r = lw.simulate(model, 1.0, state=lw.thermal(model, KT, seed=1), step=0.05)
    assert {closing_rank(places[:6]) for places in r["mol.atoms.r_0"]} == {5}
    # bent by a hundredth of a degree it closes in this shape alone
    assert closing_rank(np.array(cyclohexane("boat").topology.positions[:6]) + 1e-4 * np.eye(6)[:, :3]) == 6


def test_prolines_ring_is_rigid_unless_its_bends_are_free(tmp_path):
    """In a protein that the package openmm brings along: 36 residues, 582 atoms."""
    openmm = pytest.importorskip("openmm")
    lines = (Path(openmm.__file__).parent / "app" / "data" / "test.pdb").read_text().splitlines(keepends=True)
    path = tmp_path / "villin.pdb"
    path.write_text("".join(row for row in lines if row.startswith("ATOM") and row[17:20] not in ("HOH", " Cl")))
    field = molecules.ForceField.read("amber99sb.xml")
    mol = molecules.Molecule.read(str(path), field)
    ring = next(note for note in mol.atoms.notes if "PRO21" in note)
    assert ring.startswith("ring PRO21_N–PRO21_CD–PRO21_CG–PRO21_CB–PRO21_CA: rigid; with fixed lengths and angles its "
                           "5 torsions would have no freedom (closing equations of rank 5). To let it change shape, "
                           "let its bends be free")
    proline = {k for k, atom in enumerate(mol.topology.atoms) if atom.name in ("N", "CD", "CG", "CB", "CA")
               and atom.residue == "PRO21"}
    assert mol.partition.together(proline)
    bends = tuple(f"PRO21_{name}" for name in ("N", "CD", "CG", "CB", "CA"))
    free = molecules.Molecule.read(str(path), field, {"all": "rigid", bends: "cartesian"})
    assert "ring PRO21_N–PRO21_CD–PRO21_CG–PRO21_CB–PRO21_CA: its bends are free" in free.atoms.notes
    assert not free.partition.together(proline)


@pytest.mark.parametrize(("kind", "time"), [("boat", 1.0), pytest.param("boat", 100.0, marks=pytest.mark.slow)])
def test_the_boat_turns_and_stays_closed(kind, time):
    model = alone(cyclohexane(kind))
    r = lw.simulate(model, time, state=lw.thermal(model, KT, seed=1))
    places = r["mol.atoms.r_0"]
    ring = np.linalg.norm(places[:, :6] - np.roll(places[:, :6], -1, axis=1), axis=2)
    assert abs(ring - 0.153).max() < 1e-12
    assert np.ptp(r["mol.C1_C2.phi"]) > 0.5
    total = r["kinetic_energy"] + r["mol.potential_energy"]
    # accuracy 1e-8 over some 140 steps a ps
    assert np.ptp(total) < 1e-5 * max(1.0, time)


def test_half_a_ring_cannot_turn():
    with pytest.raises(ModelError, match="C1–C2 cannot turn: it is part of a ring whose other bonds are rigid"):
        cyclohexane("chair", {("C1", "C2"): "torsion"})
    with pytest.raises(ModelError, match="C1–C2 cannot be free: other bonds of a ring"):
        cyclohexane("chair", {("C1", "C2"): "free"})


def test_fixmans_term_of_a_loop_conserves_energy():
    """A spatial loop (a four-bar of revolutes between a cylinder and a ball) whose determinant varies."""
    m = lw.Model("loop")
    m.world = lw.World(gravity=None)
    m.a = joints.Revolute(n=[1, 0, 0], phi=lw.guess(0.4), w=2.0)
    m.b = joints.Spherical(angles=lw.guess([0.1, 0.2, 0.3]))
    m.c, m.d = joints.Universal(n_a=[0, 1, 0], n_b=[0, 0, 1]), joints.Revolute(n=[0, 1, 0])
    m.x = parts.BodyShape(m=1.0, r=[0, 0, 0.3], r_cm=[0, 0, 0.15], inertia=[0.02, 0.02, 0.01])
    m.y = parts.BodyShape(m=1.5, r=[0.9, 0, 0], r_cm=[0.45, 0, 0], inertia=[0.01, 0.05, 0.05])
    m.z = parts.BodyShape(m=1.0, r=[0, 0, -0.5], r_cm=[0, 0, -0.25], inertia=[0.02, 0.02, 0.01])
    m.base = parts.Fixed(r=[0.8, 0.1, 0])
    m.fixman = molecules.Fixman(T=300)
    m.chain(m.world, m.a, m.x, m.b, m.y, m.c, m.z, m.d, m.base)
    r = lw.simulate(lw.compile(m, formulation="projection"), 1.0, accuracy=1e-10)
    total = r["kinetic_energy"] + r["fixman_energy"]
    assert np.ptp(r["fixman_energy"]) > 1e-3
    assert np.ptp(total) < 1e-6 * np.ptp(r["fixman_energy"]) + 1e-8
