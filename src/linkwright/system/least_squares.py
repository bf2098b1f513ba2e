"""Nonlinear least squares: points x of ever smaller ‖r(x)‖, by Gauss–Newton or Levenberg–Marquardt steps.

At every point trial steps δ are proposed, one after the other, and the first that is good is taken:

    ‖r(x ⊕ δ)‖ ≤ ‖r(x)‖ − γ (‖r(x)‖ − ‖r(x) + J δ‖)

so that the residual falls by a share of what the linear model promises (Nocedal and Wright 2006, 3.1).  `Damped` are
the steps of Levenberg and Marquardt; Gauss–Newton's are one step and ever shorter parts of it.  The caller says what a
point is and how it moves, reads the points as they come, and ends the search where it has what it wants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from .least_norm import Matrix, entries, identity, solved
from .tolerances import (
    ARRIVED,
    DAMPING_FIRST,
    DAMPING_GROWTH,
    DAMPING_LEAST,
    DAMPING_MOST,
    DAMPING_SHRINKS,
    GAINED,
    LEVEL,
    NO_GAIN,
)

Point = TypeVar("Point")


def descent(x: Point, measure: Callable[[Point], tuple[np.ndarray, Matrix]],
            move: Callable[[Point, np.ndarray], Point | None],
            trials: Callable[[Point, np.ndarray, Matrix], Iterator[np.ndarray]]) -> Iterator[tuple[Point, np.ndarray]]:
    """(x, r) at the start and after every step; it ends where no trial step is good.

    `measure` gives r and J at a point, `move` the point a step away (None where there is none), `trials` the steps that
    are tried from a point with its r and J.
    """
    r, J = measure(x)
    while True:
        yield x, r
        size = np.linalg.norm(r)
        if not (np.isfinite(size) and np.all(np.isfinite(entries(J)))):
            return
        for step in trials(x, r, J):
            there = move(x, step)
            if there is None:
                continue
            new_r, new_J = measure(there)
            if np.linalg.norm(new_r) < size - GAINED * max(size - np.linalg.norm(r + J @ step), 0.0):
                break
        else:
            return
        x, r, J = there, new_r, new_J


class Damped:
    """Steps of Levenberg and Marquardt: (JᵀJ + ν s 1) δ = −Jᵀ r, with s the largest square of a column of J.

    ν grows, and shortens the step, until one is good; the next point begins with a tenth of it.
    """

    def __init__(self, damping: float = DAMPING_FIRST) -> None:
        self.damping = damping * DAMPING_SHRINKS

    def __call__(self, r: np.ndarray, J: Matrix) -> Iterator[np.ndarray]:
        size, gradient = np.linalg.norm(r), J.T @ r
        if size < ARRIVED or np.max(np.abs(gradient), initial=0.0) < LEVEL:
            return
        moving = np.flatnonzero(abs(J).sum(axis=0))
        normal = J[:, moving].T @ J[:, moving]
        ridge = np.max(normal.diagonal()) * identity(normal)
        self.damping = max(self.damping / DAMPING_SHRINKS, DAMPING_LEAST)
        while self.damping < DAMPING_MOST:
            step = np.zeros(len(gradient))
            step[moving] = -solved(normal + self.damping * ridge, gradient[moving])
            if -(gradient @ step) < NO_GAIN * size**2:
                return
            yield step
            self.damping *= DAMPING_GROWTH
