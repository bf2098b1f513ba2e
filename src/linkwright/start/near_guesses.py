"""Positions that close loops, near the guesses: least squares with continuation.

Conditions that must hold (fixed values, loops) and guesses are treated together,

    min  ‖r(x)‖² + μ² ‖guess(x)‖²,      μ falling from large to small,

each solution starting from the one before.  At first the guesses hold, and coordinates without a guess move to where
the gaps of loops are least.  Then the guesses give way, as little as the loops require.  As μ → 0 this becomes the
closed position nearest to the guesses.  Plain Newton steps could jump to any other configuration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..system.least_norm import identity, scaled, solved
from .tolerances import DAMPING, LEAST_DAMPING, LEVEL, LONGEST, MET, MOST_DAMPING, PROGRESS, STEPS, STIFFNESS

if TYPE_CHECKING:
    from ..system import State
    from .problem import StartProblem


def approach(problem: StartProblem, state: State) -> None:
    """Move the positions of a start problem until loops nearly close; Newton's method does the rest."""
    rows = (problem.levels == 0) & (problem.fixed | problem.said)
    for stiffness in STIFFNESS if np.any(rows & ~problem.fixed) else (1.0,):
        levenberg(problem, state, rows, np.where(problem.fixed, 1.0, stiffness)[rows])


def levenberg(problem: StartProblem, state: State, rows: np.ndarray, weights: np.ndarray, tolerance: float = PROGRESS,
              iterations: int = STEPS) -> float:
    """Levenberg–Marquardt: (JᵀJ + ν 1) δ = −Jᵀ r on the given rows, over positions; gives ‖r‖.

    ν grows, and shortens the step, until the sum of squares falls.  It ends where a step changes less than `tolerance`.
    """
    damping, parts = DAMPING, "qpzy"
    r, J = _weighed(problem, state, rows, weights, parts)
    for _ in range(iterations):
        size = np.linalg.norm(r)
        gradient = J.T @ r
        if size < MET or np.max(np.abs(gradient), initial=0.0) < LEVEL:
            break
        moving = np.flatnonzero(abs(J).sum(axis=0))
        normal = J[:, moving].T @ J[:, moving]
        ridge, saved = np.max(normal.diagonal()) * identity(normal), problem.keep(state)
        while damping < MOST_DAMPING:
            step = np.zeros(len(gradient))
            step[moving] = -solved(normal + damping * ridge, gradient[moving])
            step /= max(1.0, np.max(np.abs(step), initial=0.0) / max(LONGEST, size))
            problem.move(state, step)
            new_r, new_J = _weighed(problem, state, rows, weights, parts)
            if np.all(np.isfinite(new_r)) and np.linalg.norm(new_r) < size:
                break
            problem.put_back(state, saved)
            damping *= 5
        else:
            break
        r, J, damping = new_r, new_J, max(damping / 10, LEAST_DAMPING)
        if size - np.linalg.norm(r) < tolerance * size:
            break
    return float(np.linalg.norm(r))


def _weighed(problem: StartProblem, state: State, rows: np.ndarray, weights: np.ndarray,
             parts: str) -> tuple[np.ndarray, np.ndarray]:
    r, J = problem.evaluate(state)
    return r[rows] * weights, problem.moving(scaled(J[rows], weights), parts)
