"""Force fields from XML files and molecules from PDB files: small ones of our own."""

import numpy as np
import pytest
from small_molecules import alone, energies

from linkwright import ModelError, molecules

WATER = """<ForceField>
 <AtomTypes>
  <Type name="o" class="OW" element="O" mass="15.99943"/>
  <Type name="h" class="HW" element="H" mass="1.007947"/>
 </AtomTypes>
 <Residues>
  <Residue name="HOH">
   <Atom name="O" type="o"/><Atom name="H1" type="h"/><Atom name="H2" type="h"/>
   <Bond from="0" to="1"/><Bond from="0" to="2"/>
  </Residue>
 </Residues>
 <HarmonicBondForce><Bond class1="OW" class2="HW" length="0.09572" k="462750.4"/></HarmonicBondForce>
 <HarmonicAngleForce><Angle class1="HW" class2="OW" class3="HW" angle="1.82421813418" k="836.8"/></HarmonicAngleForce>
 <NonbondedForce coulomb14scale="0.833333" lj14scale="0.5">
  <Atom type="o" charge="-0.834" sigma="0.31507524065751241" epsilon="0.635968"/>
  <Atom type="h" charge="0.417" sigma="1" epsilon="0"/>
 </NonbondedForce>
</ForceField>
"""


def line(number, name, residue, count, place, element):
    return (f"ATOM  {number:5d} {name:<4s} {residue:3s} A{count:4d}    "
            f"{place[0]:8.3f}{place[1]:8.3f}{place[2]:8.3f}  1.00  0.00          {element:>2s}\n")


def pdb(tmp_path, rows, name="some.pdb"):
    path = tmp_path / name
    path.write_text("".join(line(k, *row) for k, row in enumerate(rows, 1)) + "END\n")
    return str(path)


@pytest.fixture
def field(tmp_path):
    path = tmp_path / "water.xml"
    path.write_text(WATER)
    return molecules.ForceField.read(str(path))


BENT = [("O", "HOH", 1, (0, 0, 0), "O"), ("HA", "HOH", 1, (1.0, 0, 0), "H"), ("HB", "HOH", 1, (0, 0.9, 0), "H")]


def test_springs_of_files_have_a_half(field, tmp_path):
    found = energies(alone(molecules.Molecule.read(pdb(tmp_path, BENT), field, "cartesian")))
    assert found["bond"] == pytest.approx(462750.4 / 2 * (0.00428**2 + 0.00572**2), rel=1e-10)
    assert found["angle"] == pytest.approx(836.8 / 2 * (np.pi / 2 - 1.82421813418) ** 2, rel=1e-10)
    assert found["coulomb"] == found["van_der_waals"] == 0


def test_two_waters_in_one_file(field, tmp_path):
    far = [(name, residue, 2, (*place[:2], place[2] + 3.0), element) for name, residue, _, place, element in BENT]
    mol = molecules.Molecule.read(pdb(tmp_path, BENT + far), field, "rigid")
    found = energies(alone(mol))
    d_min = 0.31507524065751241 * 2 ** (1 / 6)
    assert found["van_der_waals"] == pytest.approx(0.635968 * ((d_min / 0.3) ** 12 - 2 * (d_min / 0.3) ** 6), rel=1e-10)
    assert len(mol.partition.clusters) == 2 and mol.topology.atoms[4].label == "HOH2_HA"


def test_a_residue_without_a_hydrogen_is_refused(field, tmp_path):
    with pytest.raises(ModelError, match=r"HOH1: does not fit the template HOH of water: 1 atom is missing \(1 H"):
        molecules.Molecule.read(pdb(tmp_path, BENT[:2]), field)


def test_a_residue_without_template_is_refused(field, tmp_path):
    rows = [("NA", "NA", 7, (0, 0, 0), "Na")]
    with pytest.raises(ModelError, match="NA7: water has no template"):
        molecules.Molecule.read(pdb(tmp_path, rows), field)


def test_files_that_are_none(tmp_path, field):
    with pytest.raises(ModelError, match="no such force field"):
        molecules.ForceField.read("nowhere.xml")
    bad = tmp_path / "bad.xml"
    bad.write_text("<ForceField><AmoebaBondForce/></ForceField>")
    with pytest.raises(ModelError, match="AmoebaBondForce, which molecules cannot compute"):
        molecules.ForceField.read(str(bad))
    bad.write_text("<sdf/>")
    with pytest.raises(ModelError, match="expected <ForceField>"):
        molecules.ForceField.read(str(bad))
    empty = tmp_path / "empty.pdb"
    empty.write_text("HEADER\n")
    with pytest.raises(ModelError, match="holds no atoms"):
        molecules.Molecule.read(str(empty), field)
    empty.write_text("ATOM      1  O   HOH A   1      one     two     three\n")
    with pytest.raises(ModelError, match="line 1"):
        molecules.Molecule.read(str(empty), field)


def test_molecules_that_make_no_sense_are_refused(field):
    h = ("H1", "h", [0.09, 0, 0])
    with pytest.raises(ModelError, match="no atom type 'x'"):
        molecules.Molecule([("O", "x", [0, 0, 0])], [], field)
    with pytest.raises(ModelError, match="O–H1 lie on one another"):
        molecules.Molecule([("O", "o", [0, 0, 0]), ("H1", "h", [0.001, 0, 0])], [], field)
    with pytest.raises(ModelError, match=r"add up to -0.4170 e, which is not whole"):
        molecules.Molecule([("O", "o", [0, 0, 0]), h], [("O", "H1")], field)
    with pytest.raises(ModelError, match="twice"):
        molecules.Molecule([("O", "o", [0, 0, 0]), h], [("O", "H1"), ("H1", "O")], field)
    with pytest.raises(ModelError, match="there is no atom 'H2'"):
        molecules.Molecule([("O", "o", [0, 0, 0]), h], [("O", "H2")], field)
    with pytest.raises(ModelError, match="two atoms are called O"):
        molecules.Molecule([("O", "o", [0, 0, 0]), ("O", "o", [1, 0, 0])], [], field)
    h2 = ("H2", "h", [0.09, 0.09, 0])
    with pytest.raises(ModelError, match="the bond H1–H2 moves, but water has no bond for the classes HW–HW"):
        molecules.Molecule([("O", "o", [0, 0, 0]), h, h2], [("O", "H1"), ("H1", "H2")], field, "cartesian")
