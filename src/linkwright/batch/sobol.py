"""Sobol indices: how much of the variance of an output each swept value accounts for.

With inputs u drawn independently and A, B two independent sets of n samples, AB_i being A with column i of B
(Saltelli et al. 2010, table 2):

    S_i  = mean(f_B (f_AB_i − f_A)) / Var f          first order
    ST_i = mean((f_A − f_AB_i)²) / (2 Var f)         total (Jansen 1999)
"""

from __future__ import annotations

import numpy as np

from .sequences import unit_samples


def saltelli(n: int, d: int, seed: int) -> np.ndarray:
    """The n (d + 2) points that the indices of d inputs need; those of one sample, A B AB_1 … AB_d, lie together."""
    u = unit_samples(n, 2 * d, "sobol", seed)
    a, b = u[:, None, :d], u[:, None, d:]
    mixed = np.where(np.eye(d, dtype=bool), b, a)
    return np.concatenate([a, b, mixed], axis=1).reshape(-1, d)


def sobol_indices(values: np.ndarray, names: list[str]) -> dict[str, dict[str, np.ndarray]]:
    """First-order and total indices by name, from the outputs of the runs at the points of `saltelli`.

    Samples of which a run has failed (NaN) are left out; entries of arrays have indices of their own.
    """
    d = len(names)
    f = np.asarray(values, dtype=float)
    f = f.reshape(-1, d + 2, *f.shape[1:])
    f = f[np.isfinite(f).reshape(len(f), -1).all(axis=1)]
    f_a, f_b = f[:, 0], f[:, 1]
    both = np.concatenate([f_a, f_b])
    centre, variance = both.mean(axis=0), both.var(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {name: {"first": np.mean((f_b - centre) * (f[:, 2 + k] - f_a), axis=0) / variance,
                       "total": np.mean((f_a - f[:, 2 + k]) ** 2, axis=0) / (2 * variance)}
                for k, name in enumerate(names)}
