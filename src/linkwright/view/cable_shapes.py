"""Cables and muscles as tubes along their way, and the surfaces that they wrap."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ..library import cables
from .default_shapes import colour, given, port, shown_as
from .scene_data import Point, Shape, Span, along

if TYPE_CHECKING:
    from ..language import Component, World


@shown_as(cables.Cable, cables.Belt)
def _cable(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    width = float(given(c.diameter, s.default_arrow_diameter / 2))
    for k in range(c.n_knots - 1):
        ends = (Point(place=f"{c.path}.at[{k + j}]") for j in (0, 1))
        yield Shape(f"{c.path}.tube[{k}]", "cylinder", (0.0, width, width), colour(c.color), layer="forces",
                    span=Span(*ends))


@shown_as(cables.Cylinder)
def _cylinder(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    radius = float(c.radius)
    length = float(given(c.length, radius / 3 if isinstance(c, cables.Disc) else 4 * radius))
    yield Shape(f"{c.path}.surface", "cylinder", (length, 2 * radius, 2 * radius), colour(c.color),
                port(c, "frame_s"), (0.0, 0.0, -length / 2), along([0, 0, 1]), opacity=1 - float(c.transparency))


@shown_as(cables.Sphere, cables.Ellipsoid)
def _ball(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    radii = np.broadcast_to(np.asarray(c.radius if isinstance(c, cables.Sphere) else c.radii, dtype=float), 3)
    yield Shape(f"{c.path}.surface", "sphere", tuple(2 * radii), colour(c.color), port(c, "frame_s"),
                (-float(radii[0]), 0.0, 0.0), opacity=1 - float(c.transparency))
