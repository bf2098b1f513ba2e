"""Coulomb's cone at an instant: the forces (or impulses) of several contacts that press and rub.

For every contact, normal first, then two tangents, with the motion a = W λ + b that the forces leave:

    0 ≤ a_n ⊥ λ_n − least ≥ 0            a contact opens, or presses
    |λ_t| ≤ μ λ_n;   a_t ≠ 0 ⇒ λ_t = −μ λ_n a_t/|a_t|      it holds, or slides against the motion

`least` is what presses anyway (an expansion after an impact), and where a `direction` of sliding is known already,
λ_t = −μ λ_n direction, whatever a_t is.

A few sweeps of projected Gauss–Seidel, then Levenberg–Marquardt on the residual of Alart and Curnier (1991),

    λ_n − max(least, λ_n − r a_n),      λ_t − disk(λ_t − r a_t; μ max(least, λ_n − r a_n))

which needs no regularity of W: four legs on a floor are no trouble.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SWEEPS = (5, 20, 60, 200, 600)  # before each attempt of the second phase
STEPS, DAMPINGS = 80, 8
TOLERANCE = 1e-12  # of the largest force
HUGE = 1e12  # the same: forces that grow without end
ACCEPTED = 1e-8  # the same, where nothing better is found


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
        self.p, self.n = p, len(p.mu)
        normal, tangents = p.W[0::3, 0::3], [slice(3 * i + 1, 3 * i + 3) for i in range(self.n)]
        self.r_n = 1 / np.diagonal(normal)
        self.r_t = np.array([1 / np.linalg.eigvalsh(p.W[t, t])[-1] for t in tangents])
        self.small = p.scale * self.r_n.max() + 1e-300

    def run(self, force: np.ndarray) -> np.ndarray | None:
        best = np.inf, force
        for sweeps in SWEEPS:
            force = self._sweep(force, sweeps)
            if not np.abs(force).max() < HUGE * self.small:
                return None
            found, residual = self._descend(force)
            if residual <= TOLERANCE * self.small:
                return found
            if residual < best[0]:
                best = residual, found
        return best[1] if best[0] <= ACCEPTED * self.small else None

    # --- Gauss–Seidel ---

    def _sweep(self, force: np.ndarray, sweeps: int) -> np.ndarray:
        p, force = self.p, force.copy()
        motion = p.W @ force + p.b
        for _ in range(sweeps):
            for i in range(self.n):
                k = 3 * i
                before = force[k : k + 3].copy()
                force[k] = max(p.least[i], force[k] - self.r_n[i] * motion[k])
                if i in p.directions:
                    force[k + 1 : k + 3] = -p.mu[i] * force[k] * p.directions[i]
                else:
                    along = motion[k + 1 : k + 3] + p.W[k + 1 : k + 3, k] * (force[k] - before[0])
                    force[k + 1 : k + 3] = _disk(force[k + 1 : k + 3] - self.r_t[i] * along, p.mu[i] * force[k])
                motion += p.W[:, k : k + 3] @ (force[k : k + 3] - before)
            if not np.abs(motion).max() < HUGE * p.scale:
                break
        return force

    # --- Levenberg–Marquardt ---

    def _descend(self, force: np.ndarray) -> tuple[np.ndarray, float]:
        F, size, damping = *self._residual(force), 1e-3
        n = len(force)
        for step in range(STEPS):
            if np.abs(F).max() <= TOLERANCE * self.small:
                break
            J = self._jacobian(force)
            for _ in range(DAMPINGS):
                weight = np.sqrt(damping * (min(1.0, size / self.small) + 1e-13))
                change = np.linalg.lstsq(np.vstack([J, weight * np.eye(n)]), np.r_[-F, np.zeros(n)], rcond=1e-14)[0]
                G, better = self._residual(force + change)
                if better < size * (1 - 1e-6):
                    break
                damping *= 10
            else:
                break
            slow = better > 0.99 * size
            force, F, size, damping = force + change, G, better, max(damping / 5, 1e-8)
            if slow and step > 20:
                break
        return force, float(np.abs(F).max())

    def _residual(self, force: np.ndarray) -> tuple[np.ndarray, float]:
        p, motion, F = self.p, self.p.W @ force + self.p.b, np.empty(3 * self.n)
        for i in range(self.n):
            k, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
            pressing = max(p.least[i], force[k] - self.r_n[i] * motion[k])
            F[k] = force[k] - pressing
            if i in p.directions:
                F[t] = force[t] + p.mu[i] * pressing * p.directions[i]
            else:
                F[t] = force[t] - _disk(force[t] - self.r_t[i] * motion[t], p.mu[i] * pressing)
        return F, float(np.linalg.norm(F))

    def _jacobian(self, force: np.ndarray) -> np.ndarray:
        """∂F/∂λ = A + B W, with A and B block by block."""
        p, n = self.p, 3 * self.n
        motion = p.W @ force + p.b
        A, B = np.zeros((n, n)), np.zeros((n, n))
        for i in range(self.n):
            k, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
            tried = force[k] - self.r_n[i] * motion[k]
            presses, pressing = float(tried > p.least[i]), max(p.least[i], tried)
            A[k, k], B[k, k] = 1 - presses, presses * self.r_n[i]
            if i in p.directions:
                A[t, t] = np.eye(2)
                A[t, k] = p.mu[i] * presses * p.directions[i]
                B[t, k] = -self.r_n[i] * A[t, k]
                continue
            x, limit = force[t] - self.r_t[i] * motion[t], p.mu[i] * pressing
            length = np.hypot(*x)
            if length <= limit:
                B[t, t] = self.r_t[i] * np.eye(2)
                continue
            e = x / length
            across = (np.eye(2) - np.outer(e, e)) * (limit / length)
            A[t, t], B[t, t] = np.eye(2) - across, self.r_t[i] * across
            A[t, k] = -p.mu[i] * presses * e
            B[t, k] = -self.r_n[i] * A[t, k]
        return A + B @ p.W


def _disk(x: np.ndarray, radius: float) -> np.ndarray:
    """The nearest point to x in a disk about zero."""
    length = np.hypot(x[0], x[1])
    return x if length <= radius else x * (radius / length)
