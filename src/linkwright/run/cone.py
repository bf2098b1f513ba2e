"""Coulomb's cone at an instant, or in a step: the forces (or impulses) of contacts that press and rub.

For every contact, normal first, then two tangents, with the motion a = W λ + b that the forces leave:

    0 ≤ a_n ⊥ λ_n − least ≥ 0            a contact opens, or presses
    |λ_t| ≤ μ λ_n;   a_t ≠ 0 ⇒ λ_t = −μ λ_n a_t/|a_t|      it holds, or slides against the motion

`least` is a normal force that acts in any case (0, or in the expansion phase of an impact what is given back).  Where
the `direction` of sliding is known already, λ_t = −μ λ_n direction, whatever a_t is.  `cone_search` solves it.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from ..codegen.dialect import compiled, hypot, real, whole
from ..integrate.gauss_seidel import CONTACT, SINGLE
from .cone_search import largest, move, search
from .contact_cone import ROUNDS
from .tolerances import CONE_ROUGHLY, TINY


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
    if start is None:
        start = np.zeros(3 * n)
        start[0::3] = least
    known, ways = np.zeros(n, dtype=np.int64), np.zeros((n, 2))
    for i, way in (directions or {}).items():
        known[i], ways[i] = 1, way
    best = np.zeros(3 * n)
    found = found_rows(np.array(W, dtype=float), np.asarray(b, dtype=float), kinds, partners, laws, least, known, ways,
                       start.astype(float), scale, best, np.zeros(24 * n), np.zeros((6 * n, 3 * n)))
    return best if found else None


@compiled
def found_rows(W: real[:, :], b: real[:], kinds: whole[:], partners: whole[:], laws: real[:, 3], least: real[:],
               known: whole[:], ways: real[:, 2], start: real[:], scale: float, best: real[:], room: real[:],
               J: real[:, :]) -> bool:
    """Forces, in `best`, looked for from `start`; whether there are any.  What follows is room, 24 n and (6n, 3n).

    Where nothing moves (the second tangent in a plane) W becomes one, and the force zero.
    """
    m, n, pressing, some = len(kinds), 3 * len(kinds), 0.0, False
    for i in range(n):
        if W[i, i] <= 0.0:
            W[i, i] = 1.0
    r = room[0:n]
    find_steps(W, kinds, r)
    for c in range(m):
        some = some or kinds[c] != SINGLE
    for c in range(m):
        if kinds[c] != SINGLE or not some:
            pressing = max(pressing, r[3 * c])
    x, motion = room[n : 2 * n], room[2 * n : 3 * n]
    x[:n] = 0.0
    size = max(scale, largest(n, b))
    move(n, W, x, start, motion)
    size = max(size, largest(n, motion))
    small = size * pressing + TINY
    left = search(m, W, b, r, kinds, partners, laws, least, known, ways, start, ROUNDS, size, small, x, motion,
                  room[3 * n : 4 * n], room[4 * n : 5 * n], room[5 * n : 7 * n], J, room[7 * n : 8 * n], best)
    return left <= CONE_ROUGHLY * small


@compiled
def find_steps(W: real[:, :], kinds: whole[:], r: real[:]) -> None:
    """r of every row: one over what it gives way, and over the most that two which share a disc do."""
    for i in range(len(r)):
        r[i] = 1 / W[i, i]
    for c in range(len(kinds)):
        k = 3 * c
        if kinds[c] != SINGLE:
            first, second, across = W[k + 1, k + 1], W[k + 2, k + 2], W[k + 1, k + 2]
            most = (first + second) / 2 + hypot((first - second) / 2, across)
            r[k + 1], r[k + 2] = 1 / most, 1 / most
