"""Atoms."""

from __future__ import annotations

from dataclasses import dataclass

from .field import AtomType


@dataclass(frozen=True)
class Atom:
    """An atom: its name, type, place in nm, and the residue it belongs to."""

    name: str
    type: AtomType
    position: tuple[float, float, float]
    residue: str = ""  # name and number, "ALA2"
    number: int = 0  # of the residue

    @property
    def label(self) -> str:
        """What it is called: "ALA2_CA"."""
        return f"{self.residue}_{self.name}" if self.residue else self.name

    @property
    def element(self) -> str:
        return self.type.of.element
