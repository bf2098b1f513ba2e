"""Alanine dipeptide in torsion angles: energies over φ and ψ (Ramachandran map), configurations at 300 K.

Numbers of the force field are those of Cornell et al., J. Am. Chem. Soc. 117 (1995) 5179, with the backbone torsions of
Hornak et al., Proteins 65 (2006) 712; lengths and angles are the field's own.  With the package openmm installed, the
whole field is `molecules.ForceField.read("amber99sb.xml")`.
"""

import numpy as np
from linkwright.molecules import GAS_CONSTANT, angstrom, degree, kcal, place

import linkwright as lw
from linkwright import molecules

KT = 300 * GAS_CONSTANT


def force_field():
    """Classes (element, radius, depth), charges, and the torsions about φ and ψ, in kcal/mol and Å."""
    field = molecules.ForceField("Cornell 1995", "lorentz_berthelot", scale_van_der_waals=(0, 0, 0.5, 1),
                                 scale_coulomb=(0, 0, 1 / 1.2, 1))
    for name, element, r, depth in (("C", "C", 1.908, 0.086), ("CT", "C", 1.908, 0.1094), ("N", "N", 1.824, 0.17),
                                    ("H", "H", 0.6, 0.0157), ("HC", "H", 1.487, 0.0157), ("H1", "H", 1.387, 0.0157),
                                    ("O", "O", 1.6612, 0.21)):
        field.atom_class(name, element, r * angstrom, depth * kcal)
    for name, of, charge in (("CH3", "CT", -0.3662), ("HC", "HC", 0.1123), ("C", "C", 0.5972), ("O", "O", -0.5679),
                             ("N", "N", -0.4157), ("H", "H", 0.2719), ("CA", "CT", 0.0337), ("HA", "H1", 0.0823),
                             ("CB", "CT", -0.1825), ("HB", "HC", 0.0603), ("C2", "C", 0.5973), ("CN", "CT", -0.149),
                             ("HN", "H1", 0.0976)):
        field.atom_type(name, of, charge)
    half = 180 * degree
    field.torsion("C", "N", "CT", "C", (3, 0.42 * kcal, 0), (2, 0.27 * kcal, 0))
    field.torsion("C", "N", "CT", "CT", (3, 0.4 * kcal, 0), (2, 2.0 * kcal, 0), (1, 2.0 * kcal, 0))
    field.torsion("N", "CT", "C", "N", (3, 0.55 * kcal, half), (2, 1.58 * kcal, half), (1, 0.45 * kcal, half))
    field.torsion("CT", "CT", "C", "N", (3, 0.4 * kcal, 0), (2, 0.2 * kcal, 0), (1, 0.2 * kcal, 0))
    field.torsion("H1", "CT", "C", "O", (1, 0.8 * kcal, 0), (3, 0.08 * kcal, half))
    return field


def atoms_and_bonds(phi, psi):
    """Name, type and place of all atoms, from lengths (Å), angles and torsion angles (degrees)."""
    rows = [("CH3", "CH3", ("", 0.0)), ("C", "C", ("CH3", 1.522)), ("O", "O", ("C", 1.229, "CH3", 120.4)),
            ("N2", "N", ("C", 1.335, "CH3", 116.6, "O", 180)), ("H2", "H", ("N2", 1.01, "C", 119.8, "O", 180)),
            ("CA", "CA", ("N2", 1.449, "C", 121.9, "CH3", 180)), ("C2", "C2", ("CA", 1.522, "N2", 110.1, "C", phi)),
            ("CB", "CB", ("CA", 1.526, "N2", 109.7, "C2", -120.7)),
            ("HA", "HA", ("CA", 1.09, "N2", 109.5, "C2", 119)),
            ("N3", "N", ("C2", 1.335, "CA", 116.6, "N2", psi)), ("O2", "O", ("C2", 1.229, "CA", 120.4, "N3", 180)),
            ("H3", "H", ("N3", 1.01, "C2", 119.8, "O2", 180)), ("CN", "CN", ("N3", 1.449, "C2", 121.9, "CA", 180))]
    for k in range(3):
        turn = 60 + 120 * k
        rows += [(f"HC{k}", "HC", ("CH3", 1.09, "C", 109.5, "O", turn - 60)),
                 (f"HB{k}", "HB", ("CB", 1.09, "CA", 109.5, "N2", turn)),
                 (f"HN{k}", "HN", ("CN", 1.09, "N3", 109.5, "C2", turn))]
    at = {}
    for name, _, (near, length, *rest) in rows:
        angles = [v * degree if isinstance(v, (int, float)) else at[v] for v in rest]
        bent = {key: value for key, value in zip(("second", "angle", "third", "torsion"), angles, strict=False)}
        at[name] = place(length * angstrom, at[near] if near else np.zeros(3), **bent)
    return [(name, kind, at[name]) for name, kind, _ in rows], [(how[0], name) for name, _, how in rows if how[0]]


m = lw.Model("alanine dipeptide")
m.world = lw.World(gravity=None, animate_world=False)
m.peptide = molecules.Molecule(*atoms_and_bonds(-80, 75), force_field(),
                               {("N2", "CA"): "torsion", ("CA", "C2"): "torsion"})
PHI, PSI = "peptide.N2_CA.phi", "peptide.CA_C2.phi"


def ramachandran(system, count=36):
    """Energies over φ and ψ (rows), from compiled code over all poses at once."""
    grid = (np.arange(count) + 0.5) * 2 * np.pi / count - np.pi
    names, rows = list(system.part_names("q")), np.tile(system.state().q, (count * count, 1))
    rows[:, [names.index(PHI), names.index(PSI)]] = np.stack(np.meshgrid(grid, grid, indexing="ij"), -1).reshape(-1, 2)
    energy = system.function(["q"], ["peptide.potential_energy"]).batch(rows)
    return np.degrees(grid), np.reshape(energy, (count, count))


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    system = lw.compile(m)
    grid, energy = ramachandran(system)
    i, j = np.unravel_index(np.argmin(energy), energy.shape)
    print(f"lowest on the map at φ = {grid[i]:.0f}°, ψ = {grid[j]:.0f}°")
    low = lw.equilibrium(system)
    print(f"equilibrium at φ = {np.degrees(low.get(PHI)):.1f}°, ψ = {np.degrees(low.get(PSI)):.1f}°")
    r = lw.simulate(system, 10.0, state=lw.thermal(system, KT, low, seed=1))
    total = r["kinetic_energy"] + r["peptide.potential_energy"]
    print(f"10 ps at 300 K: energy kept to {np.ptp(total):.1e} kJ/mol")
    found = lw.sample(system, KT, 300, 1.0, [PHI, PSI], state=low, seed=1, method="verlet", fixed_step=0.01)
    figure, axes = plt.subplots(figsize=(6, 5))
    drawn = axes.contourf(grid, grid, np.clip(energy - energy.min(), 0, 80).T, 20, cmap="viridis")
    axes.plot(*[(np.degrees(found[name]) + 180) % 360 - 180 for name in (PHI, PSI)], "w.", markersize=3)
    axes.set(xlabel="φ / °", ylabel="ψ / °", xlim=grid[[0, -1]], ylim=grid[[0, -1]],
             title="alanine dipeptide, kJ/mol above the lowest")
    figure.colorbar(drawn)
    figure.savefig("alanine_dipeptide.png", dpi=100)
    r.save("alanine_dipeptide.html")
