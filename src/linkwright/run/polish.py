"""The exact impulses of few contacts with what else acts on a step: turning, stops and friction in joints.

With the speeds v = W Λ + b that the impulses leave, and x = Λ − r v, every group of rows has its own projection:

    what presses       Λ = max(0, x)
    a disc             Λ = x, cut off at the radius  coefficient · max(0, x_n),  x_n of the contact it belongs to
    between bounds     Λ = min(max(x, low), high)

Levenberg–Marquardt on what is left of these equations, as in `cone` (Alart and Curnier 1991).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..integrate.gauss_seidel import CONTACT, TURN
from .tolerances import (
    CONE_DAMPING,
    CONE_DAMPINGS,
    CONE_GAIN,
    CONE_LEAST_DAMPING,
    CONE_RANK,
    CONE_RESIDUAL,
    CONE_ROUGHLY,
    CONE_STEPS,
    FOUND,
    TINY,
)


@dataclass(frozen=True)
class Problem:
    """W, b, the steps r; rows that press, discs (rows, row that presses, coefficient), and rows (row, low, high)."""

    W: np.ndarray
    b: np.ndarray
    r: np.ndarray
    pressing: list[int]
    discs: list[tuple[list[int], int, float]]
    bounded: list[tuple[int, float, float]]

    @classmethod
    def of(cls, W: np.ndarray, b: np.ndarray, kinds: np.ndarray, partners: np.ndarray,
           laws: np.ndarray) -> Problem:
        """From the arrays of the sweeps (`integrate.gauss_seidel.sweep`)."""
        pressing: list[int] = []
        discs: list[tuple[list[int], int, float]] = []
        bounded: list[tuple[int, float, float]] = []
        for c, kind in enumerate(kinds.tolist()):
            first = 3 * c
            if kind == CONTACT:
                pressing.append(first)
                discs.append(([first + 1, first + 2], first, laws[c, 0]))
            elif kind == TURN:
                owner = 3 * int(partners[c])
                discs += [([first], owner, laws[c, 0]), ([first + 1, first + 2], owner, laws[c, 1])]
            else:
                bounded.append((first, laws[c, 0], laws[c, 1]))
        moved = np.diagonal(W) > 0
        r = np.where(moved, 1 / np.where(moved, np.diagonal(W), 1.0), 0.0)
        for rows, _, _ in discs:
            largest = np.linalg.eigvalsh(W[np.ix_(rows, rows)])[-1]
            r[rows] = 1 / largest if largest > 0 else 0.0
        return cls(W, b, r, pressing, discs, bounded)

    def residual(self, impulses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Λ less its projection, and the derivatives of that; rows that belong to nothing are zero."""
        tried = impulses - self.r * (self.W @ impulses + self.b)
        slope = np.eye(len(tried)) - self.r[:, None] * self.W
        F, J = impulses.copy(), np.eye(len(tried))
        for row in self.pressing:
            if tried[row] > 0:
                F[row], J[row] = F[row] - tried[row], J[row] - slope[row]
        for rows, owner, coefficient in self.discs:
            pushes, x = tried[owner] > 0, tried[rows]
            limit, length = coefficient * tried[owner] * pushes, float(np.linalg.norm(x))
            if length <= limit:
                F[rows], J[rows] = F[rows] - x, J[rows] - slope[rows]
                continue
            way = x / length
            across = limit / length * (np.eye(len(rows)) - np.outer(way, way))
            F[rows] -= limit * way
            J[rows] -= across @ slope[rows] + coefficient * pushes * np.outer(way, slope[owner])
        for row, low, high in self.bounded:
            inside = low < tried[row] < high
            F[row] -= min(max(tried[row], low), high)
            J[row] -= inside * slope[row]
        return F, J


def polished(problem: Problem, start: np.ndarray) -> np.ndarray | None:
    """The impulses, looked for from `start`; None where none were found."""
    n, small = len(start), float((np.abs(problem.b) * problem.r).max()) + TINY
    found, damping = start.copy(), CONE_DAMPING
    F, J = problem.residual(found)
    size = float(np.linalg.norm(F))
    for _ in range(CONE_STEPS):
        if np.abs(F).max() <= FOUND * small:
            break
        for _ in range(CONE_DAMPINGS):
            weight = np.sqrt(damping * (min(1.0, size / small) + CONE_RESIDUAL))
            change = np.linalg.lstsq(np.vstack([J, weight * np.eye(n)]), np.concatenate([-F, np.zeros(n)]),
                                     rcond=CONE_RANK)[0]
            news = problem.residual(found + change)
            better = float(np.linalg.norm(news[0]))
            if better < size * (1 - CONE_GAIN):
                break
            damping *= 10
        else:
            break
        found, (F, J), size, damping = found + change, news, better, max(damping / 5, CONE_LEAST_DAMPING)
    return found if np.abs(F).max() <= CONE_ROUGHLY * small else None
