"""How several contacts share a load where statics leaves it open: four legs on a floor, a cube on a slope.

Any forces of the null space of W may be added; of all solutions the one is taken in which every contact uses about the
same part of its cone: least Σ w (|f_t|² + μ² (f_n − f̄_n)²)/(μ f̄_n), the weights 1/(μ f_n) of Coulomb's law; w grows
for those that use most.
"""

from __future__ import annotations

import numpy as np

RANK = 1e-10  # of the largest singular value
ROUNDS = 8


def shared(W: np.ndarray, forces: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Forces as good as the given ones (which lie in the cone), shared more evenly."""
    values, vectors = np.linalg.eigh(W)
    free = vectors[:, values <= RANK * values[-1]]
    active = np.abs(np.diagonal(W)) > 0
    free = free[:, [bool(np.abs(free[active, j]).max() > 1e-12) for j in range(free.shape[1])]]
    free[~active] = 0.0
    if not free.shape[1]:
        return forces
    best, used = forces, _use(forces, mu).max()
    present, strain = forces, np.ones(len(mu))
    for k in range(ROUNDS):
        load = np.maximum(present[0::3], 1e-3 * present[0::3].max())
        weight = np.repeat(np.sqrt(strain / (np.maximum(mu, 1e-9) * load)), 3)
        weight[0::3] *= mu
        wanted = np.zeros_like(forces)
        wanted[0::3] = present[0::3]
        z = np.linalg.lstsq(weight[:, None] * free, weight * (wanted - present), rcond=1e-12)[0]
        present = present + free @ z
        if (present[0::3] < 0).any():
            break
        if (use := _use(present, mu).max()) < used:
            best, used = present, use
        if k:
            strain *= (_use(present, mu) / use) ** 2
    return best


def _use(forces: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """|f_t|/(μ f_n) of every contact."""
    f = forces.reshape(-1, 3)
    return np.hypot(f[:, 1], f[:, 2]) / np.maximum(mu * f[:, 0], 1e-300)
