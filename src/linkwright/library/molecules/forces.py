"""Forces of a force field on the bodies of molecules.

Bonded terms are straight-line code; pairs are loops over rows of a table, which the program calls:

    x = R s + p             places of all atoms, from the poses of their bodies
    F = −∂E/∂x              for every pair
    f, τ = Σ RᵀF, Σ s × RᵀF   the force motor on each body, in its axes

Only terms between atoms that do not rest together are computed; the others are constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...codegen import Loop
from ...errors import ModelError
from ...language import Component, Frame, PartsList
from ...language.fields import parameter, variable
from ..tolerances import WRONG_UNITS
from .atom_pairs import Pairs
from .energies import pair_energies, term_energy
from .field import TERMS
from .topology import Term, Topology

EARTH = 9.80665e-15  # nm/ps²: gravity in these units, far below anything that moves molecules


@dataclass(frozen=True)
class Site:
    """A body with atoms: their numbers and places in its axes; one atom without orientation is a point."""

    atoms: tuple[int, ...]
    stations: np.ndarray
    point: bool


class OnSites(Component):
    """Base: a component with a frame on every body of a molecule."""

    sites = parameter(text="bodies with atoms", structural=True)

    def __init__(self, sites: Sequence[Site], **given: Any) -> None:
        self.__dict__["_places"] = len(sites)  # connectors are made before parameters are taken
        super().__init__(sites=tuple(sites), **given)

    def _make_connectors(self) -> None:
        for k in range(self._places):
            self._port(f"frame_{k}", Frame())

    def frame(self, k: int) -> Frame:
        return self._connectors[f"frame_{k}"]

    def places(self) -> list[ca.SX]:
        """The places of all atoms in the world, as written out."""
        found = {}
        for k, site in enumerate(self.sites):
            frame = self.frame(k)
            for atom, station in zip(site.atoms, site.stations, strict=True):
                found[atom] = frame.r_0 if site.point else frame.r_0 + frame.R_WF @ ca.SX(station)
        return [found[k] for k in sorted(found)]


class Forces(OnSites):
    """Forces of bonded terms and pairs, and their energies."""

    terms = parameter((), "bonded terms", structural=True)
    pairs = parameter(text="pairs that act at a distance", structural=True)
    bond = variable("energy of stretched bonds", "kJ/mol")
    angle = variable("energy of bent angles", "kJ/mol")
    torsion = variable("energy of proper torsions", "kJ/mol")
    improper = variable("energy of improper torsions", "kJ/mol")
    van_der_waals = variable("energy of van der Waals forces", "kJ/mol")
    coulomb = variable("energy of charges", "kJ/mol")
    born = variable("energy of charges in the solvent", "kJ/mol")
    surface = variable("energy of the surface to the solvent", "kJ/mol")
    solvent = parameter(None, "solvent around the atoms", structural=True)
    energy = variable("all of them", "kJ/mol")

    def __init__(self, sites: Sequence[Site], topology: Topology | None, terms: Sequence[Term], pairs: Pairs,
                 **given: Any) -> None:
        self.__dict__["_topology"] = topology
        super().__init__(sites, terms=tuple(terms), pairs=pairs, **given)

    # --- energies ---

    def definitions(self, plan: PartsList) -> dict:
        places, found = self.places(), dict.fromkeys(TERMS, ca.SX(0))
        for term in self.terms:
            found[term.kind] += term_energy(self._topology, term, places)
        if len(self.pairs):
            both = self._pair_loop(energies=True)(self._everywhere())
            found["van_der_waals"], found["coulomb"] = both[0], both[1]
        if self.solvent is not None:
            found["born"], found["surface"] = self.solvent.energies(self._everywhere())
        return {**found, "energy": sum(found.values(), ca.SX(0))}

    # --- forces ---

    def describe(self, plan: PartsList) -> None:
        _refuse_gravity(self, plan)
        force = self._bonded_forces()
        on_all = self._at_a_distance()
        motors = None
        if on_all is not None and any(not site.point for site in self.sites):
            motors = self._motor_loop()(ca.vertcat(*[ca.vec(frame.R_WF) for frame in self._turning()], on_all))
        turned = 0
        for k, site in enumerate(self.sites):
            frame = self.frame(k)
            f, t = ca.SX.zeros(3), ca.SX.zeros(3)
            for atom, station in zip(site.atoms, site.stations, strict=True):
                if atom in force:
                    own = force[atom] if site.point else frame.R_WF.T @ force[atom]
                    f, t = f + own, t if site.point else t + ca.cross(ca.SX(station), own)
            if on_all is not None and site.point:
                f = f + on_all[3 * site.atoms[0]:3 * site.atoms[0] + 3]
            elif motors is not None:
                f, t = f + motors[6 * turned:6 * turned + 3], t + motors[6 * turned + 3:6 * turned + 6]
            turned += not site.point
            plan.load(self, frame, -f, -t)

    def _at_a_distance(self) -> ca.SX | None:
        """Forces on all atoms in world axes, from pairs and the solvent; None where nothing acts."""
        if not len(self.pairs) and self.solvent is None:
            return None
        x, total = self._everywhere(), ca.SX.zeros(3 * self._count)
        if len(self.pairs):
            total = total + self._pair_loop()(x)
        return total if self.solvent is None else total + self.solvent.forces(x)

    def _bonded_forces(self) -> dict[int, ca.SX]:
        """Atom → force on it in world axes, from the bonded terms."""
        atoms = sorted({k for term in self.terms for k in term.atoms})
        if not atoms:
            return {}
        symbols = {k: ca.SX.sym(f"x{k}", 3) for k in atoms}
        energy = sum((term_energy(self._topology, term, symbols) for term in self.terms), ca.SX(0))
        x = ca.vertcat(*symbols.values())
        places = self.places()
        forces = ca.Function("bonded", [x], [-ca.gradient(energy, x)])(ca.vertcat(*[places[k] for k in atoms]))
        return {k: forces[3 * i:3 * i + 3] for i, k in enumerate(atoms)}

    # --- loops over atoms and pairs ---

    def _turning(self) -> list[Frame]:
        return [self.frame(k) for k, site in enumerate(self.sites) if not site.point]

    @property
    def _count(self) -> int:
        return sum(len(site.atoms) for site in self.sites)

    def _atom_rows(self) -> tuple[list[int], list[int], list[np.ndarray]]:
        """(number among the bodies that turn, atom, station) of every atom that is no point."""
        rows = [(number, atom, station) for number, site in enumerate(s for s in self.sites if not s.point)
                for atom, station in zip(site.atoms, site.stations, strict=True)]
        return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]

    def _everywhere(self) -> ca.SX:
        """The places of all atoms as one vector, from a loop over them."""
        bodies, atoms, stations = self._atom_rows()
        where = ca.SX.zeros(3 * self._count)
        if atoms:
            pose, s = ca.SX.sym("pose", 12), ca.SX.sym("s", 3)
            kernel = ca.Function("place", [pose, s], [ca.reshape(pose[:9], 3, 3) @ s + pose[9:]])
            loop = Loop(kernel, [[12 * b + k for k in range(12)] for b in bodies], stations, _threes(atoms),
                        12 * len(self._turning()), 3 * self._count)
            where = loop(ca.vertcat(*[ca.vertcat(ca.vec(frame.R_WF), frame.r_0) for frame in self._turning()]))
        for k, site in enumerate(self.sites):
            if site.point:
                where[3 * site.atoms[0]:3 * site.atoms[0] + 3] = self.frame(k).r_0
        return where

    def _pair_loop(self, energies: bool = False) -> Loop:
        """The forces on all atoms, or the two energies, as a function of all places."""
        x, c = ca.SX.sym("x", 6), ca.SX.sym("c", 3)
        both = pair_energies(ca.sumsqr(x[:3] - x[3:]), c[0], c[1], c[2])
        result = ca.vertcat(*both) if energies else _central_force(x, c)
        pairs: Pairs = self.pairs
        reads = (3 * pairs.atoms[:, :, None] + np.arange(3)).reshape(-1, 6)
        data = np.column_stack([pairs.charges, pairs.d_min, pairs.epsilon])
        writes = np.tile([0, 1], (len(reads), 1)) if energies else reads
        return Loop(ca.Function("pair", [x, c], [result]), reads, data, writes, 3 * self._count,
                    2 if energies else 3 * self._count)

    def _motor_loop(self) -> Loop:
        """The force motors on all bodies that turn, in their axes, from their rotations and the forces on all atoms."""
        bodies, atoms, stations = self._atom_rows()
        R, F, s = ca.SX.sym("R", 9), ca.SX.sym("F", 3), ca.SX.sym("s", 3)
        own = ca.reshape(R, 3, 3).T @ F
        kernel = ca.Function("motor", [ca.vertcat(R, F), s], [ca.vertcat(own, ca.cross(s, own))])
        first = 9 * len(self._turning())
        reads = [[9 * b + k for k in range(9)] + [first + 3 * a + k for k in range(3)]
                 for b, a in zip(bodies, atoms, strict=True)]
        writes = [[6 * b + k for k in range(6)] for b in bodies]
        return Loop(kernel, reads, stations, writes, first + 3 * self._count, 6 * len(self._turning()))


def _central_force(x: ca.SX, c: ca.SX) -> ca.SX:
    """The forces on both atoms of a pair: F = −dE/d(r²) · 2 (xᵢ − xⱼ), written so that the square root is taken once.

    with a = (d_min²/r²)³:   −2 dE/d(r²) = (12 ε (a² − a) + C qq/r) / r²
    """
    r = x[:3] - x[3:]
    inverse = 1 / ca.sumsqr(r)
    a = (c[1] * c[1] * inverse) ** 3
    strength = (12 * c[2] * (a * a - a) + c[0] * ca.sqrt(inverse)) * inverse
    return ca.vertcat(strength * r, -strength * r)


def _threes(atoms: Sequence[int]) -> list[list[int]]:
    """Where the three coordinates of each atom lie."""
    return [[3 * k, 3 * k + 1, 3 * k + 2] for k in atoms]


def _refuse_gravity(component: Component, plan: PartsList) -> None:
    """Gravity in m/s² would be taken as nm/ps²."""
    gravity = plan.gravity
    if gravity.uniform and np.linalg.norm(np.array(ca.DM(ca.SX(gravity.g))).ravel()) > WRONG_UNITS * EARTH:
        raise ModelError(f"{component.path}: models of molecules are computed in nm, Da and ps, where gravity is "
                         f"{EARTH:.4g} nm/ps², not 9.80665. Give m.world = lw.World(gravity=None).", component)
