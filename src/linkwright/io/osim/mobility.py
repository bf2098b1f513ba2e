"""Which joint of ours an OpenSim joint is, and what its coordinates are called here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ...algebra import Scalar
from ..building import Building
from ..markup import Element
from ..tolerances import NO_AXIS_OSIM
from .coordinate_functions import function_of, values

if TYPE_CHECKING:
    from ...language import Joint

X, Y, Z = np.eye(3)
AXES = ("rotation1", "rotation2", "rotation3", "translation1", "translation2", "translation3")


@dataclass(frozen=True, eq=False)
class Mobility:
    """A joint with its coordinates: name in the file → expression (None where it has none of its own)."""

    component: Joint
    coordinates: dict[str, object]
    starts: dict[str, float] = field(default_factory=dict)
    sliding: frozenset[str] = frozenset()  # coordinates that are distances, not angles
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)  # of coordinates that are clamped


class Coordinates:
    """The <Coordinate>s of a joint, as far as they are given."""

    def __init__(self, joint: Element) -> None:
        section = joint.first("coordinates")
        self.elements = list(section.all("Coordinate")) if section is not None else []
        self.names = [element.need("name") for element in self.elements]

    def start(self, k: int) -> float:
        """The value a coordinate starts with."""
        return float(values(self.elements[k], "default_value", 1, (0.0,))[0]) if k < len(self.elements) else 0.0

    def flag(self, k: int, tag: str) -> bool:
        """Whether a switch of a coordinate is on."""
        child = self.elements[k].first(tag) if k < len(self.elements) else None
        return child is not None and child.words().lower() == "true"

    def range(self, k: int) -> tuple[float, float] | None:
        """The range of a coordinate, where it is given."""
        bounds = values(self.elements[k], "range", 2) if k < len(self.elements) else None
        return None if bounds is None else (float(bounds[0]), float(bounds[1]))


def mobility(joint: Element, building: Building, stops: bool) -> Mobility | None:
    """The joint of an element; None for a weld."""
    c = Coordinates(joint)
    for element in c.elements:
        for tag in ("default_speed_value", "clamped", "is_free_to_satisfy_constraints", "prescribed",
                    "prescribed_function", "locked", "range"):
            if element.first(tag) is not None:
                element.first(tag).leave()
    if joint.tag == "WeldJoint":
        return None
    makers = {"PinJoint": _pin, "SliderJoint": _slider, "BallJoint": _ball, "FreeJoint": _free,
              "UniversalJoint": _universal, "GimbalJoint": _gimbal, "PlanarJoint": _planar,
              "EllipsoidJoint": _ellipsoid, "CustomJoint": _custom}
    if joint.tag not in makers:
        raise joint.error(f"a joint of the kind {joint.tag} is not known here ({', '.join(makers)}).")
    found = makers[joint.tag](joint, c, building, stops)
    angles = {"SliderJoint": 0, "PlanarJoint": 1, "FreeJoint": 3}.get(joint.tag, len(c.names))
    sliding = found.sliding or frozenset(c.names[angles:])
    clamped = {name: c.range(k) for k, name in enumerate(c.names) if c.flag(k, "clamped") and c.range(k) is not None}
    return replace(found, starts={name: c.start(k) for k, name in enumerate(c.names)}, sliding=sliding, ranges=clamped)


def _stops(c: Coordinates, letter: str, stops: bool) -> dict[str, object]:
    bounds = c.range(0)
    if not (stops and c.flag(0, "clamped") and bounds and bounds[0] < bounds[1]):
        return {}
    return {f"{letter}_min": bounds[0], f"{letter}_max": bounds[1]}


def _named(c: Coordinates, *variables: ca.SX | None) -> dict[str, object]:
    return dict(zip(c.names, variables, strict=False))


def _pin(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    part = building.make(joint, lw.joints.Revolute, n=Z, phi=lw.guess(c.start(0)), animation=False,
                         **_stops(c, "phi", stops))
    return Mobility(part, _named(c, part.phi))


def _slider(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    part = building.make(joint, lw.joints.Prismatic, n=X, s=lw.guess(c.start(0)), animation=False,
                         **_stops(c, "s", stops))
    return Mobility(part, _named(c, part.s))


def _ball(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    part = lw.joints.Spherical(angles=lw.guess([c.start(k) for k in range(3)]), animation=False)
    return Mobility(part, _named(c, None, None, None))


def _free(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    starts = [c.start(k) for k in range(6)]
    part = lw.joints.FreeMotion(angles=lw.guess(starts[:3]), r_rel_a=lw.guess(starts[3:]), animation=False)
    return Mobility(part, _named(c, None, None, None, *(part.r_rel_a[k] for k in range(3))))


def _universal(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    part = lw.joints.Universal(n_a=X, n_b=Y, phi_a=lw.guess(c.start(0)), phi_b=lw.guess(c.start(1)), animation=False)
    return Mobility(part, _named(c, part.phi_a, part.phi_b))


def _gimbal(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    part = lw.joints.Gimbal(q=lw.guess([c.start(k) for k in range(3)]), animation=False)
    return Mobility(part, _named(c, *(part.q[k] for k in range(3))))


def _planar(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    part = lw.joints.Planar(n=Z, n_x=X, phi=lw.guess(c.start(0)), s_x=lw.guess(c.start(1)), s_y=lw.guess(c.start(2)),
                            animation=False)
    return Mobility(part, _named(c, part.phi, part.s_x, part.s_y))


def _ellipsoid(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    part = building.make(joint, lw.joints.Ellipsoid, radii=values(joint, "radii_x_y_z", 3, (1, 1, 1)), animation=False)
    return Mobility(part, _named(c, None, None, None))


def _custom(joint: Element, c: Coordinates, building: Building, stops: bool) -> Mobility:
    """Three rotations about axes of the moving frame, then three distances along axes of the parent's."""
    if not 1 <= len(c.names) <= 6:
        raise joint.error(f"a CustomJoint has one to six coordinates; got {len(c.names)}.")
    functions, axes = [None] * 6, [X, Y, Z, X, Y, Z]
    turning: set[str] = set()
    transform = joint.first("SpatialTransform")
    for element in transform.all("TransformAxis") if transform is not None else ():
        name = element.need("name")
        if name not in AXES:
            raise element.error(f"a TransformAxis is one of {', '.join(AXES)}; got {name!r}.")
        k = AXES.index(name)
        axes[k] = values(element, "axis", 3, axes[k])
        if np.linalg.norm(axes[k]) < NO_AXIS_OSIM:
            raise element.error("<axis> has no direction.")
        axes[k] = axes[k] / np.linalg.norm(axes[k])
        functions[k] = _along(element, c)
        listed = element.first("coordinates")
        turning.update(listed.words().split() if k < 3 and listed is not None else ())
    dof = len(c.names)
    start = [c.start(k) for k in range(dof)]
    part = building.make(joint, lw.joints.FunctionBased, functions=tuple(functions), degrees=dof, animation=False,
                         axes=tuple(tuple(map(float, axis)) for axis in axes),
                         q=lw.guess(start[0] if dof == 1 else start))
    return Mobility(part, _named(c, *([part.q] if dof == 1 else [part.q[k] for k in range(dof)])),
                    sliding=frozenset(c.names) - turning)


def _along(element: Element, c: Coordinates) -> Callable[[ca.SX], Scalar] | None:
    """The function of one axis, of the joint's own coordinates."""
    listed = element.first("coordinates")
    names = listed.words().split() if listed is not None else []
    places = []
    for name in names:
        if name not in c.names:
            raise element.error(f"the joint has no coordinate {name!r}.")
        places.append(c.names.index(name))
    function = function_of(element.first("function") or element)
    if function is None:
        raise element.error("its function is missing, or of a kind that is not known here.")
    if not places and function() == 0:
        return None
    return lambda q: function(*(q[k] for k in places))
