"""Shapes of contact given by a few sizes, each centred on the origin of its frame_a."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ... import geometry
from ...errors import ModelError
from ...language import Component, Frame, PartsList, unit_axis
from ...language.fields import Appearance, Parameter, Record, appearance, colour, kind_reads, parameter
from ...language.ranges import POSITIVE
from .law_numbers import check_numbers
from .material import Material

if TYPE_CHECKING:
    from .compliant import CompliantLaw
    from .pair import Pair
    from .rigid import Rigid

CONTACT_COLOR, GROUND_COLOR = (160, 160, 200), (232, 236, 241)


class Surface(Record):
    """What the surface of a shape is made of; numbers that make no sense are refused when it is given."""

    def __init__(self, text: str):
        super().__init__(Material, text)

    def checked(self, component: Component, value: object) -> Material | None:
        if value is not None and not isinstance(value, Material):
            raise ModelError(f"{component.path}.material = {value!r} is no material; give contact.Material(…).",
                             component)
        if value is not None:
            check_numbers(value, component, "material")
        return value


class ContactShape(Component):
    """Base of the shapes that can touch others: fixed on frame_a, without mass and load."""

    alike = True  # all shapes of the class meet those of another in as many points
    material = Surface("contact.Material(…), for pairs without a law of their own")
    animation = appearance(True, "whether it is shown")
    color = colour(CONTACT_COLOR, "colour")
    transparency = appearance(0.0, "0 opaque … 1 unseen")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())

    def required_ports(self) -> list[str]:
        return ["frame_a"]

    def describe(self, plan: PartsList) -> None:
        plan.load(self, self.frame_a, ca.SX.zeros(3), ca.SX.zeros(3))
        plan.shape(self, self.frame_a, self.shape(plan.values(self)))

    def sizes(self) -> list[tuple[Component, str]]:
        """Its parameters that may be tuned, with itself."""
        return [(self, name) for name, field in type(self).fields().items()
                if isinstance(field, Parameter) and not isinstance(field, Record | Appearance) and not field.structural]

    def pair_with(self, other: ContactShape, law: CompliantLaw | Rigid | None) -> Pair | None:
        """The two as a pair under a law; None where shapes of their kinds cannot meet."""
        from .pair import Pair

        return None if self.points_with(other) is None else Pair(self, other, law)

    def points_with(self, other: ContactShape) -> tuple[int, str] | None:
        """How many points of contact two shapes have, and by "formulas", "unknowns" or "loops"; None if none."""
        try:
            with kind_reads():
                found = geometry.pair(self.shape(self), other.shape(other))
        except ModelError:
            return None
        searched = "loops" if found.routine is not None else "formulas"
        return found.n_points, searched if found.unknowns is None else "unknowns"

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Shape:
        """The shape, of the parameters v by name: numbers (the component itself) or symbols (`plan.values`)."""
        raise ModelError(f"{self.path}: a shape of your own defines shape(self, v) and returns one of "
                         f"linkwright.geometry.", self)


class Point(ContactShape):
    """A point: the origin of frame_a."""

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Point:
        return geometry.Point()


class Plane(ContactShape):
    """A plane through frame_a with the outward normal n; all below it is solid."""

    n = parameter((0.0, 1.0, 0.0), "outward normal, in frame_a", structural=True)
    length = appearance(None, "side of the square that is shown; default: a ground to the horizon where it faces up",
                        "m")
    color = colour(GROUND_COLOR, "colour")

    def _check(self) -> None:
        unit_axis(self, "n")

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Plane:
        return geometry.Plane(unit_axis(self, "n"))


class Sphere(ContactShape):
    """A ball about frame_a."""

    radius = parameter(text="radius", unit="m", only=POSITIVE)

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Sphere:
        return geometry.Sphere(v.radius)


class _Long(ContactShape):
    """Base: a radius and a length along n."""

    radius = parameter(text="radius", unit="m", only=POSITIVE)
    length = parameter(text="length", unit="m", only=POSITIVE)
    n = parameter((0.0, 0.0, 1.0), "axis, in frame_a", structural=True)

    def _check(self) -> None:
        unit_axis(self, "n")


class Capsule(_Long):
    """A cylinder along n with half balls on its ends; `length` is that of the cylinder alone."""

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Capsule:
        return geometry.Capsule(v.radius, v.length, unit_axis(self, "n"))


class Box(ContactShape):
    """A brick with edges along the axes of frame_a."""

    size = parameter(text="edge lengths along x, y, z", unit="m", shape=(3,))

    def _check(self) -> None:
        if np.shape(self.size) != (3,) or not np.all(np.asarray(self.size) > 0):
            raise ModelError(f"{self.path}: size = {np.asarray(self.size).tolist()} must be three positive lengths.",
                             self)

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Box:
        return geometry.Box(v.size)


class _Rim(ContactShape):
    """Base: feet, which carry a rim that lies flat on a plane."""

    alike = False
    feet = parameter(4, "points of a rim that carry it where it lies flat on a plane; 0 for a wheel that never falls",
                     structural=True)

    def _check(self) -> None:
        unit_axis(self, "n")
        if not isinstance(self.feet, (int, np.integer)) or not 0 <= self.feet <= 64:
            raise ModelError(f"{self.path}: feet = {self.feet!r} must be a count from 0 to 64.", self)


class Cylinder(_Rim, _Long):
    """A solid cylinder along n."""

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Cylinder:
        return geometry.Cylinder(v.radius, v.length, unit_axis(self, "n"), int(self.feet))


class Disc(_Rim):
    """A thin round plate across n, with a sharp rim."""

    radius = parameter(text="radius", unit="m", only=POSITIVE)
    n = parameter((0.0, 0.0, 1.0), "axis, in frame_a", structural=True)

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Disc:
        return geometry.Disc(v.radius, unit_axis(self, "n"), int(self.feet))


class Torus(_Rim):
    """A ring of radius R across n with a tube of radius r: a tyre."""

    R = parameter(text="radius to the middle of the tube", unit="m", only=POSITIVE)
    r = parameter(text="radius of the tube", unit="m", only=POSITIVE)
    n = parameter((0.0, 0.0, 1.0), "axis, in frame_a", structural=True)

    def _check(self) -> None:
        super()._check()
        if self.r >= self.R:
            raise ModelError(f"{self.path}: r = {self.r:g} must be smaller than R = {self.R:g}, else the ring has no "
                             "hole; take a Sphere or an Ellipsoid.", self)

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Torus:
        return geometry.Torus(v.R, v.r, unit_axis(self, "n"), int(self.feet))


class Ellipsoid(ContactShape):
    """An ellipsoid with half axes along the axes of frame_a."""

    radii = parameter(text="half axes along x, y, z", unit="m", shape=(3,))

    def _check(self) -> None:
        if np.shape(self.radii) != (3,) or not np.all(np.asarray(self.radii) > 0):
            raise ModelError(f"{self.path}: radii = {np.asarray(self.radii).tolist()} must be three positive lengths.",
                             self)

    def shape(self, v: SimpleNamespace | ContactShape) -> geometry.Ellipsoid:
        return geometry.Ellipsoid(v.radii)
