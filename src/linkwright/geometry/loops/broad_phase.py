"""Which of many bodies can touch: boxes along the axes of the world, swept along one of them (sweep and prune)."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, whole
from ..tolerances import MIDDLE_OF_NOWHERE, NOWHERE


def near_pairs(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Pairs (k, 2) of boxes that overlap, i < j, in order; `low` and `high` (n, 3) are their corners.

    Boxes are sorted along the axis on which they lie farthest apart; each is compared with those that begin before it
    ends.  Bodies without bounds (a plane) meet all.
    """
    low, high = np.ascontiguousarray(low, dtype=float), np.ascontiguousarray(high, dtype=float)
    if len(low) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    middle = np.clip((np.maximum(low, -NOWHERE) + np.minimum(high, NOWHERE)) / 2, -MIDDLE_OF_NOWHERE,
                     MIDDLE_OF_NOWHERE)
    axis = int(np.argmax(np.var(middle, axis=0)))
    order = np.argsort(low[:, axis], kind="stable")
    pairs = np.empty((8 * len(low), 2), dtype=np.int64)
    count = _sweep(low, high, order, axis, pairs)
    if count > len(pairs):
        pairs = np.empty((count, 2), dtype=np.int64)
        _sweep(low, high, order, axis, pairs)
    pairs = np.sort(pairs[:count], axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@compiled
def _sweep(low: real[:, 3], high: real[:, 3], order: whole[:], axis: int, pairs: whole[:, 2]) -> int:
    """Write overlapping pairs, as many as there is room for; how many there are."""
    count = 0
    for k in range(len(order)):
        i = order[k]
        for l in range(k + 1, len(order)):
            j = order[l]
            if low[j, axis] > high[i, axis]:
                break
            apart = False
            for d in range(3):
                apart = apart or low[j, d] > high[i, d] or low[i, d] > high[j, d]
            if not apart:
                if count < len(pairs):
                    pairs[count, 0], pairs[count, 1] = i, j
                count += 1
    return count
