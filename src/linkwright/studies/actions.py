"""Actions of a run: what `m.when` and `m.terminate` ask for, done at the instant their condition becomes true."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..system import System

TURN = 1e-7  # seconds ahead to see whether a reset turns the motion back


class Actions:
    """Conditions, targets and new values of the actions of one run."""

    def __init__(self, run):
        self.run = run
        self.whens = run.happenings.whens
        self.targets = [[_target(run.system, when, target) for target in when.targets] for when in self.whens]
        m = run.system.mechanism
        self.first = {"q": 1, "u": 1 + m.nq, "z": 1 + m.nq + m.nu, "d": 1 + run.n}

    def conditions(self) -> np.ndarray:
        """Truth of every condition now."""
        return self._now()[0]

    def _now(self):
        """(conditions, targets, values) at the present inputs."""
        if not self.whens:
            return np.zeros(0, dtype=bool), [], []
        flat, start, conditions, targets, values = self.run.situation()["whens"], 0, [], [], []
        for when in self.whens:
            n = len(when.targets)
            conditions.append(flat[start] != 0)
            targets.append(flat[start + 1 : start + 1 + n])
            values.append(flat[start + 1 + n : start + 1 + 2 * n])
            start += 1 + 2 * n
        return np.array(conditions), targets, values

    def act(self, which, x_before) -> None:
        """Set the targets of actions, all from the same values.

        An action that turns the motion back (a ball off the floor) keeps the state on the side it came from.
        """
        run = self.run
        resets = any(part != "d" for k in which for part, _, _ in self.targets[k])
        if x_before is None or not resets:
            self._set(which)
        else:
            after = run.inputs.copy()
            run.x[:] = x_before
            self._set(which)
            if self._goes_on(which):
                run.inputs[:] = after
                self._set(which)
        for k in which:
            when = self.whens[k]
            run.log(when.name, 1)
            if when.message is not None and run.message is None:
                run.message = when.message

    def _set(self, which) -> None:
        _, targets, values = self._now()
        inputs, new = self.run.inputs, {}
        for k in which:
            for (part, place, slope), now, value in zip(self.targets[k], targets[k], values[k], strict=True):
                at = self.first[part] + place
                new[at] = inputs[at] + (value - now) / slope
        for at, value in new.items():
            inputs[at] = value

    def _goes_on(self, which) -> bool:
        """Whether the conditions would still become true a little later."""
        run, code = self.run, self.run.system.code
        saved = run.inputs.copy()
        index = [i for i, w in enumerate(run.watched) if w.what == "when" and w.number in which]
        now = code.events(run.inputs)[index]
        run.x[:] += TURN * run.system.rhs(run.inputs)[: run.n]
        later = code.events(run.inputs)[index]
        run.inputs[:] = saved
        return bool(np.any(later < now))


def _target(system: System, when, target: ca.SX) -> tuple[str, int, float]:
    """(part, place, slope) of the one number of the state that sets a target."""
    e = system.equations
    expression = e.finish(target)[0]
    for part in "quzd":
        J = ca.jacobian(expression, e.symbols[part])
        if J.nnz() == 1 and J.nz[0].is_constant():
            rest = [p for p in "quz" if p != part and ca.depends_on(expression, e.symbols[p])] if part != "d" else []
            if not rest:
                place = J.sparsity().get_col()[0]
                _refuse_prescribed(system, when, target, part, place)
                return part, place, float(J.nz[0])
    raise ModelError(f"{when.name}: {target} follows from other variables and cannot be set; set a coordinate, a speed "
                     "or an integral of its own, or a discrete variable.", when.name)


def _refuse_prescribed(system: System, when, target, part: str, place: int) -> None:
    """A coordinate whose motion is given cannot be set by an action."""
    if part not in "qu":
        return
    own = system.mechanism.slices()["qu".index(part)]
    for k in system.equations.prescribed:
        if own[k].start <= place < own[k].stop:
            joint = system.mechanism.bodies[k].joint
            raise ModelError(f"{when.name}: {target} cannot be set, the motion of {joint} is prescribed. Act on what "
                             "prescribes it instead, for instance through a discrete variable.", joint)
