"""Bodies of molecules: forces are the gradient of the energy in every granularity, energies differ by what rests."""

import numpy as np
import pytest
from small_molecules import TERMS, alone, energies, ethane, random_molecule

import linkwright as lw
from linkwright import ModelError, joints, molecules, parts

TABLES = {
    "torsions": "torsions", "cartesian": "cartesian", "rigid": "rigid",
    "mixed": {"all": "torsions", ("A0", "A1"): "free"},
    "half": {("A0", "A1", "A2", "A3", "A4"): "cartesian"},
}


def power_and_rate(model, seed=0):
    """(power of the forces, −dE/dt) for random speeds at the start."""
    system = lw.compile(model)
    state = system.state()
    u = np.random.default_rng(seed).normal(size=len(state.u))
    # forces at rest: what holds everything still is minus what the field does
    generalised = -system.inverse_dynamics(state, np.zeros(len(u)))
    qdot = np.array(system.function(["q", "u"], ["qdot"])(state.q, u)).ravel()
    q, h, found = state.q.copy(), 1e-6, []
    for sign in (1, -1):
        moved = system.state()
        moved.q = q + sign * h * qdot
        found.append(float(moved.get("mol.energy.energy")))
    return generalised @ u, -(found[0] - found[1]) / (2 * h)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", [1, 2])
def test_forces_are_the_negative_gradient_of_the_energy(table, seed):
    power, rate = power_and_rate(alone(random_molecule(seed, TABLES[table])))
    assert power == pytest.approx(rate, abs=1e-6 * max(1.0, abs(rate)))


@pytest.mark.parametrize("seed", [3, 4])
def test_energies_of_two_granularities_differ_by_what_rests(seed):
    totals = []
    for table in TABLES.values():
        model = alone(random_molecule(seed, table))
        moving, resting = energies(model), model.mol.constant_energy
        totals.append([moving[term] + resting[term] for term in TERMS])
    for total in totals[1:]:
        np.testing.assert_allclose(total, totals[0], rtol=1e-11, atol=1e-11)


def test_ethane_turns_about_its_bond_and_keeps_its_energy():
    r = lw.simulate(alone(ethane()), 1.0)
    total = r["kinetic_energy"] + r["mol.potential_energy"]
    # 1e-8 of the accuracy, over a potential of 1 kJ/mol and some tens of steps
    assert abs(total - total[0]).max() < 1e-6
    assert np.ptp(r["mol.C1_C2.phi"]) > 0.1
    assert r["mol.C1_C2.phi"][0] == pytest.approx(50 * np.pi / 180, abs=1e-12)
    places = r["mol.atoms.r_0"]
    np.testing.assert_allclose(np.linalg.norm(places[:, 0] - places[:, 2], axis=1), 0.109, rtol=1e-12)


def test_cartesian_atoms_are_points_with_three_coordinates():
    assert lw.compile(alone(ethane("cartesian"))).dof == 24
    assert lw.compile(alone(ethane("rigid"))).dof == 6
    assert lw.compile(alone(ethane())).dof == 7


def test_a_straight_molecule_has_five_degrees_of_freedom():
    field = molecules.ForceField()
    field.atom_class("O", "O")
    field.atom_type("O", "O")
    m = alone(molecules.Molecule([("O1", "O", [0, 0, 0]), ("O2", "O", [0.1, 0.06, 0])], [("O1", "O2")], field, "rigid"))
    system = lw.compile(m)
    assert system.dof == 5
    np.testing.assert_allclose(system.state().get("mol.atoms.r_0"), [[0, 0, 0], [0.1, 0.06, 0]], atol=1e-15)


def test_a_molecule_hangs_on_an_ordinary_joint():
    m = alone(ethane())
    m.rev = joints.Revolute(n=[1, 0, 0])
    m.arm = parts.BodyShape(m=10.0, r=[0.1, 0, 0], r_cm=[0.05, 0, 0], inertia=[0.1] * 3)
    m.chain(m.world, m.rev, m.arm)
    m.connect(m.arm.frame_b, m.mol.frame_a)
    system = lw.compile(m)
    assert system.dof == 2
    r = lw.simulate(system, 0.5)
    total = r["kinetic_energy"] + r["mol.potential_energy"]
    assert abs(total - total[0]).max() < 1e-6


def test_molecules_act_on_each_other():
    m = lw.Model("two")
    m.world = lw.World(gravity=None)
    m.first = first = ethane("rigid")
    atoms = [(a.name, "C3" if a.element == "C" else "H", np.array(a.position) + [0.45, 0, 0.02])
             for a in first.topology.atoms]
    bonds = [tuple(first.topology.atoms[k].name for k in bond) for bond in first.topology.bonds]
    m.second = molecules.Molecule(atoms, bonds, first.topology.field)
    m.both = molecules.Between(m.first, m.second)
    r = lw.simulate(m, 0.3)
    total = r["kinetic_energy"] + r["elastic_energy"]
    assert abs(total - total[0]).max() < 1e-6
    # by hand: every pair, unscaled
    x = r["first.atoms.r_0"][0], r["second.atoms.r_0"][0]
    q = [a.type.charge for a in first.topology.atoms]
    expected = sum(138.935456 * q[i] * q[j] / np.linalg.norm(x[0][i] - x[1][j]) for i in range(8) for j in range(8))
    assert r["both.coulomb"][0] == pytest.approx(expected, rel=1e-10)
    # third law: none is made, but for the accuracy of the run times forces of some 100 kJ/mol/nm
    assert abs(r["momentum"][:, :3]).max() < 1e-7


def test_rules_that_make_no_sense_are_refused():
    with pytest.raises(ModelError, match="no rule"):
        ethane("spinning")
    with pytest.raises(ModelError, match="C1–H20 is no bond"):
        ethane({("C1", "H20"): "torsion"})
    with pytest.raises(ModelError, match="lies off its axis"):
        ethane({("C1", "H10"): "torsion"})
    with pytest.raises(ModelError, match="no atom 'X'"):
        ethane({("C1", "X"): "rigid"})


def test_gravity_in_metres_is_refused():
    m = lw.Model("heavy")
    m.world = lw.World()
    m.mol = ethane()
    with pytest.raises(ModelError, match="gravity=None"):
        lw.compile(m)
