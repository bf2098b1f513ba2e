"""Which solvent molecules are in: dielectric constants, Born radii, surface (see `surroundings` for the equations)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...errors import ModelError
from .units import angstrom, kcal

KINDS = {"obc1": (0.8, 0.0, 2.909125), "obc2": (1.0, 0.8, 4.85)}  # α, β, γ; of the paper, I with Amber's digits
#: radii in nm and scales by element where none are given: Bondi's, as DuMM has them; hydrogen on nitrogen has 0.13
RADII = {"H": 0.12, "C": 0.17, "N": 0.155, "O": 0.15, "F": 0.15, "P": 0.185, "S": 0.18, "Cl": 0.17}
SCALES = {"H": 0.85, "C": 0.72, "N": 0.79, "O": 0.85, "F": 0.88, "P": 0.86, "S": 0.96}
OTHER_SCALE, ON_NITROGEN = 0.8, 0.13


@dataclass(frozen=True)
class Born:
    """A solvent as a continuum: dielectric constants, one of the two OBC laws, and the surface term.

    Lengths are in nm, `surface` (σ) is in kJ/mol/nm²; `ace=False` omits the surface term.  `atoms` gives radii and
    scale factors of atom types that differ from those of their element.
    """

    kind: str = "obc2"
    solvent: float = 80.0
    solute: float = 1.0
    ace: bool = True
    offset: float = 0.09 * angstrom
    probe: float = 1.4 * angstrom
    surface: float = 0.0054 * kcal / angstrom**2
    atoms: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ModelError(f"Born: kind = {self.kind!r} is no law of Born radii; choose {', '.join(KINDS)}.")
        for name in ("solvent", "solute"):
            if not getattr(self, name) >= 1:
                raise ModelError(f"Born: {name} = {getattr(self, name):g}: a dielectric constant is at least 1.")

    def with_atoms(self, atoms: Mapping[str, tuple[float, float]]) -> Born:
        """The same, with radii and scales of more atom types."""
        return replace(self, atoms={**self.atoms, **atoms})
