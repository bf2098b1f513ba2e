"""Alanine dipeptide in amber99sb: by term and in total as in OpenMM 8.6.1 (Reference platform, no cut-off)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_molecules import alone, energies
from test_reading import pdb

import linkwright as lw
from linkwright import molecules

openmm = pytest.importorskip("openmm")
COORDINATES = Path(__file__).parents[3] / "shared" / "reference" / "ala2.txt"
needs_coordinates = pytest.mark.skipif(not COORDINATES.exists(), reason="the coordinates lie in ../shared")


def rows():
    lines = [line.split() for line in COORDINATES.read_text().splitlines() if not line.startswith("#")]
    return [(name, residue, int(number), np.array(place, dtype=float)) for residue, number, name, *place in lines]


@pytest.fixture(scope="module")
def field():
    return molecules.ForceField.read("amber99sb.xml")


def dipeptide(field, tmp_path, mobile="torsions"):
    """Typed by its PDB file, placed by all digits of the coordinates."""
    path = pdb(tmp_path, [(name, residue, number, place, name[0]) for name, residue, number, place in rows()])
    rough = molecules.Molecule.read(path, field, mobile).topology
    atoms = [replace(atom, position=tuple(0.1 * row[3])) for atom, row in zip(rough.atoms, rows(), strict=True)]
    return molecules.Molecule(atoms, rough.bonds, field, mobile)


def reference(tmp_path, h=0.001, name="amber99sb.xml"):
    """The same in OpenMM: its context and integrator."""
    from openmm import app

    topology = app.PDBFile(str(tmp_path / "some.pdb")).topology
    system = app.ForceField(name).createSystem(topology, nonbondedMethod=app.NoCutoff, constraints=None,
                                                          removeCMMotion=False)
    integrator = openmm.VerletIntegrator(h)
    context = openmm.Context(system, integrator, openmm.Platform.getPlatformByName("Reference"))
    context.setPositions([tuple(0.1 * row[3]) for row in rows()])
    return context, integrator


@needs_coordinates
def test_energies_by_term_and_in_total(field, tmp_path):
    model = alone(dipeptide(field, tmp_path, "cartesian"))
    found = energies(model)
    assert found["bond"] == pytest.approx(0.086183349980, abs=1e-9)
    assert found["angle"] == pytest.approx(1.514568726242, abs=1e-9)
    assert found["torsion"] + found["improper"] == pytest.approx(40.768888287809, rel=1e-8)
    assert found["van_der_waals"] + found["coulomb"] == pytest.approx(-97.745588874904, rel=1e-8)
    assert sum(found.values()) == pytest.approx(-55.375948510873, rel=1e-11)


@needs_coordinates
@pytest.mark.parametrize("mobile", ["torsions", "rigid", {2: "cartesian"}])
def test_every_granularity_has_the_same_total(field, tmp_path, mobile):
    mol = dipeptide(field, tmp_path, mobile)
    total = sum(mol.constant_energy.values())
    total += sum(energies(alone(mol)).values())
    assert total == pytest.approx(-55.375948510873, rel=1e-11)


@needs_coordinates
@pytest.mark.parametrize("name", ["amber96.xml", "amber03.xml", "amber99sbildn.xml"])
def test_other_fields_give_the_energy_of_openmm(name, tmp_path):
    mol = dipeptide(molecules.ForceField.read(name), tmp_path, "rigid")
    theirs = reference(tmp_path, name=name)[0].getState(getEnergy=True).getPotentialEnergy()._value
    assert sum(mol.constant_energy.values()) == pytest.approx(theirs, rel=1e-10)


@needs_coordinates
def test_forces_are_those_of_openmm(field, tmp_path):
    model = alone(dipeptide(field, tmp_path, "cartesian"))
    system = lw.compile(model)
    state = system.state()
    masses = np.array([atom.type.mass for atom in model.mol.topology.atoms])
    ours = np.array([state.get(f"mol.body[{k}].a_0") for k in range(22)]) * masses[:, None]
    context, _ = reference(tmp_path)
    got = context.getState(getForces=True, getEnergy=True)
    assert got.getPotentialEnergy()._value == pytest.approx(-55.375948510873, rel=1e-9)
    np.testing.assert_allclose(ours, np.array(got.getForces(asNumpy=True)._value), atol=1e-7 * abs(ours).max())


@needs_coordinates
def test_a_hundred_verlet_steps_are_those_of_openmm(field, tmp_path):
    model = alone(dipeptide(field, tmp_path, "cartesian"))
    h, steps = 0.0005, 100
    r = lw.simulate(model, h * steps, method="verlet", h=h, step=h)
    context, integrator = reference(tmp_path, h)
    masses = np.array([atom.type.mass for atom in model.mol.topology.atoms])
    forces = np.array(context.getState(getForces=True).getForces(asNumpy=True)._value)
    # OpenMM's velocities are half a step behind its positions
    context.setVelocities((-0.5 * h * forces / masses[:, None]).tolist())
    integrator.step(steps)
    there = np.array(context.getState(getPositions=True).getPositions(asNumpy=True)._value)
    np.testing.assert_allclose(r["mol.atoms.r_0"][-1], there, atol=1e-9)


@needs_coordinates
@pytest.mark.slow
def test_a_hundred_picoseconds_in_torsion_angles(field, tmp_path):
    """Held at one cluster or free, Verlet's energy wanders by h² and does not drift; error-controlled it stays."""
    kT = 300 * molecules.GAS_CONSTANT
    held, free = (alone(dipeptide(field, tmp_path)) for _ in range(2))
    held.connect(held.world.frame_b, held.mol.frame_a)

    def run(model, **options):
        """(linear drift over the run, deviation from it), of the mean kinetic energy."""
        start = lw.thermal(model, kT, lw.equilibrium(model), seed=1)
        r = lw.simulate(model, 100.0, state=start, step=0.1, progress=False, **options)
        kinetic = r["kinetic_energy"]
        line = np.polyfit(r.t, kinetic + r["mol.potential_energy"], 1)
        left = kinetic + r["mol.potential_energy"] - np.polyval(line, r.t)
        return abs(line[0]) * 100 / kinetic.mean(), left.std() / kinetic.mean()

    for model in (held, free):
        small, large = run(model, method="verlet", h=0.001), run(model, method="verlet", h=0.002)
        assert small[0] < 1e-4
        assert large[1] / small[1] == pytest.approx(4, rel=0.1)
        assert max(run(model)) < 1e-5
    assert max(run(free, method="gauss4", h=0.002)) < 1e-5
