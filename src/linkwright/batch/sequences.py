"""Sequences of points in the unit cube: of low discrepancy, or at random."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError

SEQUENCES = ("sobol", "halton", "latin", "random")


def unit_samples(n: int, dimensions: int, sampler: str, seed: int) -> np.ndarray:
    """n points in the open unit cube; more of them begin with these (but for a Latin hypercube, made for its n)."""
    if sampler not in SEQUENCES:
        raise ModelError(f"sampler = {sampler!r}: choose one of {', '.join(SEQUENCES)}, saltelli.")
    if sampler == "random":
        u = np.random.Generator(np.random.Philox(key=seed)).random((n, dimensions))
    else:
        from scipy.stats import qmc

        kind = {"sobol": qmc.Sobol, "halton": qmc.Halton, "latin": qmc.LatinHypercube}[sampler]
        engine = kind(dimensions, seed=np.random.default_rng(seed))
        if sampler == "sobol":
            u = engine.random_base2(int(np.ceil(np.log2(max(n, 2)))))[:n]
        else:
            u = engine.random(n)
    return np.clip(u, np.finfo(float).tiny, 1 - np.finfo(float).epsneg)
