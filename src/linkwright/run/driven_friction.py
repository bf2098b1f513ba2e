"""Friction on what moves as it is given: its mode follows the speed, its force is what the source has to bear.

It never sticks, nothing could be held; at rest (mode 0) it bears nothing.  A filter or rounding leaves speeds whose
sign means nothing: zero is passed only at an acceleration that leads away from it, else the motion has come to rest and
starts again where its speed can be told from none.
"""

from __future__ import annotations

LEAST, MOST = 1e-4, 1e3  # of the accuracy: speeds below that are none; how large those may become that tremble
MOMENT = 1e-6  # seconds in which an acceleration has to lead out of them
SHORT = 0.01  # of the time since the start: motions between two rests that are shorter were a tremble


class GivenFriction:
    """The modes of one such friction."""

    def __init__(self, accuracy: float, start: float):
        self.start, self.left = start, -float("inf")
        self.none, self.most = LEAST * accuracy, MOST * accuracy  # speeds up to here have no sign; and at most

    def mode(self, t: float, was: int, speed: float, acceleration: float, arrived: bool) -> int:
        """The direction of the motion, or 0; `arrived` where its speed has just passed zero."""
        way = speed
        if arrived or abs(speed) <= self.none:
            way = acceleration if abs(acceleration) * MOMENT > self.none else 0
        elif was == 0 and speed * acceleration < 0 and self.none < self.most:
            # only errors of steps depart against their acceleration
            self.none, way = min(max(10 * self.none, abs(speed)), self.most), 0
        if way == 0 != was and t - self.left < SHORT * (t - self.start):
            self.none = min(10 * self.none, self.most)
        if was == 0 != way:
            self.left = t
        return 1 if way > 0 else -1 if way < 0 else 0

    def slack(self, mode: int) -> float:
        """How far the witness of its sliding may be passed: at rest, until the motion starts again."""
        return 0.0 if mode else 2 * self.none
