"""The course of a run without the code that made it: what a copied or pickled result reads its states from."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..errors import ModelError

#: places inside a step, of the zeros of a Chebyshev polynomial: with both ends eight nodes, which determine the
#: interpolant of every method (degree 7 at most)
INSIDE = (1 - np.cos(np.pi * (np.arange(6) + 0.5) / 6)) / 2
NODES = np.concatenate([[0.0], INSIDE, [1.0]])
#: weights of the barycentric formula: 1/∏(θ_k − θ_j)
WEIGHTS = 1 / np.prod(NODES[:, None] - NODES[None, :] + np.eye(len(NODES)), axis=1)


class Course(Protocol):
    """What a result reads of the run that made it: a stepper has it, and so has `Recorded`."""

    @property
    def steps_t(self) -> np.ndarray:
        """Times of the ends of all steps."""

    @property
    def steps_x(self) -> np.ndarray:
        """States there."""

    @property
    def kept_from(self) -> float:
        """The time from which on steps were kept, so that states between them are known."""

    @property
    def inputs(self) -> np.ndarray:
        """The input vector (t, x, rest) where the run stands, unknowns as it has found them."""

    @property
    def accuracy(self) -> float: ...

    @property
    def counters(self) -> dict[str, int]: ...

    def dense(self, t: np.ndarray | float, side: str = "left") -> np.ndarray:
        """States at times of the run; `side` of a jump: "left" or "right"."""


class Recorded:
    """States at the ends of all steps and at nodes inside them.

    Between them  x(θ) = Σ w_k x_k/(θ − θ_k) / Σ w_k/(θ − θ_k)   (Berrut and Trefethen 2004, eq. 4.2).
    """

    def __init__(self, stepper: Course) -> None:
        self.steps_t, self.steps_x = stepper.steps_t.copy(), stepper.steps_x.copy()
        self.kept_from, self.accuracy, self.counters = stepper.kept_from, stepper.accuracy, dict(stepper.counters)
        self.inputs = stepper.inputs.copy()
        lengths = np.diff(self.steps_t)
        at = self.steps_t[:-1, None] + lengths[:, None] * INSIDE
        self.inside = np.broadcast_to(self.steps_x[:-1, None, :], (len(lengths), len(INSIDE), self.steps_x.shape[1]))
        taken = lengths > 0
        if taken.any():
            self.inside = self.inside.copy()
            self.inside[taken] = stepper.dense(at[taken].ravel()).reshape(-1, *self.inside.shape[1:])

    def dense(self, t: np.ndarray | float, side: str = "left") -> np.ndarray:
        """States at times of the run; `side` of a jump: "left" or "right"."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        ends = self.steps_t
        if not len(ends) or times.size and not (times.min() >= ends[0] and times.max() <= ends[-1]):
            span = f"went from {ends[0]:g} s to {ends[-1]:g} s" if len(ends) else "has not begun"
            raise ModelError(f"the requested time is not covered; the run {span}.")
        last = np.searchsorted(ends, times, side="left")
        exact = ends[last] == times
        points = last if side == "left" else np.searchsorted(ends, times, side="right") - 1
        states = self.steps_x[points]
        k = last[~exact]
        if len(k):
            states[~exact] = self._between(k, (times[~exact] - ends[k - 1]) / (ends[k] - ends[k - 1]))
        return states[0] if np.ndim(t) == 0 else states.reshape(*np.shape(t), -1)

    def _between(self, k: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """States inside the steps that end at points k."""
        values = np.concatenate([self.steps_x[k - 1, None], self.inside[k - 1], self.steps_x[k, None]], axis=1)
        away = theta[:, None] - NODES
        node = away == 0
        share = WEIGHTS / np.where(node, 1.0, away)
        share = np.where(node.any(axis=1, keepdims=True), node, share)
        return np.einsum("ij,ijx->ix", share / share.sum(axis=1, keepdims=True), values)
