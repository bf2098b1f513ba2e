"""Pairs of shapes for compliant laws, found by routines that compiled programs call.

A routine fills rows of 8 numbers, (gap, normal, point of a, weight), from the pose of b in a; all in the axes of a.
The force of a law is multiplied by the weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..algebra import Transform, stack
from .reaches import reach
from .shapes import Convex, HeightField, Mesh, Plane, Point, Shape, Sphere
from .tolerances import ROW_DIFFERENCE
from .touch import Touch, call_routine

ROW = 8


@dataclass(frozen=True, eq=False)
class Pressing:
    """`entry` = "module:name" is a C function (x, n_x, numbers, n_numbers, indices, n_indices, y, n_y).

    x is the pose of b in a, 12 numbers: the rotation by rows, then the position.  `size` (m) is that of the smaller
    shape; `curvatures` those of all points, None where they have none.  `swapped` ones are written for (b, a).
    """

    entry: str
    numbers: np.ndarray
    indices: np.ndarray
    n_rows: int
    size: float = 1.0
    curvatures: tuple | None = None
    swapped: bool = False

    @property
    def steps(self) -> np.ndarray:
        """Differences of the pose that slopes are taken with."""
        return np.array([ROW_DIFFERENCE] * 9 + [ROW_DIFFERENCE * self.size] * 3)

    def touches(self, X_AB: Transform, rows: Callable) -> list[tuple[Touch, object]]:
        """(touch, weight) of every row, in the axes of a; `rows` computes them from 12 numbers or symbols."""
        X = X_AB.inverse() if self.swapped else X_AB
        y = rows(stack(*[X.R[i, j] for i in range(3) for j in range(3)], *[X.p[i] for i in range(3)]))
        found = []
        for at in range(0, ROW * self.n_rows, ROW):
            gap, n, p = y[at], y[at + 1:at + 4], y[at + 4:at + 7]
            q = p + gap * n
            if self.swapped:  # from the axes of b
                n, p, q = -(X_AB.R @ n), X_AB.p + X_AB.R @ q, X_AB.p + X_AB.R @ p
            found.append((Touch(gap, n, p, q, self.curvatures), y[at + 7]))
        return found

    def numeric(self, X_AB: Transform) -> list[tuple[Touch, float]]:
        """The same in numbers."""
        return self.touches(X_AB, lambda pose: _called(self, pose, ROW * self.n_rows))


def _called(routine: Pressing | Bed, x: np.ndarray, n_results: int) -> np.ndarray:
    return call_routine(routine.entry, x, routine.numbers, routine.indices, n_results)


@dataclass(frozen=True, eq=False)
class Bed:
    """A bed of springs on the faces of a mesh, as a C function like that of `Pressing`: `n_results` numbers from the
    pose and velocity of b in a and the numbers of the law (see `loops.foundation_rows`)."""

    entry: str
    numbers: np.ndarray
    indices: np.ndarray
    n_results: int
    size: float = 1.0

    def steps(self, law: list[float]) -> np.ndarray:
        """Differences that slopes are taken with."""
        scales = [1.0] * 9 + [self.size] * 3 + [1.0] * 3 + [self.size] * 3 + [abs(x) or 1.0 for x in law]
        return ROW_DIFFERENCE * np.array(scales)

    def numeric(self, X_AB: Transform, velocity: Sequence[float] = (0.0,) * 6,
                law: Sequence[float] = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)) -> np.ndarray:
        """The results in numbers; `velocity` is (ω, v) of b's origin in the axes of a."""
        pose = [*np.ravel(X_AB.R), *X_AB.p]
        return _called(self, np.array([*pose, *velocity, *law], dtype=float), self.n_results)


def bed(a: Shape, b: Shape) -> Bed:
    """A mesh as a bed of springs, and what presses on it."""
    from .loops.foundation_rows import press_bed

    small = min(reach(a), reach(b))
    return replace(press_bed(a, b), size=small if 0 < small < np.inf else 1.0)


def press(a: Shape, b: Shape) -> Pressing:
    """Two shapes that `pair` computes by a loop, under a compliant law."""
    found, swapped = _press(a, b), False
    if found is None:
        found, swapped = _press(b, a), True
    assert found is not None, "one of the two is a body that has a loop"
    small = min(reach(a), reach(b))
    ball = next((shape for shape in (a, b) if isinstance(shape, Sphere)), None)
    curvatures = None if ball is None else (1 / float(ball.radius),) * 2
    return replace(found, swapped=swapped, size=small if 0 < small < np.inf else 1.0, curvatures=curvatures)


def _press(a: Shape, b: Shape) -> Pressing | None:
    """The pair in this order; None where it is known in the other one."""
    match a, b:
        case HeightField(), _:
            from .loops.ground_rows import press_ground

            return press_ground(a, b)
        case Plane(), Mesh() | Convex():
            from .loops.mesh_rows import press_plane

            return press_plane(a, b)
        case Mesh(), Mesh():
            from .loops.mesh_mesh_rows import press_meshes

            return press_meshes(a, b)
        case Mesh(), Point() | Sphere():
            from .loops.mesh_rows import press_ball

            return press_ball(a, b)
        case (_, HeightField() | Mesh()) | (_, Plane()):
            return None
    from .loops.hull_rows import press_hulls

    return press_hulls(a, b)
