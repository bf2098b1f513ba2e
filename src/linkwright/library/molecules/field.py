"""Force fields: atom classes, charged atom types, and the terms of the energy between them (Simbody manual §11.3.2.1).

    E = Σ k (d − d₀)²                      stretch of bonds
      + Σ k (θ − θ₀)²                      bend of angles
      + Σ Σₙ kₙ (1 + cos(n φ − φₙ))        proper and improper torsion, any number of periods
      + Σ ε ((d_min/d)¹² − 2 (d_min/d)⁶)   van der Waals
      + Σ C qᵢ qⱼ/(κ d)                    Coulomb, in a medium of dielectric constant κ
      + what a solvent adds, where there is one (see `born`)

without a factor ½, as in Amber and DuMM.  Units are those of `units`.  All bonded terms are given by classes; "*"
stands for any, and an entry without it goes before one with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelError
from .born import Born
from .elements import ELEMENTS
from .mixing import RULES
from .units import COULOMB

#: the terms by which energies are told
TERMS = ("bond", "angle", "torsion", "improper", "van_der_waals", "coulomb", "born", "surface")
ANY = "*"


@dataclass(frozen=True)
class AtomClass:
    """Atoms of one element in one surrounding: half the distance of least energy of two of them, and its depth."""

    name: str
    element: str
    r_min: float = 0.0
    epsilon: float = 0.0


@dataclass(frozen=True)
class AtomType:
    """A charged atom type: a class with a partial charge; what van der Waals' law sees may be its own."""

    name: str
    of: AtomClass
    charge: float
    mass: float
    r_min: float
    epsilon: float


@dataclass(frozen=True)
class Spring:
    """k (x − x₀)²; or a law of one's own, energy(x)."""

    k: float = 0.0
    at: float = 0.0
    law: Callable | None = None


@dataclass(frozen=True)
class Periods:
    """Σ k (1 + cos(n φ − φ₀)) over (n, k, φ₀); or a law of one's own, energy(φ).  `order` is that of impropers."""

    terms: tuple[tuple[int, float, float], ...] = ()
    law: Callable | None = None
    order: str = "as given"


@dataclass(frozen=True)
class Template:
    """A residue of a field: names and types of its atoms, bonds between them, atoms bonded to other residues."""

    name: str
    atoms: tuple[tuple[str, str, float | None], ...]  # name, type, charge of its own
    bonds: tuple[tuple[int, int], ...]
    external: tuple[int, ...]


@dataclass
class ForceField:
    """Parameters of the energy of molecules; built up by its methods, or read from a file.

    `born` is a solvent around everything, such as Born(solvent=80).  `scale_van_der_waals` and `scale_coulomb` are
    factors for pairs 1-2, 1-3, 1-4, 1-5 bonds apart; `scale` has one for every term.

        field = ForceField(mixing="lorentz_berthelot", scale_coulomb=(0, 0, 1 / 1.2, 1))
        field.atom_class("CT", "C", r_min=0.1908, epsilon=0.4577)
        field.atom_type("methyl C", "CT", charge=-0.18)
        field.bond("CT", "CT", k=129704, length=0.1526)
    """

    name: str = "field"
    mixing: str = "waldman_hagler"
    coulomb: float = COULOMB
    dielectric: float = 1.0
    scale_van_der_waals: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    scale_coulomb: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    scale: dict[str, float] = field(default_factory=dict)
    classes: dict[str, AtomClass] = field(default_factory=dict)
    types: dict[str, AtomType] = field(default_factory=dict)
    bonds: list[tuple[tuple[str, ...], Spring]] = field(default_factory=list)
    angles: list[tuple[tuple[str, ...], Spring]] = field(default_factory=list)
    torsions: list[tuple[tuple[str, ...], Periods]] = field(default_factory=list)
    impropers: list[tuple[tuple[str, ...], Periods]] = field(default_factory=list)
    templates: dict[str, Template] = field(default_factory=dict)
    born: Born | None = None

    def __post_init__(self) -> None:
        if self.mixing not in RULES:
            raise ModelError(f"{self.name}: mixing = {self.mixing!r} is no rule; choose {', '.join(RULES)}.")
        for factors in (self.scale_van_der_waals, self.scale_coulomb):
            if len(factors) != 4 or not all(math.isfinite(f) and f >= 0 for f in factors):
                raise ModelError(f"{self.name}: scale factors are four numbers, for atoms 1-2, 1-3, 1-4 and 1-5 bonds "
                                 f"apart; got {factors!r}.")
        for term in self.scale:
            if term not in TERMS:
                raise ModelError(f"{self.name}: scale has {term!r}; the terms are {', '.join(TERMS)}.")
        if not self.dielectric > 0:
            raise ModelError(f"{self.name}: dielectric = {self.dielectric:g} must be positive.")

    @classmethod
    def read(cls, *files: str) -> ForceField:
        """The force field in OpenMM's XML files; a name alone is looked for where the package openmm keeps its own."""
        from ...io.molecules import read_field

        return read_field(files)

    # --- building up ---

    def atom_class(self, name: str, element: str, r_min: float = 0.0, epsilon: float = 0.0) -> AtomClass:
        """A class of atoms; r_min is half the distance at which two of them have the least energy, −epsilon."""
        self._finite(f"atom class {name}", r_min=r_min, epsilon=epsilon)
        if r_min < 0 or epsilon < 0:
            raise ModelError(f"{self.name}: atom class {name}: r_min and epsilon are not negative.")
        if element not in ELEMENTS:
            raise ModelError(f"{self.name}: atom class {name}: element {element!r} is not known; known are "
                             f"{', '.join(ELEMENTS)}.")
        self.classes[name] = AtomClass(name, element, float(r_min), float(epsilon))
        return self.classes[name]

    def atom_type(self, name: str, atom_class: str, charge: float = 0.0, mass: float | None = None,
                  r_min: float | None = None, epsilon: float | None = None) -> AtomType:
        """A charged type of a class; the mass is that of the element unless given."""
        if atom_class not in self.classes:
            raise ModelError(f"{self.name}: atom type {name}: there is no class {atom_class!r}; "
                             f"there are {', '.join(self.classes) or 'none'}.")
        of = self.classes[atom_class]
        mass = ELEMENTS[of.element].mass if mass is None else mass
        self._finite(f"atom type {name}", charge=charge, mass=mass)
        if not mass > 0:
            raise ModelError(f"{self.name}: atom type {name}: mass = {mass:g} Da must be positive.")
        self.types[name] = AtomType(name, of, float(charge), float(mass), of.r_min if r_min is None else float(r_min),
                                    of.epsilon if epsilon is None else float(epsilon))
        return self.types[name]

    def bond(self, a: str, b: str, k: float = 0.0, length: float = 0.0, law: Callable | None = None) -> None:
        """Stretch k (d − length)² between two classes, or law(d), an energy."""
        self._finite(f"bond {a}–{b}", k=k, length=length)
        self.bonds.append(((a, b), Spring(float(k), float(length), law)))

    def angle(self, a: str, b: str, c: str, k: float = 0.0, angle: float = 0.0, law: Callable | None = None) -> None:
        """Bend k (θ − angle)² of three classes, b in the middle, or law(θ), an energy."""
        self._finite(f"angle {a}–{b}–{c}", k=k, angle=angle)
        self.angles.append(((a, b, c), Spring(float(k), float(angle), law)))

    def torsion(self, a: str, b: str, c: str, d: str, *terms: tuple[int, float, float],
                law: Callable | None = None) -> None:
        """Proper torsion Σ k (1 + cos(n φ − φ₀)) over terms (n, k, φ₀), or law(φ), an energy; φ = 0 is cis."""
        self.torsions.append(((a, b, c, d), self._periods(f"torsion {a}–{b}–{c}–{d}", terms, law)))

    def improper(self, a: str, b: str, c: str, d: str, *terms: tuple[int, float, float],
                 law: Callable | None = None) -> None:
        """Improper torsion of atoms a, b, d around c, about b–c, in Amber's order: as a proper torsion a, b, c, d."""
        self.impropers.append(((a, b, c, d), self._periods(f"improper {a}–{b}–{c}–{d}", terms, law)))

    def _periods(self, what: str, terms: Iterable, law: Callable | None) -> Periods:
        kept = []
        for term in terms:
            n, k, phase = term
            self._finite(what, n=n, k=k, phase=phase)
            if n != int(n) or n < 1:
                raise ModelError(f"{self.name}: {what}: a period is 1, 2, 3 …, got {n!r}.")
            kept.append((int(n), float(k), float(phase)))
        return Periods(tuple(kept), law)

    def _finite(self, what: str, **numbers: float) -> None:
        for name, value in numbers.items():
            if not isinstance(value, (int, float)) or not math.isfinite(value):
                raise ModelError(f"{self.name}: {what}: {name} = {value!r} is not a finite number.")

    # --- looking up ---

    def factor(self, term: str) -> float:
        """The global factor of a term, 1 unless set."""
        return self.scale.get(term, 1.0)

    def find(self, table: list, classes: tuple[str, ...]) -> Any:
        """The entry for classes in this order or the reverse; one without "*" first; None where there is none."""
        general = None
        for names, entry in table:
            if _fits(names, classes) or _fits(names, classes[::-1]):
                if ANY not in names:
                    return entry
                general = general or entry
        return general

    def pair(self, a: AtomType, b: AtomType) -> tuple[float, float]:
        """(d_min, ε) of a pair of atoms."""
        r, epsilon = RULES[self.mixing](a.r_min, b.r_min, a.epsilon, b.epsilon)
        return 2 * r, epsilon


def _fits(names: tuple[str, ...], classes: tuple[str, ...]) -> bool:
    return all(name in (ANY, own) for name, own in zip(names, classes, strict=True))
