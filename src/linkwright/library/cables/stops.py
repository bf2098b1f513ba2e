"""The stops of a cable in world axes: where it arrives, where it departs, and whether it is there at all.

Points and surfaces are alike: a body, a place of arrival and one of departure (the same for a point), and an arc
between them.  What is off (a surface that is not touched, a conditional point) is passed by: the neighbours see
each other.  With unit vectors u along the straight parts, tension T does on the body of a stop the force −T u at the
arrival and +T u at the departure, and

    l = Σ |arrival − departure before| + Σ arc,        l̇ = Σ u_in·v(arrival) − u_out·v(departure)

with the velocities v of the bodies there, since l is stationary in the points of tangency.

What the cable does between two stops on one rigid part cancels there.  So forces and the rate are those of the straight
parts that lead from one part to another: a group of stops has one pull from each side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING

import casadi as ca

from ...algebra import cross
from ...language import Component, Connector, Frame, PartsList
from ...language.planar_frame import PlanarFrame
from ..tolerances import TINY

if TYPE_CHECKING:
    from ...geometry import Wrapped


@dataclass(eq=False)
class Stop:
    """A stop on `frame` of a rigid `part`; `on` is 1 or 0, or None where it is always there; `moved` is the velocity
    of a moving point against its frame, in world axes."""

    frame: Frame
    part: int
    arrival: ca.SX
    departure: ca.SX
    on: ca.SX | None = None
    arc: ca.SX | None = None
    wrapped: Wrapped | None = None
    moved: ca.SX | None = None
    fixed_at: tuple[Connector, ca.SX] | None = None  # a point that is always there: its connector and place there
    turns: bool = False  # about an axis
    round: bool = False  # the arc is that of a circle

    def velocity(self, place: ca.SX) -> ca.SX:
        """The velocity of its body at a place of the world."""
        v = self.frame.v_0 + cross(self.frame.R_WF @ self.frame.symbol("w", (3,)), place - self.frame.r_0)
        return v if self.moved is None else v + self.moved


def choose(on: ca.SX | None, here: ca.SX, beyond: ca.SX) -> ca.SX:
    """What is seen of a stop: itself where it is on, else what lies beyond."""
    return here if on is None else ca.if_else(on, here, beyond)


@dataclass(frozen=True)
class Leg:
    """A stop with the directions of the straight parts that lead to it and away (None at the ends)."""

    stop: Stop
    inward: ca.SX | None
    outward: ca.SX | None
    behind: ca.SX | None = None
    ahead: ca.SX | None = None


@dataclass(frozen=True)
class Line:
    """All of a cable: its length, its rate, its legs, and those of its groups of stops on one part."""

    length: ca.SX
    rate: ca.SX
    legs: list[Leg]
    groups: list[Leg]


def line_through(stops: list[Stop]) -> Line:
    """The cable through stops whose places are known."""
    legs, length = _legs(stops), ca.SX(0)
    for k, leg in enumerate(legs):
        stop, own_length = leg.stop, ca.SX(0)
        if leg.behind is not None:
            rigid = _constant(stops[k - 1], stop)
            own_length += _straight(leg.behind, stop.arrival)[0] if rigid is None else rigid
        if stop.arc is not None:
            own_length += stop.arc
        length += own_length if stop.on is None else ca.if_else(stop.on, own_length, 0)
    together = [list(own) for _, own in groupby(stops, key=lambda stop: stop.part)]
    groups, rate = _legs([_group(own) for own in together]), ca.SX(0)
    for leg in groups:
        stop, own_rate = leg.stop, ca.SX(0)
        if leg.inward is not None:
            own_rate += ca.dot(leg.inward, stop.velocity(stop.arrival))
        if leg.outward is not None:
            own_rate -= ca.dot(leg.outward, stop.velocity(stop.departure))
        rate += own_rate if stop.on is None else ca.if_else(stop.on, own_rate, 0)
    return Line(length, rate, legs, groups)


def _legs(stops: list[Stop]) -> list[Leg]:
    """Stops with what they see of each other."""
    count = len(stops)
    behind: list[ca.SX | None] = [None] * count  # where the cable comes from, as a stop sees it
    ahead: list[ca.SX | None] = [None] * count
    for k in range(1, count):
        before = stops[k - 1]
        behind[k] = before.departure if behind[k - 1] is None else choose(before.on, before.departure, behind[k - 1])
    for k in range(count - 2, -1, -1):
        after = stops[k + 1]
        ahead[k] = after.arrival if ahead[k + 1] is None else choose(after.on, after.arrival, ahead[k + 1])
    return [Leg(stop, None if there is None else _straight(there, stop.arrival)[1],
                None if here is None else _straight(stop.departure, here)[1], there, here)
            for stop, there, here in zip(stops, behind, ahead, strict=True)]


def _constant(before: Stop, after: Stop) -> ca.SX | None:
    """The distance of two points of one connector, which no motion changes."""
    if before.fixed_at is None or after.fixed_at is None or before.fixed_at[0] is not after.fixed_at[0]:
        return None
    return _straight(before.fixed_at[1], after.fixed_at[1])[0]


def _group(stops: list[Stop]) -> Stop:
    """Stops that follow one another on one part, as one: from the first of them that is on to the last."""
    if len(stops) == 1:
        return stops[0]
    arrival, departure = stops[-1].arrival, stops[0].departure
    for before, after in zip(stops[-2::-1], stops[1:], strict=True):
        arrival, departure = choose(before.on, before.arrival, arrival), choose(after.on, after.departure, departure)
    on = None if any(stop.on is None for stop in stops) else reduce(ca.logic_or, [stop.on for stop in stops])
    return Stop(stops[0].frame, stops[0].part, arrival, departure, on)


def load_of(leg: Leg) -> tuple[ca.SX, ca.SX]:
    """(force, moment about the origin of the frame) by a tension of one, on the body of a stop."""
    stop, f, t = leg.stop, ca.SX.zeros(3), ca.SX.zeros(3)
    for direction, place, sign in ((leg.inward, stop.arrival, -1), (leg.outward, stop.departure, 1)):
        if direction is not None:
            f += sign * direction
            t += sign * cross(place - stop.frame.r_0, direction)
    if stop.on is None:
        return f, t
    return ca.if_else(stop.on, f, 0), ca.if_else(stop.on, t, 0)


def load_in_world(plan: PartsList, component: Component, frame: Frame, f: ca.SX, t: ca.SX) -> None:
    """A load whose vectors are in world axes: cut force f and torque t on the component at `frame`.

    In a plane nothing leaves it: force along the normal and torques about axes of the plane are zero and left out.
    """
    f, t = frame.R_WF.T @ f, frame.R_WF.T @ t
    if isinstance(frame, PlanarFrame):
        f, t = ca.vertcat(f[0:2], 0), ca.vertcat(0, 0, t[2])
    plan.load(component, frame, f, t)


def _straight(a: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX]:
    """(length, direction) of the straight part from a to b."""
    r = b - a
    length = ca.sqrt(ca.dot(r, r) + TINY)
    return length, r / length
