"""Coulomb's cone at an instant, or in a step: the forces (or impulses) of contacts that press and rub.

For every contact, normal first, then two tangents, with the motion a = W λ + b that the forces leave:

    0 ≤ a_n ⊥ λ_n − least ≥ 0            a contact opens, or presses
    |λ_t| ≤ μ λ_n;   a_t ≠ 0 ⇒ λ_t = −μ λ_n a_t/|a_t|      it holds, or slides against the motion

`least` is a normal force that acts in any case (0, or in the expansion phase of an impact what is given back).  Where
the `direction` of sliding is known already, λ_t = −μ λ_n direction, whatever a_t is.  `cone_search` solves it.
"""

from __future__ import annotations

import numpy as np

from ..integrate.gauss_seidel import CONTACT, SINGLE
from . import cone_search
from .tolerances import CONE_ROUGHLY, CONE_SLOWLY, CONE_SWEEPS, TINY

_ROUNDS = np.array([*CONE_SWEEPS, CONE_SLOWLY])


def solve(W: np.ndarray, b: np.ndarray, mu: np.ndarray, least: np.ndarray | None = None,
          directions: dict[int, np.ndarray] | None = None, scale: float = 0.0,
          start: np.ndarray | None = None) -> np.ndarray | None:
    """λ (3n,), looked for from `start`; None where there is none (Painlevé's paradox) or none was found."""
    n = len(mu)
    laws = np.zeros((n, 3))
    laws[:, 0] = mu
    return solve_rows(W, b, np.full(n, CONTACT), np.full(n, -1), laws, least, directions, scale, start)


def solve_rows(W: np.ndarray, b: np.ndarray, kinds: np.ndarray, partners: np.ndarray, laws: np.ndarray,
               least: np.ndarray | None = None, directions: dict[int, np.ndarray] | None = None, scale: float = 0.0,
               start: np.ndarray | None = None) -> np.ndarray | None:
    """The same with turning of contacts, and single rows, among them (`integrate.gauss_seidel.sweep` has the kinds)."""
    n = len(kinds)
    least = np.zeros(n) if least is None else np.asarray(least, dtype=float)
    if not n:
        return np.zeros(0)
    padded, b = _padded(np.asarray(W, dtype=float)), np.asarray(b, dtype=float)
    if start is None:
        start = np.zeros(3 * n)
        start[0::3] = least
    scale = max(scale, np.abs(b).max(), np.abs(padded @ start).max())
    known, ways = np.zeros(n, dtype=np.int64), np.zeros((n, 2))
    for i, way in (directions or {}).items():
        known[i], ways[i] = 1, way
    r = steps(padded, kinds)
    pressing = r[0::3][kinds != SINGLE] if np.any(kinds != SINGLE) else r
    small, room = float(scale * pressing.max() + TINY), [np.zeros(3 * n) for _ in range(6)]
    best = np.zeros(3 * n)
    left = cone_search.search(n, padded, b, r, kinds, partners, laws, least, known, ways, start.astype(float), _ROUNDS,
                              scale, small, *room[:4], np.zeros(6 * n), np.zeros((6 * n, 3 * n)), room[4], best)
    return best if left <= CONE_ROUGHLY * small else None


def steps(W: np.ndarray, kinds: np.ndarray) -> np.ndarray:
    """r of every row: one over what it gives way, and over the most that two which share a disc do."""
    size = np.diagonal(W).copy()
    first, second = size[1::3], size[2::3]
    across = W[np.arange(1, len(W), 3), np.arange(2, len(W), 3)]
    most = (first + second) / 2 + np.hypot((first - second) / 2, across)
    both = kinds != SINGLE
    size[1::3][both], size[2::3][both] = most[both], most[both]
    return 1 / size


def _padded(W: np.ndarray) -> np.ndarray:
    """W with a one in the place of rows that nothing moves (the second tangent in a plane): their force is zero."""
    empty = np.diagonal(W) <= 0
    return np.ascontiguousarray(W + np.diag(empty.astype(float)) if empty.any() else W)
