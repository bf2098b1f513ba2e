"""Units of molecules: nm, Da, ps, kJ/mol, radians, elementary charges.

They are consistent (1 Da nm²/ps² = 1 kJ/mol), so that a model of molecules is computed in them as another is in SI:
time is in ps, lengths in nm, forces in kJ/mol/nm.  Values in other units are multiplied by their name:

    field.bond("CT", "HC", k=340 * kcal / angstrom**2, length=1.09 * angstrom)
"""

from __future__ import annotations

import math

kcal = 4.184
"""One kilocalorie per mole in kJ/mol (exact): `field.bond("CT", "HC", k=340 * kcal / angstrom**2, …)`."""
angstrom = 0.1
"""One ångström in nm (exact): `length=1.09 * angstrom`."""
degree = math.pi / 180
"""One degree in rad: `angle=109.5 * degree`."""
COULOMB = 138.935456
"""Coulomb's constant 1/(4πε₀) in kJ nm/(mol e²), with the digits that DuMM uses; the default of a ForceField."""
COULOMB_OPENMM = 138.93545764438198
"""Coulomb's constant 1/(4πε₀) in kJ nm/(mol e²), with the digits that OpenMM uses."""
GAS_CONSTANT = 0.00831446261815324
"""The molar gas constant R = k_B N_A in kJ/(mol K) (exact, SI 2019): `kT = 300 * molecules.GAS_CONSTANT`."""
