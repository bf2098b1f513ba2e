"""What a pair of shapes says of its contact: gaps, normals, points; and how it is computed.

For every contact point of a pair (`a`, `b`), in world axes:

    normal       unit vector from a to b
    point_a, _b  on the surface of each shape, with  point_b − point_a = gap · normal
    gap          positive while apart, negative where they overlap

The points are extreme or fixed on their bodies, so that the gap changes as the bodies do there:

    d gap / dt = normal · (v_b(point_b) − v_a(point_a))
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..algebra import Array, Scalar, Transform
from .shapes import Shape

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Touch:
    """One point of contact, in numbers or symbols.

    `curvatures` are the relative principal curvatures (1/m) of the two surfaces, the larger first, as Hertz's law
    wants them; None where an edge or a corner touches.
    """

    gap: Scalar
    normal: Array
    point_a: Array
    point_b: Array
    curvatures: tuple[Scalar, Scalar] | None = None

    def exchanged(self) -> Touch:
        """The same contact with a and b exchanged."""
        return Touch(self.gap, -self.normal, self.point_b, self.point_a, self.curvatures)


#: least(kernel, x, a, b) → kernel(x, a_i, b_j) of the pair of rows of two tables with the least first entry
Least = Callable[[ca.Function, Any, np.ndarray, np.ndarray], Any]
#: search(X_AB, least) → (first guess of the unknowns, and 1, or 0 where nothing is near a solution and the gap is open)
Search = Callable[[Transform, Least], tuple[Any, Any]]


def least_of_numbers(kernel: ca.Function, x: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What a search finds at numbers."""
    i, j = (index.ravel() for index in np.indices((len(a), len(b))))
    x = np.asarray(x, dtype=float).reshape(-1, 1)
    found = np.array(kernel(np.tile(x, (1, len(i))), a[i].T, b[j].T))
    return found[:, int(np.argmin(found[0]))]


def call_routine(entry: str, x: ArrayLike, numbers: np.ndarray, indices: np.ndarray, count: int) -> np.ndarray:
    """What a C function of this package ("module:name") computes from x and its arrays."""
    module, name = entry.split(":")
    out = np.empty(count)
    getattr(importlib.import_module(module), name)(np.ascontiguousarray(x, dtype=float), numbers, indices, out)
    return out


@dataclass(frozen=True)
class Unknowns:
    """What a pair defines only implicitly: `residual(X_WA, X_WB, y)` vanishes; `start(X_WA, X_WB)` solves it at floats.

    Programs solve it by Newton's method from what `search` finds among samples, numbers and symbols alike: so y is a
    function of the pose, whatever it was before, and long steps do not lead it astray.
    """

    names: tuple[str, ...]
    residual: Callable
    start: Callable
    search: Search


@dataclass(frozen=True)
class Routine:
    """A compiled loop: `function(X_WA, X_WB, numbers, indices, out)` fills `out` (n_points, 10): gap, normal, points.

    The poses are arrays of 12 numbers: the rotation by rows, then the position.  `function` is one of the dialect;
    `numbers` (floats) and `indices` (integers) are the data of the two shapes.  `swapped` loops are written for (b, a).
    """

    function: Callable
    numbers: np.ndarray
    indices: np.ndarray
    swapped: bool = False

    def __call__(self, X_WA: np.ndarray, X_WB: np.ndarray, n_points: int) -> np.ndarray:
        """The contact points (n_points, 10) at two poses."""
        out = np.empty((n_points, 10))
        if not self.swapped:
            self.function(X_WA, X_WB, self.numbers, self.indices, out)
            return out
        self.function(X_WB, X_WA, self.numbers, self.indices, out)
        return np.concatenate([out[:, :1], -out[:, 1:4], out[:, 7:], out[:, 4:7]], axis=1)


@dataclass(frozen=True)
class PairGeometry:
    """Two shapes that can meet in `n_points` points.

    Class 1: `touches(X_WA, X_WB)` is a closed form of numbers or symbols.  Class 2: it takes `unknowns` y as well.
    Class 3: there is a `routine` over arrays, and `touches` takes numbers only.  Where there are both, laws take the
    unknowns, and distances and stepped contact the routine.
    """

    a: Shape
    b: Shape
    n_points: int
    touches: Callable
    unknowns: Unknowns | None = None
    routine: Routine | None = None

    def evaluate(self, X_WA: Transform, X_WB: Transform, y: Array | None = None) -> list[Touch]:
        """The contact points, in world axes.

        For numbers, unknowns that are not given are solved for.
        """
        if self.unknowns is None or y is None and self.routine is not None:
            return self.touches(X_WA, X_WB)
        return self.touches(X_WA, X_WB, self.unknowns.start(X_WA, X_WB) if y is None else y)

    def exchanged(self) -> PairGeometry:
        """The same pair with a and b exchanged."""
        unknowns, routine = self.unknowns, self.routine
        if unknowns is not None:
            residual, start, search = unknowns.residual, unknowns.start, unknowns.search
            unknowns = Unknowns(unknowns.names, lambda X_WA, X_WB, y: residual(X_WB, X_WA, y),
                                lambda X_WA, X_WB: start(X_WB, X_WA),
                                lambda X_AB, least: search(X_AB.inverse(), least))
        if routine is not None:
            routine = replace(routine, swapped=not routine.swapped)
        return PairGeometry(self.b, self.a, self.n_points, _exchanged(self.touches), unknowns, routine)


def _exchanged(touches: Callable) -> Callable:
    return lambda X_WA, X_WB, *y: [touch.exchanged() for touch in touches(X_WB, X_WA, *y)]
