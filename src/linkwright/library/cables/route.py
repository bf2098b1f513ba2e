"""The way of a cable as a user gives it: points on frames, and surfaces that it may wrap between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca

from ...errors import ModelError
from ...language import Component, Connector, Frame
from ...language.given_values import as_expression, is_condition
from ...language.planar_frame import PlanarFrame

if TYPE_CHECKING:
    from .surfaces import Surface


@dataclass(frozen=True, eq=False)
class Point:
    """A point of a cable: on `frame` at r, three numbers, or expressions of coordinates where it moves; only there
    `when` a condition holds."""

    frame: Connector
    r: Any
    when: Any = None
    moves: bool = False


@dataclass(frozen=True, eq=False)
class Wrap:
    """A surface on the path of a cable, as `surface.wrap(…)` returns it.

    `turn`: +1 counter-clockwise about the axis, −1 clockwise, None for the side that the cable touches.  `long`: more
    than half of the way round.  `near`: a point over which the cable lies at the start (an expression only
    where a subclass reads it).  `start`: the initial angle about the axis from the point before to the point after,
    counted over full turns."""

    surface: Surface
    turn: int | None = None
    long: bool = False
    near: Any = None
    start: float | None = None


@dataclass(frozen=True)
class Place:
    """One stop of a route, as structure: the connector it is on, and which entries of the expressions belong to it."""

    on: Connector | Surface
    moves: int | None = None
    when: int | None = None
    turn: int | None = None
    long: bool = False
    near: tuple[float, ...] | None = None
    start: float | None = None
    beside: int | None = None  # which of them say where a point near the surface is


def via(frame: Connector, r: Sequence[float] = (0.0, 0.0, 0.0), when: Any = None) -> Point:
    """A point on the path of a cable; with `when` it counts only while the condition holds, and the length may jump
    then.
    """
    return Point(frame, r, when)


def moving(frame: Connector, r: Sequence[Any], when: Any = None) -> Point:
    """A point whose place in a frame follows coordinates of joints: `moving(m.tibia.frame_a, [x(q), y(q), 0])`."""
    return Point(frame, r, when, moves=True)


def taken_apart(owner: str, route: object, connector: type[Frame] = Frame) -> tuple[tuple[Place, ...], list[list],
                                                                                     list[ca.SX]]:
    """(stops, places of the points in their frames, expressions that the stops read) of a route as it is given, whose
    points are on connectors of one kind; those of the plane have two numbers."""
    items = list(route) if isinstance(route, (list, tuple)) else []
    if len(items) < 2:
        raise ModelError(f"{owner}: a cable needs a list of at least two points, such as [(m.world.frame_b, "
                         f"[0, 1, 0]), (m.body.frame_a, [0, 0, 0])]; got {route!r}.")
    stops: list[Place] = []
    places: list[list] = []
    reads: list[ca.SX] = []
    for k, item in enumerate(items):
        item = _item(owner, k, item, connector)
        if isinstance(item, Wrap):
            near, beside = item.near, None
            if isinstance(near, ca.SX):
                near, beside = None, len(reads)
                reads += ca.vertsplit(item.near)
            stops.append(Place(item.surface, turn=item.turn, long=item.long, near=near, start=item.start,
                               beside=beside))
            places.append([0.0, 0.0, 0.0])
            continue
        r, moves, when = item.r, None, None
        flat = connector is PlanarFrame
        if item.moves:
            moves = len(reads)
            moved = as_expression(r, (2 if flat else 3,), f"{owner}: the moving point {k}")
            reads += ca.vertsplit(ca.vertcat(moved, 0) if flat else moved)
            r = [0.0, 0.0, 0.0]
        elif flat:
            r = _in_space(owner, k, r)
        if item.when is not None:
            when = len(reads)
            condition = as_expression(item.when, (), f"{owner}: when= of point {k}")
            if not is_condition(condition):
                raise ModelError(f"{owner}: when= of point {k} must be a condition, such as m.knee.phi < -0.1.")
            reads.append(condition)
        stops.append(Place(item.frame, moves, when))
        if not hasattr(r, "__len__") or len(r) != 3:
            raise ModelError(f"{owner}: the place of point {k} needs three numbers, got {r!r}.")
        places.append(list(r))
    for k, stop in ((0, stops[0]), (len(stops) - 1, stops[-1])):
        if not isinstance(stop.on, Connector) or stop.when is not None:
            raise ModelError(f"{owner}: a cable begins and ends at points that are always there; stop {k} is "
                             f"{'a conditional point' if isinstance(stop.on, Connector) else stop.on.path}.")
    return tuple(stops), places, reads


def _in_space(owner: str, k: int, r: Any) -> list:
    """The place of a point in the plane, in space."""
    if not hasattr(r, "__len__") or len(r) != 2:
        raise ModelError(f"{owner}: the place of point {k} needs two numbers in the plane, got {r!r}.")
    return [*r, 0.0]


def _item(owner: str, k: int, item: object, connector: type[Frame]) -> Point | Wrap:
    """One entry of a route; whatever is none is refused by name."""
    flat = connector is PlanarFrame
    if isinstance(item, Connector):
        item = Point(item, (0.0, 0.0) if flat else (0.0, 0.0, 0.0))
    elif isinstance(item, (tuple, list)) and len(item) == 2 and isinstance(item[0], Connector):
        item = Point(item[0], item[1])
    if isinstance(item, Point):
        if isinstance(item.frame, Frame) and flat and not isinstance(item.frame, PlanarFrame):
            raise ModelError(f"{owner}: {item.frame.path} (point {k}) is a frame in space; pl.cables run over "
                             "planar frames.")
        if isinstance(item.frame, PlanarFrame) and not flat:
            raise ModelError(f"{owner}: {item.frame.path} (point {k}) is a planar frame; take pl.cables, or join "
                             "it into space with pl.To3D.")
        if not isinstance(item.frame, Frame):
            raise ModelError(f"{owner}: {item.frame.path} (point {k}) is a {item.frame.kind}; a cable runs over "
                             "frames.")
        return item
    if isinstance(item, Wrap):
        if item.surface.connector is not connector:
            raise ModelError(f"{owner}: {item.surface.path} (stop {k}) is a surface "
                             + ("in space; a cable in the plane wraps a pl.cables.Circle." if flat else
                                "of the plane; a cable in space wraps a cables.Cylinder."))
        return item
    if isinstance(item, Component):
        name, kind = item.path, type(item).__name__
        if type(item).__module__.split(".")[-2:-1] == ["contact"]:
            raise ModelError(f"{owner}: {name} (stop {k}) is a shape of contact, which cables do not feel; take "
                             f"cables.{kind} on the same frame, and give {name}.wrap().")
        if hasattr(type(item), "wrap"):
            raise ModelError(f"{owner}: {name} (stop {k}) is a {kind}; give {name}.wrap() where the cable wraps it.")
        frames = [f"{name}.{key}" for key, port in item._connectors.items() if isinstance(port, Frame)]
        raise ModelError(f"{owner}: {name} (stop {k}) is a {kind}; give "
                         f"{'one of its frames, ' + ' or '.join(frames) if frames else 'a frame of a part'}.")
    if callable(item):
        raise ModelError(f"{owner}: stop {k} is a function; call it, as in m.drum.wrap().")
    raise ModelError(f"{owner}: stop {k} is {item!r}; give (frame, [x, y, z]), cables.via(…), cables.moving(…) or "
                     "surface.wrap(…).")
