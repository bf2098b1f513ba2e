"""Friction on a joint whose motion is given: its mode follows the speed, and the source of the motion bears its force.

It cannot stick, since the motion is given; at rest (mode 0) it exerts no force.  Filters and rounding leave small
speeds in a given motion, whose sign means nothing.  Therefore a motion whose speed passes zero goes on only where its
acceleration leads away from zero.  Otherwise it is at rest, until its speed is larger than such errors.  Their size is
learned: where a motion turns out to have been an error, the limit grows.
"""

from __future__ import annotations

from . import tolerances as tol


class GivenFriction:
    """The modes of one friction on a given motion."""

    def __init__(self, accuracy: float, start: float):
        self.start = start
        self.left = -float("inf")  # when it last left rest
        self.rest = tol.REST_OF_GIVEN * accuracy  # speeds up to here are rest
        self.most = tol.REST_OF_GIVEN_MOST * accuracy  # and `rest` grows up to here

    def mode(self, t: float, was: int, speed: float, acceleration: float, arrived: bool) -> int:
        """The direction of the motion, or 0; `arrived` where its speed has just passed zero."""
        way = speed
        if arrived or abs(speed) <= self.rest:
            way = acceleration if abs(acceleration) * tol.LEADS_AWAY > self.rest else 0
        elif was == 0 and speed * acceleration < 0 and self.rest < self.most:
            # a motion against its own acceleration is an error of the steps
            self.rest, way = min(max(10 * self.rest, abs(speed)), self.most), 0
        if way == 0 != was and t - self.left < tol.BRIEF * (t - self.start):
            self.rest = min(10 * self.rest, self.most)
        if was == 0 != way:
            self.left = t
        return 1 if way > 0 else -1 if way < 0 else 0

    def slack(self, mode: int) -> float:
        """The slack of its witness: at rest, the speed at which the motion starts again."""
        return 0.0 if mode else 2 * self.rest
