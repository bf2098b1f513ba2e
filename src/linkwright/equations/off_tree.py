"""Inertia that no single joint carries: masses on lines between frames, and 1-D rotors that turn with several joints.

Each has a position x(q), differentiated as a constraint is (ẋ = G u + …, ẍ = G u̇ + γ), and adds to the equations

    M += m Gᵀ G,      forces += Gᵀ m (ẍ − g),      kinetic energy += ½ m ẋ·ẋ
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from ..building import cached_property
from .constraint_rows import Rows, differentiate
from .laws import Laws


@dataclass(frozen=True)
class OffTree:
    """Masses (which weigh) and rotors (which do not), each with the rows of its position."""

    laws: Laws
    masses: tuple[tuple[ca.SX, Rows], ...]
    rotors: tuple[tuple[ca.SX, Rows], ...]

    @staticmethod
    def of(laws: Laws) -> OffTree:
        """Those of the laws' mechanism."""
        mechanism = laws.mechanism
        masses = ((p.mass, p.name, p.position) for p in mechanism.point_masses)
        rotors = ((r.inertia, r.name, r.position) for r in mechanism.rotors)
        return OffTree(laws, *(tuple((ca.SX(inertia), differentiate(laws, name, position))
                                     for inertia, name, position in items) for items in (masses, rotors)))

    @cached_property
    def mass_matrix(self) -> ca.SX:
        """Σ m Gᵀ G."""
        nu = self.laws.mechanism.nu
        return sum((mass * (rows.G.T @ rows.G) for mass, rows in (*self.masses, *self.rotors)), ca.SX(nu, nu))

    @cached_property
    def mass_diagonal(self) -> ca.SX:
        """The diagonal of `mass_matrix`."""
        return sum((mass * ca.sum1(rows.G * rows.G).T for mass, rows in (*self.masses, *self.rotors)),
                   ca.SX(self.laws.mechanism.nu, 1))

    @cached_property
    def kinetic_energy(self) -> ca.SX:
        """½ Σ m ẋ·ẋ."""
        return sum((mass * ca.dot(rows.rate, rows.rate) / 2 for mass, rows in (*self.masses, *self.rotors)), ca.SX(0))

    def felt(self, udot: ca.SX) -> Iterator[tuple[Rows, ca.SX]]:
        """The forces that move each of them: m (a − g), J ẍ."""
        gravity = self.laws.mechanism.gravity
        for mass, rows in self.masses:
            yield rows, mass * (rows.G @ udot + rows.gamma - gravity.at(rows.value))
        for inertia, rows in self.rotors:
            yield rows, inertia * (rows.G @ udot + rows.gamma)

    def forces(self, udot: ca.SX) -> ca.SX:
        """The same on the mobilities."""
        return sum((rows.G.T @ felt for rows, felt in self.felt(udot)), ca.SX.zeros(self.laws.mechanism.nu))
