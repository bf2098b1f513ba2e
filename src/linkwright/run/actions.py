"""Actions of a run: what `m.when` and `m.terminate` ask for, done at the instant their condition becomes true.

New values are computed from the values before the action, then set exactly.  Speeds that constraints tie to others
change as little as the constraints allow, measured by the kinetic energy of the change; all others stay.  With the
impulses J along what is set and what stays,

    M (u⁺ − u⁻) + Gᵀ Λ = Σ rᵀ J,      G u⁺ = 0,      r u⁺ = new value

so that it does not matter which joint of a loop is cut.  Coordinates follow likewise, so that loops stay closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..mechanism import When
from ..system import System
from ..system.event_programs import Witness, when_stages
from . import tolerances as tol
from .course import NotSmooth, Set, Struck
from .event_log import EventLog
from .instant import Instant, Jumps
from .trouble import Trouble
from .unilateral import Unilateral


class Actions:
    """Conditions, targets and new values of the actions of one run.

    `end` is the message of the first `m.terminate` whose condition has become true: the run is over then.
    """

    def __init__(self, instant: Instant, log: EventLog, witnesses: Sequence[Witness], unilateral: Unilateral | None):
        self.now, self.log, self.witnesses, self.unilateral = instant, log, witnesses, unilateral
        self.system = system = instant.system
        self.end: str | None = None
        self.whens = system.mechanism.events.whens
        self.targets = [targets_of(system, when) for when in self.whens]
        self.stages = when_stages(system.equations)
        #: those that act by a clock
        self.sampled = [k for k, when in enumerate(self.whens) if when.clock is not None]
        self.first = {part: system.layout.places[part].start for part in "quzd"}
        # where each action's numbers lie in the flat list of targets and new values
        self.starts = np.cumsum([0, *(2 * len(w.targets) for w in self.whens)]).tolist()
        self._ahead: _Ahead | None = None

    @cached_property
    def _jumps(self) -> Jumps:
        return Jumps(self.now)

    def conditions(self) -> list[bool]:
        """Truth of every condition now."""
        return [condition != 0 for condition in self.now.look().conditions]

    def due(self) -> list[int]:
        """Those whose clock has an instant now."""
        conditions = self.now.look().conditions
        return [k for k in self.sampled if conditions[k] != 0]

    def end_at_start(self) -> None:
        """End the run at once where the condition of an `m.terminate` is true at its start."""
        for when, true in zip(self.whens, self.conditions(), strict=True):
            if true and when.message is not None and self.end is None:
                self.log.note(self.now.t, when.name, 1)
                self.end = when.message

    def act(self, which: Sequence[int]) -> Trouble | None:
        """Set the targets of actions, all from the values before.

        Where an action reverses the motion (a ball thrown back from the floor), the state is put back to the side from
        which it came; else the next step would begin beyond the event and miss the next one.
        """
        now = self.now
        resets = any(part != "d" for k in which for part, _, _ in self.targets[k])
        after, course = now.inputs.copy(), list(now.course)
        back = resets and now.step_back()
        trouble = self._set(which)
        if trouble is None and back and self._goes_on(which):
            now.inputs[:], now.course[:] = after, course
            trouble = self._set(which)
        for k in which:
            when = self.whens[k]
            if when.clock is None:
                self.log.note(now.t, when.name, 1)
            if when.message is not None and self.end is None:
                self.end = when.message
        return trouble

    def _set(self, which: Sequence[int]) -> Trouble | None:
        """Set the targets, and the coordinates and speeds that constraints tie to them."""
        situation, inputs = self.now.look(), self.now.inputs
        new: dict[tuple[str, int], float] = {}
        asked: dict[tuple[str, int], tuple[str, float]] = {}
        flat = situation.news
        for k in which:
            start, n = self.starts[k], len(self.targets[k])
            for i, (part, place, slope) in enumerate(self.targets[k]):
                value = inputs[self.first[part] + place] + (flat[start + n + i] - flat[start + i]) / slope
                before = new.get((part, place), value)
                if before != value and abs(before - value) > tol.FITS * abs(value):
                    one, two = asked[part, place], (self.whens[k].names[i], flat[start + n + i])
                    return self._trouble(which, f"contradict each other: {one[0]} = {one[1]:g} and {two[0]} = "
                                                f"{two[1]:g} are one number of the state; leave one out")
                new[part, place] = value
                asked[part, place] = self.whens[k].names[i], flat[start + n + i]
        if not np.all(np.isfinite(list(new.values()))):
            return self._trouble(which, "are not finite; something in them divides by zero or has no value")
        gaps, was = situation.rows.gap, self.now.u.copy()
        self.now.course.append(Set(inputs.copy(), tuple(which)))
        for (part, place), value in new.items():
            inputs[self.first[part] + place] = value
        trouble = self._follow(which, new)
        if trouble is None and any(part == "q" for part, _ in new) and self.unilateral is not None:
            trouble = self.unilateral.left(gaps)
        if trouble is None and any(part in "qu" for part, _ in new) and self.system.equations.rows:
            trouble = self._allow(which, new, was)
        return trouble

    def _follow(self, which: Sequence[int], new: dict[tuple[str, int], float]) -> Trouble | None:
        """Set the coordinates anew whose prescribed positions read what was set; nothing is struck by that."""
        if not self.system.code.given or not any(part == "d" for part, _ in new):
            return None
        now, size = self.now, len(self.now.q)
        there = self.system.code.prescribe(now.inputs)
        moved = np.flatnonzero(there[:size] != now.q)
        speeds = there[size : size + len(now.u)]
        if np.any(np.abs(speeds - now.u) > tol.FITS * np.max(np.abs(now.u), initial=0.0)):
            return self._trouble(which, "make a prescribed speed jump, which would take an infinite force; let the "
                                        "prescribed position read them without a factor that changes in time")
        if len(moved):
            names = ", ".join(f"'{self.whens[k].name}'" for k in which)
            now.course.append(NotSmooth(f"{names} sets prescribed positions anew"))
        for place in moved:
            new["q", int(place)] = now.q[place] = there[place]
        return None

    def _trouble(self, which: Sequence[int], what: str) -> Trouble:
        names = ", ".join(f"'{self.whens[k].name}'" for k in which)
        return Trouble(f"at t = {self.now.t:.9g} s the new values set by {names} {what}.")

    def _goes_on(self, which: Sequence[int]) -> bool:
        """Whether the motion goes on through the conditions: two short steps of Euler's method tell."""
        x = self.now.x.copy()
        if self._ahead is None:
            self._ahead = _Ahead(self.system, self.now.inputs)
        index = [i for i, w in enumerate(self.witnesses) if w.what == "when" and w.number in which]
        now = self.now.witnesses()[index]
        for _ in range(2):
            self._ahead.slope()
            self.now.x[:] += tol.TURN * self._ahead.rates[: len(x)]
        ahead = self.now.witnesses()[index]
        self.now.x[:] = x
        return bool((ahead < now).any())

    # --- constraints ---

    def _allow(self, which: Sequence[int], new: Mapping[tuple[str, int], float], was: np.ndarray) -> Trouble | None:
        """Move everything else so that the constraints hold with the new values; `was` are the speeds before."""
        now, d = self.now, self.now.d.copy()
        if self.unilateral is not None:
            # the modes of stops and friction are decided afterwards
            now.d[self.unilateral.holding] = 0
        if any(part == "q" for part, _ in new):
            names = ", ".join(f"'{self.whens[k].name}'" for k in which)
            now.course.append(NotSmooth(f"{names} sets coordinates, around which constraints had to be closed"))
        closed = self._close(new)
        wanted = dict(enumerate(now.u.tolist()))
        for place in self._tied - {place for part, place in new if part == "u"}:
            del wanted[place]
        now.course.append(Struck(now.inputs.copy(), held=tuple(wanted), moved=now.u - was))
        size = np.max(np.abs(now.u), initial=0.0)
        now.u[:] = was
        for _ in range(2):  # twice: the regularised factorisation leaves an error of 1e-10
            now.u += self._holding(wanted, [value - now.u[place] for place, value in wanted.items()], None)
        # errors that are left in the constraints and in the new values
        left = [*self._jumps.solve(), *(now.u[place] - value for place, value in wanted.items())]
        now.d[:] = d
        if closed and np.max(np.abs(left), initial=0.0) <= tol.FITS * size:
            return None
        m = self.system.mechanism
        held = {row.name for row, holds in zip(m.events.conditional, now.look().conditional, strict=True) if holds}
        ties = ", ".join(c.name for c in m.constraints if c.mode is None or c.name in held)
        return self._trouble(which, f"do not fit the constraints ({ties}); set fewer variables, or values that agree")

    @cached_property
    def _tied(self) -> set[int]:
        """Speeds that constraints tie to others: not those that friction or a stop alone may hold."""
        masked = set()
        if self.unilateral is not None:
            masked = {self.system.part_names("d")[k] for k in self.unilateral.holding}
        return {int(k) for r in self.system.equations.rows
                if r.mode is None or not masked.issuperset(s.name() for s in ca.symvar(ca.SX(r.mode)))
                for k in r.G.sparsity().get_col()}

    def _close(self, new: Mapping[tuple[str, int], float]) -> bool:
        """Close the loops around new coordinates, which stay; whether that was possible."""
        m, now = self.system.mechanism, self.now
        kept = {us.start + place - qs.start for part, place in new if part == "q"
                for qs, us in zip(*m.slices(), strict=True)
                if qs.start <= place < qs.stop and qs.stop - qs.start == us.stop - us.start}
        if not any(part == "q" for part, _ in new):
            return True
        permanent = np.array([r.mode is None for r in self.system.equations.rows for _ in range(r.G.shape[0])])
        for _ in range(tol.CLOSING):
            self._jumps.solve(bottom=0.0)
            step = self._holding(kept, np.zeros(len(kept)), np.where(permanent, -self._jumps.gaps, 0.0))
            now.q += self.system.advance(now.q, step)
            if np.max(np.abs(step)) <= tol.CLOSED_STEP * np.max(np.abs(now.q)):
                return True
        return False

    def _holding(self, held: Iterable[int], wanted: Sequence[float] | np.ndarray,
                 bottom: np.ndarray | None) -> np.ndarray:
        """The change of speeds that satisfies the constraints, while the speeds `held` change by `wanted`."""
        change = self._jumps.solve(bottom=bottom).copy()
        if not held:
            return change
        held = list(held)
        rows = np.eye(len(change))[held]
        responses = np.array([self._jumps.solve(row, bottom=0.0).copy() for row in rows])
        A = responses[:, held]
        scale = 1 / np.sqrt(np.maximum(np.diag(A), tol.TINY))
        left = scale * (np.asarray(wanted) - change[held])
        strength = scale * np.linalg.lstsq(A * np.outer(scale, scale), left, rcond=tol.SAME_FREEDOM)[0]
        return change + strength @ responses


class _Ahead:
    """Slopes at a vector of inputs."""

    def __init__(self, system: System, inputs: np.ndarray):
        self.rates = np.zeros(system.rhs.n_out)
        self.slope = system.rhs.bind(inputs, self.rates)


def targets_of(system: System, when: When) -> list[tuple[str, int, float]]:
    """(part, place, slope) of the numbers that an action sets."""
    return [_target(system, when, name, target) for name, target in zip(when.names, when.targets, strict=True)]


def _target(system: System, when: When, name: str, target: ca.SX) -> tuple[str, int, float]:
    """(part, place, slope) of the one number of the state that sets a target."""
    e = system.equations
    expression = e.finish(target)[0]
    for part in "quzd":
        J = ca.jacobian(expression, e.symbols[part])
        if J.nnz() == 1 and J.nz[0].is_constant():
            rest = [p for p in "quz" if p != part and ca.depends_on(expression, e.symbols[p])] if part != "d" else []
            if not rest:
                place = J.sparsity().get_col()[0]
                _refuse_prescribed(system, when, name, part, place)
                return part, place, float(J.nz[0])
    system.names_table.refuse_over_time(name)
    raise ModelError(f"{when.name}: {name} follows from other variables and cannot be set; set a coordinate, a speed "
                     "or an integral of its own, or a discrete variable.", when.name)


def _refuse_prescribed(system: System, when: When, name: str, part: str, place: int) -> None:
    """A coordinate whose motion is given cannot be set by an action."""
    if part not in "qu":
        return
    own = system.mechanism.slices()["qu".index(part)]
    for k in system.equations.prescribed:
        if own[k].start <= place < own[k].stop:
            joint = system.mechanism.bodies[k].joint
            raise ModelError(f"{when.name}: {name} cannot be set, the motion of {joint} is prescribed. Act on what "
                             "prescribes it instead, for instance through a discrete variable.", joint)
