"""On which side of a cylinder an OpenSim path runs, by the quadrant that a file gives.

OpenSim decides it anew at every instant: of both ways round the one whose points of tangency lie on the side of the
quadrant, and no wrap where the line passes on the other side.  Here it is decided in the default pose and then kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ...geometry import wrap_cylinder


class Side(NamedTuple):
    """Whether a path lies on a surface, the turn that it has there (None: whichever), the angle about the axis."""

    wraps: bool
    turn: int | None
    angle: float


def clearance(P1: np.ndarray, P2: np.ndarray, size: np.ndarray | float, axial: bool) -> float:
    """How far the straight line between two points passes outside of a surface, in its own size (negative: it hits)."""
    keep = slice(0, 2) if axial else slice(0, 3)
    a, b = (P[keep] / (size if np.ndim(size) == 0 else np.asarray(size)[keep]) for P in (P1, P2))
    d = b - a
    s = np.clip(-(a @ d) / max(d @ d, np.finfo(float).tiny), 0.0, 1.0)
    return float(np.linalg.norm(a + s * d) - 1)


def inside(P: np.ndarray, size: np.ndarray | float, axial: bool) -> bool:
    """Whether a point lies inside of a surface."""
    return clearance(P, P, size, axial) < 0


def side_of_cylinder(P1: np.ndarray, P2: np.ndarray, radius: float, quadrant: str) -> Side:
    """The side of a cylinder about z that a path takes between two points outside of it."""
    p1, p2 = P1[:2], P2[:2]
    angle = float(np.arctan2(p1[0] * p2[1] - p1[1] * p2[0], p1 @ p2))
    hit = clearance(P1, P2, radius, True) < 0
    if quadrant in ("all", "unassigned"):
        return Side(hit, None, angle)
    axis, sign = "xy".index(quadrant[-1]), -1 if quadrant[0] == "-" else 1
    near = _nearest_to_axis(p1, p2)

    def on(v: np.ndarray) -> bool:
        return (v[axis] >= 0) == (sign > 0)

    turn = _turn(p1, p2, radius, on)
    free = (on(p1) or on(p2)) and not hit and not (on(p1) != on(p2) and not on(near))
    if free:
        return Side(False, turn, angle)
    return Side(True, turn, angle if turn * angle > 0 else angle + 2 * np.pi * turn)


def beyond_ends(P1: np.ndarray, P2: np.ndarray, side: Side, surface: Any) -> bool:
    """Whether a path on a cylinder touches it beyond its ends only: OpenSim then leaves it straight."""
    turn = side.turn if side.turn is not None else (1 if side.angle > 0 else -1)
    found = wrap_cylinder(ca.DM(P1), ca.DM(P2), surface.size, turn, turn * side.angle)
    return bool(min(abs(float(found.first[2])), abs(float(found.last[2]))) > surface.half)


def over_quadrant(P1: np.ndarray, P2: np.ndarray, surface: Any) -> tuple[float, ...] | None:
    """A point of an ellipsoid over which a path runs: from the line, pushed out along the axis of the quadrant."""
    if surface.quadrant in ("all", "unassigned"):
        return None
    axis, sign = "xyz".index(surface.quadrant[-1]), -1 if surface.quadrant[0] == "-" else 1
    a, b = P1 / surface.size, P2 / surface.size
    d = b - a
    near = a - np.clip((a @ d) / (d @ d), -1, 0) * d
    near[axis] = sign * max(abs(near[axis]), np.sqrt(max(0.0, 1 - near @ near + near[axis] ** 2)))
    return tuple(float(x) for x in near / np.linalg.norm(near) * surface.size)


def _turn(p1: np.ndarray, p2: np.ndarray, radius: float, on: object) -> int:
    """The turn whose points of tangency lie on the side; where both do, or none, the shorter way."""
    found = {}
    for turn in (1, -1):
        points = []
        for p, s in ((p1, turn), (p2, -turn)):
            d2 = p @ p
            l = np.sqrt(max(d2 - radius * radius, 0.0))
            points.append(radius / d2 * (radius * p + s * l * np.array([-p[1], p[0]])))
        found[turn] = points
    first, second = ({turn: on(found[turn][k]) for turn in (1, -1)} for k in (0, 1))
    if first[1] != first[-1]:
        return 1 if first[1] else -1
    if second[1] != second[-1]:
        return 1 if second[1] else -1
    apart = {turn: np.arccos(np.clip(a @ b / radius**2, -1, 1)) for turn, (a, b) in found.items()}
    return 1 if apart[1] <= apart[-1] else -1


def _nearest_to_axis(p1: np.ndarray, p2: np.ndarray) -> np.ndarray:
    d = p2 - p1
    return p1 - (p1 @ d) / max(d @ d, np.finfo(float).tiny) * d
