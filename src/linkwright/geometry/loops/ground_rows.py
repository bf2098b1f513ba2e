"""Bodies of many corners on a height field, for programs: one row for each corner, in the order of the body's own."""

from __future__ import annotations

import numpy as np
from numba import carray

from ..compliant_pairs import Pressing
from ..shapes import HeightField, Shape
from .height_pairs import height_pair, on_ground
from .jit import Pointer, entry, local
from .rows import ROW, no_pose


def press_ground(ground: HeightField, body: Shape) -> Pressing:
    """A body on a height field."""
    pair = height_pair(ground, body)
    return Pressing(f"{__name__}:ground_rows", pair.routine.numbers, pair.routine.indices, pair.n_points)


@entry
def ground_rows(x: Pointer, n_x: int, numbers: Pointer, n_numbers: int, indices: Pointer, n_indices: int, y: Pointer,
                n_y: int) -> None:
    """Rows of a body b on the ground a."""
    rows = carray(y, (n_y,))
    found, X_a = np.empty((n_y // ROW, 10)), local(12)
    no_pose(X_a)
    on_ground(X_a, carray(x, (n_x,)), carray(numbers, (n_numbers,)), carray(indices, (n_indices,)), found)
    for k in range(n_y // ROW):
        for i in range(7):
            rows[ROW * k + i] = found[k, i]
        rows[ROW * k + 7] = 1.0
