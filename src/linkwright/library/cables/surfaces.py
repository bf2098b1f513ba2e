"""Surfaces that cables wrap: they ride on frames, without mass, and are felt by cables alone."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...algebra import Transform, axis_frame
from ...errors import ModelError
from ...language import Component, Frame, PartsList, unit_axis
from ...language.fields import appearance, parameter
from ...language.looks import SurfaceLook
from ...language.ranges import POSITIVE
from .route import Wrap


class Surface(SurfaceLook, Component):
    """Base: a surface on frame_a, its centre at r there.  Cables are told of it by `surface.wrap(…)`."""

    connector: type[Frame] = Frame
    turns = False  # whether a cable winds about an axis, so that turns are counted

    r = parameter([0.0, 0.0, 0.0], "centre, in frame_a", "m")
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_a", self.connector())
        self._port("frame_s", self.connector())

    def required_ports(self) -> list[str]:
        return ["frame_a"]

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_s, Transform(self.axes(), plan.values(self).r))

    def axes(self) -> object:
        """The axes of the surface in those of frame_a; None where they are the same."""
        return None

    def wrap(self, turn: int | None = None, long: bool = False, near: tuple | None = None) -> Wrap:
        """The stop of a cable at this surface.

        `turn` is +1 where the cable goes counter-clockwise about the axis, −1 clockwise; without it the cable lies on
        whichever side it touches.  `long`: at the start it goes round by more than half a turn.  Whatever it is at the
        start, the cable keeps its side until it lifts off, and its turns.
        """
        if turn not in (None, 1, -1):
            raise ModelError(f"{self.path}.wrap(turn={turn!r}): a cable turns by +1, −1, or None: whichever side it "
                             "touches.", self)
        return Wrap(self, turn, bool(long), None if near is None else tuple(float(x) for x in near))

    def least_distance(self, values: object, P: ca.SX) -> ca.SX:
        """How far a point is outside (negative: inside), and zero on the surface; in the surface's axes."""
        raise NotImplementedError


class Cylinder(Surface):
    """A circular cylinder about the axis n, infinitely long; a cable lies on it as a helix.

    >>> m.drum = cables.Cylinder(radius=0.05, n=[0, 0, 1])
    """

    turns = True
    radius = parameter(text="radius", unit="m", only=POSITIVE)
    n = parameter((0.0, 0.0, 1.0), "axis, in frame_a", structural=True)
    length = appearance(None, "length that is shown; default four radii", "m")

    def _check(self) -> None:
        unit_axis(self, "n")

    def axes(self) -> object:
        return axis_frame(unit_axis(self, "n"))

    def least_distance(self, values: object, P: ca.SX) -> ca.SX:
        return ca.sqrt(P[0] * P[0] + P[1] * P[1]) - values.radius


class Disc(Cylinder):
    """A pulley without bearing friction and without inertia; in pictures a disc."""

    length = appearance(None, "thickness that is shown; default a third of the radius", "m")

    def wrap(self, turn: int | None = None, long: bool | None = None, near: tuple | None = None) -> Wrap:
        """The stop of a cable at this pulley; with a `turn` it lies on it at the start, however far round (long=False:
        by less than three quarters of a turn, or not at all)."""
        return super().wrap(turn, turn is not None if long is None else long, near)


class Sphere(Surface):
    """A ball: the cable lies in the plane through the centre and the neighbouring points, and slides sideways as that
    plane
    turns."""

    radius = parameter(text="radius", unit="m", only=POSITIVE)

    def wrap(self, turn: int | None = None, long: bool = False, near: tuple | None = None) -> Wrap:
        """The passage of a cable over this ball; with `long` it goes round more than half of it."""
        if turn is not None:
            raise ModelError(f"{self.path}.wrap(turn={turn!r}): a ball has no axis to turn about; use long=True for "
                             "the long way round, or a cables.Cylinder for a groove.", self)
        return super().wrap(None, long, near)

    def least_distance(self, values: object, P: ca.SX) -> ca.SX:
        return ca.sqrt(ca.dot(P, P)) - values.radius


class Ellipsoid(Surface):
    """An ellipsoid with half axes along the axes of frame_a; a cable lies on it as a geodesic.

    `wrap(near=[x, y, z])` gives a point over which the cable lies at the start, if that is not the shortest path.
    """

    radii = parameter(text="half axes along x, y, z", unit="m", shape=(3,))

    def _check(self) -> None:
        if np.shape(self.radii) != (3,) or not np.all(np.asarray(self.radii) > 0):
            raise ModelError(f"{self.path}: radii = {np.asarray(self.radii).tolist()} must be three positive lengths.",
                             self)

    def wrap(self, turn: int | None = None, long: bool = False, near: tuple | None = None) -> Wrap:
        """The passage of a cable over this ellipsoid."""
        if turn is not None or long:
            raise ModelError(f"{self.path}.wrap: an ellipsoid has no axis to turn about; say by near=[x, y, z] over "
                             "which point of it the cable lies.", self)
        return super().wrap(None, False, near)

    def least_distance(self, values: object, P: ca.SX) -> ca.SX:
        """In shares of the half axes, times the smallest."""
        q = ca.vertcat(*[P[k] / values.radii[k] for k in range(3)])
        least = ca.fmin(ca.fmin(values.radii[0], values.radii[1]), values.radii[2])
        return (ca.sqrt(ca.dot(q, q)) - 1) * least


__all__ = ["Ellipsoid", "Cylinder", "Disc", "Sphere", "Surface"]
