"""Butane as four beads at a temperature: its torsion angle, and the effect of rigid bonds on it."""

import numpy as np
from linkwright.molecules import GAS_CONSTANT, degree, place

import linkwright as lw
from linkwright import molecules

KT = 300 * GAS_CONSTANT


def torsion_energy(phi):
    """Ryckaert and Bellemans, Chem. Phys. Lett. 30 (1975) 123, kJ/mol; trans is 180°."""
    return sum(k * (-lw.cos(phi)) ** n for n, k in enumerate((9.28, 12.16, -13.12, -3.06, 26.24, -31.5)))


field = molecules.ForceField("united atoms")
field.atom_class("bead", "C")
field.atom_type("CH3", "bead", mass=15.0)
field.atom_type("CH2", "bead", mass=14.0)
field.torsion("bead", "bead", "bead", "bead", law=torsion_energy)

bond, bend = 0.153, 112 * degree
c1, c2 = np.zeros(3), np.array([bond, 0, 0])
c3 = place(bond, c2, bend, c1)
c4 = place(bond, c3, bend, c2, 70 * degree, c1)

m = lw.Model("butane")
m.world = lw.World(gravity=None, animate_world=False)
m.butane = molecules.Molecule([("C1", "CH3", c1), ("C2", "CH2", c2), ("C3", "CH2", c3), ("C4", "CH3", c4)],
                              [("C1", "C2"), ("C2", "C3"), ("C3", "C4")], field)
m.fixman = molecules.Fixman(T=300)


def share_of_trans(system):
    """Within 60° of trans: with Fixman's term as if bonds were only stiff, and without it as frozen bonds have it."""
    state, angles = system.state(), np.radians(np.arange(0.5, 360))
    names = "butane.potential_energy", "fixman_energy"
    energy, fixman = np.array([system.evaluate(state.set("butane.C2_C3.phi", a), *names) for a in angles]).T
    trans = abs(angles - np.pi) < np.pi / 3
    weights = np.exp(-energy / KT), np.exp(-(energy - fixman) / KT)
    return [w[trans].sum() / w.sum() for w in weights]


if __name__ == "__main__":
    r = lw.simulate(m, 10.0, state=lw.thermal(m, KT, seed=3))
    total = r["kinetic_energy"] + r["butane.potential_energy"] + r["fixman_energy"]
    print(f"10 ps at 300 K: energy {total[0]:.4f} kJ/mol, kept to {np.ptp(total):.1e}")
    print("share of trans: {:.4f}, and {:.4f} without Fixman's term".format(*share_of_trans(lw.compile(m))))
    found = lw.sample(m, KT, 200, 1.0, "butane.C2_C3.phi", seed=1, method="verlet", fixed_step=0.01)["butane.C2_C3.phi"]
    print(f"of 200 configurations 1 ps apart {np.mean(np.cos(found) < -0.5):.2f} are trans")
    r.save("butane.html")
