"""Implicit steps backward: the transposed equations of their stages, and of what lies between their ends.

With Kⱼ = f(Xⱼ), Xⱼ = x₀ + Zⱼ, Zⱼ = h Σ aⱼₗ Kₗ and x₁ = P(x₀ + h Σ bⱼ Kⱼ), all stages at once,

    K̄ⱼ − h Σᵢ aᵢⱼ Jᵢᵀ K̄ᵢ = h bⱼ x̄₁ + h Σᵢ aᵢⱼ Z̄ᵢ,      x̄₀ = x̄₁ + Σ Jⱼᵀ K̄ⱼ,      p̄ += Σ ∂f/∂pⱼᵀ K̄ⱼ

with the exact J of every stage, entry by entry from reverse sweeps.  Z̄ comes from numbers asked for between the ends:
the interpolant is linear in both ends, their slopes and the stages (`Shares`).  The state at an event that cut a step
short is a point of the interpolant of the whole step.  Stages are computed again by Newton's method, to rounding.  The
run itself stopped its iterations earlier, at a small part of its accuracy; the two may differ by that much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..errors import SimulationError
from .collocation import NODES
from .collocation import A as RADAU
from .tolerances import ADJOINT_FOUND, ADJOINT_ITERATIONS


class Shares(NamedTuple):
    """What the interpolant at a point is made of: shares of the end of the step (the rest is of its start), of h times
    the slopes at start and end, and of the stages Z."""

    end: float
    start_slope: float
    end_slope: float
    stages: np.ndarray


def between_radau(s: float, cut: float) -> Shares:
    """At the part s of a step that is the part `cut` of the one whose stages it has (see `radau.radau_dense` and
    `dense.keep_dense`): x₀ + s(x₁ − x₀) + s(1−s)(F₂ + s F₃), F₂ and F₃ scaled by the cut."""
    a, b = NODES[0], NODES[1]
    p = np.array([1.0 / a, 0.0, -1.0]) / (1.0 - a)
    q = np.array([0.0, 1.0 / b, -1.0]) / (1.0 - b)
    bend = (q - p) / (b - a)
    F2, F3 = p - a * bend, bend
    return Shares(s, 0.0, 0.0, s * (1.0 - s) * cut**2 * (F2 + (cut - 1.0 + s * cut) * F3))


def between_gauss(s: float, _: float) -> Shares:
    """At the part s of a step: the cubic with both ends and the slopes there (see `dense.hermite`)."""
    c = s * (1.0 - s)
    return Shares(s - c + 2.0 * c * s, c - c * s, -c * s, np.zeros(2))


class Collocation(NamedTuple):
    """The coefficients of an implicit method, and the shares of its interpolant."""

    A: np.ndarray
    b: np.ndarray
    c: np.ndarray
    between: Callable[[float, float], Shares]


IMPLICIT: dict[str, Collocation] = {
    "radau": Collocation(RADAU, RADAU[-1], NODES, between_radau),
    "gauss4": Collocation(np.array([[0.25, 0.25 - sqrt(3) / 6], [0.25 + sqrt(3) / 6, 0.25]]), np.array([0.5, 0.5]),
                          np.array([0.5 - sqrt(3) / 6, 0.5 + sqrt(3) / 6]), between_gauss),
}


class Equations(NamedTuple):
    """The model, as a step backward asks for it, all at (t, x).

    slope       f
    transposed  Jᵀ and below it ∂f/∂(d, p)ᵀ
    pull        the same times a vector
    manifold    x brought onto the manifold
    unmanifold  from the derivative by a point on the manifold to that by the point before projection, and by (d, p)
    """

    slope: Callable[[float, np.ndarray], np.ndarray]
    transposed: Callable[[float, np.ndarray], np.ndarray]
    pull: Callable[[float, np.ndarray, np.ndarray], np.ndarray]
    manifold: Callable[[float, np.ndarray], np.ndarray]
    unmanifold: Callable[[float, np.ndarray, np.ndarray], np.ndarray]


class Stored(NamedTuple):
    """A stored step from (t₀, x₀) to (t₁, x₁), which was tried to `until`; `guesses` of its stages."""

    t0: float
    x0: np.ndarray
    t1: float
    x1: np.ndarray
    until: float
    guesses: np.ndarray


#: a point that a number depends on: its time, its state, and the derivative by the state
Point = tuple[float, np.ndarray, np.ndarray]


def pulled_step(method: Collocation, equations: Equations, step: Stored, asked: np.ndarray,
                between: Sequence[Point]) -> np.ndarray:
    """From derivatives by the end of a step and points inside it to those by its start and by (d, p)."""
    A, b, c, n, h = method.A, method.b, method.c, len(step.x0), step.until - step.t0
    X = _stages(A, step.t0 + c * h, h, step.x0, step.guesses, equations)
    pulls = [equations.transposed(t, x) for t, x in zip(step.t0 + c * h, X, strict=True)]
    out, of_stages = np.zeros(len(pulls[0])), np.zeros((len(b), n))

    def spread(point: Point, end: tuple[float, np.ndarray], cut: float) -> np.ndarray:
        """From the derivative by an interpolated point to those by what it is made of; returns that by the end."""
        nonlocal of_stages
        length = end[0] - step.t0
        shares = method.between((point[0] - step.t0) / length, cut)
        raw = equations.unmanifold(*point)
        w, of_end = raw[:n], shares.end * raw[:n]
        out[:n] += w - of_end
        out[n:] += raw[n:]
        of_stages += np.outer(shares.stages, w)
        if shares.start_slope:
            out[:] += equations.pull(step.t0, step.x0, length * shares.start_slope * w)
        if shares.end_slope:
            found = equations.pull(*end, length * shares.end_slope * w)
            of_end = of_end + found[:n]
            out[n:] += found[n:]
        return of_end

    for point in between:
        asked = asked + spread(point, (step.t1, step.x1), (step.t1 - step.t0) / h)
    whole = step.until, step.x1
    if step.until > step.t1:
        K = np.array([equations.slope(t, x) for t, x in zip(step.t0 + c * h, X, strict=True)])
        whole = step.until, equations.manifold(step.until, step.x0 + h * b @ K)
        asked = spread((step.t1, step.x1, asked), whole, 1.0)
    raw = equations.unmanifold(*whole, asked)
    out += raw
    matrix, right = np.eye(len(b) * n), h * (np.outer(b, raw[:n]) + A.T @ of_stages)
    for j in range(len(b)):
        for i in range(len(b)):
            matrix[j * n : (j + 1) * n, i * n : (i + 1) * n] -= h * A[i, j] * pulls[i][:n]
    slopes = np.linalg.solve(matrix, right.ravel()).reshape(right.shape)
    for pull, slope_bar in zip(pulls, slopes, strict=True):
        out += pull @ slope_bar
    return out


def _stages(A: np.ndarray, times: np.ndarray, h: float, x0: np.ndarray, guesses: np.ndarray,
            equations: Equations) -> np.ndarray:
    """The stages of a step, by Newton's method with the matrix of the guesses."""
    s, n, X = len(times), len(x0), guesses.copy()
    matrix = np.eye(s * n)
    for j, (t, x) in enumerate(zip(times, X, strict=True)):
        J = equations.transposed(t, x)[:n].T
        for i in range(s):
            matrix[i * n : (i + 1) * n, j * n : (j + 1) * n] -= h * A[i, j] * J
    inverse, before = np.linalg.inv(matrix), np.inf
    for _ in range(ADJOINT_ITERATIONS):
        K = np.array([equations.slope(t, x) for t, x in zip(times, X, strict=True)])
        step = (inverse @ (x0 + h * A @ K - X).ravel()).reshape(s, n)
        X += step
        size = np.max(np.abs(step) / (1 + np.abs(X)), initial=0.0)
        if not np.isfinite(size):
            break
        if size <= ADJOINT_FOUND or size >= 0.5 * before:
            return X
        before = size
    raise SimulationError("the stages of a stored implicit step could not be found again to go backward.",
                          time=float(times[0]))
