"""Generalised Born solvent: energies and forces as in OpenMM, ubiquitin as in DuMM's example, forces as gradients."""

from pathlib import Path

import numpy as np
import pytest
from linkwright.molecules import Born, angstrom, kcal
from small_molecules import alone, energies, ethane, hydrocarbons, random_molecule
from test_alanine_dipeptide import dipeptide, needs_coordinates, rows
from test_bodies import TABLES, power_and_rate

import linkwright as lw
from linkwright import ModelError, molecules
from linkwright.library.molecules.surroundings import Surroundings

UBIQUITIN = Path(__file__).parents[3] / "shared" / "reference" / "ubq_gbsa.txt"
needs_ubiquitin = pytest.mark.skipif(not UBIQUITIN.exists(), reason="the coordinates lie in ../shared")


def in_openmm(tmp_path, change=None):
    """Energy and forces of alanine dipeptide; `change` may put another solvent into the system."""
    import openmm
    from openmm import app

    topology = app.PDBFile(str(tmp_path / "some.pdb")).topology
    files = ("amber99sb.xml",) if change else ("amber99sb.xml", "amber99_obc.xml")
    system = app.ForceField(*files).createSystem(topology, nonbondedMethod=app.NoCutoff, constraints=None,
                                                 removeCMMotion=False)
    if change:
        change(system)
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName("Reference"))
    context.setPositions([tuple(0.1 * row[3]) for row in rows()])
    got = context.getState(getForces=True, getEnergy=True)
    return got.getPotentialEnergy()._value, np.array(got.getForces(asNumpy=True)._value)


@needs_coordinates
def test_alanine_dipeptide_in_water_is_that_of_openmm(tmp_path):
    pytest.importorskip("openmm")
    field = molecules.ForceField.read("amber99sb.xml", "amber99_obc.xml")
    model = alone(dipeptide(field, tmp_path, "cartesian"))
    found = energies(model)
    assert found["born"] + found["surface"] == pytest.approx(-40.305221384743, rel=1e-10)
    assert sum(found.values()) == pytest.approx(-95.681169895616, rel=1e-11)
    energy, forces = in_openmm(tmp_path)
    assert sum(found.values()) == pytest.approx(energy, rel=1e-10)
    state, masses = lw.compile(model).state(), [atom.type.mass for atom in model.mol.topology.atoms]
    ours = np.array([mass * state.get(f"mol.body[{k}].a_0") for k, mass in enumerate(masses)])
    np.testing.assert_allclose(ours, forces, atol=1e-9 * abs(forces).max())


@needs_coordinates
def test_the_first_law_of_radii(tmp_path):
    """OBC I is `igb=2` of Amber, which OpenMM has as formulas of its own."""
    pytest.importorskip("openmm")
    from openmm.app.internal.customgbforces import GBSAOBC1Force

    field = molecules.ForceField.read("amber99sb.xml", "amber99_obc.xml")
    sizes, field.coulomb = field.born.atoms, 138.935485
    field.born = Born("obc1", solvent=78.5, atoms=sizes)
    mol = dipeptide(field, tmp_path, "rigid")

    def change(system):
        force = GBSAOBC1Force(78.5, 1, SA="ACE")
        for atom in mol.topology.atoms:
            force.addParticle([atom.type.charge, *sizes[atom.type.name]])
        force.finalize()
        system.addForce(force)

    def nothing(system):
        """Water left out."""

    theirs = in_openmm(tmp_path, change)[0] - in_openmm(tmp_path, nothing)[0]
    ours = mol.constant_energy
    # their factor of the surface is given by nine digits
    assert ours["born"] + ours["surface"] == pytest.approx(theirs, rel=1e-9)


@needs_ubiquitin
def test_ubiquitin_has_the_energy_of_dumms_example():
    """1232 atoms with the charges, radii, scales and Coulomb's constant of that example, in kcal/mol."""
    table = np.loadtxt(UBIQUITIN)
    water = Surroundings(Born(solvent=78.3), table[:, 4] * angstrom, table[:, 5], table[:, 3],
                         332.05382 * kcal * angstrom)
    # its file has two hydrogens 0.004 nm apart, so that a molecule of them would be refused
    polar, surface = water.energy_numbers(table[:, :3] * angstrom)
    assert polar / kcal == pytest.approx(-1127.14421, rel=1e-8)
    assert (polar + surface) / kcal == pytest.approx(-1107.66627, rel=1e-8)


@pytest.mark.parametrize("table", TABLES)
def test_forces_in_a_solvent_are_the_negative_gradient(table):
    model = alone(random_molecule(3, TABLES[table], n=8, born=Born("obc1")))
    power, rate = power_and_rate(model)
    assert power == pytest.approx(rate, abs=1e-6 * max(1.0, abs(rate)))
    assert (energies(model)["born"] != 0) == (table != "rigid")


def test_energy_is_kept_in_a_solvent():
    field = hydrocarbons()
    field.born = Born()
    model = alone(ethane(field=field))
    r = lw.simulate(model, 0.5, state=lw.thermal(model, 300 * molecules.GAS_CONSTANT, seed=1))
    assert np.ptp(r["mol.energy.born"]) > 1e-6
    assert np.ptp(r["kinetic_energy"] + r["mol.potential_energy"]) < 1e-6


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ModelError, match="choose obc1, obc2"):
        Born("still")
    with pytest.raises(ModelError, match="at least 1"):
        Born(solvent=0.5)
    field = molecules.ForceField(dielectric=4.0, born=Born())
    field.atom_class("Zn", "Zn")
    field.atom_type("zinc", "Zn", charge=2.0)
    with pytest.raises(ModelError, match="leave dielectric at 1"):
        molecules.Molecule([("ion", "zinc", [0, 0, 0])], [], field)
    field.dielectric = 1.0
    with pytest.raises(ModelError, match="ion: no Born radius is known for Zn; give Born"):
        molecules.Molecule([("ion", "zinc", [0, 0, 0])], [], field)
    field.born = Born(atoms={"zinc": (0.005, 0.8)})
    with pytest.raises(ModelError, match="ion: its Born radius 0.005 nm must exceed the offset"):
        molecules.Molecule([("ion", "zinc", [0, 0, 0])], [], field)


def test_molecules_in_a_solvent_are_read_as_one():
    field = hydrocarbons()
    field.born = Born()
    first, second = ethane(field=field), ethane(field=field)
    with pytest.raises(ModelError, match="which feels all atoms together; read them as one molecule"):
        molecules.Between(first, second)
