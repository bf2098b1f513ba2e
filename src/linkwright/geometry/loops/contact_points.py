"""Contact points as rows (gap, normal, point_a, point_b) and as Touches."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...algebra import Transform
from ..shapes import Shape
from ..touch import PairGeometry, Routine, Touch
from .vectors import Vector, plus, twelve


def loop_pair(a: Shape, b: Shape, n_points: int, loop: Routine) -> PairGeometry:
    """A pair that a loop computes."""

    def touches(X_WA: Transform, X_WB: Transform) -> list[Touch]:
        return [touch_of(row) for row in loop(twelve(X_WA), twelve(X_WB), n_points)]

    return PairGeometry(a, b, n_points, touches, routine=loop)


def touch_of(row: np.ndarray) -> Touch:
    """A row (gap, normal, point_a, point_b) as a Touch."""
    return Touch(float(row[0]), row[1:4].copy(), row[4:7].copy(), row[7:10].copy())


def write(out: np.ndarray, k: int, gap: float, n: Vector, p: Vector) -> None:
    """One row: a point p of a and the one a gap further along n."""
    out[k, 0] = gap
    out[k, 1:4], out[k, 4:7], out[k, 7:10] = n, p, plus(p, n, gap)
