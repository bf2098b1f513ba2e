"""Gaps of contacts after an instant: zero where bodies touch, and not below zero elsewhere.

Also: how far the next steps may pass zero, by rounding, before that counts as a crossing (the slack).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..system.event_programs import NEVER, place
from .contact_modes import ContactModes
from .tolerances import GAP_ROUNDING, LEAST_SIZE, LIFT, LIFTS, SINKS, SLIP_BACK


class ContactGaps:
    """Corrects gaps; `gap_slack` and `halt_slack` are the slack of the witnesses of gaps and of slips that begin."""

    def __init__(self, contacts: ContactModes) -> None:
        self.modes, self.now = contacts, contacts.now
        self.gap_slack = [0.0] * len(contacts.contacts)
        self.halt_slack = [0.0] * sum(c.tangent is not None for c in contacts.contacts)
        self._flying: set[int] = set()
        self._apex = NEVER

    def anchor(self, which: Sequence[int]) -> None:
        """Contacts that stick from now on stick at the present place: it becomes their anchor."""
        table = self.now.look().contacts
        for k in which:
            self.now.d[self.modes.anchor[k]] = table.place_1[k], table.place_2[k]

    def lift(self, which: list[int]) -> None:
        """Set the gaps of closed contacts to zero, and move open ones that lie below zero to the open side."""
        modes, now, clear, system = self.modes, self.now, LIFT, self.now.system
        for _ in range(LIFTS):
            table = now.look().contacts
            closed = [k for k in which if now.d[modes.closed[k]]]
            below = [k for k in which if table.gap[k] < 0 and not now.d[modes.closed[k]]]
            if not below and all(abs(table.gap[k]) <= GAP_ROUNDING * table.size[k] for k in closed):
                return
            kept = now.d[modes.own].copy()
            stuck = [k for k in closed if now.d[modes.stuck[k]]]
            modes.open_all()
            now.d[modes.closed[[*closed, *below]]], now.d[modes.stuck[stuck]] = 1, 1
            shift = np.zeros(len(modes.jumps.gaps))
            for k in closed:
                shift[place(system.equations, modes.contacts[k].normal)[0]] = -table.gap[k]
            for k in below:
                shift[place(system.equations, modes.contacts[k].normal)[0]] = \
                    max(clear * table.size[k], -table.gap[k]) - table.gap[k]
            now.q += system.advance(now.q, modes.jumps.solve(bottom=shift))
            now.d[modes.own] = kept
            clear *= 2

    def next_time(self, t: float) -> float:
        """The middle of the shortest flight that has begun; a step ends there.

        A step over the whole flight would see a gap of zero at both ends, and miss the landing.
        """
        return self._apex if self._apex > t else NEVER

    def in_flight(self) -> list[float]:
        """The slack in the middle of a flight: contacts that have left are far enough from zero to need none."""
        self.gap_slack = [0.0 if k in self._flying else slack for k, slack in enumerate(self.gap_slack)]
        return self.gap_slack

    def note_slack(self, touching: list[int]) -> None:
        """Find the slack of gaps that touch without moving, and of slips that have just begun."""
        modes, situation = self.modes, self.now.look()
        table = situation.contacts
        self.halt_slack = [modes.none(k, situation, SLIP_BACK) for k, c in enumerate(modes.contacts)
                           if c.tangent is not None]
        flights = {k: table.rate[k] / -table.acceleration[k] for k in touching
                   if not self.now.d[modes.closed[k]] and table.rate[k] > 0 > table.acceleration[k]}
        self._flying, self._apex = set(flights), self.now.t + min(flights.values(), default=NEVER)
        self.gap_slack = [0.0] * len(modes.contacts)
        for k in touching:
            if not self.now.d[modes.closed[k]]:
                rests = abs(table.rate[k]) <= 10 * modes.none(k, situation)
                self.gap_slack[k] = (SINKS if rests else GAP_ROUNDING) * max(table.size[k], LEAST_SIZE)
