"""Shapes of contact made of arrays: convex bodies, meshes, height fields, outlines."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import geometry
from ...errors import ModelError
from ...language.fields import appearance, parameter
from ...language.given_values import as_number, floats
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from .outlines import outline
from .shapes import ContactShape

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Built(ContactShape):
    """Base: the shape is checked and built once, when the component is made."""

    alike = False

    def _check(self) -> None:
        try:
            self.__dict__["_shape"] = self._build()
        except ModelError as error:
            raise ModelError(f"{self.path}: {str(error).partition(': ')[2] or error}", self) from None

    def _build(self) -> geometry.Shape:
        raise NotImplementedError

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Shape:
        return self._shape


class Convex(Built):
    """The convex hull of points, or of a mesh file, rounded by a small radius so that its normal is continuous.

        contact.Convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], radius=0.01)
    """

    points = parameter(text="points (x, y, z) in frame_a, or a mesh file", unit="m", structural=True)
    radius = parameter(0.0, "radius by which it is grown and rounded", "m", structural=True, only=NOT_NEGATIVE)

    def __init__(self, points: ArrayLike | None = None, **given: Any) -> None:
        super().__init__(**(given if points is None else {"points": points} | given))

    def _build(self) -> geometry.Convex:
        points = geometry.file_mesh(self.points)[0] if isinstance(self.points, str) else self.points
        return geometry.Convex(points, float(self.radius))


class Mesh(Built):
    """A closed surface of triangles: a file, or vertices and faces.

        contact.Mesh("part.stl", scale=0.001)
    """

    file = parameter(None, "mesh file (.stl, .obj, .ply, .glb, …)", structural=True)
    vertices = parameter(None, "vertices (x, y, z), where there is no file", "m", structural=True)
    faces = parameter(None, "triples of vertices, counted from 0, counter-clockwise from outside", structural=True)
    scale = parameter(1.0, "length of the file's unit", "m", structural=True, only=POSITIVE)

    def __init__(self, file: str | Path | None = None, *more: object, **given: Any) -> None:
        if more or np.ndim(file) > 0:
            raise ModelError("Mesh: give a file, or vertices and faces by name: contact.Mesh(vertices=…, faces=…).")
        super().__init__(**(given if file is None else {"file": file} | given))

    def _build(self) -> geometry.Mesh:
        if (self.file is None) == (self.vertices is None or self.faces is None):
            raise ModelError("Mesh: give a file, or vertices= and faces=.")
        if self.file is not None:
            vertices, faces = geometry.file_mesh(str(self.file))
        else:
            vertices, faces = floats(self.vertices, "Mesh: vertices"), floats(self.faces, "Mesh: faces")
            if np.any(faces != np.round(faces)):
                raise ModelError("Mesh: faces are triples of numbers of vertices, counted from 0; got fractions.")
            faces = faces.astype(int)
        return geometry.Mesh(vertices * float(self.scale), faces)


class HeightField(Built):
    """Ground below z(x, y) in frame_a, given on a grid; bicubic in between.

        contact.HeightField(x, y, z)                 # x (n), y (m), z (n, m)
    """

    x = parameter(text="grid along x, increasing", unit="m", structural=True)
    y = parameter(text="grid along y, increasing", unit="m", structural=True)
    z = parameter(text="heights (n, m)", unit="m", structural=True)

    def __init__(self, x: ArrayLike | None = None, y: ArrayLike | None = None, z: ArrayLike | None = None,
                 **given: Any) -> None:
        arrays = {name: value for name, value in (("x", x), ("y", y), ("z", z)) if value is not None}
        super().__init__(**(arrays | given))

    def _build(self) -> geometry.HeightField:
        return geometry.HeightField(self.x, self.y, self.z)


class Curve(Built):
    """An outline in the x-y plane of frame_a, extended along z without limit: a cam, a gear flank.

    Give either `points` (n, 2), through which a smooth curve is laid, or a function s → (x, y) that accepts numbers and
    expressions, with s from `start` to `stop`.  The body lies to the left of the curve, so a closed curve runs
    counter-clockwise.
    """

    points = parameter(None, "points (x, y) of the outline", "m", structural=True)
    function = parameter(None, "function s → (x, y)", structural=True)
    start = parameter(0.0, "first value of s", structural=True)
    stop = parameter(2 * np.pi, "last value of s", structural=True)
    closed = parameter(True, "whether the curve returns to its start")
    width = appearance(None, "how far it is drawn along z; default a tenth of its size", "m")

    def __init__(self, points: ArrayLike | None = None, **given: Any) -> None:
        super().__init__(**(given if points is None else {"points": points} | given))

    def _build(self) -> geometry.Curve:
        if (self.points is None) == (self.function is None):
            raise ModelError("Curve: give points, or function=f with f(s) → (x, y).")
        start, stop = (as_number(getattr(self, name), f"Curve: {name}") for name in ("start", "stop"))
        if not start < stop:
            raise ModelError(f"Curve: start = {start:g} must lie below stop = {stop:g}.")
        if self.points is not None:
            return outline(self.points, bool(self.closed))
        return geometry.Curve(self.function, start, stop, bool(self.closed))
