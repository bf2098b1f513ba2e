"""Runs with events: modes switch, variables jump, friction sticks and slips, stops are hit, controllers are asked.

At an instant (Simbody Theory Manual §10.4), modes whose witness crossed are switched, by stages: first what depends on
time alone, then on positions, speeds, auxiliary states, accelerations.  Actions whose condition became true set their
targets, all from the values before.  Relations, friction and stops are made to agree with the new state.  That is
repeated until nothing changes.  Then scheduled changes and sampled controllers follow, and the stepper goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SimulationError
from ..integrate import Jump, Stepper
from ..result import EventRow, Result
from ..system import System
from ..system.event_programs import Witness, witnesses_of
from ..system.tangents import has_tangents
from .actions import Actions
from .ball_friction import Balls
from .chattering import CONTACT_ADVICE, Chattering, brief
from .event_log import EventLog
from .going_through import GoingThrough, goes_through
from .instant import Instant
from .live_changes import MovedByHand
from .relaxing import relaxation
from .saltation import Saltation
from .tolerances import COMPILED_AFTER, MADE_AFTER, ROUNDS
from .trouble import Trouble
from .unilateral import Unilateral

if TYPE_CHECKING:
    from .controllers import Schedule


class EventRun:
    """A run of a stepper, with its events.

    Whoever acts at an instant (actions, locks, friction and stops, the schedule) gets the instant and the log, and
    returns what changed, or the trouble that ends the run.
    """

    def __init__(self, system: System, stepper: Stepper, schedule: Schedule | None = None):
        self.system, self.stepper, self.schedule = system, stepper, schedule
        self.events = h = system.mechanism.events
        self.witnesses = witnesses_of(system.equations) if h else []
        self._stages = [w.stage for w in self.witnesses]
        self.instant = Instant(system, stepper.inputs)  # views that stay valid all along
        self.d = self.instant.d  # the discrete variables
        self.log = EventLog()
        self.trouble: Trouble | None = None  # what ended the run
        self._places = np.array([self.instant.places[r.name] for r in h.relations], dtype=int)
        self.chattering = Chattering(system.part_names("d"))
        self.unilateral = None
        if h.rows or h.contacts:
            self.unilateral = Unilateral(self.instant, self.log, stepper.accuracy, stepper.slack)
        self.actions = Actions(self.instant, self.log, self.witnesses, self.unilateral)
        self.balls = Balls(self.instant, self.log, stepper.accuracy, stepper.h) if h.balls else None
        self.relaxation = relaxation(system, self.instant, stepper.accuracy)
        self.instant.watched = has_tangents(system)
        self.saltation = Saltation(system, self.instant, self.actions.targets) if has_tangents(system) else None
        self.history: list[tuple[float, np.ndarray]] = []
        self.before: list[bool] = []  # which conditions of actions were true before this instant
        self._in_python = 0  # instants that were decided here
        self._through: GoingThrough | None = None

    @property
    def t(self) -> float:
        return self.instant.t

    @property
    def table(self) -> list[EventRow]:
        """The events so far."""
        return self.log.rows

    @property
    def jumps(self) -> list[Jump]:
        """The matrices by which tangents changed at instants, where they are kept."""
        return [] if self.saltation is None else self.saltation.jumps

    @property
    def message(self) -> str | None:
        """What an `m.terminate` has said that ended the run."""
        return self.actions.end

    # --- running ---

    def run(self, stop: float, grid: np.ndarray | None, on_pause: Callable[[Stepper], object] | None) -> str:
        """Go to `stop`; "end", "terminated", "trouble", "failed" or "interrupted"."""
        try:
            return self._run(stop, grid, on_pause)
        except KeyboardInterrupt:
            # interrupted in a controller or between steps; a run that had not begun keeps its start as the result
            self.history = self.history or [(self.t, self.d.copy())]
            if not len(self.stepper.steps_t):
                self.stepper.run(self.t, grid=grid)
            return "interrupted"

    def _run(self, stop: float, grid: np.ndarray | None, on_pause: Callable[[Stepper], object] | None) -> str:
        if not self.history:
            self.trouble = self._start(grid)
        while True:
            if self.trouble is not None:
                return "trouble"
            if self.message is not None:
                self.stepper.run(self.t)  # a last point, so that the values set last are in the results
                return "terminated"
            instant, due = self.instant.next_known(), np.inf
            if self.schedule is not None:
                due = self.schedule.next_time(self.t)
            pause = min(instant, due)
            if self.unilateral is not None:
                pause = min(pause, self.unilateral.next_time(self.t))
            through = self._through or self._go_through()
            if through is not None:
                through.enter(instant, due)
            try:
                reason = self.stepper.run(stop, grid=grid, on_pause=on_pause, pauses=[pause])
            except MovedByHand:
                self.trouble, grid = self._settle_after_change(), None
                continue
            if through is not None:
                instant = through.instant
            grid, upcoming = None, min(instant, due)
            if reason == "event":
                self.trouble = self._at_event()
            elif reason == "stop":
                if self.t >= upcoming:
                    self.trouble = self._at_time()
                else:
                    self.unilateral.in_flight()
            elif reason == "end" and instant <= self.t:
                # an instant exactly at the end is handled, but controllers are no longer asked
                self.trouble = self._settle_after_change()
            elif reason == "failed" and self.unilateral is not None and self.unilateral.end_jams():
                self.trouble = self._settle_after_change()
            else:
                return reason

    def _go_through(self) -> GoingThrough | None:
        """Whoever takes the run through its instants in compiled code, from when on that is worth its time."""
        self._in_python += 1
        if self._in_python in (MADE_AFTER, COMPILED_AFTER) and goes_through(self, self._in_python == MADE_AFTER):
            self._through = self.stepper.through = GoingThrough(self)
        return self._through

    def take_over(self, lane: Callable[[str], np.ndarray]) -> None:
        """Go on with a run that a lane has begun, whose numbers go by the names of its record."""
        self.history, self.before = [(self.t, self.d.copy())], [bool(value) for value in lane("before")]
        if self.unilateral is not None:
            self.unilateral.take_over(lane)

    def _start(self, grid: np.ndarray | None) -> Trouble | None:
        """The start of a run, before time passes: modes are found; there may be impacts, or the end at once."""
        given, trouble = self.instant.inputs.copy(), None
        self._begin()
        if not self.events and self.relaxation is not None:
            trouble = self.relaxation.relax()[1]
        if self.events:
            trouble = self._agree(first=True)
            self.actions.end_at_start()
            self.before = self.actions.conditions()
            if self.actions.sampled and trouble is None and self.message is None:
                trouble = self._agree()
        self.history.append((self.t, self.d.copy()))
        if self.schedule is not None and trouble is None:
            trouble = self.schedule.apply(self) or self._agreed()
            self._note()
        trouble = trouble or self._carry()
        jumped, n = self.instant.inputs.copy(), 1 + len(self.instant.x)
        if trouble is not None or self.message is not None or not np.array_equal(given[:n], jumped[:n]):
            # the state that was given is a result too
            self.instant.inputs[:] = given
            self.stepper.run(self.t, grid=grid)
            self.instant.inputs[:] = jumped
        return trouble

    def _at_time(self) -> Trouble | None:
        """A known instant: relations of time switch, inputs and controllers follow."""
        self._begin()
        trouble = self._agreed()
        if trouble is None and self.schedule is not None and self.schedule.next_time(self.t) <= self.t:
            trouble = self.schedule.apply(self) or self._agreed()
        self._note()
        return trouble or self._carry()

    def _settle_after_change(self) -> Trouble | None:
        self._begin()
        trouble = self._agreed()
        self._note()
        return trouble or self._carry()

    def _agreed(self) -> Trouble | None:
        if self.events:
            return self._agree()
        return None if self.relaxation is None else self.relaxation.relax()[1]

    def _begin(self, crossed: Sequence[int] = ()) -> None:
        """An instant begins, at which these witnesses have crossed."""
        self.instant.course.clear()
        if self.saltation is not None:
            self.saltation.begin(crossed, len(self.stepper.steps_t) - 1, self.stepper.tried_to if crossed else -np.inf)

    def _carry(self) -> Trouble | None:
        """Bring the tangents (derivatives of the state) across the instant."""
        if self.saltation is None:
            return None
        return self.saltation.end([*(w.name for w in self.witnesses), *(r.name for r in self.events.relations)])

    def _at_event(self) -> Trouble | None:
        """Handle witnesses that crossed, stage by stage; one of a later stage only if it is still not positive."""
        event = self.stepper.event
        assert event is not None, "called where the stepper has found one"
        crossed = self.in_order([i for i, _ in event.crossings])
        self._begin(crossed)
        pending, trouble, self.instant.x_before = crossed, None, event.x_before
        while pending and trouble is None:
            stage = self._stages[pending[0]]
            now = [i for i in pending if self._stages[i] == stage]
            pending = pending[len(now) :]
            trouble = self._handle(now)
            if pending and trouble is None:
                self.instant.x_before = None
                trouble = self._agree()
                witnesses = self.instant.witnesses()
                pending = [i for i in pending if witnesses[i] <= 0]
        self.instant.x_before = None
        trouble = trouble or self._agree() or self._carry()
        self._note()
        return trouble or self.chattering.notice(event.t, [self.witnesses[i] for i in crossed], self.d)

    def in_order(self, witnesses: Iterable[int]) -> list[int]:
        """Numbers of witnesses by stages."""
        return sorted(witnesses, key=self._stages.__getitem__)

    def _handle(self, numbers: list[int]) -> Trouble | None:
        """Switch and act where witnesses of one stage have crossed."""
        crossed = [self.witnesses[i] for i in numbers]
        for w in {(w.what, w.number): w for w in crossed if w.what == "relation"}.values():
            self._switch(w)
        fired, trouble = sorted({w.number for w in crossed if w.what == "when"}), None
        if fired:
            trouble = self.actions.act(fired)
            for k in fired:
                self.before[k] = True
        if self.unilateral is not None:
            trouble = trouble or self.unilateral.crossed(numbers)
        if self.balls is not None:
            self.balls.crossed(crossed)
            if any(w.what == "touch" for w in crossed):
                self.balls.let_go()
        return trouble

    def _switch(self, witness: Witness) -> None:
        """Switch the mode of a relation whose witness crossed zero."""
        r, k, d = self.events.relations[witness.number], self._places[witness.number], self.d
        if r.kind in ("lt", "le"):
            d[k] = 1 - d[k]
            self.log.note(self.t, r.name, 1 if d[k] else -1)
            return
        w = self.instant.look().witnesses[witness.number]
        if r.kind == "sign":
            d[k] = -d[k] if d[k] else np.sign(w)
        else:
            up = w > d[k] + 0.5
            d[k] = max(np.floor(w), d[k] + 1) if up else min(np.floor(w), d[k] - 1)
        self.log.note(self.t, r.name, int(np.sign(d[k])) if r.kind == "sign" else (1 if up else -1))

    # --- agreement ---

    def _agree(self, first: bool = False) -> Trouble | None:
        """Make relations, actions, friction, stops and contacts agree, round after round.

        Of the actions whose condition has become true only those of the earliest stage act in one round.
        """
        seen: list[str] = []
        if self.unilateral is not None:
            self.unilateral.unsettle()
        for _ in range(ROUNDS):
            changed = self._refresh(first) if self.events.relations else []
            trouble = None
            if self.unilateral is not None and self.events.conditional:
                engaged, trouble = self.unilateral.engage()
                changed += engaged
            rising = self._rising() if self.events.whens and not first else []
            if rising:
                trouble = trouble or self.actions.act(rising)
                seen.append(" and ".join(self.events.whens[k].name for k in rising))
            if self.relaxation is not None and trouble is None:
                moved, trouble = self.relaxation.relax()
                changed += [self.relaxation.names] if moved else []
            decided: list[str] = []
            if self.unilateral is not None and trouble is None:
                decided, trouble = self.unilateral.decide(bool(changed or rising))
            if self.balls is not None and trouble is None:
                slid, trouble = self.balls.decide()
                decided = decided + slid
                if slid and self.unilateral is not None:
                    self.unilateral.unsettle()
            if trouble is not None:
                return trouble
            if not (changed or rising or decided):
                due = [] if first else self.actions.due()
                if not due:
                    break
                trouble = self.actions.act(due)
                if trouble is not None:
                    return trouble
                if self.unilateral is not None:
                    self.unilateral.unsettle()
                decided = [self.events.whens[k].name for k in due]
            seen += filter(None, (", ".join(changed), ", ".join(decided)))
        else:
            advice = f" {CONTACT_ADVICE}" if self.events.contacts else ""
            return Trouble(f"at t = {self.t:.9g} s the modes do not agree with each other: '{brief(seen[-2:][0])}' and "
                           f"'{brief(seen[-1])}' alternate without end.{advice}")
        return None

    def _rising(self) -> list[int]:
        """Actions of the earliest stage whose condition has become true; from now on it counts as true."""
        conditions = self.actions.conditions()
        if conditions == self.before:
            return []
        rising = [k for k, (now, before) in enumerate(zip(conditions, self.before, strict=True))
                  if now and not before and k not in self.actions.sampled]
        stage = min((self.actions.stages[k] for k in rising), default=0)
        rising = [k for k in rising if self.actions.stages[k] == stage]
        for k, now in enumerate(conditions):
            self.before[k] = (self.before[k] and now) or k in rising
        return rising

    def _refresh(self, first: bool) -> list[str]:
        """Set all relations to their values at the present state, inner ones first; returns the names that changed."""
        changed: list[str] = []
        for _ in range(len(self._places) + 1):
            situation = self.instant.look()
            values, held, again = situation.fresh if first else situation.values, self.d[self._places].tolist(), False
            if values == held:
                break
            for r, place, value, was in zip(self.events.relations, self._places, values, held, strict=True):
                if value != was and not isnan(value):
                    if not first:
                        self.log.note(self.t, r.name, 1 if value > was else -1)
                    self.d[place], again = value, True
                    changed.append(r.name)
            if not again:
                break
        return list(dict.fromkeys(changed)) if changed else changed

    # --- records ---

    def _note(self) -> None:
        if self.history[-1][1].tobytes() != self.d.tobytes():
            self.history.append((self.t, self.d.copy()))

    def failure(self, result: Result) -> SimulationError:
        """The exception for a run that ended in trouble."""
        assert self.trouble is not None, "called where it did"
        message, cause = self.trouble
        error = SimulationError(message, time=self.t, result=result)
        error.__cause__ = cause
        return error
