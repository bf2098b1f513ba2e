"""Many contacts stepped together: speeds and impulses of a whole step at once (Moreau 1999; Jean 1999).

With a fixed step h, smooth forces as they are at its beginning, and all that may touch within it:

    u⁺ = u + h u̇(t, q, u) + M⁻¹ Gᵀ Λ,     0 ≤ G_n u⁺ + gap/h ⊥ Λ_n ≥ 0,     |Λ_t| ≤ μ Λ_n against the slip
    q⁺ = q ⊕ h u⁺                        then gaps that came out below zero are lifted, in the metric of M

so that no event is looked for: a thousand impacts in a step cost what one does.  Where something arrives faster than
its capture speed, it leaves with G_n u⁺ = −e G_n u instead.  First order in h.  Impulses by Gauss–Seidel sweeps that
begin with those of the last step (`stepped_impulses`); few contacts are polished to the exact cone.  Stops and
friction in joints take part (`stepped_rows`).  Loops, locks and given motions hold through all of them
(`system.crowd`), and are put right at the end of the step (`stepped_motion`); comparisons and conditions of actions
are looked at, controllers asked and delayed signals read between two steps.

A step is one compiled function (`stepped_step`); Python comes in where a controller, an action or a lock has to be
asked, and every so many steps to take over what there is for the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError, SimulationError
from ..mechanism import Balance
from ..result import ContactRow
from ..system import State, System, singles
from ..system.event_programs import of_forces
from . import stepped_record as sr
from .controllers import Schedule
from .event_log import EventLog
from .instant import Instant
from .memory import Delayed
from .overlaps import overlap
from .stepped_actions import SteppedActions
from .stepped_memory import Pressing, SteppedMemory
from .stepped_past import Past, SteppedDelays
from .stepped_step import plan
from .tolerances import (
    MOREAU_STEP,
    PAUSE_SECONDS,
    SCHEDULED,
    START_OVERLAP,
    STEP_LONGER,
    STEPS_AT_ONCE,
    TIME_ROUNDING,
)
from .trouble import Trouble
from .unilateral import Unilateral
from .updates import updated


class Moreau:
    """A stepper with a fixed step for systems with contact: answers what a result asks of a stepper."""

    def __init__(self, system: System, state: State, h: float | None, schedule: Schedule | None = None) -> None:
        self.system, self.h = system, MOREAU_STEP if h is None else h
        self.schedule = None if schedule is None else schedule.without(Delayed)
        refuse_others(system)
        self.inputs = system.layout.pack(state)
        parts = system.layout.unpack(self.inputs)
        self.x, self.d = parts["x"], parts["d"]
        self.t, self.n = float(state.t), len(self.x)
        self.instant = self  # of its inputs controllers read
        self.log = EventLog()
        events = system.mechanism.events
        self.catching = Unilateral(Instant(system, self.inputs), self.log) if events.conditional else None
        self.memory = SteppedMemory(system, state, self.inputs, self.catching)
        self._record = self.memory.record
        self._record.put(by_reactions=int(bool(by_reactions(system))))
        # what a result asks of a stepper
        self._updates = updated(system)
        self._steps, self._kept = Past(self.n), Past(len(self._updates))
        self.methods, self.messages = [(self.t, "time_stepping")], []
        self.accuracy, self.coarsest = 1.0, (0.0, 0.0)
        self.kept_from, self.keep_steps = self.t, np.inf
        self.history, self.table = [(self.t, self.d.copy())], self.log.rows
        # contacts act by impulses alone: their rows are out of force
        self._silent = self.memory.silent
        self.d[self._silent] = 0
        self.delays = SteppedDelays(system, self.inputs)
        self.memory.compare()
        self._look()
        self._steps.add(self.t, self._seen())
        self._kept.add(self.t, self.d[self._updates])
        self.actions = SteppedActions(system, self.inputs, self.log)
        self.trouble = self._starts_inside()
        self._state, self._given = state.copy(), None  # the row that was last handed out

    # --- what a run asks for ---

    @property
    def stepper(self) -> Moreau:
        """Whoever acts in a run asks its stepper for the past."""
        return self

    @property
    def steps_t(self) -> np.ndarray:
        """The times of the steps."""
        return self._steps.t

    @property
    def steps_x(self) -> np.ndarray:
        """The states at them."""
        return self._steps.x

    @property
    def steps_updated(self) -> np.ndarray:
        """The discrete variables that steps set (`m.each_step`), at them."""
        return self._kept.x

    @property
    def counters(self) -> dict[str, int]:
        """How much was done."""
        r = self._record
        return {"steps": r.steps, "rejected": 0, "evaluations": r.steps, "sweeps": r.sweeps, "contacts": r.most}

    def _seen(self) -> np.ndarray:
        """A copy of the state, with the speeds that motions are given at this time."""
        x, given = self.x.copy(), sorted(self.system.code.given)
        if given:
            nq = self.system.mechanism.nq
            x[nq:][given] = self.system.code.prescribe(self.inputs)[nq:][given]
        return x

    @property
    def message(self) -> str | None:
        """What an `m.terminate` has said that ended the run."""
        return self.actions.end

    @property
    def _over(self) -> bool:
        """Whether something has ended the run."""
        return self.trouble is not None or self.message is not None

    def _starts_inside(self) -> Trouble | None:
        """Bodies that overlap at the start are no contact yet: which, and by how much."""
        shapes = self.memory.shapes
        meets, _, points = shapes.gaps(shapes.near(np.zeros(len(shapes.names))))
        deepest = int(np.argmin(points[:, 0])) if len(points) else -1
        if deepest < 0 or points[deepest, 0] >= -START_OVERLAP:
            return None
        meet = self.system.mechanism.events.encounters[meets[deepest]]
        return overlap(self.system, meet, -float(points[deepest, 0]), points[deepest, 1:4])

    def failure(self, result: Any) -> SimulationError:
        """What ended the run, as an error that holds what was computed."""
        assert self.trouble is not None
        error = SimulationError(self.trouble.message, time=self.t, result=result)
        error.__cause__ = self.trouble.cause
        return error

    def run(self, stop: float, grid: np.ndarray, on_pause: Callable | None = None) -> str:
        """Go to `stop`; "end", "terminated", "trouble" or "interrupted"."""
        from time import perf_counter

        shown, reason = perf_counter(), "end"
        count, h = plan(self.t, stop, self.h)
        start = self.t
        r = self._record
        r.put(h=h, start=start, stop=stop)
        if abs(r.acting - h) > STEP_LONGER * h:
            r.put(acting=h)
            self._look()
        try:
            done = 0
            while done < count and not self._over:
                at_once = self._before(h)
                if self._over:
                    break
                done += self.memory.go_on(done, min(at_once, count - done), count)
                self._take_over()
                if len(self.actions) and not self._over:
                    self.memory.compare()
                    self.trouble = self.actions.look()
                if on_pause is not None and perf_counter() - shown > PAUSE_SECONDS:
                    on_pause(self)
                    shown = perf_counter()
            if self._over:
                reason = "terminated" if self.trouble is None else "trouble"
        except KeyboardInterrupt:
            reason = "interrupted"
        reached = grid[grid <= self.t * (1 + TIME_ROUNDING)]
        self.grid_x = self.dense(reached)
        self.messages.append(
            f"time stepping (Moreau), fixed_step = {h:.4g} s: {self.counters['steps']} steps, up to "
            f"{self.counters['contacts']} contacts; speeds agree with the cones to {r.residual:.1e} m/s, deepest "
            f"overlap {r.deepest:.1e} m")
        return reason

    def dense(self, times: np.ndarray, side: str = "left") -> np.ndarray:
        """The state at times: between two steps positions in proportion, speeds of the step."""
        asked = np.atleast_1d(np.asarray(times, dtype=float))
        after = np.clip(np.searchsorted(self.steps_t, asked, side="left"), 1, max(1, len(self.steps_t) - 1))
        if len(self.steps_t) == 1:
            return np.repeat(np.asarray(self.steps_x), len(asked), axis=0)
        left, right = self.steps_x[after - 1], self.steps_x[after]
        share = ((asked - self.steps_t[after - 1]) / (self.steps_t[after] - self.steps_t[after - 1]))[:, None]
        found = left + share * (right - left)
        moving = slice(self.system.mechanism.nq, self.system.mechanism.nq + self.system.mechanism.nu)
        found[:, moving] = right[:, moving]
        for first in self.system.quaternions:
            found[:, first : first + 4] /= np.linalg.norm(found[:, first : first + 4], axis=1)[:, None]
        # at a step the state is that of the step, to the last bit
        found = np.where(share <= 0, left, np.where(share >= 1, right, found))
        return found if np.ndim(times) else found[0]

    # --- for those who advance it from outside ---

    @property
    def row(self) -> np.ndarray:
        """The inputs of programs where it stands, with the modes of contacts in force."""
        row = self.inputs.copy()
        parts = self.system.layout.unpack(row)
        parts["x"][:], parts["d"][:] = self._seen(), self._with_modes(self.history[-1][1])
        return row

    def take(self, row: np.ndarray) -> None:
        """Go on from a row that somebody may have changed."""
        if self._given is not None and np.array_equal(row, self._given):
            return
        new, old = (self.system.layout.unpack(part) for part in (row.copy(), self.inputs))
        new["d"][self._silent] = 0
        places, tuned = self.system.layout.places, not np.array_equal(new["p"], old["p"])
        moved = self._given is None or not np.array_equal(row[places["x"]], self._given[places["x"]])
        self.t = self.inputs[0] = float(row[0])
        self._record.put(t=self.t)
        if moved:
            old["x"][:] = new["x"]
        for part in "dpy":
            old[part][:] = new[part]
        if tuned:
            self.memory.tune(self.system.layout.put(self.inputs, self._state))
        if moved or tuned:
            self._look()

    def forget(self) -> None:
        """Keep the present only, when somebody else keeps what was."""
        self._given = self.row
        self._steps, self._kept = Past(self.n), Past(len(self._updates))
        self._steps.add(self.t, self._seen())
        self._kept.add(self.t, self.d[self._updates])
        self.history[:] = self.history[-1:]
        self.messages.clear()
        self.log.contacts.clear()
        self.log.rows.clear()

    def _with_modes(self, told: np.ndarray) -> np.ndarray:
        """The discrete variables now, those of modes as they were told."""
        d = self.d.copy()
        d[self._silent] = told[self._silent]
        return d

    # --- one step after another ---

    def _before(self, h: float) -> int:
        """What is decided between steps: controllers, delayed signals, locks that engage or let go; how many steps may
        follow before somebody has to be asked again."""
        self.trouble = self.actions.sample()
        at_once = STEPS_AT_ONCE
        if self.schedule is not None and self.trouble is None:
            if self.schedule.next_time(self.t) <= self.t + SCHEDULED * h:
                self.trouble = self.schedule.apply(self)
            ahead = (self.schedule.next_time(self.t) - self.t) / h - SCHEDULED
            at_once = int(min(at_once, max(1.0, np.ceil(ahead))))
        if self._over:
            return 0
        if self.catching is not None:
            self.memory.compare()
        self.delays.look_back(self.t, h)
        if self.catching is not None:
            changed, self.trouble = self.catching.engage()
            if changed:
                self._look()
        return 1 if len(self.actions) or self.delays.delays or self.catching is not None else at_once

    def _take_over(self) -> None:
        """What steps have left for the result, and whether the run can go on."""
        r, a = self._record, self.memory.arrays
        for k in range(r.n_steps):
            self._steps.add(a["steps_t"][k], a["steps_x"][k])
            self._kept.add(a["steps_t"][k], a["steps_d"][k])
        self.history += [(float(t), modes.copy()) for t, modes in
                         zip(a["modes_t"][: r.n_told], a["modes_d"][: r.n_told], strict=True)]
        events = self.system.mechanism.events
        for hit in a["hits"][: r.n_hits].tolist():
            time, meet = hit[sr.HIT_TIME], int(hit[sr.HIT_MEET])
            if meet < 0:
                self.log.note(time, singles(self.system.mechanism)[-1 - meet].name, -1)
                continue
            pair, point = events.encounters[meet].pair, int(hit[sr.HIT_POINT])
            self.log.contacts.append(ContactRow(time, pair, point, "hit", hit[sr.HIT_PUSH], hit[sr.HIT_SPEED], 0.0))
        self.t = float(r.t)
        if r.status == sr.NOT_FINITE:
            self.trouble = Trouble(f"at t = {self.t:.6g} s the motion is not finite. Likely: a law without bound, or a "
                                   "step h too long for a stiff spring; give a smaller one.")

    def _look(self) -> None:
        self.memory.arrays["told_modes"][:] = self.history[-1][1]
        self.memory.look()

    def pressing(self) -> Pressing:
        """What the next step begins with, beside the row."""
        return self.memory.pressing()

    def remember(self, kept: Pressing) -> None:
        """Go on from what another one remembered."""
        self.memory.remember(kept)


def by_reactions(system: System) -> list[str]:
    """Names of friction in proportion to a reaction."""
    e = system.equations
    return [row.name for row in system.mechanism.events.bounded if of_forces(e, row)]


def refuse_others(system: System) -> None:
    """What cannot be stepped is refused by name."""
    events = system.mechanism.events
    if not events.encounters:
        raise ModelError("method time_stepping is for rigid contact, and the model has none; take method='auto'.")
    if events.balls:
        name = events.balls[0].name
        raise ModelError(f"{name}: dry friction along several directions cannot be stepped (method time_stepping); use "
                         "lw.LuGre there, or another method.", name)
    fast = [c.name for c in system.mechanism.constraints if isinstance(c, Balance)]
    if fast:
        raise ModelError(f"{fast[0]}: what has no inertia cannot be stepped (method time_stepping); give it some mass, "
                         "or use another method.", *fast)
    names = by_reactions(system) if events.stepped else []
    if names:
        raise ModelError(f"{names[0]} has friction in proportion to a reaction, which needs the forces of all "
                         "contacts, but time-stepped contacts have impulses only. Likely: m.contacts found so many "
                         "pairs that they are stepped. Give the friction a torque or force (tau=…), or name the pairs "
                         "(contact.Pair).", *names)
