"""The energies of single terms as expressions of places of atoms."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np

from ...errors import ModelError
from .field import Periods, Spring
from .topology import Pair, Term, Topology


def length(a: ca.SX, b: ca.SX) -> ca.SX:
    """|b − a|."""
    return ca.sqrt(ca.sumsqr(b - a))


def bend(a: ca.SX, b: ca.SX, c: ca.SX) -> ca.SX:
    """The angle at b, 0 … π, by its tangent: well-conditioned everywhere but at 0 and π themselves."""
    u, v = a - b, c - b
    w = ca.cross(u, v)
    return ca.atan2(ca.sqrt(ca.sumsqr(w)), ca.dot(u, v))


def _turn(a: ca.SX, b: ca.SX, c: ca.SX, d: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(x, y, r) with cos φ = x/r, sin φ = y/r of the torsion a–b–c–d: 0 is cis, right-handed about b → c (IUPAC)."""
    u, v, w = b - a, c - b, d - c
    m, n = ca.cross(u, v), ca.cross(v, w)
    return ca.dot(m, n), ca.sqrt(ca.sumsqr(v)) * ca.dot(u, n), ca.sqrt(ca.sumsqr(m) * ca.sumsqr(n))


def dihedral(a: ca.SX, b: ca.SX, c: ca.SX, d: ca.SX) -> ca.SX:
    """The torsion angle a–b–c–d, −π … π."""
    x, y, _ = _turn(a, b, c, d)
    return ca.atan2(y, x)


def periodic(law: Periods, *places: ca.SX) -> ca.SX:
    """Σ k (1 + cos(n φ − φ₀)) without any sine: cos nφ + i sin nφ = (cos φ + i sin φ)ⁿ."""
    x, y, r = _turn(*places)
    cosine, sine = x / r, y / r
    powers = [(ca.SX(1), ca.SX(0))]
    total = ca.SX(0)
    for n, k, phase in law.terms:
        while len(powers) <= n:
            c, s = powers[-1]
            powers.append((c * cosine - s * sine, s * cosine + c * sine))
        c, s = powers[n]
        total += k * (1 + c * _clean(math.cos(phase)) + s * _clean(math.sin(phase))) if k else 0
    return total


def _clean(number: float) -> float:
    """0 and ±1 exactly where phases are given as 3.14159265359."""
    near = round(number)
    return float(near) if abs(number - near) < 1e-11 else number


def term_energy(topology: Topology, term: Term, places: list[ca.SX]) -> ca.SX:
    """The energy of a bonded term; `places` are those of all atoms."""
    own = [places[k] for k in term.atoms]
    value = {"bond": length, "angle": bend}.get(term.kind, dihedral)
    law = term.law
    if law.law is not None:
        energy = law.law(value(*own))
        if not isinstance(energy, ca.SX) or energy.numel() != 1:
            raise ModelError(f"{topology.field.name}: the law of {term.kind} {topology.said(*term.atoms)} must return "
                             f"an energy, one expression of its argument; got {energy!r}.")
    elif isinstance(law, Spring):
        energy = law.k * (value(*own) - law.at) ** 2
    else:
        energy = periodic(law, *own)
    return topology.field.factor(term.kind) * energy


def pair_energies(r2: ca.SX, charges: ca.SX, d_min: ca.SX, epsilon: ca.SX) -> tuple[ca.SX, ca.SX]:
    """(van der Waals, Coulomb) of a pair at the square of its distance."""
    sixth = (d_min * d_min / r2) ** 3
    return epsilon * (sixth * sixth - 2 * sixth), charges / ca.sqrt(r2)


def energy_numbers(topology: Topology, terms: list[Term], pairs: list[Pair]) -> dict[str, float]:
    """Energies by kind at the places the atoms are given at; all kinds, zero where there is none."""
    from .field import TERMS

    x = topology.positions
    places = [ca.SX(row) for row in x]
    found = dict.fromkeys(TERMS, 0.0)
    for term in terms:
        found[term.kind] += float(term_energy(topology, term, places))
    if pairs:
        table = np.array([(*p.atoms, p.charges, p.d_min, p.epsilon) for p in pairs])
        i, j = table[:, 0].astype(int), table[:, 1].astype(int)
        r2 = ((x[i] - x[j]) ** 2).sum(axis=1)
        sixth = (table[:, 3] ** 2 / r2) ** 3
        found["van_der_waals"] = float((table[:, 4] * (sixth**2 - 2 * sixth)).sum())
        found["coulomb"] = float((table[:, 2] / np.sqrt(r2)).sum())
    return found
