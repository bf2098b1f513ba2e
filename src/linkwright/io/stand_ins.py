"""Boxes for meshes that are not there: each with the mass and the moments of inertia of the link it belongs to.

A solid box of mass m with edges a, b, c has the moments m (b² + c²)/12 and so on, hence a² = 6 (I_b + I_c − I_a)/m.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import linkwright as lw

from .import_report import ImportReport, Note, note
from .markup import Element
from .shapes import SolidShape
from .tolerances import THINNEST


@dataclass(frozen=True, eq=False)
class Mass:
    """What is known of a link: its name, mass, centre of mass, and tensor about it."""

    link: str
    m: float
    centre: np.ndarray
    tensor: np.ndarray

    def box(self) -> SolidShape | None:
        """The box of the same mass and inertia; None for a link that has none."""
        if not self.m > 0:
            return None
        moments, axes = np.linalg.eigh(self.tensor)
        edges = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / self.m, 0.0))
        if not edges.max() > 0:
            return None
        axes = axes * np.array([1.0, 1.0, np.linalg.det(axes)])
        edges = np.maximum(edges, THINNEST * edges.max())
        return SolidShape("box", lw.Transform(axes, self.centre), tuple(map(float, edges)))


@dataclass(eq=False)
class StandIns:
    """Collects meshes that are not there, and says so once."""

    report: ImportReport
    missing: list[Note] = field(default_factory=list)
    _done: set[tuple[str, str]] = field(default_factory=set)

    def take(self, mesh: Element, why: str, mass: Mass, purpose: str) -> SolidShape | None:
        """A box for a mesh: one for each link and purpose (to see, to touch); None where the link has no mass."""
        box = mass.box()
        if box is None:
            self.report.ignore(mesh, why)
            return None
        mesh.leave()
        self.missing.append(note(mesh, why))
        if (mass.link, purpose) in self._done:
            return None
        self._done.add((mass.link, purpose))
        return box

    def close(self, approximate: Callable[[str], None]) -> None:
        """One note on all of them."""
        if self.missing:
            n = len(self.missing)
            approximate(f"{n} mesh{'es are' if n > 1 else ' is'} missing, and boxes with the inertia of their links "
                        f"stand for them; the first: {self.missing[0].text}")
