"""Compiled loops of the cone problem (`run.cone` says what it is): sweeps, the residual, and its derivatives.

Arrays of n contacts: `W` (3n, 3n), `b` (3n), `mu`, `least`, `r_n`, `r_t` (n); `known` (n) is 1 where a direction of
sliding is given, `ways` (n, 2) are those directions.  `motion` (3n) is W λ + b, filled here.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import compiled, hypot, real, reals, whole


def move(W: real[:, :], b: real[:], force: real[:], motion: real[:]) -> None:
    """motion = W λ + b."""
    for i in range(len(b)):
        total = 0.0
        for j in range(len(force)):
            total += W[i, j] * force[j]
        motion[i] = total + b[i]


@compiled
def sweep(W: real[:, :], b: real[:], mu: real[:], least: real[:], r_n: real[:], r_t: real[:], known: whole[:],
          ways: real[:, 2], motion: real[:], force: real[:], sweeps: int, huge: float) -> None:
    """Projected Gauss–Seidel: one contact after another takes what its own cone allows; changes `force`."""
    n = len(mu)
    move(W, b, force, motion)
    for _ in range(sweeps):
        for i in range(n):
            k = 3 * i
            push, rub_1, rub_2 = force[k], force[k + 1], force[k + 2]
            force[k] = max(least[i], push - r_n[i] * motion[k])
            limit = mu[i] * force[k]
            if known[i] != 0:
                force[k + 1], force[k + 2] = -limit * ways[i, 0], -limit * ways[i, 1]
            else:
                x = rub_1 - r_t[i] * (motion[k + 1] + W[k + 1, k] * (force[k] - push))
                y = rub_2 - r_t[i] * (motion[k + 2] + W[k + 2, k] * (force[k] - push))
                length = hypot(x, y)
                part = limit / length if length > limit else 1.0
                force[k + 1], force[k + 2] = x * part, y * part
            d_n, d_1, d_2 = force[k] - push, force[k + 1] - rub_1, force[k + 2] - rub_2
            for j in range(3 * n):
                motion[j] += W[j, k] * d_n + W[j, k + 1] * d_1 + W[j, k + 2] * d_2
        largest = 0.0
        for j in range(3 * n):
            largest = max(largest, abs(motion[j]))
        if not largest < huge:
            return


@compiled
def residual(W: real[:, :], b: real[:], mu: real[:], least: real[:], r_n: real[:], r_t: real[:], known: whole[:],
             ways: real[:, 2], motion: real[:], force: real[:], F: real[:]) -> None:
    """F of every contact: λ_n − max(least, λ_n − r a_n) and λ_t − disk(λ_t − r a_t; μ max(least, λ_n − r a_n))."""
    move(W, b, force, motion)
    for i in range(len(mu)):
        k = 3 * i
        pressing = max(least[i], force[k] - r_n[i] * motion[k])
        limit = mu[i] * pressing
        F[k] = force[k] - pressing
        if known[i] != 0:
            F[k + 1], F[k + 2] = force[k + 1] + limit * ways[i, 0], force[k + 2] + limit * ways[i, 1]
            continue
        x, y = force[k + 1] - r_t[i] * motion[k + 1], force[k + 2] - r_t[i] * motion[k + 2]
        length = hypot(x, y)
        part = limit / length if length > limit else 1.0
        F[k + 1], F[k + 2] = force[k + 1] - x * part, force[k + 2] - y * part


@compiled
def jacobian(W: real[:, :], b: real[:], mu: real[:], least: real[:], r_n: real[:], r_t: real[:], known: whole[:],
             ways: real[:, 2], motion: real[:], force: real[:], J: real[:, :]) -> None:
    """∂F/∂λ = A + B W, with A and B block by block, into the first rows of J."""
    move(W, b, force, motion)
    A, B = reals(3, 3), reals(3, 3)
    for i in range(len(mu)):
        k = 3 * i
        A[:], B[:] = 0.0, 0.0
        tried = force[k] - r_n[i] * motion[k]
        presses = 1.0 if tried > least[i] else 0.0
        limit = mu[i] * max(least[i], tried)
        A[0, 0], B[0, 0] = 1 - presses, presses * r_n[i]
        x, y = force[k + 1] - r_t[i] * motion[k + 1], force[k + 2] - r_t[i] * motion[k + 2]
        length = hypot(x, y)
        if known[i] != 0:
            A[1, 1], A[2, 2] = 1.0, 1.0
            A[1, 0], A[2, 0] = mu[i] * presses * ways[i, 0], mu[i] * presses * ways[i, 1]
        elif length <= limit:
            B[1, 1], B[2, 2] = r_t[i], r_t[i]
        else:
            e_1, e_2, part = x / length, y / length, limit / length
            along, mixed, across = (1 - e_1 * e_1) * part, -e_1 * e_2 * part, (1 - e_2 * e_2) * part
            A[1, 1], A[1, 2], A[2, 1], A[2, 2] = 1 - along, -mixed, -mixed, 1 - across
            B[1, 1], B[1, 2], B[2, 1], B[2, 2] = r_t[i] * along, r_t[i] * mixed, r_t[i] * mixed, r_t[i] * across
            A[1, 0], A[2, 0] = -mu[i] * presses * e_1, -mu[i] * presses * e_2
        B[1, 0], B[2, 0] = -r_n[i] * A[1, 0], -r_n[i] * A[2, 0]
        for row in range(3):
            for j in range(W.shape[1]):
                J[k + row, j] = B[row, 0] * W[k, j] + B[row, 1] * W[k + 1, j] + B[row, 2] * W[k + 2, j]
            for j in range(3):
                J[k + row, k + j] += A[row, j]
