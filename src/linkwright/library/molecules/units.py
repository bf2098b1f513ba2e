"""Units of molecules: nm, Da, ps, kJ/mol, radians, elementary charges.

They are consistent (1 Da nm²/ps² = 1 kJ/mol), so that a model of molecules is computed in them as another is in SI:
time is in ps, lengths in nm, forces in kJ/mol/nm.  Values in other units are multiplied by their name:

    field.bond("CT", "HC", k=340 * kcal / angstrom**2, length=1.09 * angstrom)
"""

from __future__ import annotations

import math

kcal = 4.184
"""kJ/mol, exact."""
angstrom = 0.1
"""nm, exact."""
degree = math.pi / 180
"""rad."""
COULOMB = 138.935456
"""Coulomb's constant 1/4πε₀ as DuMM has it, kJ nm/(mol e²)."""
COULOMB_OPENMM = 138.93545764438198
"""The same as OpenMM has it."""
GAS_CONSTANT = 0.00831446261815324
"""k_B N_A, kJ/(mol K), exact (SI 2019)."""
