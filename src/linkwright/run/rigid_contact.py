"""Rigid contact between bodies at an instant: impacts, then the modes of what touches (open, sliding, sticking).

At an instant (Simbody Theory Manual §8.6, with the exact cone):

    1  contacts that approach have an impact (`collisions`), again and again until none approaches: a blow passes
       through bodies that touch one another, from pair to pair
    2  contacts that neither approach nor part stay closed or open, stick or slide (`resting_contacts`), or jam (`jams`)
    3  contacts that would leave for a flight of no length stay closed
    4  small speeds that are left in contacts that hold are removed, gaps below zero are set right (`contact_gaps`)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite
from typing import TYPE_CHECKING

import numpy as np

from ..system import State
from . import tolerances as tol
from .collisions import Collisions
from .contact_gaps import ContactGaps
from .contact_modes import OPEN, SLIDING, STICKING, ContactModes
from .event_log import EventLog
from .instant import Instant, Situation, Touches
from .jams import Jams
from .overlaps import overlap
from .resting_contacts import Pressing
from .tolerances import BEYOND, CONTACT_ROUNDS, LEAST_SIZE, PASSED_ON, SETTLED, SLOW_IF_HELD
from .trouble import Trouble

if TYPE_CHECKING:
    from ..system.event_programs import Witness


class Touching:
    """The contacts of a run: witnesses that crossed are noted, then modes and speeds are made to agree."""

    def __init__(self, instant: Instant, log: EventLog, accuracy: float = 1e-8) -> None:
        self.now, self.log, self.modes = instant, log, ContactModes(instant, log)
        self.jams, self.collisions, self.gaps = Jams(self.modes), Collisions(self.modes), ContactGaps(self.modes)
        self.pressing = Pressing(self.modes, self.jams, accuracy)
        self._hit: set[int] = set()
        self._told = np.full(len(self.modes.contacts), OPEN)
        self._pending, self._first, self._instant = True, True, -np.inf

    def crossed(self, witnesses: Sequence[Witness]) -> None:
        """Note which contacts touched, came to rest, or reached a limit; hold or release directions of sliding."""
        self._new_instant()
        now, modes, table = self.now, self.modes, self.now.look().contacts
        for w in witnesses:
            k = w.number
            if w.what == "slow":
                speed = hypot(table.slip_1[k], table.slip_2[k])
                now.d[modes.direction[k]] = table.slip_1[k] / speed, table.slip_2[k] / speed
                now.d[modes.armed[k]] = 0
            elif w.what == "fast":
                now.d[modes.armed[k]] = 1
            elif w.what in ("part", "slip"):
                self.pressing.released[k], self._pending = now.t, True
            elif w.what in ("touch", "halt"):
                (self._hit if w.what == "touch" else self.pressing.arrived).add(k)
                self._pending = True
        if self._hit:
            self.now.step_back()

    def _new_instant(self) -> None:
        if self._instant != self.now.t:
            self._forget()
            self._instant, self.modes.swing = self.now.t, 0.0

    def _forget(self) -> None:
        self._hit = set()
        self.pressing.forget()

    def decide(self) -> tuple[list[str], Trouble | None]:
        """Make modes and speeds agree; returns the names of contacts that changed, or why that is impossible."""
        self._new_instant()
        now, situation, modes = self.now, self.now.look(), self.modes
        modes.swing = max(modes.swing, situation.swing)
        trouble = self._starts_inside(situation.contacts) if self._first else None
        if trouble is not None:
            return [], trouble
        touching = self._touching(situation)
        if not self._pending and not self._first and self._agree(touching, situation):
            self._report()
            return [], None
        d, x, before = now.d.copy(), now.x.copy(), modes.modes()
        if touching or before.any():
            trouble = self._settle(touching)
            if trouble is not None:
                return [], trouble
            self.gaps.anchor([k for k in touching if before[k] != STICKING and modes.modes()[k] == STICKING])
        self._report()
        self._forget()
        self._pending, self._first = False, False
        self.gaps.note_slack(touching)
        # where all stays as it is the cone problem has spoken: forces that are not unique may lie outside the cones
        changed = _differ(d[modes.own], now.d[modes.own]) or _differ(x, now.x)
        return [modes.contacts[k].name for k in touching] if changed else [], None

    def _settle(self, touching: list[int]) -> Trouble | None:
        for passed in range(CONTACT_ROUNDS):
            situation = self.now.look()
            approaching = [k for k in touching if situation.contacts.rate[k] < -self.modes.none(k, situation)]
            if not approaching:
                break
            together = passed >= PASSED_ON
            trouble = self.collisions.strike(touching if together else self._struck(touching, approaching, situation))
            if trouble is not None:
                return trouble
        else:
            return Trouble(f"at t = {self.now.t:.9g} s the impacts of {self.modes.names(touching)} have no end: each "
                           "brings about the next. Reduce a restitution, or let one of the laws be compliant.")
        stays: set[int] = set()
        for _ in range(CONTACT_ROUNDS):
            again, trouble = self.pressing.press(touching, stays)
            if trouble is not None:
                return trouble
            if not again:
                break
        self.gaps.lift(touching)
        return None

    def _struck(self, touching: list[int], approaching: list[int], situation: Situation) -> list[int]:
        """What takes part in an impact: contacts that approach, and those that rest, but for pairs that bounce.

        A blow passes through a row of bodies from one to the next (Newton's cradle): a pair that rests and that would
        give back what it gets waits for its turn, unless its bodies meet in this impact anyway.
        """
        table, modes = situation.contacts, self.modes
        meeting = {modes.contacts[k].pair for k in approaching}
        return [k for k in touching if modes.contacts[k].pair in meeting or not table.restitution[k]]

    def end_jams(self) -> bool:
        """Where friction grows without bound and a run cannot go on, end the slip by an impulse."""
        jammed = self.jams.where_forces_grow()
        self.pressing.arrived |= jammed
        self._pending = self._pending or bool(jammed)
        return bool(jammed)

    # --- who touches, and whether all agrees ---

    def _starts_inside(self, table: Touches) -> Trouble | None:
        inside = [k for k in range(len(self.modes.contacts)) if not self.now.d[self.modes.closed[k]]
                  and table.gap[k] < -BEYOND * max(table.size[k], LEAST_SIZE)]
        if not inside:
            return None
        deepest, system = min(inside, key=table.gap.__getitem__), self.now.system
        meet = next(meet for meet in system.mechanism.events.encounters if deepest in meet.contacts)
        state = State(system, self.now.t, **{part: getattr(self.now, part) for part in "quzdpy"})
        touch = system.distance(state, meet.a, meet.b)
        return overlap(system, meet, max(-table.gap[deepest], -touch.gap), np.ravel(touch.normal).astype(float))

    def _touching(self, situation: Situation) -> list[int]:
        modes, table = self.modes, situation.contacts
        return [k for k in range(len(modes.contacts))
                if self.now.d[modes.closed[k]] or k in self._hit
                or abs(table.gap[k]) <= tol.TOUCHES * (table.size[k] + modes.swing * table.ease[k])]

    def _agree(self, touching: list[int], situation: Situation) -> bool:
        """Whether the modes agree with the present speeds and forces."""
        modes, table, d = self.modes, situation.contacts, self.now.d
        small = modes.no_force(situation.forces)
        if not isfinite(small):
            return False
        for k in touching:
            none, ease = modes.none(k, situation), table.ease[k]
            if not d[modes.closed[k]]:
                if table.rate[k] < -none or (table.rate[k] <= none and table.acceleration[k] < -small * ease):
                    return False
                continue
            if abs(table.rate[k]) > 100 * none or table.push[k] * ease < -small:
                return False
            slip, hold = hypot(table.slip_1[k], table.slip_2[k]), hypot(table.hold_1[k], table.hold_2[k])
            excess = (hold - table.mu_s[k] * table.push[k]) * ease
            beyond = slip > modes.none(k, situation, SLOW_IF_HELD) or excess > small
            if d[modes.stuck[k]] and beyond:
                return False
        return True

    def _report(self) -> None:
        """Write rows of the table of contacts for modes that have changed since the last rows."""
        before, after = self._told, self.modes.modes()
        self._told = after
        loss = self.modes.loss(np.count_nonzero((before != after) & (after != OPEN)))
        for k, (was, now) in enumerate(zip(before, after, strict=True)):
            if was == now:
                continue
            what = {OPEN: "leave", SLIDING: "slide", STICKING: "stick"}[int(now)]
            if not self.modes.rubs(k) and now == SLIDING:
                what = "rest"
            if not self._first:
                self.log.note(self.now.t, self.modes.contacts[k].name, 1 if now == OPEN else 0)
            self.modes.note(k, what, loss=0.0 if now == OPEN else loss)


def _differ(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether numbers have changed by more than rounding."""
    return bool(np.any(np.abs(after - before) > SETTLED * np.maximum(1.0, np.abs(after))))
