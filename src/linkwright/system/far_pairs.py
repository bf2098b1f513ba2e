"""How far apart the shapes of rigid pairs are at least, and how fast that can change.

While two shapes are sure not to meet within a step nobody needs their gap (`integrate.far`).  A ball about the origin
of a shape holds all of it, however it turns.  The balls of two shapes, or one shape and the ball of the other, are at
a distance d that no gap falls below and that costs little, and

    |ḋ| ≤ |v_b − v_a|                       of two balls,
    |ḋ| ≤ |v_b − v_a − ω_a × (p_b − p_a)|   of shape a and a ball: how fast its middle moves as seen from a

Gaps themselves change by no more than that and, with r the radii of balls, |ω_a| r_a + |ω_b| r_b or |ω_b − ω_a| r_b.
Which of them is taken follows from kinds of shapes alone, not from sizes, which may be inputs.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import casadi as ca
import numpy as np

from .. import geometry
from ..algebra import Transform
from ..codegen import Program
from ..equations import Equations
from .layout import Layout
from .programs import build_program

#: shapes that hold the origin of their frame, so that two of them are no farther apart than these origins
FILLED = (geometry.Point, geometry.Sphere, geometry.Box, geometry.Capsule, geometry.Cylinder, geometry.Disc,
          geometry.Ellipsoid)


class FarPair(NamedTuple):
    """A pair that can be left aside: the numbers of its contacts, a distance that its gaps do not fall below, how fast
    that changes at most, how much faster gaps may because the shapes turn; and what they are not farther apart than."""

    contacts: tuple[int, ...]
    distance: ca.SX
    speed: ca.SX
    turning: ca.SX
    within: ca.SX | None


def far_pairs(e: Equations) -> list[FarPair]:
    """The rigid pairs of which such a distance is known."""
    found = []
    for meet in e.mechanism.events.encounters:
        sides = [e.mechanism.shapes[name] for name in (meet.a, meet.b)]
        a, b = sorted(sides, key=lambda side: _order(e, side.shape, side.frame))
        reach = _reach(b.shape)
        if not meet.contacts or reach is None:
            continue
        (p_a, R_a, v_a, w_a), (p_b, _, v_b, w_b) = (_motion(e, side.frame) for side in (a, b))
        apart, rate = p_b - p_a, v_b - v_a
        if isinstance(a.shape, geometry.Plane | geometry.Box):
            ball = b.shape if isinstance(b.shape, geometry.Point) else geometry.Sphere(reach)
            touches = geometry.pair(a.shape, ball).evaluate(Transform(), Transform(ca.SX.eye(3), R_a.T @ apart))
            distance = reduce(ca.fmin, [ca.SX(touch.gap) for touch in touches])
            rate, turning = rate - ca.cross(w_a, apart), reach * ca.norm_2(w_b - w_a)
        elif (other := _reach(a.shape)) is not None:
            distance = ca.norm_2(apart) - other - reach
            turning = other * ca.norm_2(w_a) + reach * ca.norm_2(w_b)
        else:
            continue
        within = ca.norm_2(apart) if isinstance(a.shape, FILLED) and isinstance(b.shape, FILLED) else None
        found.append(FarPair(meet.contacts, distance, ca.norm_2(rate), turning, within))
    return found


def near_program(layout: Layout) -> Program:
    """(distance, speed, turning) of every such pair in turn."""
    e = layout.equations
    numbers = [ca.vertcat(pair.distance, pair.speed, pair.turning) for pair in far_pairs(e)]
    return build_program("near", layout, {"apart": ca.densify(e.finish(ca.vertcat(*numbers))[0])})


def _order(e: Equations, shape: geometry.Shape, frame: str) -> tuple[bool, bool]:
    """What has no end comes first, then boxes, those that stand still before those that move."""
    is_box = isinstance(shape, geometry.Box)
    return _reach(shape) is not None, not is_box or bool(e.laws.relative("world", frame).columns)


def _reach(shape: geometry.Shape) -> ca.SX | float | None:
    """The radius of the ball that holds a shape; None where there is none."""
    sizes = vars(shape)
    if isinstance(shape, geometry.Capsule):
        return sizes["length"] / 2 + sizes["radius"]
    if isinstance(shape, geometry.Sphere | geometry.Disc):
        return sizes["radius"]
    if isinstance(shape, geometry.Box):
        size = sizes["size"]
        return ca.norm_2(ca.vertcat(*size) if isinstance(size, list | tuple) else ca.SX(size)) / 2
    if isinstance(shape, geometry.Cylinder):
        return ca.sqrt(sizes["length"] ** 2 / 4 + sizes["radius"] ** 2)
    try:
        reach = geometry.reach(shape)
    except (TypeError, RuntimeError):
        return None  # symbols in sizes of other kinds
    return reach if np.isfinite(reach) else None


def _motion(e: Equations, frame: str) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Position, rotation, velocity and angular velocity of a frame, in axes of the world."""
    motion = e.laws.relative("world", frame)
    R, V = ca.SX(motion.X_AB.R), ca.SX(motion.V.vector())
    return ca.SX(motion.X_AB.p), R, R @ V[3:6], R @ V[0:3]
