"""Contacts that rest on each other: whether each stays closed or opens, sticks or slides, by the accelerations.

The accelerations and forces solve a cone problem (Simbody Theory Manual §8.6, with the exact cone), in which contacts
take part whose gaps neither open nor close.  Friction has first the coefficient of rest; where a contact gives way,
that of sliding.  A contact that would leave for a flight of no length stays closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import numpy as np

from . import cone
from .contact_modes import ContactModes
from .instant import Situation, Touches
from .jams import Jams
from .load_sharing import evenly, give_shares
from .tolerances import (
    CHATTERING_TIME,
    ENDED,
    FREEZE,
    NO_FORCE,
    SHORTEST_FLIGHT,
    SLIDES_AFTER,
    SLOW_IF_HELD,
    STILL,
    TINY,
)
from .trouble import Trouble


class Pressing:
    """Modes by accelerations; `arrived` are contacts whose slip has just ended, `released` those at a limit."""

    def __init__(self, contacts: ContactModes, jams: Jams, accuracy: float) -> None:
        self.modes, self.jams, self.now, self.freeze = contacts, jams, contacts.now, FREEZE * accuracy
        self.arrived: set[int] = set()
        self.released: dict[int, float] = {}  # and the time: two that reach their limits at one time give way together

    def forget(self) -> None:
        """Forget what was noted at this instant, except contacts at a limit: these are kept while no time passes."""
        t, self.arrived = self.now.t, set()
        self.released = {k: when for k, when in self.released.items()
                         if t - when <= CHATTERING_TIME * max(1.0, abs(t))}

    def press(self, touching: list[int], stays: set[int]) -> tuple[bool, Trouble | None]:
        """Find the modes by the accelerations; True where further contacts stay, and all must be done again."""
        modes, now, situation = self.modes, self.now, self.now.look()
        table, d = situation.contacts, self.now.d
        resting = [k for k in touching if k in stays or abs(table.rate[k]) <= 10 * modes.none(k, situation)]
        slides = {k: self._slides(k, situation) for k in resting}
        slides = {k: way for k, way in slides.items() if way is not None}
        modes.open_all()
        W, _ = modes.delassus(resting)
        free = now.look()
        b = np.array([x for k in resting for x in (free.contacts.acceleration[k], free.contacts.along_1[k],
                                                   free.contacts.along_2[k])])
        forces = self._solve(resting, slides, W, b, table)
        if forces is None:
            jammed, trouble = self.jams.end_slip(resting, [k for k in resting if k in slides])
            self.arrived |= jammed
            return trouble is None, trouble
        motion = W @ forces + b if resting else b
        still = NO_FORCE * np.abs(b).max(initial=TINY)
        held = [i for i, k in enumerate(resting) if k not in slides and k not in self.released
                and np.abs(motion[3 * i : 3 * i + 3]).max() <= still]
        forces = evenly(W, forces, np.array([table.mu_s[k] for k in resting]), held)
        self._set_modes(resting, slides, forces, motion, table, np.abs(b).max(initial=TINY))
        more = self._short_flights([k for k in touching if k not in resting])
        if more:
            stays |= set(more)
            modes.stop([*resting, *more], [])
            return True, None
        modes.stop([k for k in resting if d[modes.closed[k]]],
                   [k for k in resting if d[modes.closed[k]] and k not in slides])
        give_shares(modes, resting, forces, W)
        return False, None

    def _slides(self, k: int, situation: Situation) -> np.ndarray | None:
        """The direction in which a contact slides; None where it is at rest."""
        modes, table, d = self.modes, situation.contacts, self.now.d
        slip = np.array([table.slip_1[k], table.slip_2[k]])
        speed = hypot(*slip)
        none = modes.none(k, situation, STILL, ENDED * max(1.0, abs(self.now.t)))
        if not modes.rubs(k) or k in self.arrived or speed <= none:
            return None
        if d[modes.closed[k]] and d[modes.stuck[k]]:
            return None if speed <= modes.none(k, situation, SLOW_IF_HELD) else slip / speed
        return slip / speed

    def _solve(self, resting: Sequence[int], slides: dict[int, np.ndarray], W: np.ndarray, b: np.ndarray,
               table: Touches) -> np.ndarray | None:
        """Forces of the cone problem: with the friction of rest first, then that of sliding where one gives way."""
        if not resting:
            return np.zeros(0)
        ways = {i: slides[k] for i, k in enumerate(resting) if k in slides}
        for i, way in ways.items():
            normal = W[3 * i, 3 * i]
            if normal - table.mu[resting[i]] * (W[3 * i, 3 * i + 1 : 3 * i + 3] @ way) <= NO_FORCE * normal:
                return None
        mu = np.array([table.mu[k] if k in slides else table.mu_s[k] for k in resting])
        forces = cone.solve(W, b, mu, directions=ways)
        if forces is None:
            return None
        motion, scale = W @ forces + b, np.abs(b).max()
        giving = [i for i, k in enumerate(resting) if i not in ways and table.mu_s[k] > table.mu[k]
                  and hypot(*motion[3 * i + 1 : 3 * i + 3]) > NO_FORCE * scale]
        if not giving:
            return forces
        for i in giving:
            mu[i] = table.mu[resting[i]]
        return cone.solve(W, b, mu, directions=ways)

    def _set_modes(self, resting: Sequence[int], slides: dict[int, np.ndarray], forces: np.ndarray, motion: np.ndarray,
                   table: Touches, scale: float) -> None:
        modes, d = self.modes, self.now.d
        # bodies that hang side by side touch without pressing
        none = modes.no_force(max((forces[3 * i] * table.ease[k] for i, k in enumerate(resting)), default=0.0))
        for i, k in enumerate(resting):
            push, rub, along = forces[3 * i], forces[3 * i + 1 : 3 * i + 3], motion[3 * i + 1 : 3 * i + 3]
            if push * table.ease[k] <= none or (k in self.released and motion[3 * i] > NO_FORCE * scale):
                continue
            d[modes.closed[k]] = 1
            d[modes.slow[k]] = self.freeze * (modes.swing * table.ease[k] + SLIDES_AFTER * scale) + TINY
            if k in slides:
                speed = hypot(table.slip_1[k], table.slip_2[k])
                d[modes.direction[k]], d[modes.armed[k]] = slides[k], float(speed > 2 * d[modes.slow[k]])
                continue
            limit, size = table.mu_s[k] * push, hypot(*rub)
            gives = hypot(*along) > NO_FORCE * scale or (k in self.released and size >= (1 - NO_FORCE) * limit)
            if not modes.rubs(k) or not gives:
                d[modes.stuck[k]] = modes.rubs(k)
            elif size:
                d[modes.direction[k]] = -rub / size

    def _short_flights(self, leaving: list[int]) -> list[int]:
        """Contacts that leave for a flight too short to matter."""
        situation = self.now.look()
        table, small = situation.contacts, self.modes.no_force(situation.forces)
        return [k for k in leaving if table.acceleration[k] < -small * table.ease[k]
                and 2 * table.rate[k] < -SHORTEST_FLIGHT * table.acceleration[k]]
