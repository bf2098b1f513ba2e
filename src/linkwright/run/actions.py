"""Actions of a run: what `m.when` and `m.terminate` ask for, done at the instant their condition becomes true.

New values are set exactly, all from the same values.  Where constraints tie other speeds to them, those take the values
that the constraints allow nearest to what they were, measured by kinetic energy; with the impulses J along what is set,

    M (u⁺ − u_set) + Gᵀ Λ = Σ rᵀ J,      G u⁺ = 0,      r u⁺ = new value

and likewise for coordinates, so that loops stay closed.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..compiler.inputs import refuse_over_time
from ..errors import ModelError
from ..system import System
from ..system.event_programs import when_stage
from .instant import Jumps

TURN = 1e-7  # seconds ahead to see whether a reset turns the motion back
FITS = 1e-8  # of the speeds: how well new values must agree with the constraints
CLOSING = 30  # iterations to close the loops around new coordinates


class Actions:
    """Conditions, targets and new values of the actions of one run."""

    def __init__(self, run):
        self.run, self.now = run, run.instant
        self.whens = run.events.whens
        self.targets = [[_target(run.system, when, name, target) for name, target in
                         zip(when.names, when.targets, strict=True)] for when in self.whens]
        self.stages = [when_stage(run.system.equations, when) for when in self.whens]
        m = run.system.mechanism
        self.first = {"q": 1, "u": 1 + m.nq, "z": 1 + m.nq + m.nu, "d": 1 + len(self.now.x)}
        # where each action's numbers lie in the flat list of targets and new values
        self.starts = np.cumsum([0, *(2 * len(w.targets) for w in self.whens)]).tolist()
        self._jumps: Jumps | None = None
        self._ahead: _Ahead | None = None

    def conditions(self) -> list[bool]:
        """Truth of every condition now."""
        return [condition != 0 for condition in self.now.look().conditions]

    def end_at_start(self) -> None:
        """End a run whose end has come before it began."""
        for when, true in zip(self.whens, self.conditions(), strict=True):
            if true and when.message is not None and self.run.message is None:
                self.run.log(when.name, 1)
                self.run.message = when.message

    def act(self, which) -> None:
        """Set the targets of actions, all from the same values.

        An action that turns the motion back (a ball off the floor) keeps the state on the side it came from.
        """
        run, now = self.run, self.now
        resets = any(part != "d" for k in which for part, _, _ in self.targets[k])
        after = now.inputs.copy()
        back = resets and run.step_back()
        self._set(which)
        if back and self._goes_on(which):
            now.inputs[:] = after
            self._set(which)
        for k in which:
            when = self.whens[k]
            run.log(when.name, 1)
            if when.message is not None and run.message is None:
                run.message = when.message

    def _set(self, which) -> None:
        situation, inputs, new = self.now.look(), self.now.inputs, {}
        flat, asked = situation.news, {}
        for k in which:
            start, n = self.starts[k], len(self.targets[k])
            for i, (part, place, slope) in enumerate(self.targets[k]):
                value = inputs[self.first[part] + place] + (flat[start + n + i] - flat[start + i]) / slope
                before = new.get((part, place), value)
                if before != value and abs(before - value) > FITS * abs(value):
                    one, two = asked[part, place], (self.whens[k].names[i], flat[start + n + i])
                    self._trouble(which, f"contradict each other: {one[0]} = {one[1]:g} and {two[0]} = {two[1]:g} are "
                                         "one number of the state; leave one out")
                    return
                new[part, place] = value
                asked[part, place] = self.whens[k].names[i], flat[start + n + i]
        if not np.all(np.isfinite(list(new.values()))):
            self._trouble(which, "are not finite; something in them divides by zero or has no value")
            return
        gaps = situation.stops.gap
        for (part, place), value in new.items():
            inputs[self.first[part] + place] = value
        if any(part == "q" for part, _ in new) and self.run.contacts is not None:
            self.run.contacts.left(gaps)
        if any(part in "qu" for part, _ in new) and self.run.system.equations.rows:
            self._allow(which, new)

    def _trouble(self, which, what: str) -> None:
        names = ", ".join(f"'{self.whens[k].name}'" for k in which)
        self.run.trouble = f"at t = {self.now.t:.9g} s the new values set by {names} {what}."

    def _goes_on(self, which) -> bool:
        """Whether the conditions would still become true a little later, two steps of Euler ahead."""
        x = self.now.x.copy()
        if self._ahead is None:
            self._ahead = _Ahead(self.run.system, self.now.inputs)
        index = [i for i, w in enumerate(self.run.watched) if w.what == "when" and w.number in which]
        self._ahead.watch()
        now = self._ahead.witnesses[index]
        for _ in range(2):
            self._ahead.slope()
            self.now.x[:] += TURN * self._ahead.rates[: len(x)]
        self._ahead.watch()
        self.now.x[:] = x
        return bool((self._ahead.witnesses[index] < now).any())

    # --- constraints ---

    def _allow(self, which, new) -> None:
        """Move everything else so that the constraints hold with the new values."""
        now, d = self.now, self.now.d.copy()
        if self._jumps is None:
            self._jumps = Jumps(now)
        if self.run.contacts is not None:
            # what stops and friction hold is decided afterwards
            now.d[self.run.contacts.holding] = 0
        closed = self._close(new)
        wanted = {place: value for (part, place), value in new.items() if part == "u"}
        size = np.max(np.abs(now.u), initial=0.0)
        for _ in range(2):  # once more for what the regularised factorisation left
            now.u += self._holding(wanted, [value - now.u[place] for place, value in wanted.items()], None)
        # what the constraints, and the new values, still ask for
        left = [*self._jumps.solve(), *(now.u[place] - value for place, value in wanted.items())]
        now.d[:] = d
        if not closed or np.max(np.abs(left), initial=0.0) > FITS * size:
            m, locks = self.run.system.mechanism, now.look().locks
            held = {lock.name for lock, holds in zip(m.events.locks, locks, strict=True) if holds}
            ties = ", ".join(c.name for c in m.constraints if c.mode is None or c.name in held)
            self._trouble(which, f"do not fit the constraints ({ties}); set fewer variables, or values that agree")

    def _close(self, new) -> bool:
        """Close the loops around new coordinates, which stay; whether that was possible."""
        m, now = self.run.system.mechanism, self.now
        kept = {us.start + place - qs.start for part, place in new if part == "q"
                for qs, us in zip(*m.slices(), strict=True)
                if qs.start <= place < qs.stop and qs.stop - qs.start == us.stop - us.start}
        if not any(part == "q" for part, _ in new):
            return True
        permanent = np.array([r.mode is None for r in self.run.system.equations.rows for _ in range(r.G.shape[0])])
        for _ in range(CLOSING):
            self._jumps.solve(bottom=0.0)
            step = self._holding(kept, np.zeros(len(kept)), np.where(permanent, -self._jumps.gaps, 0.0))
            now.q += self.run.system.advance(now.q, step)
            if np.max(np.abs(step)) <= 1e-13 * np.max(np.abs(now.q)):
                return True
        return False

    def _holding(self, held, wanted, bottom) -> np.ndarray:
        """The change that the constraints ask for, with impulses along what is `held` that change it as `wanted`."""
        change = self._jumps.solve(bottom=bottom).copy()
        if not held:
            return change
        held = list(held)
        rows = np.eye(len(change))[held]
        responses = np.array([self._jumps.solve(row, bottom=0.0).copy() for row in rows])
        A = responses[:, held]
        scale = 1 / np.sqrt(np.maximum(np.diag(A), 1e-300))
        left = scale * (np.asarray(wanted) - change[held])
        strength = scale * np.linalg.lstsq(A * np.outer(scale, scale), left, rcond=1e-9)[0]
        return change + strength @ responses


class _Ahead:
    """Slopes and witnesses at a vector of inputs."""

    def __init__(self, system: System, inputs: np.ndarray):
        self.rates, self.witnesses = np.zeros(system.rhs.n_out), np.zeros(system.code.events.n_out)
        self.slope = system.rhs.bind(inputs, self.rates)
        self.watch = system.code.events.bind(inputs, self.witnesses)


def _target(system: System, when, name: str, target: ca.SX) -> tuple[str, int, float]:
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
    refuse_over_time(name, system)
    raise ModelError(f"{when.name}: {name} follows from other variables and cannot be set; set a coordinate, a speed "
                     "or an integral of its own, or a discrete variable.", when.name)


def _refuse_prescribed(system: System, when, name: str, part: str, place: int) -> None:
    """A coordinate whose motion is given cannot be set by an action."""
    if part not in "qu":
        return
    own = system.mechanism.slices()["qu".index(part)]
    for k in system.equations.prescribed:
        if own[k].start <= place < own[k].stop:
            joint = system.mechanism.bodies[k].joint
            raise ModelError(f"{when.name}: {name} cannot be set, the motion of {joint} is prescribed. Act on what "
                             "prescribes it instead, for instance through a discrete variable.", joint)
