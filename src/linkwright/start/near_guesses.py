"""Positions that close loops, near the guesses: least squares with continuation.

Conditions that must hold (fixed values, loops) and guesses are treated together,

    min  ‖r(x)‖² + μ² ‖guess(x)‖²,      μ falling from large to small,

each solution starting from the one before.  At first the guesses hold, and coordinates without a guess move to where
the gaps of loops are least.  Then the guesses give way, as little as the loops require.  As μ → 0 this becomes the
closed position nearest to the guesses, which `nearest` ends at: where a loop is cut does not decide where it starts.
Plain Newton steps could jump to any other configuration.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..system.least_norm import Matrix, as_dense, least_norm
from ..system.least_squares import Damped
from .tolerances import (
    CLOSED,
    LONGEST,
    MET,
    NO_STEP,
    PROGRESS,
    SAME_EQUATION,
    SHARED_OUT,
    SHORTER_STEPS,
    STEPS,
    STIFFNESS,
    UNSEEN,
)

if TYPE_CHECKING:
    from ..system import State
    from .problem import StartProblem


def approach(problem: StartProblem, state: State) -> None:
    """Move the positions of a start problem until loops nearly close; Newton's method does the rest."""
    rows = (problem.levels == 0) & (problem.fixed | problem.said)
    for stiffness in STIFFNESS if np.any(rows & ~problem.fixed) else (1.0,):
        levenberg(problem, state, rows, np.where(problem.fixed, 1.0, stiffness)[rows])


def nearest(problem: StartProblem, state: State) -> None:
    """From a closed position to the one nearest to the guesses:  min ‖guess(x)‖²  over the x with r(x) = 0.

    Gauss–Newton in the directions Z that keep what must hold (J Z = 0):  δ = δ₀ + Z w,  J δ₀ = −r,  and w the shortest
    with ‖guess + G (δ₀ + Z w)‖ least (Björck 1996, 5.1.3); after each step Newton's method closes the loops again.
    Steps come nearer, or are too short for that to be seen and half as long as the last.
    """
    on_positions, guessed = problem.levels == 0, problem.conditions.guessed
    must = on_positions & problem.fixed
    if not guessed.any() or problem.conditions.pattern.shape[1] > SHARED_OUT:
        return
    last = 2 * UNSEEN
    for _ in range(STEPS):
        r, J = problem.evaluate(state)
        J = as_dense(problem.moving(J, "qpzy"))
        g, moving = r[guessed], np.flatnonzero(np.abs(J).sum(axis=0))
        if np.linalg.norm(g) < MET:
            return
        A, G = J[must][:, moving], J[guessed][:, moving]
        _, sizes, V = np.linalg.svd(A)
        Z = V[np.count_nonzero(sizes > SAME_EQUATION * sizes.max(initial=0.0)) :].T
        if not Z.shape[1]:
            return
        back = -least_norm(A, r[must]) if len(A) else np.zeros(len(moving))
        step, saved = np.zeros(J.shape[1]), problem.keep(state)
        step[moving] = back - Z @ least_norm(G @ Z, g + G @ back)
        length = np.abs(step).max(initial=0.0)
        if length < NO_STEP:
            return
        for share in SHORTER_STEPS:
            problem.move(state, step * share / max(1.0, length / LONGEST))
            problem.solve(state, everything=False, only="qpzy", rows=on_positions)
            new = problem.residual(state)
            nearer = np.linalg.norm(new[guessed]) < np.linalg.norm(g) or length < last / 2
            if nearer and np.abs(new[must]).max(initial=0.0) < CLOSED:
                break
            problem.put_back(state, saved)
        else:
            return
        last = min(length, 2 * UNSEEN)


def levenberg(problem: StartProblem, state: State, rows: np.ndarray, weights: np.ndarray, tolerance: float = PROGRESS,
              iterations: int = STEPS) -> float:
    """Levenberg–Marquardt on the given rows, over positions, until a step changes less than `tolerance`; gives ‖r‖."""
    damped, before = Damped(), np.inf

    def trials(_: object, r: np.ndarray, J: Matrix) -> Iterator[np.ndarray]:
        limit = max(LONGEST, np.linalg.norm(r))
        return (step / max(1.0, np.max(np.abs(step), initial=0.0) / limit) for step in damped(r, J))

    for r in islice(problem.falling(state, rows, "qpzy", trials, weights), iterations + 1):
        size = float(np.linalg.norm(r))
        if before - size < tolerance * before:
            break
        before = size
    return size
