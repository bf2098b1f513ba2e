"""Many contacts stepped together: speeds and impulses of a whole step at once (Moreau 1999; Jean 1999).

With a fixed step h, smooth forces as they are at its beginning, and all that may touch within it:

    u⁺ = u + h u̇(t, q, u) + M⁻¹ Gᵀ Λ,     0 ≤ G_n u⁺ + gap/h ⊥ Λ_n ≥ 0,     |Λ_t| ≤ μ Λ_n against the slip
    q⁺ = q ⊕ h u⁺                        then gaps that came out below zero are lifted, in the metric of M

so that no event is looked for: a thousand impacts in a step cost what one does.  Where something arrives faster than
its capture speed, it leaves with G_n u⁺ = −e G_n u instead.  First order in h.  Impulses by Gauss–Seidel sweeps that
begin with those of the last step (`stepped_impulses`); few contacts are polished to the exact cone.  Stops and
friction in joints take part in the sweeps (`stepped_rows`).  Loops, locks and given motions hold through all of them
(`system.crowd`), and are put right at the end of the step (`stepped_motion`); comparisons and conditions of actions
are looked at, controllers asked and delayed signals read between two steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError, SimulationError
from ..integrate import gauss_seidel
from ..mechanism import Balance
from ..system import Crowd, State, System
from ..system.event_programs import of_forces
from .contact_points import ContactPoints
from .controllers import Schedule
from .event_log import EventLog
from .instant import Instant
from .memory import Delayed
from .overlaps import overlap
from .stepped_actions import SteppedActions
from .stepped_impulses import Impulses, Laws
from .stepped_motion import SteppedMotion
from .stepped_past import Past, SteppedDelays
from .stepped_rows import SingleRows
from .tolerances import (
    MOREAU_STEP,
    NEAR,
    OVERLAP,
    OVERLAP_ROUNDS,
    OVERLAP_SWEEPS,
    PAUSE_SECONDS,
    SCHEDULED,
    START_OVERLAP,
    STEP_LONGER,
    TIME_ROUNDING,
    WATCHED,
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
        self.crowd, self.log = Crowd(system, state), EventLog()
        events = system.mechanism.events
        self.locks = Unilateral(Instant(system, self.inputs), self.log) if events.locks else None
        self.motion = SteppedMotion(system, self.inputs, self.locks)
        # what a result asks of a stepper
        self._updates = updated(system)
        self._steps, self._kept = Past(self.n), Past(len(self._updates))
        self.counters = {"steps": 0, "rejected": 0, "evaluations": 0, "sweeps": 0, "contacts": 0}
        self.methods, self.messages = [(self.t, "time_stepping")], []
        self.accuracy, self.coarsest = 1.0, (0.0, 0.0)
        self.kept_from, self.keep_steps = self.t, np.inf
        self.history, self.table = [(self.t, self.d.copy())], self.log.rows
        self.deepest = 0.0
        # contacts act by impulses alone: their rows are out of force
        places = {name: k for k, name in enumerate(system.part_names("d"))}
        self._modes = [[places[f"{c.name}.{what}"] for what in ("closed", "stuck", "armed")] for c in events.contacts]
        self.singles = SingleRows(system, self.crowd)
        self._silent = [*[k for own in self._modes for k in own], *self.singles.modes]
        self.d[self._silent] = 0
        self.impulses = Impulses(system, state, self.crowd, self.singles, self.log)
        self._relations = [places[r.name] for r in events.relations]
        self.delays = SteppedDelays(system, self.inputs)
        self._by_reactions = bool(by_reactions(system))
        self._margins = np.zeros(len(self.crowd.names))  # m: how far shapes may go in a step
        self._acting = 0.0  # s: how long forces of springs and dampers on joints act
        self._compare()
        self._look()
        self._keep()
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

    def _keep(self) -> None:
        self._steps.add(self.t, self.motion.seen(self.x))
        self._kept.add(self.t, self.d[self._updates])

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
        touching = np.zeros(len(self.crowd.names))
        points = ContactPoints(self.crowd, self.crowd.near(touching)).closer(touching)
        deepest = int(np.argmin(points.gaps)) if len(points.gaps) else -1
        if deepest < 0 or points.gaps[deepest] >= -START_OVERLAP:
            return None
        meet = self.system.mechanism.events.encounters[points.meets[deepest]]
        return overlap(self.system, meet, -float(points.gaps[deepest]), points.normals[deepest])

    def _compare(self) -> None:
        """Comparisons as they are now."""
        if self._relations:
            situation = self.system.code.situation
            self.d[self._relations] = situation(self.inputs)[situation.slice_out("values")]

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
        count = max(1, round((stop - self.t) / self.h))
        h, start = (stop - self.t) / count, self.t
        if count * self.h < (stop - self.t) * (1 - STEP_LONGER):
            count += 1
            h = (stop - self.t) / count
        if abs(self._acting - h) > STEP_LONGER * h:
            self._acting = h
            self._look()
        try:
            for k in range(count):
                if self._over:
                    break
                self.trouble = self.actions.sample()
                if self._over:
                    break
                if self.schedule is not None and self.schedule.next_time(self.t) <= self.t + SCHEDULED * h:
                    self.trouble = self.schedule.apply(self)
                    if self._over:
                        break
                self.trouble = self._begin(h)
                if self._over:
                    break
                self._step(h)
                self.t = float(start + (k + 1) * h) if k + 1 < count else stop
                self.inputs[0] = self.t
                if self._updates:
                    self.d[self._updates] = self.system.code.update(self.inputs)[: len(self._updates)]
                self._keep()
                if not np.isfinite(self.x).all():
                    self.trouble = Trouble(f"at t = {self.t:.6g} s the motion is not finite. Likely: a law without "
                                           "bound, or a step h too long for a stiff spring; give a smaller one.")
                elif len(self.actions):
                    self._compare()
                    self.trouble = self.actions.look()
                if on_pause is not None and perf_counter() - shown > PAUSE_SECONDS:
                    on_pause(self)
                    shown = perf_counter()
            if self._over:
                reason = "terminated" if self.trouble is None else "trouble"
        except KeyboardInterrupt:
            reason = "interrupted"
        self.counters |= {"sweeps": self.impulses.sweeps, "contacts": self.impulses.most}
        reached = grid[grid <= self.t * (1 + TIME_ROUNDING)]
        self.grid_x = self.dense(reached)
        self.messages.append(
            f"time stepping (Moreau), fixed_step = {h:.4g} s: {self.counters['steps']} steps, up to "
            f"{self.counters['contacts']} contacts; speeds agree with the cones to {self.impulses.residual:.1e} m/s, "
            f"deepest overlap {self.deepest:.1e} m")
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
        moving = slice(len(self.motion.q), len(self.motion.q) + len(self.motion.u))
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
        parts["x"][:], parts["d"][:] = self.motion.seen(self.x), self._with_modes(self.history[-1][1])
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
        if moved:
            old["x"][:] = new["x"]
        for part in "dpy":
            old[part][:] = new[part]
        if tuned:
            self.impulses.tune(Laws.of(self.system, self.system.layout.put(self.inputs, self._state)))
        if moved or tuned:
            self._look()

    def forget(self) -> None:
        """Keep the present only, when somebody else keeps what was."""
        self._given = self.row
        self._steps, self._kept = Past(self.n), Past(len(self._updates))
        self._keep()
        self.history[:] = self.history[-1:]
        self.messages.clear()
        self.log.contacts.clear()
        self.log.rows.clear()

    def _with_modes(self, told: np.ndarray) -> np.ndarray:
        """The discrete variables now, those of modes as they were told."""
        d = self.d.copy()
        d[self._silent] = told[self._silent]
        return d

    # --- one step ---

    def _begin(self, h: float) -> Trouble | None:
        """What is decided before a step: comparisons, delayed signals, locks that engage or let go."""
        self._compare()
        self.delays.look_back(self.t, h)
        if self.locks is None:
            return None
        changed, trouble = self.locks.engage()
        if changed:
            self._look()
        return trouble

    def _step(self, h: float) -> None:
        """Free speeds, impulses, positions, lifted gaps."""
        before = self.motion.push(h, self.crowd)
        self.impulses.strike(self.t, self.motion.u, before, self._touching(h), h)
        self._tell_modes()
        self.motion.go(h)
        self._lift()
        self.counters["evaluations"] += 1
        self.counters["steps"] += 1

    def _look(self) -> None:
        self.crowd.look(self.inputs, self._acting)
        if self._by_reactions:
            # reactions are those with contacts in force, as the last step has left them
            there = self.inputs.copy()
            self.system.layout.unpack(there)["d"][:] = self.history[-1][1]
            self.crowd.tell(there)

    def _touching(self, h: float) -> ContactPoints:
        """What may touch within the step."""
        moving = self.crowd.columns
        own = np.where(moving >= 0, self.motion.u[np.maximum(moving, 0)], 0.0)
        motion = np.einsum("ska,sa->sk", self.crowd.jacobians, own)
        reach = np.where(np.isfinite(self.crowd.reach), self.crowd.reach, 0.0)
        speeds = np.linalg.norm(motion[:, 3:], axis=1) + reach * np.linalg.norm(motion[:, :3], axis=1)
        self._margins = 2 * h * speeds + NEAR
        return ContactPoints(self.crowd, self.crowd.near(self._margins)).closer(self._margins)

    def _tell_modes(self) -> None:
        """Points that press, for the forces in the result: those with rows of their own, stuck or sliding."""
        modes = self.d.copy()
        self.singles.tell(modes, self.motion.u)
        for key in self.impulses.known:
            own = self.system.mechanism.events.encounters[key[0]].contacts
            if key[1] < len(own):
                closed, stuck, armed = self._modes[own[key[1]]]
                modes[closed] = 1
                modes[armed if key in self.impulses.sliding else stuck] = self.impulses.laws.mu[key[0]] > 0
        if not np.array_equal(modes, self.history[-1][1]):
            self.history.append((self.t, modes))

    def _lift(self) -> None:
        """Gaps that came out below zero are opened by the least shift."""
        self._look()
        # all that the next step may look at
        pairs = self.crowd.near(self._margins)
        for attempt in range(OVERLAP_ROUNDS):
            touching, stops = ContactPoints(self.crowd, pairs), self.singles.gaps
            deepest = -min(touching.gaps.min(initial=0.0), stops.min(initial=0.0))
            if deepest <= OVERLAP or attempt == OVERLAP_ROUNDS - 1:
                self.deepest = max(self.deepest, float(deepest))
                return
            # what is open but near takes part, so that it is not closed by lifting others
            margin = np.full(len(self.crowd.names), WATCHED * deepest)
            if not attempt:
                pairs = self.crowd.near(np.maximum(margin, self._margins))
                touching = ContactPoints(self.crowd, pairs)
            touching.closer(margin).make_rows(more=len(stops), width=self.singles.width)
            self.singles.fill(np.arange(len(stops)), touching, len(touching.gaps))
            gaps, way = np.concatenate([touching.gaps, stops]), np.zeros(len(self.motion.u))
            gauss_seidel.lift(way, np.zeros(len(gaps)), *touching.rows, touching.W, gaps, OVERLAP_SWEEPS, 0.1 * OVERLAP)
            self.motion.shift(way)
            self.motion.put_right()
            self.crowd.look(self.inputs, inertia=False)


def by_reactions(system: System) -> list[str]:
    """Names of friction in proportion to a reaction."""
    e = system.equations
    return [f.name for f in system.mechanism.events.frictions if of_forces(e, f)]


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
