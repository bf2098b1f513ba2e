"""Shapes in their own axes: what can touch.

Each is centred on the origin of its frame; sizes are numbers or symbols, except where a shape is made of arrays.  A
planar shape lies in the x-y plane of its frame and extends endlessly along z.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..algebra import Array, Scalar, VectorLike, is_symbolic, unit
from ..errors import ModelError
from .tolerances import CURVE_CLOSED


class Shape:
    """Base of all shapes; `kind` is how messages call it."""

    @property
    def kind(self) -> str:
        return type(self).__name__


@dataclass(frozen=True, eq=False)
class Point(Shape):
    """The origin of the frame."""


@dataclass(frozen=True, eq=False)
class Plane(Shape):
    """A half space: all that lies below the plane through the origin with the outward normal n."""

    n: Array = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", unit(self.n, "n"))


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A ball."""

    radius: Scalar

    def __post_init__(self) -> None:
        _lengths(self, "radius")


@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """A cylinder along n with half balls on its ends; `length` is that of the cylinder alone."""

    radius: Scalar
    length: Scalar
    n: Array = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        _lengths(self, "radius", "length")
        object.__setattr__(self, "n", unit(self.n, "n"))


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A brick with the full edge lengths `size` along x, y, z."""

    size: VectorLike

    def __post_init__(self) -> None:
        _three(self, "size")

    def corners(self) -> list:
        """Its eight corners, z fastest."""
        h = [s / 2 for s in self.size]
        return [[i * h[0], j * h[1], k * h[2]] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]


@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A solid cylinder along n.  On a plane it stands on `feet` points of each rim, or rolls on the lowest ones."""

    radius: Scalar
    length: Scalar
    n: Array = (0.0, 0.0, 1.0)
    feet: int = 4

    def __post_init__(self) -> None:
        _lengths(self, "radius", "length")
        object.__setattr__(self, "n", unit(self.n, "n"))


@dataclass(frozen=True, eq=False)
class Disc(Shape):
    """A thin round plate across n, with a sharp rim.  `feet` as for a Cylinder; a wheel that never falls needs none."""

    radius: Scalar
    n: Array = (0.0, 0.0, 1.0)
    feet: int = 4

    def __post_init__(self) -> None:
        _lengths(self, "radius")
        object.__setattr__(self, "n", unit(self.n, "n"))


@dataclass(frozen=True, eq=False)
class Torus(Shape):
    """A ring of radius R across n with a tube of radius r.  `feet` as for a Disc."""

    R: Scalar
    r: Scalar
    n: Array = (0.0, 0.0, 1.0)
    feet: int = 4

    def __post_init__(self) -> None:
        _lengths(self, "R", "r")
        object.__setattr__(self, "n", unit(self.n, "n"))


@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid with the half axes `radii` along x, y, z."""

    radii: VectorLike

    def __post_init__(self) -> None:
        _three(self, "radii")


@dataclass(frozen=True, eq=False)
class Convex(Shape):
    """The convex hull of points, (n, 3), grown by `radius`: rounded, its normal is continuous."""

    points: np.ndarray
    radius: float = 0.0
    vertices: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from .hulls import hull_vertices

        points = _array(self, "points", 3)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "vertices", hull_vertices(points))
        _lengths(self, "radius")

    def hull(self) -> tuple[np.ndarray, np.ndarray]:
        """Its vertices, and its faces as triples of them, seen from outside counter-clockwise."""
        from .hulls import hull_faces

        return self.vertices, hull_faces(self.vertices)


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A closed surface of triangles: `vertices` (n, 3) and `faces` (m, 3) counted from 0, seen from outside
    counter-clockwise."""

    vertices: np.ndarray
    faces: np.ndarray

    def __post_init__(self) -> None:
        from .hulls import checked_mesh

        vertices, faces = checked_mesh(_array(self, "vertices", 3), self.faces)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)


@dataclass(frozen=True, eq=False)
class HeightField(Shape):
    """The ground below z(x, y), given on a grid `x` (n), `y` (m) as `z` (n, m); bicubic in between, straight beyond."""

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            object.__setattr__(self, name, _finite(self, name))
        n, m = self.x.size, self.y.size
        if self.x.ndim != 1 or self.y.ndim != 1 or self.z.shape != (n, m) or min(n, m) < 4:
            raise ModelError(f"HeightField: z has the shape {self.z.shape}; with x of {n} and y of {m} numbers it must "
                             f"be ({n}, {m}), at least 4 each way.")
        if not (np.all(np.diff(self.x) > 0) and np.all(np.diff(self.y) > 0)):
            raise ModelError("HeightField: x and y must increase.")


# --- in the plane ---

@dataclass(frozen=True, eq=False)
class Line(Shape):
    """A half plane: all that lies below the line through the origin with the outward normal n = (x, y)."""

    n: Array = (0.0, 1.0)

    def __post_init__(self) -> None:
        x, y = self.n[0], self.n[1]
        object.__setattr__(self, "n", unit([x, y, 0.0], "n"))


@dataclass(frozen=True, eq=False)
class Circle(Shape):
    """A round disc in the plane."""

    radius: Scalar

    def __post_init__(self) -> None:
        _lengths(self, "radius")


@dataclass(frozen=True, eq=False)
class Polygon(Shape):
    """A convex polygon through `points` (n, 2), counter-clockwise."""

    points: np.ndarray

    def __post_init__(self) -> None:
        from .hulls import checked_polygon

        object.__setattr__(self, "points", checked_polygon(_array(self, "points", 2)))


@dataclass(frozen=True, eq=False)
class Curve(Shape):
    """The outline (x, y) = function(s) of a cam or a gear flank, s from `start` to `stop`; the inside lies to its left.

    `function` takes numbers and symbols.  A `closed` curve repeats after stop − start.
    """

    function: Callable
    start: float = 0.0
    stop: float = 2 * np.pi
    closed: bool = True

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"Curve: function = {self.function!r} must be callable, s → (x, y).")
        if not self.stop > self.start:
            raise ModelError(f"Curve: stop = {self.stop:g} must lie beyond start = {self.start:g}.")
        first, last = (np.array([float(x) for x in self.function(s)]) for s in (self.start, self.stop))
        if not np.all(np.isfinite([first, last])):
            raise ModelError("Curve: function must give finite numbers from start to stop.")
        if self.closed and np.abs(first - last).max() > CURVE_CLOSED * (1 + np.abs(first).max()):
            raise ModelError(f"Curve: it is to be closed, but begins at ({first[0]:g}, {first[1]:g}) and ends at "
                             f"({last[0]:g}, {last[1]:g}).")

    def sampled(self, n: int) -> np.ndarray:
        """n + 1 points along the curve, (n + 1, 2)."""
        return np.array([[float(x) for x in self.function(s)] for s in np.linspace(self.start, self.stop, n + 1)])


SPATIAL = (Point, Plane, Sphere, Capsule, Box, Cylinder, Disc, Torus, Ellipsoid, Mesh, Convex, HeightField, Curve)
PLANAR = (Point, Line, Circle, Polygon, Curve)


def _lengths(shape: Shape, *names: str) -> None:
    for name in names:
        value = getattr(shape, name)
        if not is_symbolic(value) and not 0 <= value < np.inf:
            raise ModelError(f"{shape.kind}: {name} = {value} must be a finite length, zero or positive.")


def _three(shape: Shape, name: str) -> None:
    value = getattr(shape, name)
    if not is_symbolic(value):
        value = _finite(shape, name)
        if value.shape != (3,) or not np.all(value > 0):
            raise ModelError(f"{shape.kind}: {name} = {getattr(shape, name)} must be three positive lengths.")
        value = value.tolist()
    object.__setattr__(shape, name, [value[i] for i in range(3)])


def _finite(shape: Shape, name: str) -> np.ndarray:
    try:
        value = np.array(getattr(shape, name), dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{shape.kind}: {name} must be numbers.") from None
    if not np.all(np.isfinite(value)):
        raise ModelError(f"{shape.kind}: {name} must be finite.")
    return value


def _array(shape: Shape, name: str, columns: int) -> np.ndarray:
    value = _finite(shape, name)
    if value.ndim != 2 or value.shape[1] != columns or len(value) < columns:
        raise ModelError(f"{shape.kind}: {name} must be at least {columns} points of {columns} numbers, got an array "
                         f"of shape {value.shape}.")
    return value
