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
from .tolerances import NO_FORCE, REST, TINY

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Begun(NamedTuple):
    """What a step begins with: impulses, what is added to the speeds, and the bounds (n, 2) of the impulses."""

    impulses: np.ndarray
    bias: np.ndarray
    bounds: np.ndarray


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
        #: discrete variables that say what is in force: none while it is stepped
        self.modes = [*self._closed, *self._stuck, *self._direction]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def gaps(self) -> np.ndarray:
        """Gaps of the stops."""
        return self.crowd.told[: self.stops, 0]

    def rows(self, stops_only: bool = False) -> tuple[Rows, np.ndarray]:
        """(G, its places, Y = M⁻¹ Gᵀ, its places) and what each row gives way, as of contacts."""
        crowd = self.crowd
        count, size = self.stops if stops_only else len(self), crowd.members.shape[1]
        width = max([1, *np.count_nonzero(crowd.singles[:count], axis=1).tolist()])
        G, g_places = np.zeros((count, 3, width)), np.full((count, width), -1)
        Y, y_places, W = np.zeros((count, 3, size)), np.full((count, size), -1), np.full((count, 4), TINY)
        W[:, 2:] = 0.0
        for c in range(count):
            own = np.flatnonzero(crowd.singles[c])
            if not len(own):
                continue
            block = crowd.block_of[own[0]]
            g_places[c, : len(own)], G[c, 0, : len(own)] = own, crowd.singles[c, own]
            y_places[c] = crowd.members[block]
            Y[c, 0] = crowd.inverse[block][:, crowd.place_in[own]] @ crowd.singles[c, own]
            W[c, 0] += crowd.singles[c, own] @ Y[c, 0][crowd.place_in[own]]
        return (G, g_places, Y, y_places), W

    def begin(self, before: np.ndarray, h: float, struck: bool) -> Begun:
        """From the speeds before the step; `struck` says whether contacts strike in it."""
        told, speeds = self.crowd.told, self.crowd.singles @ before
        stops, rest = slice(0, self.stops), slice(self.stops, None)
        bias, bounds = np.zeros((len(self), 3)), np.tile([0.0, np.inf], (len(self), 1))
        gap, give, rate = told[stops, 0], told[stops, 1], speeds[stops]
        hit = (rate < 0) & (gap + h * rate <= 0)
        bias[stops, 0] = np.where(hit & (give > 0), give * rate, np.maximum(gap, 0.0) / h)
        struck = struck or bool(np.any(hit & (self.known[stops] <= 0)))
        moving = np.abs(speeds[rest]) > REST
        bounds[rest, 0] = -h * np.where(moving, told[rest, 0], told[rest, 1])
        bounds[rest, 1] = h * np.where(moving, told[rest, 0], told[rest, 2])
        bounds[rest, 1][self._one_way] = np.inf
        bounds[rest][self._firm & ~moving & struck] = -np.inf, np.inf
        self._bounds, impulses = bounds, np.zeros((len(self), 3))
        impulses[:, 0] = np.clip(self.known, bounds[:, 0], bounds[:, 1])
        return Begun(impulses, bias, bounds)

    def hits(self, impulses: np.ndarray) -> list[str]:
        """Names of stops that press now and did not in the last step; the impulses are kept for the next."""
        new = [self.names[k] for k in range(self.stops) if impulses[k] > 0 >= self.known[k]]
        self.known = impulses.copy()
        return new

    def tell(self, modes: np.ndarray, u: np.ndarray) -> None:
        """What is in force after a step, for the forces in the result."""
        speeds = self.crowd.singles @ u
        low, high = self._bounds.T
        slack = NO_FORCE * np.where(np.isfinite(self._bounds), np.abs(self._bounds), 0.0).max(axis=1, initial=0.0)
        holds = (self.known > low + slack) & (self.known < high - slack)
        for k, place in enumerate(self._closed):
            modes[place] = self.known[k] > 0
        for k, (stuck, direction) in enumerate(zip(self._stuck, self._direction, strict=True), self.stops):
            modes[stuck], modes[direction] = holds[k], 0.0 if holds[k] else np.sign(speeds[k])


def stacked(one: Rows, other: Rows) -> Rows:
    """Rows one below the other; the narrower are filled up with places that are none."""
    out = []
    for a, b, empty in zip(one, other, (0.0, -1, 0.0, -1), strict=True):
        width = max(a.shape[-1], b.shape[-1])
        wide = [np.concatenate([x, np.full((*x.shape[:-1], width - x.shape[-1]), empty, dtype=x.dtype)], axis=-1)
                for x in (a, b)]
        out.append(np.concatenate(wide))
    return out[0], out[1], out[2], out[3]
