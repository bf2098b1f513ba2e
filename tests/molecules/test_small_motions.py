"""Equilibria and torsion-space normal modes: the exact Hessian of the program against differences of the energy."""

import numpy as np
import pytest
from scipy.linalg import eigh
from small_molecules import alone, ethane, hydrocarbons, random_molecule, united_butane

import linkwright as lw


def test_ethane_relaxes_to_the_staggered_form():
    low = lw.equilibrium(alone(ethane()))
    phi = np.degrees(low.get("mol.C1_C2.phi")) % 120
    assert phi == pytest.approx(60, abs=1e-6)


def test_the_mode_of_butane_is_that_of_its_potential():
    """One torsion: ω² = V″/M_red with 1/M_red = (M⁻¹)_φφ at the minimum."""
    model = alone(united_butane(3.0))
    low = lw.equilibrium(model)
    system = low.system
    assert np.degrees(low.get("mol.C2_C3.phi")) == pytest.approx(180, abs=1e-6)
    h, at = 1e-3, float(low.get("mol.C2_C3.phi"))
    V = [float(low.copy().set("mol.C2_C3.phi", at + k * h).get("mol.energy.torsion")) for k in (-1, 0, 1)]
    stiffness = (V[0] - 2 * V[1] + V[2]) / h**2
    expected = np.sqrt(stiffness * np.linalg.inv(system.mass_matrix(low))[-1, -1]) / (2 * np.pi)
    found = lw.modes(model, low).frequency
    assert found[-1] == pytest.approx(expected, rel=1e-5)
    assert abs(found[:-1]).max() < 1e-3


@pytest.mark.parametrize("molecule", [ethane("cartesian", field=hydrocarbons()), random_molecule(6, "torsions", n=7)],
                         ids=["cartesian ethane", "random"])
def test_modes_are_those_of_the_hessian_by_differences(molecule):
    model = alone(molecule)
    low = lw.equilibrium(model)
    system = low.system
    n, h = len(low.u), 1e-5
    qdot = system.function(["q", "u"], ["qdot"])
    columns = []
    for e in np.eye(n):
        forces = []
        for sign in (1, -1):
            moved = low.copy()
            moved.q = low.q + sign * h * np.array(qdot(low.q, e)).ravel()
            forces.append(-system.inverse_dynamics(moved, np.zeros(n)))
        columns.append(-(forces[0] - forces[1]) / (2 * h))
    K = np.column_stack(columns)
    expected = np.sqrt(np.abs(eigh((K + K.T) / 2, system.mass_matrix(low), eigvals_only=True))) / (2 * np.pi)
    found = np.sort(lw.modes(model, low).frequency)
    largest = expected.max()
    inner = np.sort(expected)[6:]
    np.testing.assert_allclose(found[-len(inner):], inner, atol=1e-5 * largest)
