"""Painlevé's paradox: friction that increases what presses it, until no acceleration agrees with sliding.

Then an impulse ends the slip, and the result names the contact (Génot and Brogliato 1999, Eur. J. Mech. A 18, 653–677).
"""

from __future__ import annotations

from math import hypot

import numpy as np

from .contact_modes import ContactModes
from .tolerances import POLE
from .trouble import Trouble


class Jams:
    """Impulses that end slips where forces cannot."""

    def __init__(self, contacts: ContactModes):
        self.modes, self.now = contacts, contacts.now

    def end_slip(self, closed: list[int], jammed: list[int]) -> tuple[set[int], Trouble | None]:
        """Bring jammed contacts to rest by an impulse; returns those whose slip has ended, or why none can end."""
        modes, now = self.modes, self.now
        if not jammed:
            return set(), Trouble(
                f"at t = {now.t:.9g} s no forces of {modes.names(closed)} agree with the motion. Likely: bodies that "
                "are pressed together by what is prescribed; let one of the laws be compliant.")
        stuck = [k for k in closed if now.d[modes.stuck[k]]]
        modes.stop(closed, [*stuck, *jammed])
        loss = modes.loss(len(jammed))
        for k in jammed:
            modes.log.note(now.t, modes.contacts[k].name, 0)
            modes.note(k, "jam", loss=loss)
        modes.log.messages.append(
            f"at t = {now.t:.6g} s friction jammed at {modes.names(jammed)}: it increases what presses it (Painlevé's "
            "paradox), and an impulse ended the slip")
        return set(jammed), None

    def where_forces_grow(self) -> set[int]:
        """Where a run cannot go on: end the slip of contacts whose friction grows without bound, and return them."""
        modes, now = self.modes, self.now
        closed = [int(k) for k in np.flatnonzero(modes.modes())]
        kept, table = now.d[modes.own].copy(), now.look().contacts
        modes.open_all()
        W, _ = modes.delassus(closed)
        now.d[modes.own] = kept
        jammed = []
        for i, k in enumerate(closed):
            slip = np.array([table.slip_1[k], table.slip_2[k]])
            if not now.d[modes.stuck[k]] and hypot(*slip):
                left = W[3 * i, 3 * i] - table.mu[k] * (W[3 * i, 3 * i + 1 : 3 * i + 3] @ slip) / hypot(*slip)
                if left <= POLE * W[3 * i, 3 * i]:
                    jammed.append(k)
        return self.end_slip(closed, jammed)[0] if jammed else set()
