"""Coulomb's cone at an instant: the forces (or impulses) of several contacts that press and rub.

For every contact, normal first, then two tangents, with the motion a = W λ + b that the forces leave:

    0 ≤ a_n ⊥ λ_n − least ≥ 0            a contact opens, or presses
    |λ_t| ≤ μ λ_n;   a_t ≠ 0 ⇒ λ_t = −μ λ_n a_t/|a_t|      it holds, or slides against the motion

`least` is a normal force that acts in any case (0, or in the expansion phase of an impact what is given back).  Where
the `direction` of sliding is known already, λ_t = −μ λ_n direction, whatever a_t is.

A few sweeps of projected Gauss–Seidel, then Levenberg–Marquardt on the residual of Alart and Curnier (1991),

    λ_n − max(least, λ_n − r a_n),      λ_t − disk(λ_t − r a_t; μ max(least, λ_n − r a_n))

which works for a singular W too, such as that of four legs on a floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from ..integrate import cone_loops
from .tolerances import (
    CONE_DAMPING,
    CONE_DAMPINGS,
    CONE_ENDLESS,
    CONE_GAIN,
    CONE_HARDLY,
    CONE_LEAST_DAMPING,
    CONE_RANK,
    CONE_RESIDUAL,
    CONE_ROUGHLY,
    CONE_SLOWLY,
    CONE_STARTS,
    CONE_STEPS,
    CONE_SWEEPS,
    FOUND,
    TINY,
)


@dataclass(frozen=True)
class Cone:
    """A problem: W (3n, 3n), b (3n,), μ (n,), least (n,), directions {contact: (2,)}; `scale` of b."""

    W: np.ndarray
    b: np.ndarray
    mu: np.ndarray
    least: np.ndarray
    directions: dict[int, np.ndarray]
    scale: float


def solve(W: np.ndarray, b: np.ndarray, mu: np.ndarray, least: np.ndarray | None = None,
          directions: dict[int, np.ndarray] | None = None, scale: float = 0.0,
          start: np.ndarray | None = None) -> np.ndarray | None:
    """λ (3n,), looked for from `start`; None where there is none (Painlevé's paradox) or none was found."""
    n = len(mu)
    least = np.zeros(n) if least is None else np.asarray(least, dtype=float)
    if not n:
        return np.zeros(0)
    padded, b = _padded(np.asarray(W, dtype=float)), np.asarray(b, dtype=float)
    if start is None:
        start = np.zeros(3 * n)
        start[0::3] = least
    scale = max(scale, np.abs(b).max(), np.abs(padded @ start).max())
    return _Search(Cone(padded, b, np.asarray(mu, dtype=float), least, directions or {}, scale)).run(start)


def _padded(W: np.ndarray) -> np.ndarray:
    """W with a one in the place of rows that nothing moves (the second tangent in a plane): their force is zero."""
    empty = np.diagonal(W) <= 0
    return W + np.diag(empty.astype(float)) if empty.any() else W


class _Search:
    def __init__(self, p: Cone):
        self.p, n = p, len(p.mu)
        tangents = [slice(3 * i + 1, 3 * i + 3) for i in range(n)]
        r_n = 1 / np.diagonal(p.W)[0::3]
        r_t = np.array([1 / np.linalg.eigvalsh(p.W[t, t])[-1] for t in tangents])
        known, ways = np.zeros(n, dtype=np.int64), np.zeros((n, 2))
        for i, way in p.directions.items():
            known[i], ways[i] = 1, way
        arrays = (p.W, p.b, p.mu, p.least, r_n, r_t, known, ways, np.zeros(3 * n))
        self.problem = tuple(map(np.ascontiguousarray, arrays))
        self.small = p.scale * r_n.max() + TINY

    def run(self, start: np.ndarray) -> np.ndarray | None:
        force, best = start.astype(float), (np.inf, start)
        for sweeps in (*CONE_SWEEPS, CONE_SLOWLY):
            cone_loops.sweep(*self.problem, force, sweeps, CONE_ENDLESS * self.p.scale)
            if not np.abs(force).max() < CONE_ENDLESS * self.small:
                return None
            best = min(best, self._descend(force), key=itemgetter(0))
            if best[0] <= FOUND * self.small:
                return best[1]
        rng, size = np.random.default_rng(1), np.abs(force).max()
        for _ in range(CONE_STARTS):
            begin = 10 ** rng.uniform(-2, 1) * size * rng.normal(size=len(force))
            begin[0::3] = np.abs(begin[0::3])
            best = min(best, self._descend(begin), key=itemgetter(0))
            if best[0] <= FOUND * self.small:
                return best[1]
        return best[1] if best[0] <= CONE_ROUGHLY * self.small else None

    def _residual(self, force: np.ndarray) -> np.ndarray:
        F = np.empty(len(force))
        cone_loops.residual(*self.problem, force, F)
        return F

    def _descend(self, force: np.ndarray) -> tuple[float, np.ndarray]:
        """Levenberg–Marquardt: the largest residual that is left, and the forces."""
        F, damping, n = self._residual(force), CONE_DAMPING, len(force)
        size, least, right = float(np.linalg.norm(F)), np.zeros((2 * n, n)), np.zeros(2 * n)
        for step in range(CONE_STEPS):
            if np.abs(F).max() <= FOUND * self.small:
                break
            cone_loops.jacobian(*self.problem, force, least)
            right[:n] = -F
            for _ in range(CONE_DAMPINGS):
                np.fill_diagonal(least[n:], np.sqrt(damping * (min(1.0, size / self.small) + CONE_RESIDUAL)))
                change = np.linalg.lstsq(least, right, rcond=CONE_RANK)[0]
                G = self._residual(force + change)
                better = float(np.linalg.norm(G))
                if better < size * (1 - CONE_GAIN):
                    break
                damping *= 10
            else:
                break
            slow = better > 0.99 * size
            force, F, size, damping = force + change, G, better, max(damping / 5, CONE_LEAST_DAMPING)
            if slow and step > CONE_HARDLY:
                break
        return float(np.abs(F).max()), force
