"""Rows of impulses beside those of contacts, for stepping: stops, dry friction and freewheels of joints and drives.

Each is one speed whose impulse lies between two bounds (`integrate.gauss_seidel`, SINGLE).  A stop only presses,

    0 ≤ G u⁺ + gap/h ⊥ Λ ≥ 0

friction bears h times what rubs, against the motion, or at rest what holds, and a freewheel besides anything that keeps
it from turning backwards:

    −h f ≤ Λ ≤ h f          at rest  −h limit ≤ Λ ≤ h back          freewheel  Λ ≤ ∞

What `holds_impacts` and was at rest bears anything in a step in which something strikes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..system import Crowd, System
from .contact_points import ContactPoints
from .tolerances import NO_FORCE, REST, TINY


class Begun(NamedTuple):
    """What a step begins with, of all rows: impulses, what is added to the speeds, and the bounds (n, 2) of the
    impulses; and the numbers of the rows that take part: a stop that is far from its end does not."""

    impulses: np.ndarray
    bias: np.ndarray
    bounds: np.ndarray
    taken: np.ndarray


class SingleRows:
    """The rows of all stops, then of all frictions, at the present look of a crowd."""

    def __init__(self, system: System, crowd: Crowd):
        events = system.mechanism.events
        self.crowd, self.stops, self.frictions = crowd, len(events.stops), len(events.frictions)
        self.names = [item.name for item in (*events.stops, *events.frictions)]
        self.known = np.zeros(len(self.names))  # impulses of the last step
        self._bounds = np.zeros((len(self.names), 2))  # between which they lay
        self._one_way, self._firm = (np.array([getattr(f, name) for f in events.frictions], dtype=bool)
                                     for name in ("one_way", "holds_impacts"))
        places = {name: k for k, name in enumerate(system.part_names("d"))}
        self._closed = [places[s.held.name()] for s in events.stops]
        self._stuck = [places[f.held.name()] for f in events.frictions]
        self._direction = [places[f.direction.name()] for f in events.frictions]
        #: the speeds that rows read (−1: none), their places in the blocks of the inertia, and which block it is
        self._places = crowd.single_places
        self._own = np.where(self._places >= 0, crowd.place_in[np.maximum(self._places, 0)], 0)
        self._blocks = crowd.block_of[np.maximum(self._places[:, :1], 0)].ravel()
        #: discrete variables that say what is in force: none while it is stepped
        self.modes = [*self._closed, *self._stuck, *self._direction]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def gaps(self) -> np.ndarray:
        """Gaps of the stops."""
        return self.crowd.told[: self.stops, 0]

    @property
    def width(self) -> int:
        """How many speeds a row reads at most."""
        return self._places.shape[1]

    def fill(self, which: np.ndarray, into: ContactPoints, first: int) -> None:
        """Write rows of these numbers, as those of contacts, from a row on: G, its places, Y = M⁻¹ Gᵀ, its places."""
        crowd, (G, g_places, Y, y_places), own = self.crowd, into.rows, slice(first, first + len(which))
        places, inside, blocks = self._places[which], self._own[which], self._blocks[which]
        width, size = self.width, crowd.members.shape[1]
        G[own], g_places[own], Y[own], y_places[own], into.W[own] = 0.0, -1, 0.0, -1, 0.0
        values = np.where(places >= 0, crowd.singles[which[:, None], np.maximum(places, 0)], 0.0)
        give = np.einsum("rkj,rk->rj", crowd.inverse[blocks[:, None], inside], values)
        G[own, 0, :width], g_places[own, :width] = values, places
        Y[own, 0, :size], y_places[own, :size] = give, crowd.members[blocks]
        into.W[own, :2] = TINY
        into.W[own, 0] += np.einsum("rk,rk->r", values, give[np.arange(len(which))[:, None], inside])

    def begin(self, before: np.ndarray, free: np.ndarray, h: float, struck: bool) -> Begun:
        """From the speeds before the step and those without impulses; `struck` says whether contacts strike in it."""
        told, speeds = self.crowd.told, self.crowd.singles @ before
        stops, rest = slice(0, self.stops), slice(self.stops, None)
        bias, bounds = np.zeros(len(self)), np.tile([0.0, np.inf], (len(self), 1))
        gap, give, rate = told[stops, 0], told[stops, 1], speeds[stops]
        hit = (rate < 0) & (gap + h * rate <= 0)
        bias[stops] = np.where(hit & (give > 0), give * rate, np.maximum(gap, 0.0) / h)
        struck = struck or bool(np.any(hit & (self.known[stops] <= 0)))
        moving = np.abs(speeds[rest]) > REST
        bounds[rest, 0] = -h * np.where(moving, told[rest, 0], told[rest, 1])
        bounds[rest, 1] = h * np.where(moving, told[rest, 0], told[rest, 2])
        bounds[rest, 1][self._one_way] = np.inf
        bounds[rest][self._firm & ~moving & struck] = -np.inf, np.inf
        self._bounds = bounds
        taken = np.ones(len(self), dtype=bool)
        taken[stops] = hit | (self.known[stops] > 0) | (bias[stops] + self.crowd.singles[stops] @ free <= 0)
        return Begun(np.clip(self.known, bounds[:, 0], bounds[:, 1]), bias, bounds, np.flatnonzero(taken))

    def takes_more(self, own: Begun, u: np.ndarray) -> Begun | None:
        """With the stops besides that the speeds after a step would pass; None where there are none."""
        passed = own.bias + self.crowd.singles @ u < 0
        passed[self.stops :], passed[own.taken] = False, False
        if not passed.any():
            return None
        passed[own.taken] = True
        return own._replace(taken=np.flatnonzero(passed))

    def hits(self, which: np.ndarray, impulses: np.ndarray) -> list[str]:
        """Names of stops that press now and did not in the last step; impulses are kept for the next."""
        known = np.zeros(len(self))
        known[which] = impulses
        new = np.flatnonzero((known > 0) & (self.known <= 0))
        self.known = known
        return [self.names[k] for k in new[new < self.stops]]

    def tell(self, modes: np.ndarray, u: np.ndarray) -> None:
        """What is in force after a step, for the forces in the result."""
        speeds = self.crowd.singles @ u
        low, high = self._bounds.T
        slack = NO_FORCE * np.where(np.isfinite(self._bounds), np.abs(self._bounds), 0.0).max(axis=1, initial=0.0)
        holds = (self.known > low + slack) & (self.known < high - slack)
        modes[self._closed] = self.known[: self.stops] > 0
        modes[self._stuck] = holds[self.stops :]
        modes[self._direction] = np.where(holds, 0.0, np.sign(speeds))[self.stops :]
