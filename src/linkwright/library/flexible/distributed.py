"""Loads along a beam: a force per length, and a drag against motion, both summed over the points where mass sits.

With the place and the columns S of such a point in the element's own frame B (see `mechanism.kinds.strain`), and f the
force there in B's axes, B feels the motor of f at the point, and each internal coordinate f·S.  Points at the ends
belong to frames.  The drag is −c μ v of every piece with mass μ and velocity v in the world, so it damps what moves as
a whole too: mass-proportional damping, ζ = c/(2 ω).
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from ...algebra import ForceMotor, VelocityMotor
from ...language import Component, Frame, PartsList
from ...mechanism.kinds import Strained, masses

#: force per length in world axes at a fraction of the beam's length
Line = Callable[[float], ca.SX]


def apply_along(plan: PartsList, beam: Component, piece: Component, element: Strained, span: tuple[float, float],
                frames: tuple[Frame, Frame, Frame], line: Line | None, drag: object) -> ca.SX:
    """Tell the loads on one element between fractions `span`, whose frames are its own and both ends; gives the loss.

    `line` is the force per length, `drag` the factor c, each None where there is none.
    """
    base, *ends = frames
    q, u, _ = plan.bent_symbols(piece)
    places, weights = masses(max(element.degrees))
    a, b = span
    R = base.R_WF
    V = VelocityMotor(base.symbol("w", (3,)), R.T @ base.v_0)

    def force(number: int, v_W: ca.SX) -> tuple[ca.SX, ca.SX]:
        """On the piece at this point, in world axes, and what is lost."""
        f, lost = ca.SX.zeros(3), ca.SX(0)
        if line is not None:
            f = f + line(a + (b - a) * places[number]) * (weights[number] * element.length)
        if drag is not None:
            c = drag * weights[number] * element.length * element.sections[number][0]
            f, lost = f - c * v_W, c * ca.dot(v_W, v_W)
        return f, lost

    total = ca.SX(0)
    for frame, number in zip(ends, (0, len(places) - 1), strict=True):
        f, lost = force(number, frame.v_0)
        plan.load(beam, frame, -(frame.R_WF.T @ f), ca.SX.zeros(3))
        total = total + lost
    motor, along = ForceMotor(), [ca.SX(0)] * element.size
    for number, (at, columns, W) in enumerate(element.moving_points(q, u), start=1):
        f, lost = force(number, R @ ca.SX(at.into(V + W).moment))
        own = ForceMotor(R.T @ f, np.zeros(3))
        motor = motor + at @ own
        along = [old + own.dot(S) for old, S in zip(along, columns, strict=True)]
        total = total + lost
    plan.load(beam, base, -ca.SX(motor.resultant), -ca.SX(motor.moment))
    for k, value in enumerate(along):
        plan.mobility_load(piece, k, value)
    return total
