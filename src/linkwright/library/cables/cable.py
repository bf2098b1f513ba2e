"""A cable: a length with pulls.  Forces, muscles and ligaments on a way of points and surfaces build on it."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ... import geometry
from ...algebra import cross
from ...errors import ModelError
from ...language import Component, Connector, Frame, Joint, PartsList
from ...language.fields import Signal, appearance, parameter, variable
from ...language.looks import CableLook
from ..coordinates import mobility_of
from ..tolerances import STAYS_ON, SWEEPS, SWEPT, TINY
from .drawn import Hanging, count_of_knots, knots
from .route import Place, taken_apart
from .stops import Leg, Line, Stop, choose, line_through, load_in_world, load_of
from .surfaces import Ellipsoid, Sphere, Surface


class Expressions(Signal):
    """What the moving and conditional points of a cable read, one below the other."""

    def __set__(self, component: Component, value: object) -> None:
        component._signals[self.name] = ca.SX(value)

    def shape_of(self, component: Component) -> tuple:
        return (max(component.signal(self.name).numel(), 1),)


class Cable(CableLook, Component):
    """Base of all cables: a path through points and over surfaces, with the length l, its rate v and the tension f.

    A subclass defines the `law`.  Touch-down on a surface and lift-off from it are located events; the cable keeps its
    side and its turns.  The tension f acts along the straight parts on the body of each point and surface, so the power
    into the bodies is −f v.
    """

    connector: type[Frame] = Frame
    hangs = False  # where it is slack: it has a length of its own, and `spare` tells what is left of it

    route = parameter(None, "points and surfaces, in order", structural=True)
    places = parameter(None, "places of the points in their frames", "m")
    reads = Expressions(text="what moving and conditional points read", opens=False)
    animation = appearance(True, "whether it is shown")
    l = variable("length of the way", "m")
    v = variable("its rate", "m/s")
    f = variable("tension, positive where it pulls", "N")

    def __init__(self, route: Any = None, **given: Any) -> None:
        name = type(self).__name__
        stops, places, reads = (route, given.pop("places"), []) if _is_known(route, given) else taken_apart(
            name, route, self.connector)
        super().__init__(**given, route=stops, places=places)
        if reads:
            self.reads = ca.vertcat(*reads)
        for k in range(len(stops)):
            self._port(f"frame_{k}", self.connector())

    def required_ports(self) -> list[str]:
        return [f"frame_{k}" for k in range(len(self.route))]

    # --- equations ---

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        """The tension "f" as an expression of l, v and states, and other variables by name."""
        raise ModelError(f"{self.path}: a cable of your own defines law(self, plan), or take cables.Line.", self)

    def describe(self, plan: PartsList) -> None:
        for k, place in enumerate(self.route):
            plan.join(self._connectors[f"frame_{k}"], self._frame_of(plan, k, place))
        line = line_through(self._stops(plan))
        self.act_on(plan, line)
        plan.keep(self, (line, self.law(plan)))

    def act_on(self, plan: PartsList, line: Line) -> None:
        """The tension on the bodies of all points and surfaces of the path."""
        self.pull_on(plan, line, self.symbol("f"))

    def pull_on(self, plan: PartsList, line: Line, f: ca.SX) -> None:
        """A tension f on the bodies of all stops."""
        for leg in line.groups:
            force, moment = load_of(leg)
            load_in_world(plan, self, leg.stop.frame, -force * f, -moment * f)
        self._push_coordinates(plan, line.legs, f)

    def definitions(self, plan: PartsList) -> dict:
        line, law = plan.kept(self)
        found = {"l": line.length, "v": line.rate, **law}
        wraps = [leg.stop for leg in line.legs if leg.stop.wrapped is not None]
        for k, stop in enumerate(wraps):
            found[f"wrap[{k}].contact"] = stop.on
            found[f"wrap[{k}].arc"] = ca.if_else(stop.on, stop.arc, 0)
            found[f"wrap[{k}].angle"] = ca.if_else(stop.on, stop.wrapped.angle, 0)
        hanging = None
        if self.hangs:
            spare = ca.fmax(self.spare(plan), 0)
            g = self.gravity(plan, line.legs[0].stop.arrival)
            hanging = Hanging(spare, g / ca.sqrt(ca.dot(g, g) + TINY))
            found["slack"] = spare
        return found | {f"at[{k}]": x for k, x in enumerate(knots(line, hanging))}

    def spare(self, plan: PartsList) -> ca.SX:
        """By how much the free length of a cable exceeds its path; in pictures a slack cable hangs by that much."""
        raise NotImplementedError

    def gravity(self, plan: PartsList, place: ca.SX) -> ca.SX:
        """Acceleration of gravity, along which it hangs."""
        return plan.gravity_at(place)

    @property
    def n_knots(self) -> int:
        """How many points `at[k]` of the world a picture of it is drawn through."""
        return count_of_knots([isinstance(place.on, Surface) for place in self.route], self.hangs)

    def _frame_of(self, plan: PartsList, k: int, place: Place) -> Connector:
        """The connector that a stop is on, which must be part of the same model."""
        owner = place.on if isinstance(place.on, Surface) else place.on.owner
        if not plan.has(owner):
            raise ModelError(f"{self.path}: stop {k} is on {place.on.path}, which is no part of the model; give it a "
                             "name first: m.drum = ….", self)
        return place.on.frame_s if isinstance(place.on, Surface) else place.on

    # --- stops ---

    def _stops(self, plan: PartsList) -> list[Stop]:
        """All stops with their places; surfaces see their neighbours through what is off."""
        values = plan.values(self)
        stops: list[Stop | None] = [None if isinstance(place.on, Surface) else self._point(plan, k, place, values)
                                    for k, place in enumerate(self.route)]
        k = 0
        while k < len(stops):
            end = k
            while isinstance(self.route[end].on, Surface):
                end += 1
            if end > k:
                behind, ahead = self._neighbour(stops, k, -1), self._neighbour(stops, end - 1, 1)
                stops[k:end] = [self._wrap(plan, k, self.route[k], behind, ahead)] if end == k + 1 else self._row(
                    plan, k, end, behind, ahead)
            k = end + 1
        return stops

    def _row(self, plan: PartsList, first: int, end: int, behind: tuple, ahead: tuple) -> list[Stop]:
        """Surfaces that follow one another: what each sees of its neighbours are unknowns, found together."""
        row = range(first, end)
        for k in row:
            if isinstance(self.route[k].on, Ellipsoid):
                raise ModelError(f"{self.path}: {self.route[k].on.path} is next to another surface; put a point of the "
                                 "cable between an ellipsoid and other surfaces.", self)
        name = f"between {first}"
        y = self.symbol(name, (6 * (len(row) - 1),))
        leave = [y[6 * j : 6 * j + 3] for j in range(len(row) - 1)]  # where the cable comes from, seen by the next one
        arrive = [y[6 * j + 3 : 6 * j + 6] for j in range(len(row) - 1)]
        seen = [(behind[0] if j == 0 else leave[j - 1], ahead[0] if k == end - 1 else arrive[j])
                for j, k in enumerate(row)]
        stops = [self._wrap(plan, k, self.route[k], behind, ahead, between)
                 for k, between in zip(row, seen, strict=True)]
        found = []
        for j in range(len(row) - 1):
            found += [choose(stops[j].on, stops[j].departure, seen[j][0]),
                      choose(stops[j + 1].on, stops[j + 1].arrival, seen[j + 1][1])]
        map_ = ca.vertcat(*found)
        symbols = [s for s in ca.symvar(map_) if not any(ca.is_equal(s, y[k]) for k in range(y.numel()))]
        sweep = ca.Function("sweep", [y, ca.vertcat(*symbols)], [map_])
        ends = ca.vertcat(*symbols, behind[0], ahead[0])

        def seek(numbers: np.ndarray) -> np.ndarray:
            a, b = numbers[-6:-3], numbers[-3:]
            shares = np.repeat(np.arange(1, len(row)) / len(row), 2)
            guess = np.concatenate([a + s * (b - a) for s in shares])
            for _ in range(SWEEPS):
                last, guess = guess, np.array(sweep(guess, numbers[:-6])).ravel()
                if np.abs(guess - last).max() < SWEPT:
                    break
            return guess

        plan.unknown(self, name, y, y - map_, np.zeros(y.numel()), seek, ends)
        return stops

    def _point(self, plan: PartsList, k: int, place: Place, values: Any) -> Stop:
        frame, reads = self._connectors[f"frame_{k}"], self.symbol("reads", type(self).reads.shape_of(self))
        r, moved = ca.SX(values.places[k, :]), None
        r = r.T if r.shape[0] == 1 else r
        if place.moves is not None:
            r = reads[place.moves : place.moves + 3]
            moved = frame.R_WF @ sum((slope * plan.joint_symbols(joint)[1][entry]
                                      for joint, entry, slope in self._slopes(place)), ca.SX.zeros(3))
        x = frame.r_0 + frame.R_WF @ r
        if moved is not None:
            part, fixed_at = -1 - k, None  # one that moves is by itself
        else:
            part, fixed_at = plan.rigid_part(frame), None if place.when is not None else (place.on, r)
        return Stop(frame, part, x, x, None if place.when is None else reads[place.when], moved=moved,
                    fixed_at=fixed_at)

    def _neighbour(self, stops: list[Stop | None], k: int, step: int) -> tuple[ca.SX, ca.SX]:
        """(place, velocity) of the next stop that is there, seen from stop k."""
        stop = stops[k + step]
        if stop is None or stop.wrapped is not None:
            raise ModelError(f"{self.path}: a conditional point stands between {self.route[k + step].on.path} and "
                             "another surface; put a point there that is always on.", self)
        if stop.on is None:
            return stop.arrival, stop.velocity(stop.arrival)
        beyond = self._neighbour(stops, k + step, step)
        own = stop.arrival, stop.velocity(stop.arrival)
        return tuple(choose(stop.on, a, b) for a, b in zip(own, beyond, strict=True))

    def _wrap(self, plan: PartsList, k: int, place: Place, behind: tuple, ahead: tuple,
              seen: tuple[ca.SX, ca.SX] | None = None) -> Stop:
        """A surface between two neighbours, points with their velocities; `seen` are the places that it sees of other
        surfaces in front of these."""
        frame, surface = self._connectors[f"frame_{k}"], place.on
        R_WS, centre = frame.R_WF, frame.r_0
        points = tuple(R_WS.T @ (x - centre) for x in (seen or (behind[0], ahead[0])))
        found, on = self.way_over(plan, k, place, (behind, ahead), points)
        arrival, departure = (centre + R_WS @ T for T in (found.first, found.last))
        return Stop(frame, plan.rigid_part(frame), arrival, departure, on, found.arc, found, turns=surface.turns,
                    round=surface.turns or isinstance(surface, Sphere))

    def way_over(self, plan: PartsList, k: int, place: Place, ends: tuple, points: tuple[ca.SX, ca.SX],
                 ) -> tuple[geometry.Wrapped, ca.SX]:
        """(where the cable touches the surface of stop k, whether it does), in the axes of the surface.

        `points` are what it sees on either side, `ends` places and velocities of the neighbours in the world.
        """
        frame, surface = self._connectors[f"frame_{k}"], place.on
        values, (P1, P2) = plan.values(surface), points
        if surface.turns:
            own = [frame.R_WF.T @ (x - frame.r_0) for x, _ in ends]
            speeds = [frame.R_WF.T @ (v - frame.v_0) - cross(frame.symbol("w", (3,)), P)
                      for (_, v), P in zip(ends, own, strict=True)]
            angle, turn = self._turning(plan, k, place, own, speeds, points)
            found = geometry.wrap_cylinder(P1, P2, values.radius, turn, angle)
            on = found.angle > 0
        elif isinstance(surface, Sphere):
            found = geometry.wrap_sphere(P1, P2, values.radius, place.long)
            on = found.angle > 0
        else:
            found, on = self._geodesic(plan, k, place, P1, P2)
        self._keep_outside(plan, surface, P1, P2)
        return found, on

    def _geodesic(self, plan: PartsList, k: int, place: Place, P1: ca.SX, P2: ca.SX) -> tuple[geometry.Wrapped, ca.SX]:
        """The way over a surface without closed form, whose unknowns are followed.

        It is touched where the straight line would pass through it, and then until the way on it has no length: the
        line itself may pass to the other side meanwhile.
        """
        surface = geometry.geodesics.ellipsoid(plan.values(place.on).radii)
        near = surface.nearest_on_line(P1, P2)
        name = f"geodesic {k}"
        y = self.symbol(name, (4,))
        on = ca.logic_or(ca.dot(near, near) < 1, y[3] > STAYS_ON)
        free = geometry.geodesics.at_rest(surface, P1, P2)
        F, _, _ = geometry.geodesics.residual(surface, P1, P2, y)
        radii: np.ndarray = np.asarray(place.on.numbers().radii, dtype=np.float64)
        size = float(np.mean(radii))

        def seek(points: np.ndarray) -> np.ndarray:
            a, b, rest = points[:3], points[3:6], points[6:10]
            d = (b - a) / radii
            s = np.clip(-(a / radii) @ d / max(d @ d, np.finfo(float).tiny), 0, 1)
            hits = np.linalg.norm(a / radii + s * d) < 1
            return geometry.geodesics.start(radii, a, b, place.near) if hits else rest

        plan.unknown(self, name, y, ca.if_else(on, F, (y - free) / size), np.array([*radii[:1], 0, 0, 0]), seek,
                     ca.vertcat(P1, P2, free))
        return geometry.geodesics.wrap_along(surface, P1, P2, y), on

    def _keep_outside(self, plan: PartsList, surface: Surface, P1: ca.SX, P2: ca.SX) -> None:
        """Neighbours of a surface inside of it have no way around it."""
        outside = ca.fmin(*[surface.least_distance(plan.values(surface), P) for P in (P1, P2)])
        plan.end_below_zero(
            f"{self.path} inside {surface.path}", outside,
            f"{self.path}: a point beside {surface.path} lies inside of it, {{value:.3g}} m from its surface. Likely: "
            f"the place of the point, or the size of {surface.path}; change one of them.",
            f"{self.path}: a point of the cable has reached the surface {surface.path}, and has no way around it")

    def _turning(self, plan: PartsList, k: int, place: Place, ends: list[ca.SX], speeds: list[ca.SX],
                 seen: tuple[ca.SX, ca.SX]) -> tuple[ca.SX, ca.SX]:
        """(angle from P₁ to P₂, which are seen, in the sense of the cable, that sense), over turns; the points at the
        ends tell which turn."""
        near = (place.turn or 1) * ca.pi if place.long else (place.turn or 0) * ca.pi / 2
        near = near if place.start is None else place.start
        rates = [(P[0] * V[1] - P[1] * V[0]) / (P[0] * P[0] + P[1] * P[1]) for P, V in zip(ends, speeds, strict=True)]
        between, own = ((a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]) for a, b in (ends, seen))
        wound = plan.winding(self, f"stop {k}", *between, rates[1] - rates[0], near, own)
        if place.turn is not None:
            return place.turn * wound, ca.SX(place.turn)
        turn = ca.if_else((wound < 0) != 0, -1, 1)  # off the surface it does not matter, on it no sense changes
        return turn * wound, turn

    # --- moving points ---

    def _slopes(self, place: Place) -> list[tuple[Joint, int, ca.SX]]:
        """(joint, mobility, ∂r/∂q) of the coordinates that a moving point follows."""
        r = self.signal("reads")[place.moves : place.moves + 3]
        return [(*mobility_of(self, symbol), ca.jacobian(r, symbol)) for symbol in ca.symvar(r)]

    def _push_coordinates(self, plan: PartsList, legs: list[Leg], f: ca.SX) -> None:
        """What the tension does on the coordinates that moving points follow, beside that on their frames."""
        for leg, place in zip(legs, self.route, strict=True):
            if place.moves is None:
                continue
            pull = leg.stop.frame.R_WF.T @ load_of(leg)[0]
            for joint, entry, slope in self._slopes(place):
                plan.mobility_load(joint, entry, ca.dot(pull, slope) * f)


def _is_known(route: Any, given: dict) -> bool:
    """Whether a route has been taken apart before."""
    return "places" in given and isinstance(route, tuple) and all(isinstance(place, Place) for place in route)


__all__ = ["Cable", "Line"]
