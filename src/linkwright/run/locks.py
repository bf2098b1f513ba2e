"""Locks and constraints that come and go: what they hold is caught at whatever speed it has, by an impulse.

    M Δu + Gᵀ Λ = 0,   G (u + Δu) = 0      G: the lock's rows and all others in force

Friction of a given torque bears no impulse; stops that touch are struck afterwards, if they are run into then.
"""

from __future__ import annotations

import numpy as np

from .instant import Jumps

OPEN = 1e-6  # a gap below this is closed by projection


class Locks:
    """The locks of a run, none of which holds before it begins."""

    def __init__(self, run):
        self.run, self.now = run, run.instant
        self.holding = [False] * len(run.events.locks)
        self._jumps: Jumps | None = None

    def engage(self) -> list[str]:
        """Stop the joints of locks whose condition has become true; names the locks that changed."""
        before, self.holding = self.holding, [condition != 0 for condition in self.now.look().locks]
        changed = [k for k, (was, holds) in enumerate(zip(before, self.holding, strict=True)) if was != holds]
        names = [self.run.events.locks[k].name for k in changed]
        for k, name in zip(changed, names, strict=True):
            self.run.log(name, 1 if self.holding[k] else -1)
            if self.holding[k]:
                self._refuse_gap(name)
        if any(self.holding[k] for k in changed):
            self._catch()
        return names

    def _refuse_gap(self, name: str) -> None:
        """A constraint that is open cannot begin to hold: parts do not jump."""
        system, now, run = self.now.system, self.now, self.run
        rows = [k for k, row in enumerate(system.row_names("position")) if row == name]
        if not rows:
            return
        parts = {"t": now.inputs[:1], "q": now.q, "u": now.u, "z": now.x[len(now.q) + len(now.u) :], "d": now.d}
        rest = now.inputs[1 + len(now.x) + len(now.d) :]
        parts["p"], parts["y"] = rest[: system.layout.size("p")], now.y
        gap = float(np.max(np.abs(system.function(tuple(parts), ("position_error",))(*parts.values())[rows])))
        if not gap <= OPEN:
            run.trouble = (f"at t = {now.t:.6g} s {name} begins to hold while it is open by {gap:.3g}. Likely: its "
                           "condition comes true before or after the parts meet. Let the condition follow their "
                           "distance, or use a constraint on speeds, which holds what it finds.")

    def _catch(self) -> None:
        now, contacts = self.now, self.run.contacts
        if self._jumps is None:
            self._jumps = Jumps(now)
        modes = now.d.copy()
        if contacts is not None:
            now.d[contacts.holding] = 0
        self._jumps.rest()
        now.d[:] = modes
