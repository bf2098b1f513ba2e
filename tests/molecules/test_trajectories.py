"""Molecules written for other programs, and shown as a backbone."""

import struct

import numpy as np
import pytest
from small_molecules import alone, ethane
from test_reading import BENT, field, pdb  # noqa: F401

import linkwright as lw
from linkwright import ModelError, molecules
from linkwright.view.default_shapes import model_shapes


def test_a_pdb_file_is_read_again(field, tmp_path):  # noqa: F811
    mol = molecules.Molecule.read(pdb(tmp_path, BENT), field, "rigid")
    mol.write(tmp_path / "again.pdb")
    again = molecules.Molecule.read(str(tmp_path / "again.pdb"), field, "rigid")
    assert [atom.label for atom in again.topology.atoms] == [atom.label for atom in mol.topology.atoms]
    np.testing.assert_allclose(again.topology.positions, mol.topology.positions, atol=5e-5)
    assert "CONECT    1    2    3" in (tmp_path / "again.pdb").read_text()


def test_configurations_of_a_run_are_models(tmp_path):
    model = alone(ethane())
    r = lw.simulate(model, 0.2, state=lw.thermal(model, 2.5, seed=1), step=0.05)
    model.mol.write(tmp_path / "run.pdb", r)
    text = (tmp_path / "run.pdb").read_text().splitlines()
    rows = [line for line in text if line.startswith("HETATM")]
    assert len(rows) == 5 * 8 and sum(line.startswith("MODEL") for line in text) == 5
    places = np.array([[float(line[k:k + 8]) for k in (30, 38, 46)] for line in rows]).reshape(5, 8, 3)
    np.testing.assert_allclose(places, 10 * r["mol.atoms.r_0"], atol=5.01e-4)
    assert rows[0][76:78] == " C" and rows[0][12:16] == " C1 "


def test_a_dcd_file_is_that_of_openmm(tmp_path):
    """The same frames written by OpenMM; its title tells the time."""
    app = pytest.importorskip("openmm.app")
    model = alone(ethane())
    r = lw.simulate(model, 0.2, state=lw.thermal(model, 2.5, seed=1), step=0.05)
    model.mol.write(tmp_path / "run.dcd", r)
    ours, places = (tmp_path / "run.dcd").read_bytes(), r["mol.atoms.r_0"]
    topology = app.PDBFile(str(_one(model, tmp_path))).topology
    with (tmp_path / "theirs.dcd").open("w+b") as file:
        theirs = app.DCDFile(file, topology, 0.05)
        for frame in places:
            theirs.writeModel([tuple(map(float, place)) for place in frame])
    found = (tmp_path / "theirs.dcd").read_bytes()
    length = 3 * (8 + 4 * 8) * 5
    assert ours[-length:] == found[-length:]
    # length, CORD, number of frames; step and version at the end of the header
    assert ours[:12] == found[:12] and ours[44:48] == found[44:48] and ours[84:92] == found[84:92]
    assert struct.unpack("<i", ours[-length - 8:-length - 4]) == (8,)


def _one(model, tmp_path):
    model.mol.write(tmp_path / "one.pdb")
    return tmp_path / "one.pdb"


def test_what_cannot_be_written_is_said(tmp_path):
    mol = ethane()
    with pytest.raises(ModelError, match=r"suffix '.xyz' is not known; choose .pdb or .dcd"):
        mol.write(tmp_path / "a.xyz")
    far = molecules.Molecule([("Ar", "Ar", [2000.0, 0, 0])], [], _argon())
    with pytest.raises(ModelError, match="the molecule flew away"):
        far.write(tmp_path / "a.pdb")


def _argon():
    found = molecules.ForceField()
    found.atom_class("Ar", "Ar", 0.188, 1.0)
    found.atom_type("Ar", "Ar")
    return found


def test_a_backbone_is_a_trace_through_the_alpha_carbons(tmp_path):
    openmm = pytest.importorskip("openmm")
    from pathlib import Path

    lines = (Path(openmm.__file__).parent / "app" / "data" / "test.pdb").read_text().splitlines(keepends=True)
    path = tmp_path / "villin.pdb"
    path.write_text("".join(row for row in lines if row.startswith("ATOM") and row[17:20] not in ("HOH", " Cl")))
    mol = molecules.Molecule.read(str(path), molecules.ForceField.read("amber99sb.xml"), "rigid")
    assert len(mol.atoms.backbone) == 34
    model = alone(mol)
    mol.atoms.look = "trace"
    system = lw.compile(model)
    named = [shape.name for shape in model_shapes(model, system) if shape.name.startswith("mol.atoms")]
    assert len(named) == 34 + 35
    small = alone(ethane())
    small.mol.atoms.look = "trace"
    with pytest.raises(ModelError, match="has no backbone"):
        model_shapes(small, lw.compile(small))
