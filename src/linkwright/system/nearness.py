"""Which of many shapes may be near each other, remembered from one step to the next.

A gap that was measured need not be measured again before the shapes have gone as far.  Between two poses of a shape no
point of it goes farther than

    |Δp| + reach |ΔR|          (|ΔR| = |ΔR|_F/√2: the chord of the angle by which it has turned)

and all of that added up is how far it has `gone`, as by an odometer.  Shapes that were g apart when they had gone a and
b are at least g + a + b − gone_a − gone_b apart; so one number for a pair, g + a + b, says when it must be looked at.

Only pairs whose boxes overlap are looked at all, each box wider by a skin (Verlet 1967): the list of them, found by
`geometry.near_pairs`, holds until some shape has used up its skin.
"""

from __future__ import annotations

import numpy as np

from .. import geometry
from .tolerances import SKIN_OF_MARGIN, SKIN_OF_REACH

#: kinds of shapes of which every two have a gap that is never larger than their distance, but for two boxes: the gap of
#: faces that overlap is larger than that of their rims
DISTANT = (geometry.Point, geometry.Plane, geometry.Sphere, geometry.Box, geometry.Capsule, geometry.Cylinder,
           geometry.Disc, geometry.Torus, geometry.Ellipsoid, geometry.Convex)


class Nearness:
    """Pairs of shapes that may be near; `meets` (n, n) is the number of their encounter or −1, `first` its shape a."""

    def __init__(self, shapes: list[geometry.Shape], meets: np.ndarray, first: np.ndarray) -> None:
        self.reach, self._meets, self._first = np.array([geometry.reach(shape) for shape in shapes]), meets, first
        n = len(shapes)
        self._bounded = np.isfinite(self.reach)
        self._gone, self._poses = np.zeros(n), np.full((n, 12), np.nan)
        #: shapes without bounds that turn: what is far from their origin may be anywhere
        self._sweeps = ~self._bounded & np.array([not isinstance(shape, DISTANT) for shape in shapes], dtype=bool)
        self._told = np.array([isinstance(shape, DISTANT) for shape in shapes], dtype=bool)
        self._box = np.array([isinstance(shape, geometry.Box) for shape in shapes], dtype=bool)
        #: of every encounter the gap at which it was measured, and what both had gone until then
        self._apart = np.full(len(first), -np.inf)
        self._skin, self._before = np.full(n, -np.inf), np.zeros(n)
        self._pairs, self._known = np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64)

    def move(self, poses: np.ndarray) -> None:
        """The shapes are at these poses (n, 12) now: the rotation by rows, then the position."""
        change = poses - self._poses
        turn = np.sqrt(np.einsum("ij,ij->i", change[:, :9], change[:, :9]) / 2)
        ways = np.sqrt(np.einsum("ij,ij->i", change[:, 9:], change[:, 9:]))
        ways += np.where(self._bounded, self.reach, 0.0) * turn
        # at the first look nothing is known of any way
        self._gone += np.where(np.isfinite(ways), ways, 0.0)
        self._sweeps |= ~self._bounded & (turn > 0)
        self._poses[:] = poses

    def pairs(self, margin: np.ndarray) -> np.ndarray:
        """Pairs (k, 2) that may be closer than the sum of their margins, a first, in order."""
        used = self._gone - self._before + margin
        if np.any(used[self._bounded] > self._skin[self._bounded]):
            self._look_around(margin)
        a, b = self._pairs.T
        apart = self._apart[self._known] - self._gone[a] - self._gone[b]
        return self._pairs[~(apart > margin[a] + margin[b]) | self._sweeps[a] | self._sweeps[b]]

    def measured(self, pairs: np.ndarray, owners: np.ndarray, gaps: np.ndarray) -> None:
        """All gaps of pairs as they are now; `owners` says to which pair each belongs."""
        least = np.full(len(pairs), np.inf)
        np.minimum.at(least, owners, gaps)
        a, b = pairs.T
        known = np.isfinite(least) & self._told[a] & self._told[b] & ~(self._box[a] & self._box[b])
        a, b = a[known], b[known]
        self._apart[self._meets[a, b]] = least[known] + self._gone[a] + self._gone[b]

    def _look_around(self, margin: np.ndarray) -> None:
        """The list anew, with skins for some steps."""
        self._skin = np.where(self._bounded, SKIN_OF_REACH * self.reach, 0.0) + SKIN_OF_MARGIN * margin
        self._before = self._gone.copy()
        wide, places = (self.reach + self._skin)[:, None], self._poses[:, 9:]
        found = geometry.near_pairs(places - wide, places + wide)
        known = self._meets[found[:, 0], found[:, 1]]
        found, known = found[known >= 0], known[known >= 0]
        swapped = self._first[known] != found[:, 0]
        found[swapped] = found[swapped][:, ::-1]
        self._pairs, self._known = found, known
        # the balls that hold two shapes may be apart
        a, b = found.T
        apart = np.linalg.norm(places[a] - places[b], axis=1) - self.reach[a] - self.reach[b]
        self._apart[known] = np.maximum(self._apart[known], apart + self._gone[a] + self._gone[b])
