"""Finer meshes for plans: more intervals where the motion between points is off, or an input switches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..system import Implicit
from .plan import Plan
from .tolerances import MOST_INTERVALS, SWITCH
from .transcription import Mesh

#: places in an interval at which the slope of its polynomial is compared with that of the motion
LOOKED_AT = np.array([0.2, 0.4, 0.6, 0.8])


def finer(plan: Plan, accuracy: float, point: Implicit, inputs: Sequence[tuple[float, float]]) -> Mesh | None:
    """A mesh with more intervals where the motion is off by more than `accuracy` or an input (its range) switches."""
    mesh = plan.mesh
    times = (mesh.ends[:-1, None] + mesh.shares[:, None] * LOOKED_AT).ravel()
    there = plan.at(times * plan.time)
    slopes = mesh.between(plan.points[:, point.slopes], times)
    parts = ("qdot", "udot", "zdot") if point.places["z"].stop > point.places["z"].start else ("qdot", "udot")
    exact = point.own(np.column_stack(list(there.quantities(*parts))))
    off = np.abs(slopes - exact).reshape(len(mesh.shares), len(LOOKED_AT), -1).max(axis=1)
    scale = 1.0 + np.abs(plan.points[:, : point.nx]).max(axis=0)
    error = (off * (plan.time * mesh.shares)[:, None] / scale).max(axis=1)
    split = error > accuracy
    for k, (low, high) in enumerate(inputs):
        if np.isfinite(high - low):
            values = plan.points[:, point.places["w"].start + k]
            change = np.array([np.ptp(values[mesh.of(i)]) for i in range(len(mesh.shares))])
            split |= (change > SWITCH * (high - low)) & (mesh.shares * plan.time > accuracy)
    if not split.any() or len(mesh.shares) + split.sum() > MOST_INTERVALS:
        return None
    middles = (mesh.ends[:-1] + mesh.ends[1:])[split] / 2
    return Mesh(mesh.method, np.sort(np.concatenate([mesh.ends, middles])))
