"""Rows of impulses beside those of contacts, for stepping: stops and dry friction in joints.

Both look like contacts to the sweeps (`integrate.gauss_seidel`).  A stop is one without friction:

    0 ≤ G u⁺ + gap/h ⊥ Λ ≥ 0

Friction is one that always presses, with h times what rubs, and slides along one speed:

    |Λ| ≤ h f,    Λ against the speed where it is less than that
"""

from __future__ import annotations

import numpy as np

from ..system import Crowd, System
from .tolerances import NO_FORCE, REST, TINY

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class SingleRows:
    """The rows of all stops, then of all frictions, at the present look of a crowd."""

    def __init__(self, system: System, crowd: Crowd):
        events = system.mechanism.events
        self.crowd, self.stops, self.frictions = crowd, len(events.stops), len(events.frictions)
        self.names = [item.name for item in (*events.stops, *events.frictions)]
        self.known = np.zeros((len(self.names), 3))  # impulses of the last step
        places = {name: k for k, name in enumerate(system.part_names("d"))}
        self._closed = [places[s.closed.name()] for s in events.stops]
        self._stuck = [places[f.stuck.name()] for f in events.frictions]
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
            block, which = crowd.block_of[own[0]], 0 if c < self.stops else 1
            g_places[c, : len(own)], G[c, which, : len(own)] = own, crowd.singles[c, own]
            y_places[c] = crowd.members[block]
            Y[c, which] = crowd.inverse[block][:, crowd.place_in[own]] @ crowd.singles[c, own]
            W[c, which] += crowd.singles[c, own] @ Y[c, which][crowd.place_in[own]]
        return (G, g_places, Y, y_places), W

    def begin(self, before: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Impulses to begin with, what is added to the speeds, and μ, from the speeds before the step."""
        told, speeds = self.crowd.told, self.crowd.singles @ before
        stops, bias = slice(0, self.stops), np.zeros((len(self), 3))
        gap, give, rate = told[stops, 0], told[stops, 1], speeds[stops]
        thrown = (give > 0) & (rate < 0) & (gap + 0.5 * h * rate <= 0)
        bias[stops, 0] = np.where(thrown, give * rate, np.maximum(gap, 0.0) / h)
        impulses = self.known.copy()
        rest = slice(self.stops, None)
        impulses[rest, 0] = h * np.where(np.abs(speeds[rest]) > REST, told[rest, 0], told[rest, 1])
        impulses[rest, 1] = np.clip(impulses[rest, 1], -impulses[rest, 0], impulses[rest, 0])
        return impulses, bias, np.r_[np.zeros(self.stops), np.ones(self.frictions)]

    def hits(self, impulses: np.ndarray) -> list[str]:
        """Names of stops that press now and did not in the last step; the impulses are kept for the next."""
        new = [self.names[k] for k in range(self.stops) if impulses[k, 0] > 0 >= self.known[k, 0]]
        self.known = impulses.copy()
        return new

    def tell(self, modes: np.ndarray, u: np.ndarray) -> None:
        """What is in force after a step, for the forces in the result."""
        speeds = self.crowd.singles @ u
        for k, place in enumerate(self._closed):
            modes[place] = self.known[k, 0] > 0
        for k, (stuck, direction) in enumerate(zip(self._stuck, self._direction, strict=True), self.stops):
            holds = abs(self.known[k, 1]) < (1 - NO_FORCE) * self.known[k, 0]
            modes[stuck], modes[direction] = holds, 0.0 if holds else np.sign(speeds[k])


def stacked(one: Rows, other: Rows) -> Rows:
    """Rows one below the other; the narrower are filled up with places that are none."""
    out = []
    for a, b, empty in zip(one, other, (0.0, -1, 0.0, -1), strict=True):
        width = max(a.shape[-1], b.shape[-1])
        wide = [np.concatenate([x, np.full((*x.shape[:-1], width - x.shape[-1]), empty, dtype=x.dtype)], axis=-1)
                for x in (a, b)]
        out.append(np.concatenate(wide))
    return out[0], out[1], out[2], out[3]
