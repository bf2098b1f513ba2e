"""The energies of single terms as expressions of places of atoms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...errors import ModelError
from ..tolerances import EXACT_PHASE
from .atom_pairs import Pairs
from .field import TERMS, Periods, Spring
from .topology import Term, Topology


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


def _clean(number: float) -> float:
    """0 and ±1 exactly where phases are given as 3.14159265359."""
    near = round(number)
    return float(near) if abs(number - near) < EXACT_PHASE else number


@cache
def _kernel(kind: str) -> ca.Function:
    """The distance, the angle, or (angle, cosine, sine) of the torsion of atoms, as a function of their places.

    Traced once; called with symbols it is written out, called with columns of numbers it gives a row.
    """
    count = {"bond": 2, "angle": 3}.get(kind, 4)
    x = ca.SX.sym("x", 3 * count)
    own = [x[3 * k:3 * k + 3] for k in range(count)]
    if kind in ("bond", "angle"):
        return ca.Function(kind, [x], [length(*own) if kind == "bond" else bend(*own)])
    cosine, sine, r = _turn(*own)
    return ca.Function("torsion", [x], [ca.atan2(sine, cosine), cosine / r, sine / r])


def _periods(law: Periods, cosine: Scalar, sine: Scalar) -> Scalar:
    """Σ k (1 + cos(n φ − φ₀)) without any sine: cos nφ + i sin nφ = (cos φ + i sin φ)ⁿ; of symbols or arrays."""
    powers, total = [(1.0, 0.0)], 0.0
    for n, k, phase in law.terms:
        while len(powers) <= n:
            c, s = powers[-1]
            powers.append((c * cosine - s * sine, s * cosine + c * sine))
        c, s = powers[n]
        total += k * (1 + c * _clean(math.cos(phase)) + s * _clean(math.sin(phase))) if k else 0
    return total


def _law_energy(topology: Topology, term: Term, value: ca.SX) -> ca.SX:
    """What a law of one's own gives."""
    energy = term.law.law(value)
    if not isinstance(energy, ca.SX) or energy.numel() != 1:
        raise ModelError(f"{topology.field.name}: the law of {term.kind} {topology.said(*term.atoms)} must return "
                         f"an energy, one expression of its argument; got {energy!r}.")
    return energy


def term_energy(topology: Topology, term: Term, places: Sequence[ca.SX] | Mapping[int, ca.SX]) -> ca.SX:
    """The energy of a bonded term; `places` are those of all atoms."""
    found = _kernel(term.kind).call([ca.vertcat(*[places[k] for k in term.atoms])])
    if term.law.law is not None:
        energy = _law_energy(topology, term, found[0])
    elif isinstance(term.law, Spring):
        energy = term.law.k * (found[0] - term.law.at) ** 2
    else:
        energy = _periods(term.law, found[1], found[2])
    return topology.field.factor(term.kind) * energy


def pair_energies(r2: ca.SX, charges: ca.SX, d_min: ca.SX, epsilon: ca.SX) -> tuple[ca.SX, ca.SX]:
    """(van der Waals, Coulomb) of a pair at the square of its distance."""
    sixth = (d_min * d_min / r2) ** 3
    return epsilon * (sixth * sixth - 2 * sixth), charges / ca.sqrt(r2)


def energy_numbers(topology: Topology, terms: Sequence[Term], pairs: Pairs) -> dict[str, float]:
    """Energies by kind at the places the atoms are given at; all kinds, zero where there is none."""
    found = dict.fromkeys(TERMS, 0.0)
    for kind in dict.fromkeys(term.kind for term in terms):
        own = [term for term in terms if term.kind == kind]
        columns = topology.positions[[term.atoms for term in own]].reshape(len(own), -1).T
        rows = [np.array(row).ravel() for row in _kernel(kind).call([ca.DM(columns)])]
        for term, *row in zip(own, *rows, strict=True):
            if term.law.law is not None:
                energy = float(_law_energy(topology, term, ca.SX(row[0])))
            elif isinstance(term.law, Spring):
                energy = term.law.k * (row[0] - term.law.at) ** 2
            else:
                energy = _periods(term.law, row[1], row[2])
            found[kind] += topology.field.factor(kind) * energy
    if len(pairs):
        found["van_der_waals"], found["coulomb"] = pairs.energies(topology.positions)
    return found
