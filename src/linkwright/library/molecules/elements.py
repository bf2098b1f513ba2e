"""Chemical elements: mass, covalent radius, colour in pictures."""

from __future__ import annotations

from typing import NamedTuple


class Element(NamedTuple):
    """Mass in Da (IUPAC 2021, abridged), covalent radius in nm (Cordero et al. 2008), colour (Corey, Pauling)."""

    mass: float
    radius: float
    color: tuple[int, int, int]


#: elements by their numbers in the periodic table
NUMBERS = {1: "H", 2: "He", 3: "Li", 5: "B", 6: "C", 7: "N", 8: "O", 9: "F", 10: "Ne", 11: "Na", 12: "Mg", 14: "Si",
           15: "P", 16: "S", 17: "Cl", 18: "Ar", 19: "K", 20: "Ca", 26: "Fe", 29: "Cu", 30: "Zn", 35: "Br", 53: "I"}
ELEMENTS = {
    "H": Element(1.008, 0.031, (235, 235, 235)), "He": Element(4.0026, 0.028, (217, 255, 255)),
    "Li": Element(6.94, 0.128, (204, 128, 255)), "B": Element(10.81, 0.084, (255, 181, 181)),
    "C": Element(12.011, 0.076, (90, 90, 90)), "N": Element(14.007, 0.071, (48, 80, 248)),
    "O": Element(15.999, 0.066, (240, 20, 20)), "F": Element(18.998, 0.057, (144, 224, 80)),
    "Ne": Element(20.180, 0.058, (179, 227, 245)), "Na": Element(22.990, 0.166, (171, 92, 242)),
    "Mg": Element(24.305, 0.141, (138, 255, 0)), "Si": Element(28.085, 0.111, (240, 200, 160)),
    "P": Element(30.974, 0.107, (255, 128, 0)), "S": Element(32.06, 0.105, (240, 220, 48)),
    "Cl": Element(35.45, 0.102, (31, 240, 31)), "Ar": Element(39.95, 0.106, (128, 209, 227)),
    "K": Element(39.098, 0.203, (143, 64, 212)), "Ca": Element(40.078, 0.176, (61, 255, 0)),
    "Fe": Element(55.845, 0.132, (224, 102, 51)), "Cu": Element(63.546, 0.132, (200, 128, 51)),
    "Zn": Element(65.38, 0.122, (125, 128, 176)), "Br": Element(79.904, 0.120, (166, 41, 41)),
    "I": Element(126.90, 0.139, (148, 0, 148)),
}
"""Mass (Da), covalent radius (nm) and colour of the elements: `molecules.ELEMENTS["C"].mass`."""
