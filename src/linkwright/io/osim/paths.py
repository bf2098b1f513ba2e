"""The ways of muscles and other forces in .osim files: points, and the surfaces that they may wrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import linkwright as lw

from ..building import Building
from ..markup import Element
from ..tolerances import CONDITION_MARGIN
from .coordinate_functions import function_of, values
from .wrap_sides import Side, beyond_ends, clearance, inside, over_quadrant, side_of_cylinder

if TYPE_CHECKING:
    from ...language import Frame

QUADRANTS = ("all", "unassigned", *[sign + axis for sign in ("", "+", "-") for axis in "xyz"])


@dataclass(frozen=True, eq=False)
class WrapObject:
    """A surface of the file: its component, the key of its body and its pose there, sizes and quadrant."""

    component: lw.cables.Cylinder | lw.cables.Sphere | None
    body: str
    X: lw.Transform
    size: Any
    quadrant: str
    kind: str
    half: float


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A point of a path: the key of its body, its place there (in the default pose), and the entry of the route."""

    body: str
    place: np.ndarray
    entry: Any
    on: bool = True


class Paths:
    """Reads paths, with the poses of bodies at the start for choosing sides."""

    def __init__(self, building: Building, frame_of: Callable[[Element, str], tuple[Frame, lw.Transform]],
                 coordinate: Callable[[Element, str], Any], starts: dict[str, float]) -> None:
        self.building, self.report = building, building.report
        self.frame_of, self.coordinate, self.starts = frame_of, coordinate, starts
        self.surfaces: dict[str, WrapObject] = {}
        self._poses: dict[int, lw.Transform] | None = None
        self._frames: dict[str, Frame] = {}

    # --- surfaces ---

    def read_surfaces(self, body: Element, name: str, frame: Frame) -> None:
        """The wrap objects of a body."""
        self._frames[name] = frame
        section = body.first("WrapObjectSet")
        objects = section.first("objects") if section is not None else None
        for element in objects.all() if objects is not None else ():
            self._surface(element, name, frame)

    def _surface(self, element: Element, body: str, frame: Frame) -> None:
        for tag in ("Appearance", "active"):
            if element.first(tag) is not None:
                element.first(tag).leave()
        name = element.need("name")
        a, b, c = values(element, "xyz_body_rotation", 3, (0, 0, 0))
        X = lw.Transform(lw.rotation_x(a) @ lw.rotation_y(b) @ lw.rotation_z(c), values(element, "translation", 3,
                                                                                        (0, 0, 0)))
        quadrant = element.first("quadrant")
        side = quadrant.words().lower() if quadrant is not None else "all"
        if side not in QUADRANTS:
            raise element.error(f"<quadrant> is one of {', '.join(QUADRANTS)}; got {side!r}.")
        long = values(element, "length", 1)
        half = np.inf if long is None else float(long[0]) / 2
        kind, part, size = element.tag, None, None
        if kind in ("WrapCylinder", "WrapSphere"):
            size = float(values(element, "radius", 1, (0.0,))[0])
            made = lw.cables.Cylinder if kind == "WrapCylinder" else lw.cables.Sphere
            part = self.building.make(element, made, radius=size, animation=False)
        elif kind == "WrapEllipsoid":
            size = values(element, "dimensions", 3, (0.05,) * 3)
            part = self.building.make(element, lw.cables.Ellipsoid, radii=size, animation=False)
        else:
            element.leave()
        if part is not None:
            self.building.add(name, part, element)
            self.building.model.connect(self.building.placed(frame, X, f"{name}_place"), part.frame_a)
        self.surfaces[name] = WrapObject(part, body, X, size, side.lstrip("+"), kind, half)

    # --- routes ---

    def route(self, force: Element) -> list:
        """The route of the path inside an element."""
        holder = force.first("path") or force
        path = holder.the("GeometryPath")
        for tag in ("Appearance", "default_color"):
            if path.first(tag) is not None:
                path.first(tag).leave()
        objects = path.the("PathPointSet").the("objects")
        points = [self._point(element) for element in objects.all()]
        between: dict[int, list[tuple[float, Any]]] = {}
        section = path.first("PathWrapSet")
        wraps = section.first("objects") if section is not None else None
        for wrap in wraps.all("PathWrap") if wraps is not None else ():
            found = self._wrap(wrap, points)
            if found is not None:
                between.setdefault(found[0], []).append(found[1:])
        route = []
        for k, point in enumerate(points):
            route.append(point.entry)
            stops = sorted(between.get(k, ()), key=lambda item: item[0])
            beside = [stop for _, stop, _ in stops if not isinstance(stop.surface, lw.cables.Ellipsoid)]
            for _, stop, wrap in stops if len(stops) > 1 else ():
                if stop not in beside:
                    self.report.approximate(wrap, "an ellipsoid next to another surface is left out")
            route += beside if len(stops) > 1 else [stop for _, stop, _ in stops]
        return route

    def _point(self, element: Element) -> PathPoint:
        frame, X = self.frame_of(element, "socket_parent_frame")
        body = element.the("socket_parent_frame").words().split("/")[-1]
        if element.tag == "MovingPathPoint":
            return self._moving(element, frame, X, body)
        place = X.R @ values(element, "location", 3, (0, 0, 0)) + X.p
        if element.tag == "ConditionalPathPoint":
            name = element.the("socket_coordinate").words().split("/")[-1]
            q = self.coordinate(element, name)
            low, high = values(element, "range", 2)
            when = lw.logical_and(q >= low - CONDITION_MARGIN, q <= high + CONDITION_MARGIN)
            on = low - CONDITION_MARGIN <= self.starts.get(name, 0.0) <= high + CONDITION_MARGIN
            return PathPoint(body, place, lw.cables.via(frame, place, when), on)
        if element.tag != "PathPoint":
            raise element.error(f"points of the kind {element.tag} are not known here.")
        return PathPoint(body, place, (frame, place))

    def _moving(self, element: Element, frame: Frame, X: lw.Transform, body: str) -> PathPoint:
        r, start = [], []
        for axis in "xyz":
            location, socket = element.first(f"{axis}_location"), element.first(f"socket_{axis}_coordinate")
            function = None if location is None else function_of(location)
            if function is None:
                raise element.error(f"<{axis}_location> has no function that is known here.")
            name = "" if socket is None else socket.words().split("/")[-1]
            q = self.coordinate(element, name) if name else 0.0
            r.append(function(q))
            at = function(self.starts.get(name, 0.0))
            start.append(float(at))
        place = [sum(X.R[i, j] * r[j] for j in range(3)) + X.p[i] for i in range(3)]
        entry = lw.cables.moving(frame, place)
        return PathPoint(body, X.R @ np.array(start) + X.p, entry)

    # --- which segment, which side ---

    def _wrap(self, wrap: Element, points: list[PathPoint]) -> tuple[int, float, Any, Element] | None:
        """(number of the point before, place on the way, stop, element) of a wrap."""
        if wrap.first("method") is not None:
            wrap.first("method").leave()
        name = wrap.the("wrap_object").words()
        surface = self.surfaces.get(name)
        if surface is None:
            raise wrap.error(f"there is no wrap object {name!r}.")
        first, last = (int(x) for x in values(wrap, "range", 2, (-1, -1)))
        first, last = (1 if first < 1 else first), (len(points) if last < 1 else last)
        if surface.component is None:
            self.report.approximate(wrap, f"surfaces of the kind {surface.kind} are not wrapped here, and left out")
            return None
        best = None
        live = [k for k in range(first - 1, last) if points[k].on]
        for a, b in zip(live, live[1:], strict=False):
            if {points[a].body, points[b].body} == {surface.body}:
                continue  # nothing moves there
            P1, P2 = (self._local(surface, points[k]) for k in (a, b))
            axial = surface.kind == "WrapCylinder"
            if inside(P1, surface.size, axial) or inside(P2, surface.size, axial):
                continue
            gap = clearance(P1, P2, surface.size, axial)
            side = side_of_cylinder(P1, P2, surface.size, surface.quadrant) if axial else Side(gap < 0, None, 0.0)
            key = (not side.wraps, gap)
            if best is None or key < best[0]:
                best = key, a, side, P1, P2
        if best is None:
            self.report.approximate(wrap, f"no part of the way can wrap {name!r}, or it begins inside of it: left out")
            return None
        _, at, side, P1, P2 = best
        d = P2 - P1
        along = float(-(P1 @ d) / max(d @ d, np.finfo(float).tiny))
        if surface.kind == "WrapEllipsoid":
            return at, along, lw.cables.Wrap(surface.component, near=over_quadrant(P1, P2, surface)), wrap
        if side.wraps and surface.kind == "WrapCylinder" and beyond_ends(P1, P2, side, surface):
            self.report.approximate(wrap, f"in the default pose it passes beyond the ends of {name!r}: left out")
            return None
        return at, along, lw.cables.Wrap(surface.component, side.turn, start=side.angle), wrap

    def _local(self, surface: WrapObject, point: PathPoint) -> np.ndarray:
        """A point in the axes of a surface, in the default pose."""
        poses = self._poses_at_start()
        X_WS = poses[surface.body] @ surface.X
        x = poses[point.body].R @ point.place + poses[point.body].p
        return X_WS.R.T @ (x - X_WS.p)

    def _poses_at_start(self) -> dict[str, lw.Transform]:
        """The poses of all bodies where the file's coordinates have their default values."""
        if self._poses is None:
            state = lw.compile(self.building.model).state()
            self._poses = {name: lw.Transform(np.array(state.get(f"{frame.path}.R.T")).T,
                                              np.array(state.get(f"{frame.path}.r_0")).ravel())
                           for name, frame in self._frames.items()}
        return self._poses
