"""Cables and muscles as tubes along their way, and the surfaces that they wrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ..language.looks import SLACK_COLOR
from ..library import cables, muscles
from .default_shapes import colour, given, port, shown_as
from .scene_data import Colour, Point, Shape, Span, along

if TYPE_CHECKING:
    from ..language import Component, World


@dataclass(frozen=True)
class _Blend:
    """A colour over time: from one to the other as a variable goes from 0 to 1."""

    variable: str
    none: Colour
    full: Colour

    @property
    def variables(self) -> tuple[str, ...]:
        return (self.variable,)

    def colours(self, t: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """(nt, 3)."""
        share = np.clip(np.asarray(values[self.variable], dtype=float).reshape(-1, 1), 0, 1)
        return np.round((1 - share) * np.asarray(self.none) + share * np.asarray(self.full))


@dataclass(frozen=True)
class _Taut(_Blend):
    """The second colour where the tension is not zero, the first where the cable is slack."""

    def colours(self, t: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
        pulls = np.asarray(values[self.variable], dtype=float) != 0
        return super().colours(t, {self.variable: pulls})


def _paint(c: Component) -> _Blend | None:
    """How a tube changes its colour: a muscle with its activation, a cable that may be slack with its tension."""
    if isinstance(c, (muscles.Muscle, muscles.MujocoMuscle)):
        return _Blend(f"{c.path}.a", colour(c.color_relaxed), colour(c.color))
    return _Taut(f"{c.path}.f", SLACK_COLOR, colour(c.color)) if isinstance(c, cables.Cable) and c.hangs else None


@shown_as(cables.Cable)
def _cable(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield from tubes(c, s, [None] * (c.n_knots - 1) if (paint := _paint(c)) is None else [paint] * (c.n_knots - 1))


@shown_as(cables.Belt)
def _belt(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield from tubes(c, s, [None] * (c.n_knots - 1))


def tubes(c: Component, s: SimpleNamespace, paints: list[_Blend | None]) -> Iterator[Shape]:
    """Tubes from each point of a cable to the next."""
    width = float(given(c.diameter, s.default_arrow_diameter / 2))
    for k, paint in enumerate(paints):
        ends = (Point(place=f"{c.path}.at[{k + j}]") for j in (0, 1))
        yield Shape(f"{c.path}.tube[{k}]", "cylinder", (0.0, width, width), colour(c.color), layer="forces",
                    span=Span(*ends), data=paint)


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
