"""Compiled loops of the cone problem (`run.cone` says what it is): sweeps, the residual, and its derivatives.

Arrays of n contacts: `W` (3n, 3n), `b` (3n), `mu`, `least`, `r_n`, `r_t` (n); `known` (n) says where a direction of
sliding is given, `ways` (n, 2) are those directions.
"""

from __future__ import annotations

import numpy as np

from ..cache_folder import kept_loop

loop = kept_loop(error_model="numpy")


@loop
def sweep(W: np.ndarray, b: np.ndarray, mu: np.ndarray, least: np.ndarray, r_n: np.ndarray, r_t: np.ndarray,
          known: np.ndarray, ways: np.ndarray, force: np.ndarray, sweeps: int, huge: float) -> None:
    """Projected Gauss–Seidel: one contact after another takes what its own cone allows; changes `force`."""
    n = len(mu)
    motion = W @ force + b
    for _ in range(sweeps):
        largest = 0.0
        for i in range(n):
            k = 3 * i
            push, rub_1, rub_2 = force[k], force[k + 1], force[k + 2]
            force[k] = max(least[i], push - r_n[i] * motion[k])
            limit = mu[i] * force[k]
            if known[i]:
                force[k + 1], force[k + 2] = -limit * ways[i, 0], -limit * ways[i, 1]
            else:
                x = rub_1 - r_t[i] * (motion[k + 1] + W[k + 1, k] * (force[k] - push))
                y = rub_2 - r_t[i] * (motion[k + 2] + W[k + 2, k] * (force[k] - push))
                length = np.hypot(x, y)
                part = limit / length if length > limit else 1.0
                force[k + 1], force[k + 2] = x * part, y * part
            d_n, d_1, d_2 = force[k] - push, force[k + 1] - rub_1, force[k + 2] - rub_2
            for j in range(3 * n):
                motion[j] += W[j, k] * d_n + W[j, k + 1] * d_1 + W[j, k + 2] * d_2
        for j in range(3 * n):
            largest = max(largest, abs(motion[j]))
        if not largest < huge:
            return


@loop
def residual(W: np.ndarray, b: np.ndarray, mu: np.ndarray, least: np.ndarray, r_n: np.ndarray, r_t: np.ndarray,
             known: np.ndarray, ways: np.ndarray, force: np.ndarray) -> np.ndarray:
    """λ_n − max(least, λ_n − r a_n) and λ_t − disk(λ_t − r a_t; μ max(least, λ_n − r a_n)) of every contact."""
    motion, F = W @ force + b, np.empty(len(force))
    for i in range(len(mu)):
        k = 3 * i
        pressing = max(least[i], force[k] - r_n[i] * motion[k])
        limit = mu[i] * pressing
        F[k] = force[k] - pressing
        if known[i]:
            F[k + 1], F[k + 2] = force[k + 1] + limit * ways[i, 0], force[k + 2] + limit * ways[i, 1]
            continue
        x, y = force[k + 1] - r_t[i] * motion[k + 1], force[k + 2] - r_t[i] * motion[k + 2]
        length = np.hypot(x, y)
        part = limit / length if length > limit else 1.0
        F[k + 1], F[k + 2] = force[k + 1] - x * part, force[k + 2] - y * part
    return F


@loop
def jacobian(W: np.ndarray, b: np.ndarray, mu: np.ndarray, least: np.ndarray, r_n: np.ndarray, r_t: np.ndarray,
             known: np.ndarray, ways: np.ndarray, force: np.ndarray) -> np.ndarray:
    """∂F/∂λ = A + B W, with A and B block by block."""
    motion, J = W @ force + b, np.zeros(W.shape)
    A, B = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(len(mu)):
        k = 3 * i
        A[:], B[:] = 0.0, 0.0
        tried = force[k] - r_n[i] * motion[k]
        presses = 1.0 if tried > least[i] else 0.0
        limit = mu[i] * max(least[i], tried)
        A[0, 0], B[0, 0] = 1 - presses, presses * r_n[i]
        x, y = force[k + 1] - r_t[i] * motion[k + 1], force[k + 2] - r_t[i] * motion[k + 2]
        length = np.hypot(x, y)
        if known[i]:
            A[1, 1], A[2, 2] = 1.0, 1.0
            A[1, 0], A[2, 0] = mu[i] * presses * ways[i, 0], mu[i] * presses * ways[i, 1]
        elif length <= limit:
            B[1, 1], B[2, 2] = r_t[i], r_t[i]
        else:
            e_1, e_2, part = x / length, y / length, limit / length
            across = ((1 - e_1 * e_1) * part, -e_1 * e_2 * part, (1 - e_2 * e_2) * part)
            A[1, 1], A[1, 2], A[2, 1], A[2, 2] = 1 - across[0], -across[1], -across[1], 1 - across[2]
            B[1, 1], B[1, 2], B[2, 1], B[2, 2] = (r_t[i] * across[0], r_t[i] * across[1], r_t[i] * across[1],
                                                  r_t[i] * across[2])
            A[1, 0], A[2, 0] = -mu[i] * presses * e_1, -mu[i] * presses * e_2
        B[1, 0], B[2, 0] = -r_n[i] * A[1, 0], -r_n[i] * A[2, 0]
        for row in range(3):
            for j in range(W.shape[1]):
                J[k + row, j] = B[row, 0] * W[k, j] + B[row, 1] * W[k + 1, j] + B[row, 2] * W[k + 2, j]
            for j in range(3):
                J[k + row, k + j] += A[row, j]
    return J
