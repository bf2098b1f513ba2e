"""Locks that come and go: a joint is caught at whatever speed it has, by the impulse that this takes.

    M Δu + Gᵀ Λ = 0,   G (u + Δu) = 0      G: the lock's rows and all others in force

Friction of a given torque bears no impulse; stops that touch are struck afterwards, if they are run into then.
"""

from __future__ import annotations

from .present import Jumps


class Locks:
    """The locks of a run, none of which holds before it begins."""

    def __init__(self, run):
        self.run, self.now = run, run.present
        self.holding = [False] * len(run.happenings.locks)
        self._jumps: Jumps | None = None

    def engage(self) -> str:
        """Stop the joints of locks whose condition has become true; names the locks that changed."""
        before, self.holding = self.holding, self.now.locks()
        changed = [k for k, (was, holds) in enumerate(zip(before, self.holding, strict=True)) if was != holds]
        names = [self.run.happenings.locks[k].name for k in changed]
        for k, name in zip(changed, names, strict=True):
            self.run.log(name, 1 if self.holding[k] else -1)
        if any(self.holding[k] for k in changed):
            self._catch()
        return ", ".join(names)

    def _catch(self) -> None:
        now, contacts = self.now, self.run.contacts
        if self._jumps is None:
            self._jumps = Jumps(now)
        modes = now.d.copy()
        if contacts is not None:
            now.d[contacts.stuck], now.d[contacts.closed] = 0, 0
        self._jumps.rest()
        now.d[:] = modes
