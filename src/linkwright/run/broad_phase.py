"""Which of many bodies can touch: boxes along the axes of the world, swept along one of them (sweep and prune)."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import compiled, real, whole
from .tolerances import MIDDLE_OF_NOWHERE, NOWHERE


@compiled
def overlapping(low: real[:, 3], high: real[:, 3], order: whole[:], meets: whole[:, :], listed: whole[:]) -> None:
    """Set `listed` of every encounter whose boxes overlap; `low` and `high` (n, 3) are their corners.

    Boxes are sorted along the axis on which they lie farthest apart, from the `order` (n) of the last time on, which
    is nearly theirs; each is compared with those that begin before it ends.  Bodies without bounds (a plane) meet all.
    """
    axis = widest(low, high)
    sort(low, axis, order)
    for k in range(len(order)):
        i = order[k]
        for l in range(k + 1, len(order)):
            j = order[l]
            if low[j, axis] > high[i, axis]:
                break
            if meets[i, j] >= 0:
                apart = False
                for d in range(3):
                    apart = apart or low[j, d] > high[i, d] or low[i, d] > high[j, d]
                if not apart:
                    listed[meets[i, j]] = 1


def widest(low: real[:, 3], high: real[:, 3]) -> int:
    """The axis along which the middles of boxes vary most."""
    axis, most, n = 0, -1.0, len(low)
    for d in range(3):
        total, squares = 0.0, 0.0
        for k in range(n):
            middle = (max(low[k, d], -NOWHERE) + min(high[k, d], NOWHERE)) / 2
            middle = min(max(middle, -MIDDLE_OF_NOWHERE), MIDDLE_OF_NOWHERE)
            total += middle
            squares += middle * middle
        spread = squares / n - total / n * (total / n)
        if spread > most:
            axis, most = d, spread
    return axis


def sort(low: real[:, 3], axis: int, order: whole[:]) -> None:
    """Bodies in the order in which their boxes begin, then of their numbers."""
    for k in range(1, len(order)):
        own, place = order[k], k
        while place > 0:
            other = order[place - 1]
            if low[other, axis] < low[own, axis] or low[other, axis] == low[own, axis] and other < own:
                break
            order[place] = other
            place -= 1
        order[place] = own
