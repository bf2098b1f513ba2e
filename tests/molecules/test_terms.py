"""Energies of single terms: the numbers of Molmodel's tests of DuMM (TestDuMMForces), and formulas in closed form."""

import numpy as np
import pytest
from linkwright.molecules import angstrom, degree, kcal
from small_molecules import alone, energies, ethane, hydrocarbons

from linkwright import ModelError, molecules


def two(field, kinds, d, bond=False):
    atoms = [("A", kinds[0], [0.1, 0.2, 0.3]), ("B", kinds[1], [0.1, 0.2, 0.3 + d])]
    return alone(molecules.Molecule(atoms, [("A", "B")] if bond else [], field, "cartesian"))


@pytest.mark.parametrize("d", [1.0, 0.12345, 17.623])
def test_two_charges(d):
    field = molecules.ForceField()
    field.atom_class("Na", "Na")
    field.atom_class("Cl", "Cl")
    field.atom_type("Na+", "Na", 1.0)
    field.atom_type("Cl-", "Cl", -1.0)
    assert energies(two(field, ("Na+", "Cl-"), d))["coulomb"] == pytest.approx(-138.935456 / d, rel=1e-12)
    field.dielectric = 80.0
    assert energies(two(field, ("Na+", "Cl-"), d))["coulomb"] == pytest.approx(-138.935456 / d / 80, rel=1e-12)


@pytest.mark.parametrize("d", [3.0, 3.7, 5.0])
def test_two_argon_atoms(d):
    field = molecules.ForceField()
    field.atom_class("Ar", "Ar", 1.88 * angstrom, 0.0003832 * kcal)
    field.atom_type("argon", "Ar")
    ratio = (2 * 1.88 / d) ** 6
    expected = 0.0003832 * 4.184 * (ratio**2 - 2 * ratio)
    assert energies(two(field, ("argon", "argon"), d * angstrom))["van_der_waals"] == pytest.approx(expected, rel=1e-10)


def test_stretch_has_no_half():
    field = molecules.ForceField()
    field.atom_class("O", "O")
    field.atom_type("O", "O")
    field.bond("O", "O", 5000.0, 0.12)
    assert energies(two(field, ("O", "O"), 0.13, bond=True))["bond"] == pytest.approx(5000 * 0.01**2, rel=1e-10)


def test_bend_of_water():
    field = molecules.ForceField()
    field.atom_class("OW", "O")
    field.atom_class("HW", "H")
    field.atom_type("O", "OW", -0.834)
    field.atom_type("H", "HW", 0.417)
    field.bond("OW", "HW", 553 * kcal / angstrom**2, 0.9572 * angstrom)
    field.angle("HW", "OW", "HW", 100 * kcal, 104.52 * degree)
    bent, d = 110 * degree, 0.09572
    atoms = [("O", "O", [0, 0, 0]), ("H1", "H", [d, 0, 0]), ("H2", "H", [d * np.cos(bent), d * np.sin(bent), 0])]
    water = alone(molecules.Molecule(atoms, [("O", "H1"), ("O", "H2")], field, "cartesian"))
    found = energies(water)
    assert found["angle"] == pytest.approx(100 * 4.184 * (5.48 * degree) ** 2, rel=1e-10)
    assert found["coulomb"] == 0 and abs(found["bond"]) < 1e-20
    assert water.mol.constant_energy["angle"] == 0


def peroxide(phi, *terms, **law):
    field = molecules.ForceField(scale_coulomb=(0, 0, 0, 0))
    field.atom_class("O", "O")
    field.atom_class("H", "H")
    field.atom_type("O", "O")
    field.atom_type("H", "H")
    field.torsion("H", "O", "O", "H", *terms, **law)
    d, a = 0.097, 100 * degree
    atoms = [("H1", "H", [d * np.sin(a), 0, d * np.cos(a)]), ("O1", "O", [0, 0, 0]), ("O2", "O", [0, 0, 0.147]),
             ("H2", "H", [d * np.sin(a) * np.cos(phi), d * np.sin(a) * np.sin(phi), 0.147 - d * np.cos(a)])]
    return alone(molecules.Molecule(atoms, [("H1", "O1"), ("O1", "O2"), ("O2", "H2")], field))


@pytest.mark.parametrize("phi", [-2.9, -1.0, 0.3, 2.0])
def test_torsion_of_peroxide_about_any_phase(phi):
    terms = ((1, 2.0, 0.3), (2, 3.0, np.pi), (3, 1.5, -1.1), (6, 0.5, 0.0))
    expected = sum(k * (1 + np.cos(n * phi - phase)) for n, k, phase in terms)
    model = peroxide(phi, *terms)
    assert energies(model)["torsion"] == pytest.approx(expected, rel=1e-10)
    # the coordinate of the joint is the torsion angle itself
    assert model.mol.partition.torsions[0].angle == pytest.approx(phi, abs=1e-12)


def test_a_law_of_ones_own():
    assert energies(peroxide(0.7, law=lambda phi: 3 * phi**2))["torsion"] == pytest.approx(3 * 0.49, rel=1e-10)
    with pytest.raises(ModelError, match="must return an energy"):
        energies(peroxide(0.7, law=lambda phi: 3.0))


@pytest.mark.parametrize(("rule", "r", "epsilon"), [
    ("waldman_hagler", (0.15**6 / 2 + 0.2**6 / 2) ** (1 / 6), 2 * 0.15**3 * 0.2**3 * 0.4 / (0.15**6 + 0.2**6)),
    ("halgren", (0.15**3 + 0.2**3) / (0.15**2 + 0.2**2), 4 * 0.16 / (np.sqrt(0.2) + np.sqrt(0.8)) ** 2),
    ("jorgensen", np.sqrt(0.03), 0.4),
    ("lorentz_berthelot", 0.175, 0.4),
])
def test_mixing(rule, r, epsilon):
    field = molecules.ForceField(mixing=rule)
    a = field.atom_type("a", field.atom_class("A", "C", 0.15, 0.2).name)
    b = field.atom_type("b", field.atom_class("B", "C", 0.2, 0.8).name)
    assert field.pair(a, b) == pytest.approx((2 * r, epsilon), rel=1e-14)


@pytest.mark.parametrize("rule", ["waldman_hagler", "halgren", "jorgensen", "lorentz_berthelot", "kong"])
def test_mixing_of_equal_atoms_changes_nothing(rule):
    field = molecules.ForceField(mixing=rule)
    a = field.atom_type("a", field.atom_class("A", "C", 0.17, 0.45).name)
    assert field.pair(a, a) == pytest.approx((0.34, 0.45), rel=1e-13)


def test_kong_keeps_both_means():
    field = molecules.ForceField(mixing="kong")
    a = field.atom_type("a", field.atom_class("A", "C", 0.15, 0.2).name)
    b = field.atom_type("b", field.atom_class("B", "C", 0.2, 0.8).name)
    d, epsilon = field.pair(a, b)
    assert epsilon * (d / 2) ** 6 == pytest.approx(np.sqrt(0.2 * 0.15**6 * 0.8 * 0.2**6), rel=1e-12)
    roots = ((0.2 * 0.15**12) ** (1 / 13) + (0.8 * 0.2**12) ** (1 / 13)) / 2
    assert epsilon * (d / 2) ** 12 == pytest.approx(roots**13, rel=1e-12)


def test_global_factors_scale_their_terms():
    plain, scaled = (energies(alone(ethane(field=hydrocarbons(scale=scale))))
                     for scale in ({}, {"torsion": 2.0, "coulomb": 0.0}))
    assert scaled["torsion"] == pytest.approx(2 * plain["torsion"], rel=1e-14)
    assert scaled["coulomb"] == 0 and scaled["van_der_waals"] == pytest.approx(plain["van_der_waals"], rel=1e-14)
