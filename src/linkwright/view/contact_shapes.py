"""Shapes of contact as they are seen: their own surface, in metres, in the axes of their frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from .. import geometry
from ..algebra import axis_frame
from ..library.contact import ContactShape, Pair
from .default_shapes import colour, given, port, shown_as
from .ground import ground_shape
from .meshes import Mesh, grid, lathe, prism
from .scene_data import Point, Shape, arrow
from .sizes import load_scale

if TYPE_CHECKING:
    from ..language import Component, World


@shown_as(ContactShape)
def _contact_shape(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    shape = c.shape(c)
    endless = isinstance(shape, (geometry.Plane, geometry.Line))
    size = getattr(c, "length" if endless else "width", None)
    if isinstance(shape, geometry.Plane) and size is None:
        yield ground_shape(f"{c.path}.surface", shape.n, axis_frame(shape.n)[:, 0], s.nominal_length, colour(c.color),
                           port(c, "frame_a"), "shapes", 1.0 - c.transparency)
        return
    yield Shape(f"{c.path}.surface", "surface", (1.0, 1.0, 1.0), colour(c.color), port(c, "frame_a"), layer="shapes",
                opacity=1.0 - c.transparency, data=surface(shape, size, s.default_arrow_diameter))


@shown_as(Pair)
def _pair(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    """The force on b at every point of contact: an arrow with its head there."""
    for k in range(c.n_points):
        tip = Point(place=f"{c.path}.point_{k}")
        length = load_scale(s, "force")
        tail = replace(tip, variable=f"{c.path}.force_{k}", **(length | {"scale": -length["scale"]}))
        yield from arrow(f"{c.path}.force[{k}]", tail, tip, s.default_arrow_diameter, colour(c.color), "forces")


def surface(shape: geometry.Shape, size: float | None = None, dot: float = 0.01) -> Mesh:
    """The surface of a shape; `size` is how much of an endless one is shown, `dot` the diameter of a point."""
    return _SURFACES[type(shape)](shape, size or dot if isinstance(shape, geometry.Point) else size)


def _turned(mesh: Mesh, n: Sequence[float]) -> Mesh:
    """A surface about x, turned about the axis n."""
    axes = axis_frame(np.asarray(n, dtype=float))
    return mesh[0] @ np.column_stack([axes[:, 2], axes[:, 0], axes[:, 1]]).T, mesh[1]


def _ball(radii: Sequence[float]) -> Mesh:
    u, v = np.meshgrid(np.linspace(0, np.pi, 25), np.linspace(0, 2 * np.pi, 49), indexing="ij")
    points = np.stack([np.cos(u), np.sin(u) * np.cos(v), np.sin(u) * np.sin(v)], -1)
    return grid(points * np.asarray(radii, dtype=float))


def _plane(shape: geometry.Plane, size: float | None) -> Mesh:
    half = float(given(size, 2.0)) / 2
    axes = axis_frame(shape.n)
    cells = np.linspace(-half, half, 17)  # a piece behind the camera is left out by itself
    U, V = np.meshgrid(cells, cells, indexing="ij")
    return grid(U[..., None] * axes[:, 0] + V[..., None] * axes[:, 1])


def _capsule(shape: geometry.Capsule, size: float | None) -> Mesh:
    r, h = float(shape.radius), float(shape.length) / 2
    left = [(-h - r * np.cos(a), r * np.sin(a)) for a in np.linspace(0, np.pi / 2, 9)]
    return _turned(lathe([*left, *[(-x, y) for x, y in left[::-1]]]), shape.n)


def _cylinder(shape: geometry.Cylinder | geometry.Disc, size: float | None) -> Mesh:
    r = float(shape.radius)
    h = float(shape.length) / 2 if isinstance(shape, geometry.Cylinder) else r / 200  # thin, but seen from the side
    return _turned(lathe([(-h, 0), (-h, r), (h, r), (h, 0)]), shape.n)


def _torus(shape: geometry.Torus, size: float | None) -> Mesh:
    R, r = float(shape.R), float(shape.r)
    return _turned(lathe([(-r * np.cos(a), R + r * np.sin(a)) for a in np.linspace(-np.pi, np.pi, 21)]), shape.n)


def _box(shape: geometry.Box, size: float | None) -> Mesh:
    vertices, faces = prism(np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]))
    return (vertices - [0.5, 0, 0]) * np.asarray(shape.size, dtype=float), faces


def _flat_faces(vertices: np.ndarray, faces: np.ndarray) -> Mesh:
    """Triangles with vertices of their own, so that edges are seen."""
    return vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)


def _height_field(shape: geometry.HeightField, size: float | None) -> Mesh:
    X, Y = np.meshgrid(shape.x, shape.y, indexing="ij")
    return grid(np.stack([X, Y, shape.z], -1))


def _curve(shape: geometry.Curve, size: float | None) -> Mesh:
    points = shape.sampled(200)
    width = float(given(size, 0.1 * np.ptp(points, axis=0).max()))
    if shape.closed:
        return _plate(points[:-1], width)
    return grid(np.stack([np.column_stack([points, np.full(len(points), z)]) for z in (-width / 2, width / 2)]))


def _plate(outline: np.ndarray, width: float) -> Mesh:
    """A flat outline in x, y, drawn along z."""
    v, f = prism(outline)
    return np.column_stack([v[:, 1], v[:, 2], (v[:, 0] - 0.5) * width]), f


def _line(shape: geometry.Line, size: float | None) -> Mesh:
    length = float(given(size, 2.0))
    n = shape.n[:2]
    t, half, thick = np.array([-n[1], n[0]]), length / 2, length / 100
    return _plate(np.array([half * t, half * t - thick * n, -half * t - thick * n, -half * t]), length / 20)


def _circle(shape: geometry.Circle, size: float | None) -> Mesh:
    r, a = float(shape.radius), np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return _plate(r * np.column_stack([np.cos(a), np.sin(a)]), r / 4)


_SURFACES = {
    geometry.Point: lambda shape, size: _ball([size / 2] * 3),
    geometry.Plane: _plane,
    geometry.Sphere: lambda shape, size: _ball([float(shape.radius)] * 3),
    geometry.Capsule: _capsule,
    geometry.Box: _box,
    geometry.Cylinder: _cylinder,
    geometry.Disc: _cylinder,
    geometry.Torus: _torus,
    geometry.Ellipsoid: lambda shape, size: _ball(shape.radii),
    geometry.Convex: lambda shape, size: _flat_faces(*shape.hull()),
    geometry.Mesh: lambda shape, size: _flat_faces(shape.vertices, shape.faces),
    geometry.HeightField: _height_field,
    geometry.Curve: _curve,
    geometry.Line: _line,
    geometry.Circle: _circle,
    geometry.Polygon: lambda shape, size: _plate(shape.points, 0.1 * np.ptp(shape.points, axis=0).max()),
}
