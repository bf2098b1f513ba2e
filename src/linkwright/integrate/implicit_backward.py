"""Implicit steps backward: the transposed equations of their stages.

With Kⱼ = f(Xⱼ), Xⱼ = x₀ + h Σ aⱼₗ Kₗ and x₁ = x₀ + h Σ bⱼ Kⱼ, all stages at once,

    K̄ⱼ − h Σᵢ aᵢⱼ Jᵢᵀ K̄ᵢ = h bⱼ x̄₁,      x̄₀ = x̄₁ + Σ Jⱼᵀ K̄ⱼ,      p̄ += Σ ∂f/∂pⱼᵀ K̄ⱼ

with the exact J of every stage, entry by entry from reverse sweeps.  Stages are found anew by Newton's method, to
rounding; the run itself stopped a little earlier, at a small part of its accuracy, and by so much both may differ.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from ..errors import SimulationError
from .collocation import NODES
from .collocation import A as RADAU

#: method → (A, b, c)
IMPLICIT: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = {
    "radau": (RADAU, RADAU[-1], NODES),
    "gauss4": (np.array([[0.25, 0.25 - sqrt(3) / 6], [0.25 + sqrt(3) / 6, 0.25]]), np.array([0.5, 0.5]),
               np.array([0.5 - sqrt(3) / 6, 0.5 + sqrt(3) / 6])),
}
ITERATIONS = 12
SMALL = 1e-13  # relative: changes of stages that are rounding

#: (t, x) → f(t, x)
Slope = Callable[[float, np.ndarray], np.ndarray]
#: (t, x) → Jᵀ and below it ∂f/∂(d, p)ᵀ
Transposed = Callable[[float, np.ndarray], np.ndarray]


def pulled_step(method: str, t0: float, h: float, x0: np.ndarray, guesses: np.ndarray, asked: np.ndarray, slope: Slope,
                transposed: Transposed) -> np.ndarray:
    """What is asked of the end of a step, before projection, of its start and of what stays (d, p)."""
    A, b, c = IMPLICIT[method]
    s, n = len(b), len(x0)
    X = _stages(A, t0 + c * h, h, x0, guesses, slope, transposed)
    pulls = [transposed(t, x) for t, x in zip(t0 + c * h, X, strict=True)]
    matrix = np.eye(s * n)
    for j in range(s):
        for i in range(s):
            matrix[j * n : (j + 1) * n, i * n : (i + 1) * n] -= h * A[i, j] * pulls[i][:n]
    slopes = np.linalg.solve(matrix, np.concatenate([h * share * asked for share in b])).reshape(s, n)
    out = np.zeros(len(pulls[0]))
    out[:n] = asked
    for pull, slope_bar in zip(pulls, slopes, strict=True):
        out += pull @ slope_bar
    return out


def _stages(A: np.ndarray, times: np.ndarray, h: float, x0: np.ndarray, guesses: np.ndarray, slope: Slope,
            transposed: Transposed) -> np.ndarray:
    """The stages of a step, by Newton's method with the matrix of the guesses."""
    s, n, X = len(times), len(x0), guesses.copy()
    matrix = np.eye(s * n)
    for j, (t, x) in enumerate(zip(times, X, strict=True)):
        J = transposed(t, x)[:n].T
        for i in range(s):
            matrix[i * n : (i + 1) * n, j * n : (j + 1) * n] -= h * A[i, j] * J
    inverse, before = np.linalg.inv(matrix), np.inf
    for _ in range(ITERATIONS):
        K = np.array([slope(t, x) for t, x in zip(times, X, strict=True)])
        step = (inverse @ (x0 + h * A @ K - X).ravel()).reshape(s, n)
        X += step
        size = np.max(np.abs(step) / (1 + np.abs(X)), initial=0.0)
        if not np.isfinite(size):
            break
        if size <= SMALL or size >= 0.5 * before:
            return X
        before = size
    raise SimulationError("the stages of a stored implicit step could not be found again to go backward.",
                          time=float(times[0]))
