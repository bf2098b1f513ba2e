"""Bodies of many corners on a height field, for programs: one row for each corner, in the order of the body's own."""

# mypy: ignore-errors

from __future__ import annotations

from ...codegen.dialect import compiled, real, reals, whole
from ..compliant_pairs import Pressing
from ..shapes import HeightField, Shape
from .height_pairs import height_pair, over_ground
from .rows import ROW


def press_ground(ground: HeightField, body: Shape) -> Pressing:
    """A body on a height field."""
    pair = height_pair(ground, body)
    return Pressing(f"{__name__}:ground_rows", pair.routine.numbers, pair.routine.indices, pair.n_points)


@compiled
def ground_rows(x: real[:], numbers: real[:], indices: whole[:], y: real[:]) -> None:
    """Rows of a body b on the ground a."""
    n, foot = reals(3), reals(3)
    for k in range(len(y) // ROW):
        at = ROW * k
        y[at], _ = over_ground(x, numbers, indices, k, n, foot)
        y[at + 1 : at + 4], y[at + 4 : at + 7] = n, foot
        y[at + 7] = 1.0
