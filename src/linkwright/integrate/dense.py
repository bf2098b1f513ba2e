"""Dense output: the state between the two ends of a step.

All methods share one nested form (see `tableaux`): Hermite cubic from both ends and both end slopes, plus rows of
higher order where the method has them.  Built from the projected end points, so the interpolant passes through them.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import known
from .manifold import restore
from .record import FIRST, N_KEPT, OK, X0, X1, View


def hermite(r: View, last: known, V: np.ndarray, K: np.ndarray, F: np.ndarray) -> None:
    """The rows of the cubic through both ends of the step with both end slopes; K[last] is that of its end."""
    h = r.t1 - r.t0
    for i in range(r.n):
        difference = V[X1, i] - V[X0, i]
        bend = h * K[FIRST, i] - difference
        F[0, i] = V[X0, i]
        F[1, i] = difference
        F[2, i] = bend
        F[3, i] = difference - h * K[last, i] - bend


def state_at(r: View, theta: float, inp: np.ndarray, V: np.ndarray, F: np.ndarray) -> int:
    """Put the state at t0 + θ(t1 − t0) into the input vector: interpolated, then brought onto the manifold.

    Both ends of the step lie on it: to bring them there again would change their last bits.
    """
    if theta <= 0.0:
        inp[0] = r.t0
        inp[1 : 1 + r.n] = V[X0, :r.n]
        return OK
    if theta >= 1.0:
        inp[0] = r.t1
        inp[1 : 1 + r.n] = V[X1, :r.n]
        return OK
    interpolate(r, theta, inp, F)
    return restore(r)


def interpolate(r: View, theta: float, inp: np.ndarray, F: np.ndarray) -> None:
    """Put the interpolated state at t0 + θ(t1 − t0) into the input vector."""
    inp[0] = r.t0 + theta * (r.t1 - r.t0)
    top = 3 + r.n_dense
    for i in range(r.n):
        value = F[top, i]
        for row in range(top - 1, -1, -1):
            value = F[row, i] + value * (theta if row % 2 == 0 else 1.0 - theta)
        inp[1 + i] = value


def keep_dense(r: View, theta: float, F: np.ndarray, steps_dense: np.ndarray) -> None:
    """Store the interpolant with the point just recorded; of a step cut short at θ, that of the part up to θ."""
    k, n = r.n_steps - 1, r.n
    for i in range(n):
        r3, r4, r5 = F[2, i], F[3, i], F[4, i]
        if theta < 1.0:
            # x₀ + θ(q₀ + q₁θ + q₂θ² + q₃θ³), θ scaled
            q1 = (r4 + r5 - r3) * theta**2
            q2 = (-r4 - 2.0 * r5) * theta**3
            q3 = r5 * theta**4
            r5 = q3
            r4 = -q2 - 2.0 * q3
            r3 = r4 + r5 - q1
        steps_dense[k, i], steps_dense[k, n + i], steps_dense[k, 2 * n + i] = r3, r4, r5


def take_dense(r: View, k: int, F: np.ndarray, steps_x: np.ndarray, steps_dense: np.ndarray) -> None:
    """The interpolant of stored step k, as it was kept."""
    n = r.n
    for i in range(n):
        F[0, i] = steps_x[k, i]
        F[1, i] = steps_x[k + 1, i] - F[0, i]
        for row in range(N_KEPT):
            F[2 + row, i] = steps_dense[k + 1, row * n + i]
