"""Water around molecules as a continuum: generalised Born of Onufriev, Bashford and Case, with ACE's surface term.

Every atom has an intrinsic radius R, ρ = R − offset, and a scale s.  What others take of its surroundings is summed
over pairs (Hawkins, Cramer, Truhlar 1996), with S = s_j ρ_j, U = r + S, L = max(ρ_i, |r − S|):

    Iᵢ = Σⱼ ½ (1/L − 1/U + ¼ (r − S²/r)(1/U² − 1/L²) + ½ log(L/U)/r + [ρᵢ < S − r] 2 (1/ρᵢ − 1/L))     where ρᵢ < U

and gives the Born radius (OBC, Proteins 55 (2004) 383, eq. 6), ψ = ρ I:

    1/B = 1/ρ − tanh(α ψ − β ψ² + γ ψ³)/R

With these the energies are, C′ = C (1/κ_solute − 1/κ_solvent),

    polar      −C′ Σ_{i<j} qᵢqⱼ/f − ½ C′ Σ qᵢ²/Bᵢ,      f² = r² + BᵢBⱼ exp(−r²/(4 BᵢBⱼ))      (Still 1990)
    surface    4π σ Σ (R + probe)² (R/B)⁶                                                        (ACE, Schaefer 1998)

Forces take two more passes over the pairs: one gives forces at fixed radii and ∂E/∂B, the next, through ∂E/∂I, those
of changing radii.  All atoms count, also those that rest together: what lies between two others shields them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from ...codegen import Loop
from ...errors import ModelError
from .born import KINDS, ON_NITROGEN, OTHER_SCALE, RADII, SCALES, Born
from .topology import Topology


def surroundings(topology: Topology) -> Surroundings | None:
    """The solvent around a molecule, where its field has one."""
    field = topology.field
    if field.born is None:
        return None
    if field.dielectric != 1:
        raise ModelError(f"{field.name}: dielectric = {field.dielectric:g} beside a Born solvent, which has dielectric "
                         "constants of its own; leave dielectric at 1.")
    sizes = np.array([_size(topology, k, field.born) for k in range(len(topology.atoms))])
    charges = np.array([atom.type.charge for atom in topology.atoms])
    return Surroundings(field.born, sizes[:, 0], sizes[:, 1], charges, field.coulomb * field.factor("born"),
                        field.factor("surface"))


def _size(topology: Topology, k: int, born: Born) -> tuple[float, float]:
    """Radius and scale of an atom."""
    atom = topology.atoms[k]
    own = born.atoms.get(atom.type.name)
    if own is None:
        if atom.element not in RADII:
            raise ModelError(f"{atom.label}: no Born radius is known for {atom.element}; give "
                             f"Born(atoms={{{atom.type.name!r}: (radius in nm, scale)}}).")
        on_nitrogen = atom.element == "H" and any(topology.atoms[j].element == "N" for j in topology.neighbours[k])
        own = ON_NITROGEN if on_nitrogen else RADII[atom.element], SCALES.get(atom.element, OTHER_SCALE)
    if not own[0] > born.offset:
        raise ModelError(f"{atom.label}: its Born radius {own[0]:g} nm must exceed the offset {born.offset:g} nm.")
    return own


@dataclass(frozen=True, eq=False)
class Surroundings:
    """A solvent around given atoms: its energy and forces as loops over pairs and atoms, functions of all places."""

    born: Born
    radii: np.ndarray
    scales: np.ndarray
    charges: np.ndarray
    coulomb: float
    surface: float = 1.0  # factor of the surface term

    def energies(self, x: ca.SX) -> tuple[ca.SX, ca.SX]:
        """(polar, surface) for the places of all atoms as one vector."""
        B = self._radius(self._sums(x))
        own = self._own_energy(B)
        return self._pair_energy(ca.vertcat(x, B)) + own[0], own[1]

    def forces(self, x: ca.SX) -> ca.SX:
        """−∂E/∂x."""
        n = len(self.radii)
        sums = self._sums(x)
        B = self._radius(sums)
        at_fixed = self._pair_force(ca.vertcat(x, B))
        by_sums = (at_fixed[3 * n:] + self._own_slope(B)) * self._radius_slope(sums)
        return at_fixed[:3 * n] + self._chain(ca.vertcat(x, by_sums))

    def energy_numbers(self, places: np.ndarray) -> tuple[float, float]:
        """(polar, surface) with atoms at places (n, 3)."""
        x = places.ravel()
        B = self._radius.numbers(self._sums.numbers(x))
        own = self._own_energy.numbers(B)
        return float(self._pair_energy.numbers(np.concatenate([x, B]))[0] + own[0]), float(own[1])

    # --- numbers that loops need ---

    @cached_property
    def _rho(self) -> np.ndarray:
        return self.radii - self.born.offset

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        return np.triu_indices(len(self.radii), 1)

    @cached_property
    def _strength(self) -> float:
        """C′."""
        return self.coulomb * (1 / self.born.solute - 1 / self.born.solvent)

    @cached_property
    def _shadow(self) -> np.ndarray:
        """(ρᵢ, Sᵢ, ρⱼ, Sⱼ) of every pair."""
        (i, j), scaled = self._pairs, self.scales * self._rho
        return np.column_stack([self._rho[i], scaled[i], self._rho[j], scaled[j]])

    def _threes(self, *columns: np.ndarray) -> np.ndarray:
        """Where the coordinates of both atoms of each pair lie, then other columns."""
        both = np.column_stack(self._pairs)
        return np.column_stack([(3 * both[:, :, None] + np.arange(3)).reshape(-1, 6), *columns])

    # --- loops over pairs ---

    @cached_property
    def _sums(self) -> Loop:
        """x → I."""
        x, c, n = ca.SX.sym("x", 6), ca.SX.sym("c", 4), len(self.radii)
        r = ca.sqrt(ca.sumsqr(x[:3] - x[3:]))
        kernel = ca.Function("shadows", [x, c], [ca.vertcat(_shadow(r, c[0], c[3]), _shadow(r, c[2], c[1]))])
        return Loop(kernel, self._threes(), self._shadow, np.column_stack(self._pairs), 3 * n, n)

    @cached_property
    def _pair_energy(self) -> Loop:
        """(x, B) → the polar energy between atoms."""
        x, c, n = ca.SX.sym("x", 8), ca.SX.sym("c", 1), len(self.radii)
        i, j = self._pairs
        kernel = ca.Function("polar", [x, c], [_polar(x, c)])
        data = -self._strength * self.charges[i] * self.charges[j]
        reads = self._threes(3 * n + i, 3 * n + j)
        return Loop(kernel, reads, data[:, None], np.zeros((len(i), 1)), 4 * n, 1)

    @cached_property
    def _pair_force(self) -> Loop:
        """(x, B) → forces at fixed radii, then ∂E/∂B."""
        x, c, n = ca.SX.sym("x", 8), ca.SX.sym("c", 1), len(self.radii)
        i, j = self._pairs
        slope = ca.gradient(_polar(x, c), x)
        kernel = ca.Function("polar_force", [x, c], [ca.vertcat(-slope[:6], slope[6:])])
        data = -self._strength * self.charges[i] * self.charges[j]
        reads = self._threes(3 * n + i, 3 * n + j)
        return Loop(kernel, reads, data[:, None], reads, 4 * n, 4 * n)

    @cached_property
    def _chain(self) -> Loop:
        """(x, ∂E/∂I) → forces of changing radii."""
        x, c, n = ca.SX.sym("x", 8), ca.SX.sym("c", 4), len(self.radii)
        i, j = self._pairs
        r = ca.SX.sym("r")
        both = ca.jacobian(ca.vertcat(_shadow(r, c[0], c[3]), _shadow(r, c[2], c[1])), r)
        away = x[:3] - x[3:6]
        distance = ca.sqrt(ca.sumsqr(away))
        slopes = ca.Function("slopes", [r, c], [both])(distance, c)
        force = -ca.dot(x[6:], slopes) / distance * away
        kernel = ca.Function("chain", [x, c], [ca.vertcat(force, -force)])
        return Loop(kernel, self._threes(3 * n + i, 3 * n + j), self._shadow, self._threes(), 4 * n, 3 * n)

    # --- loops over atoms ---

    def _each(self, name: str, law: Callable[[ca.SX, ca.SX], ca.SX], *data: np.ndarray, together: int = 0) -> Loop:
        """law(value, constants) of every atom; with `together`, so many results are summed over all atoms."""
        n = len(self.radii)
        x, c = ca.SX.sym("x"), ca.SX.sym("c", len(data))
        own = np.arange(n)[:, None]
        writes = np.tile(np.arange(together), (n, 1)) if together else own
        return Loop(ca.Function(name, [x, c], [law(x, c)]), own, np.column_stack(data), writes, n, together or n)

    @cached_property
    def _radius(self) -> Loop:
        """I → B."""
        return self._each("radius", self._radius_law, self._rho, self.radii)

    @cached_property
    def _radius_slope(self) -> Loop:
        """I → dB/dI."""
        return self._each("radius_slope", lambda x, c: ca.jacobian(self._radius_law(x, c), x), self._rho, self.radii)

    def _radius_law(self, x: ca.SX, c: ca.SX) -> ca.SX:
        alpha, beta, gamma = KINDS[self.born.kind]
        psi = c[0] * x
        return 1 / (1 / c[0] - ca.tanh(psi * (alpha + psi * (gamma * psi - beta))) / c[1])

    def _own(self) -> tuple[np.ndarray, np.ndarray]:
        """What is divided by B, and by B⁶."""
        polar = -0.5 * self._strength * self.charges**2
        surface = 4 * np.pi * self.born.surface * (self.radii + self.born.probe) ** 2 * self.radii**6
        return polar, surface * (self.surface if self.born.ace else 0.0)

    @cached_property
    def _own_energy(self) -> Loop:
        """B → (polar energy of atoms by themselves, surface)."""
        return self._each("own", lambda B, c: ca.vertcat(c[0] / B, c[1] / B**6), *self._own(), together=2)

    @cached_property
    def _own_slope(self) -> Loop:
        """B → ∂E/∂B of the same."""
        return self._each("own_slope", lambda B, c: -c[0] / B**2 - 6 * c[1] / B**7, *self._own())


def _shadow(r: ca.SX, rho: ca.SX, S: ca.SX) -> ca.SX:
    """What an atom of radius S at distance r takes of the surroundings of one of radius ρ."""
    U, L = r + S, ca.fmax(rho, ca.fabs(r - S))
    inside = ca.if_else(rho < S - r, 2 * (1 / rho - 1 / L), 0)
    whole = 0.5 * (1 / L - 1 / U + 0.25 * (r - S * S / r) * (1 / (U * U) - 1 / (L * L)) + 0.5 * ca.log(L / U) / r
                   + inside)
    return ca.if_else(rho < U, whole, 0)


def _polar(x: ca.SX, c: ca.SX) -> ca.SX:
    """c/f of places and Born radii of a pair."""
    r2, both = ca.sumsqr(x[:3] - x[3:6]), x[6] * x[7]
    return c / ca.sqrt(r2 + both * ca.exp(-r2 / (4 * both)))
