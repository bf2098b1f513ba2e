"""Contact in the plane: shapes that ride on planar frames (`pl.contact`).

    m.wheel = pl.contact.Circle(radius=0.2)
    m.connect(m.hub.frame_a, m.wheel.frame_a)
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ... import geometry
from ...language.fields import appearance, parameter
from ...language.planar_frame import PlanarFrame, direction
from ...language.ranges import POSITIVE
from ..contact import array_shapes, shapes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..contact.shapes import ContactShape


class PlanarShape(shapes.ContactShape):
    """Base: a shape on a planar frame_a."""

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())


class Point(PlanarShape):
    """A point: the origin of frame_a."""

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Point:
        return geometry.Point()


class Line(PlanarShape):
    """A straight line through frame_a with the outward normal n; all below it is solid."""

    n = parameter((0.0, 1.0), "outward normal, in frame_a", structural=True)
    length = appearance(2.0, "length that is shown", "m")

    def _check(self) -> None:
        direction(self, "n")

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Line:
        return geometry.Line(direction(self, "n"))


class Circle(PlanarShape):
    """A round disc about frame_a."""

    radius = parameter(text="radius", unit="m", only=POSITIVE)

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Circle:
        return geometry.Circle(v.radius)


class Polygon(array_shapes.Built):
    """A convex polygon: its corners (n, 2) in frame_a, in order.

        pl.contact.Polygon([[0, 0], [1, 0], [0, 1]])
    """

    points = parameter(text="corners (x, y)", unit="m", structural=True)

    def __init__(self, points: ArrayLike | None = None, **given: Any) -> None:
        super().__init__(**(given if points is None else {"points": points} | given))

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())

    def _build(self) -> geometry.Polygon:
        return geometry.Polygon(self.points)


class Curve(array_shapes.Curve):
    """An outline in the plane, through points or by a function: a cam, a gear flank."""

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())


__all__ = ["Circle", "Curve", "Line", "Point", "Polygon"]
