"""The points of the world that a cable is drawn through: its stops, points on every arc, and where it is slack, the bow
in which it hangs.

A straight part of length c that has the length e to spare hangs as a parabola of depth d along gravity.  With h = c sin
of the angle between the part and gravity,

    d² = ⅜ c e (c/h)² + ¼ e²        but no deeper than a fold that hangs straight down, 4 d = s + √(s² − c²), s = c + e

which is right to first order for little slack, and for much of it.  No force knows of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..tolerances import ARC_POINTS, HANGING_POINTS, TINY
from .stops import Leg, Line


@dataclass(frozen=True)
class Hanging:
    """What a cable has to spare on all of its way, and the direction in which it hangs."""

    spare: ca.SX
    down: ca.SX


def knots(line: Line, hanging: Hanging | None = None) -> list[ca.SX]:
    """Points of the world along a cable, as many at any time.

    Those of a stop that is off lie between its neighbours.
    """
    found: list[ca.SX] = []
    total = sum((_part(leg)[2] for leg in line.legs[1:]), ca.SX(0))

    def bow(start: ca.SX, end: ca.SX, share: object) -> ca.SX:
        return start + share * (end - start) + (0 if hanging is None else _sag(start, end, share, hanging, total))

    last_share = 0.0
    for k, leg in enumerate(line.legs):
        stop = leg.stop
        own = [stop.arrival] if stop.wrapped is None else _arc(leg)
        shares = [(j + 1) / (len(own) + 1) for j in range(len(own))]
        if hanging is not None and k:
            before = line.legs[k - 1].stop
            start, end, _ = _part(leg)
            first = 0.0 if before.on is None else ca.if_else(before.on, 0, last_share)
            last = 1.0 if stop.on is None else ca.if_else(stop.on, 1, shares[0])
            for j in range(HANGING_POINTS):
                found.append(bow(start, end, first + (j + 1) / (HANGING_POINTS + 1) * (last - first)))
        for x, share in zip(own, shares, strict=True):
            found.append(x if stop.on is None else ca.if_else(stop.on, x, bow(leg.behind, leg.ahead, share)))
        last_share = shares[-1]
    return found


def count_of_knots(wraps: list[bool], hangs: bool) -> int:
    """How many they are, for stops of which some are surfaces."""
    return sum(ARC_POINTS if wrap else 1 for wrap in wraps) + (HANGING_POINTS * (len(wraps) - 1) if hangs else 0)


def _part(leg: Leg) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(start, end) of the straight part that leads to a stop, or past it where it is off, and its length, which counts
    where it ends."""
    stop, c = leg.stop, leg.stop.arrival - leg.behind
    length = ca.sqrt(ca.dot(c, c))
    if stop.on is None:
        return leg.behind, stop.arrival, length
    return leg.behind, ca.if_else(stop.on, stop.arrival, leg.ahead), ca.if_else(stop.on, length, 0)


def _sag(start: ca.SX, end: ca.SX, share: object, hanging: Hanging, total: ca.SX) -> ca.SX:
    """How far a point of a straight part hangs below it."""
    c = end - start
    size = ca.sqrt(ca.dot(c, c) + TINY)
    spare = hanging.spare * size / (total + TINY)
    along = ca.dot(c, hanging.down)
    across = ca.fmax(size * size - along * along, TINY)
    whole = size + spare
    fold = (whole + ca.sqrt(whole * whole - size * size)) / 4
    depth = ca.fmin(ca.sqrt(0.375 * size * spare * size * size / across + spare * spare / 4), fold)
    return 4 * depth * share * (1 - share) * hanging.down


def _arc(leg: Leg) -> list[ca.SX]:
    """Points along an arc: of a circle, drawn out along the axis where it climbs, or else a cubic between its ends."""
    stop, shares = leg.stop, [k / (ARC_POINTS - 1) for k in range(ARC_POINTS)]
    if not stop.round:
        a, b, p, q, size = stop.arrival, stop.departure, leg.inward, leg.outward, stop.arc
        return [(1 + 2 * s) * (1 - s) ** 2 * a + s * s * (3 - 2 * s) * b + s * (1 - s) ** 2 * size * p
                - s * s * (1 - s) * size * q for s in shares]
    centre, axis = stop.frame.r_0, stop.frame.R_WF[:, 2] if stop.turns else ca.SX.zeros(3)

    def split(v: ca.SX) -> tuple[ca.SX, ca.SX]:
        along = ca.dot(v, axis) * axis
        return v - along, along

    (radial, low), (_, high), (tangent, _) = (split(v) for v in (stop.arrival - centre, stop.departure - centre,
                                                                 leg.inward))
    size = ca.sqrt(ca.dot(radial, radial) / (ca.dot(tangent, tangent) + TINY))
    return [centre + (1 - s) * low + s * high + ca.cos(s * stop.wrapped.angle) * radial
            + ca.sin(s * stop.wrapped.angle) * size * tangent for s in shares]
