"""Shapes of visualizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..library import visualizers
from .colours import colour_map
from .default_shapes import colour, given, ground, number, port, rod, shown_as, solid
from .meshes import Mesh, grid
from .scene_data import Point, Shape, along, arrow, axes_cross, fixed_arrow

if TYPE_CHECKING:
    from ..language import Component, World


@shown_as(visualizers.FixedShape)
def _fixed_shape(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    size = (c.length, c.width, given(c.height, c.width))
    shape = solid(f"{c.path}.shape", c.shape_type, size, c.color, port(c, "frame_a"), c.r_shape, c.length_direction,
                  c.width_direction, c.extra, "shapes")
    yield replace(shape, scale=tuple(map(float, c.scale)))


@shown_as(visualizers.FixedShape2)
def _fixed_shape_2(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    return rod(c, s, number(c, "r"), port(c, "frame_a"), c.color, "shapes")


@shown_as(visualizers.FixedFrame)
def _fixed_frame(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    d = float(given(c.diameter, c.length / s.default_frame_diameter_fraction))
    x = colour(c.color_x)
    return axes_cross(f"{c.path}.axes", port(c, "frame_a"), float(c.length), d,
                      (x, colour(c.color_y, x), colour(c.color_z, x)), "shapes",
                      ("x", "y", "z") if c.show_labels else None)


@shown_as(visualizers.FixedArrow)
def _fixed_arrow(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    vector = np.asarray(c.n) / np.linalg.norm(c.n) * c.length
    tail = np.asarray(c.r_tail) - (vector if c.head_at_origin else 0.0)
    return fixed_arrow(f"{c.path}.arrow", port(c, "frame_a"), tail, vector,
                       float(given(c.diameter, s.default_arrow_diameter)), colour(c.color), "shapes")


@shown_as(visualizers.SignalArrow)
def _signal_arrow(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    a = port(c, "frame_a")
    here = Point(a, tuple(c.r_tail))
    there = Point(a, tuple(c.r_tail), f"{c.path}.r_head", -1.0 if c.head_at_origin else 1.0, a)
    start, end = (there, here) if c.head_at_origin else (here, there)
    return arrow(f"{c.path}.arrow", start, end, float(given(c.diameter, s.default_arrow_diameter)), colour(c.color),
                 "shapes")


@shown_as(visualizers.Rectangle)
def _rectangle(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    axes = along(c.direction_u, c.direction_v)
    u = np.linspace(-0.5, 0.5, max(int(c.nu), 2)) * c.length_u
    v = np.linspace(-0.5, 0.5, max(int(c.nv), 2)) * c.length_v
    U, V = np.meshgrid(u, v, indexing="ij")
    yield Shape(f"{c.path}.surface", "surface", (float(c.length_u), float(c.length_v), 0.0), colour(c.color),
                port(c, "frame_a"), axes=axes, layer="shapes", opacity=1.0 - c.transparency,
                wireframe=bool(c.wireframe), data=grid(np.stack([U, V, 0 * U], -1)))


@shown_as(visualizers.Ground)
def _ground(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    n = np.zeros(3)
    n[:len(world.n)] = world.n
    yield ground(f"{c.path}.ground", n / np.linalg.norm(n), c.direction_u, c.length_u, c.length_v, s.nominal_length,
                 colour(c.color), port(c, "frame_a"))


@shown_as(visualizers.Torus)
def _torus(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield Shape(f"{c.path}.torus", "torus", (2 * float(c.R + c.r),) * 2 + (2 * float(c.r),), colour(c.color),
                port(c, "frame_a"), layer="shapes", opacity=1.0 - c.transparency, wireframe=bool(c.wireframe),
                data={"big": c.R, "small": c.r, "opening": c.opening, "start": c.start_angle, "stop": c.stop_angle,
                      "n_big": int(c.n_R), "n_small": int(c.n_r)})


@shown_as(visualizers.VoluminousWheel)
def _wheel(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield Shape(f"{c.path}.wheel", "wheel", (2 * float(c.r_tire), float(c.width), 2 * float(c.r_tire)),
                colour(c.color), port(c, "frame_a"), layer="shapes",
                data={"tyre": c.r_tire, "rim": c.r_rim, "width": c.width, "curvature": c.r_curvature,
                      "n_tyre": int(c.n_r_tire), "n_curvature": int(c.n_r_curvature)})


class _Painted:
    """The colour of one ring of a pipe over time."""

    def __init__(self, name: str, place: float, xsi: np.ndarray, low: float, high: float, table: np.ndarray) -> None:
        self.variables = (name,)
        self.place, self.xsi, self.low, self.high, self.table = place, xsi, low, high, table

    def colours(self, t: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Colours (nt, 3) by interpolating the field at the ring."""
        field = np.asarray(values[self.variables[0]]).reshape(len(t), -1)
        T = np.array([np.interp(self.place, self.xsi, row) for row in field])
        part = np.clip((T - self.low) / (self.high - self.low), 0.0, 1.0)
        return self.table[np.floor(part * (len(self.table) - 1)).astype(int)]

    def told(self) -> dict[str, object]:
        """The same for a page: weights of the field's entries at the ring, the range, and the colours."""
        weights = [float(np.interp(self.place, self.xsi, row)) for row in np.eye(len(self.xsi))]
        return {"weights": weights, "low": self.low, "high": self.high, "colours": self.table.tolist()}


@shown_as(visualizers.PipeWithScalarField)
def _pipe(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    table = colour_map(c.color_map, int(c.n_colors), c)
    xsi = np.linspace(0.0, 1.0, len(c.T)) if c.xsi is None else np.asarray(c.xsi, dtype=float)
    n, d = int(c.n_length), 2 * float(c.r_outer)
    for k in range(n):
        yield Shape(f"{c.path}.ring{k + 1}", "cylinder", (c.length / n, d, d), tuple(table[0]), port(c, "frame_a"),
                    (k * c.length / n, 0.0, 0.0), layer="shapes", opacity=1.0 - c.transparency,
                    data=_Painted(f"{c.path}.T", (k + 0.5) / n, xsi, float(c.T_min), float(c.T_max), table))


class _Bent:
    """A surface that changes over time."""

    def __init__(self, function: Callable[..., Any], nu: int, nv: int) -> None:
        self.U, self.V = np.meshgrid(np.linspace(0, 1, nu), np.linspace(0, 1, nv), indexing="ij")
        self.function = function
        self.mesh: Mesh = grid(self._points(0.0))

    def _points(self, t: float) -> np.ndarray:
        x, y, z = self.function(self.U, self.V, t)
        return np.stack([np.broadcast_to(np.asarray(w, dtype=float), self.U.shape) for w in (x, y, z)], -1)

    def vertices(self, t: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Vertices (nt, n, 3)."""
        return np.stack([self._points(float(time)).reshape(-1, 3) for time in t])


@shown_as(visualizers.Surface)
def _surface(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield Shape(f"{c.path}.surface", "surface", (1.0, 1.0, 1.0), colour(c.color), port(c, "frame_a"), layer="shapes",
                opacity=1.0 - c.transparency, wireframe=bool(c.wireframe),
                data=_Bent(c.function, int(c.nu), int(c.nv)))


@shown_as(visualizers.Lines)
def _lines(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield Shape(f"{c.path}.lines", "lines", (1.0, 1.0, 1.0), colour(c.color), port(c, "frame_a"), layer="shapes",
                data=[np.asarray(line, dtype=float) for line in c.lines])


@shown_as(visualizers.Text)
def _text(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    height = float(given(c.height, s.default_joint_length))
    yield Shape(f"{c.path}.text", "label", (height, height, height), (0, 0, 0), port(c, "frame_a"), tuple(c.r_text),
                layer="shapes", data=str(c.text))
