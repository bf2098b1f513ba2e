"""Locks, and constraints that hold only while a condition is true: they begin to hold by an impulse.

    M Δu + Gᵀ Λ = 0,   G (u + Δu) = 0      G: the lock's rows and all others in force

Friction of a given torque passes on no impulse.  Stops that touch are struck afterwards, if they are approached then.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from . import tolerances as tol
from .complementarity import Unilateral
from .course import Struck
from .event_log import EventLog
from .instant import Instant, Jumps
from .trouble import Trouble


class Locks:
    """The locks of a run, none of which holds before it begins."""

    def __init__(self, instant: Instant, log: EventLog, unilateral: Unilateral | None):
        self.now, self.log, self.unilateral = instant, log, unilateral
        self.locks = instant.system.mechanism.events.locks
        self.holding = [False] * len(self.locks)

    @cached_property
    def _jumps(self) -> Jumps:
        return Jumps(self.now)

    def engage(self) -> tuple[list[str], Trouble | None]:
        """Stop the joints of locks whose condition has become true; names the locks that changed."""
        before, self.holding = self.holding, [condition != 0 for condition in self.now.look().locks]
        changed = [k for k, (was, holds) in enumerate(zip(before, self.holding, strict=True)) if was != holds]
        names = [self.locks[k].name for k in changed]
        for k, name in zip(changed, names, strict=True):
            self.log.note(self.now.t, name, 1 if self.holding[k] else -1)
            trouble = self._refuse_gap(name) if self.holding[k] else None
            if trouble is not None:
                return names, trouble
        if any(self.holding[k] for k in changed):
            self._catch()
        return names, None

    def hold(self) -> None:
        """Take off what steps of a fixed size have left of the speeds that are held."""
        if any(self.holding):
            self._jumps.rest()

    def _refuse_gap(self, name: str) -> Trouble | None:
        """Trouble where a constraint begins to hold although its residual is not zero: parts would jump."""
        system, now = self.now.system, self.now
        rows = [k for k, row in enumerate(system.row_names("position")) if row == name]
        if not rows:
            return None
        function = system.function(tuple("tquzdpy"), ("position_error",))
        error = function(now.inputs[:1], now.q, now.u, now.z, now.d, now.p, now.y)
        gap = float(np.max(np.abs(error[rows])))
        if gap <= tol.OPEN:
            return None
        return Trouble(f"at t = {now.t:.6g} s {name} begins to hold while it is open by {gap:.3g}. Likely: its "
                       "condition comes true before or after the parts meet. Let the condition follow their "
                       "distance, or use a constraint on speeds, which holds what it finds.")

    def _catch(self) -> None:
        now = self.now
        modes = now.d.copy()
        if self.unilateral is not None:
            now.d[self.unilateral.holding] = 0
        now.course.append(Struck(now.inputs.copy()))
        self._jumps.rest()
        now.d[:] = modes
