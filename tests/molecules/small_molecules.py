"""Small molecules built by hand, and random ones, for the tests of this folder."""

import numpy as np
from linkwright.molecules import angstrom, degree, kcal

import linkwright as lw
from linkwright import molecules

TERMS = ("bond", "angle", "torsion", "improper", "van_der_waals", "coulomb", "born", "surface")


def alone(molecule, name="molecule"):
    """A model with one molecule, without gravity."""
    m = lw.Model(name)
    m.world = lw.World(gravity=None)
    m.mol = molecule
    return m


def energies(model, name="mol.energy"):
    """Energies by term at the start of a model."""
    state = lw.compile(model).state()
    return {term: float(state.get(f"{name}.{term}")) for term in TERMS}


def hydrocarbons(around="*", **options):
    """A field for alkanes, of the size of Amber's numbers; torsions between all atoms, or those of one class."""
    options = {"mixing": "lorentz_berthelot", "scale_van_der_waals": (0, 0, 0.5, 1),
               "scale_coulomb": (0, 0, 1 / 1.2, 1)} | options
    field = molecules.ForceField("hydrocarbons", **options)
    field.atom_class("CT", "C", 1.908 * angstrom, 0.1094 * kcal)
    field.atom_class("HC", "H", 1.487 * angstrom, 0.0157 * kcal)
    for name, of, charge in (("C3", "CT", -0.18), ("C2", "CT", -0.12), ("H", "HC", 0.06)):
        field.atom_type(name, of, charge)
    field.bond("CT", "CT", 310 * kcal / angstrom**2, 1.526 * angstrom)
    field.bond("CT", "HC", 340 * kcal / angstrom**2, 1.09 * angstrom)
    for classes, k in ((("HC", "CT", "HC"), 35), (("CT", "CT", "HC"), 50), (("CT", "CT", "CT"), 40)):
        field.angle(*classes, k * kcal, 109.5 * degree)
    field.torsion(around, "CT", "CT", around, (3, 1.4 / 9 * kcal, 0.0))
    return field


def ethane(mobile="torsions", phi=50 * degree, field=None):
    """Two methyl groups, turned by phi."""
    field = field or hydrocarbons()
    a, d = 109.5 * degree, 0.109
    atoms, bonds = [("C1", "C3", [0, 0, 0]), ("C2", "C3", [0, 0, 0.1526])], [("C1", "C2")]
    for side, (z, sign, start) in enumerate(((0.0, 1, 0.0), (0.1526, -1, phi)), 1):
        for k in range(3):
            turn = 2 * np.pi * k / 3 + start
            place = [d * np.sin(a) * np.cos(turn), d * np.sin(a) * np.sin(turn), z + sign * d * np.cos(a)]
            atoms.append((f"H{side}{k}", "H", place))
            bonds.append((f"C{side}", f"H{side}{k}"))
    return molecules.Molecule(atoms, bonds, field, mobile)


def united_butane(phi=180 * degree, law=None, terms=True):
    """Butane of four beads, 15, 14, 14, 15 Da, 0.153 nm, 112°, with a torsion law alone."""
    field = molecules.ForceField("united")
    field.atom_class("bead", "C")
    field.atom_type("CH3", "bead", mass=15.0)
    field.atom_type("CH2", "bead", mass=14.0)
    if terms:
        field.torsion("bead", "bead", "bead", "bead", law=law or ryckaert_bellemans)
    return molecules.Molecule(list(zip(("C1", "C2", "C3", "C4"), ("CH3", "CH2", "CH2", "CH3"),
                                       chain(0.153, 112 * degree, [phi]), strict=True)),
                              [("C1", "C2"), ("C2", "C3"), ("C3", "C4")], field)


def ryckaert_bellemans(phi):
    """Σ Cₖ cosᵏ(φ − 180°), kJ/mol (Chem. Phys. Lett. 30 (1975) 123)."""
    c = -lw.cos(phi)
    return sum(k * c**n for n, k in enumerate((9.28, 12.16, -13.12, -3.06, 26.24, -31.5)))


def chain(d, angle, torsions):
    """Places of a chain of beads with equal lengths and angles and given torsion angles."""
    x = [np.zeros(3), np.array([0, 0, d])]
    x.append(molecules.place(d, x[1], angle, x[0]))
    for phi in torsions:
        x.append(molecules.place(d, x[-1], angle, x[-2], phi, x[-3]))
    return x


def cyclohexane(kind, mobile=None):
    """A ring with tetrahedral angles throughout: a chair, or a boat; by default its bonds turn."""
    turn, d = np.pi / 3, 0.153
    x = np.array(chain(d, np.arccos(-1 / 3), {"chair": [turn, -turn, turn], "boat": [0, turn, -turn]}[kind]))
    atoms = [(f"C{k + 1}", "C2", x[k]) for k in range(6)]
    bonds = [(f"C{k + 1}", f"C{(k + 1) % 6 + 1}") for k in range(6)]
    for k in range(6):
        u, v = ((x[k] - x[other]) / d for other in (k - 1, (k + 1) % 6))
        out, side = (u + v) / np.linalg.norm(u + v), np.cross(u, v) / np.linalg.norm(np.cross(u, v))
        for sign, name in ((1, "a"), (-1, "b")):
            place = x[k] + 0.109 * (out * np.sqrt(1 / 3) + sign * side * np.sqrt(2 / 3))
            atoms.append((f"H{k + 1}{name}", "H", place))
            bonds.append((f"C{k + 1}", f"H{k + 1}{name}"))
    return molecules.Molecule(atoms, bonds, hydrocarbons("CT"), mobile or {"rings": "torsion"})


def random_molecule(seed, mobile, n=9, born=None):
    """A branched molecule with random places, charges and parameters of every kind, without rings."""
    rng = np.random.default_rng(seed)
    field = molecules.ForceField("random", rng.choice(["waldman_hagler", "halgren", "jorgensen", "kong"]),
                                 dielectric=1.0 if born else 1.5, born=born, scale_van_der_waals=(0, 0.1, 0.5, 0.7),
                                 scale_coulomb=(0, 0.2, 0.8, 0.9), scale={"torsion": 1.5, "coulomb": 0.5})
    for k, element in enumerate("CNO"):
        field.atom_class(element, element, 0.15 + 0.02 * k, 0.3 + 0.1 * k)
    field.bond("*", "*", 2e4, 0.15)
    field.bond("C", "C", law=lambda d: 1e4 * (1 - lw.exp(-20 * (d - 0.15))) ** 2)
    field.angle("*", "*", "*", 200.0, 1.9)
    field.torsion("*", "*", "*", "*", (1, 3.0, 0.4), (3, 2.0, np.pi))
    field.torsion("*", "C", "N", "*", law=lambda phi: 4 * lw.cos(phi) ** 2)
    field.improper("*", "*", "C", "*", (2, 5.0, np.pi))
    atoms, bonds, places = [], [], []
    while len(places) < n:
        parent = int(rng.integers(max(0, len(places) - 3), len(places))) if places else -1
        step = rng.normal(size=3)
        place = places[parent] + 0.15 * step / np.linalg.norm(step) if places else np.zeros(3)
        if places and min(np.linalg.norm(place - x) for x in places) < 0.13:
            continue
        k = len(places)
        element = str(rng.choice(list("CNO")))
        field.atom_type(f"t{k}", element, charge=float(rng.normal() * 0.3))
        atoms.append((f"A{k}", f"t{k}", place))
        bonds += [(f"A{parent}", f"A{k}")] if places else []
        places.append(place)
    return molecules.Molecule(atoms, bonds, field, mobile, any_charge=True)
