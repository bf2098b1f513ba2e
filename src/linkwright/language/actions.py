"""Events of a model: discrete variables, actions, ends of a run, sampled controllers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import ModelError
from .conditions import as_condition
from .formulas import as_symbolic

if TYPE_CHECKING:
    from .model import Model


@dataclass
class Action:
    """What happens when a condition becomes true: variables and their new values, or the end of the run.

    An `each_step` has no condition: it happens whenever a step of the run is completed.  Nor has one with a `period`:
    it happens at the start of the run, and every `period` seconds from then on.
    """

    condition: ca.SX
    changes: dict = field(default_factory=dict)
    message: str | None = None
    each_step: bool = False
    name: str | None = None  # what it is called among the events; default its condition
    period: float | None = None

    def expressions(self) -> list[ca.SX]:
        """All it reads or sets."""
        return [self.condition, *self.changes, *self.changes.values()]


class EventMethods:
    """The part of a Model that deals with instants."""

    def when(self, condition: object, changes: Mapping) -> None:
        """At the instant `condition` becomes true, give variables new values: `m.when(m.s.s < 0, {m.s.v: -m.s.v})`.

        What can be set: coordinates, speeds, integrals and discrete variables, and of a body that floats freely (or of
        a free or spherical joint) place, velocity, orientation and angular velocity, whole or by entries:
        `m.when(m.ball.r_0[1] < 0, {m.ball.r_0: [0, 1, 0], m.ball.v_0: [1, 0, 0]})`.  All new values are computed from
        those just before; nothing happens where the condition holds from the start.
        """
        self._actions.append(Action(as_condition(self, condition), _changes(self, "when", changes)))

    def terminate(self, condition: object, message: str = "the run was ended by its model") -> None:
        """End the run, in good order, at the instant `condition` becomes true; the reason is in r.messages."""
        self._actions.append(Action(as_condition(self, condition), {}, str(message)))

    def discrete(self, name: str, start: float = 0.0) -> ca.SX:
        """A variable that is constant between events; `m.when` gives it new values."""
        return self.input(name, default=start)

    def each_step(self, changes: Mapping) -> None:
        """Give discrete variables new values whenever a step is completed: `m.each_step({peak: lw.fmax(peak, m.s.v)})`.

        They see the ends of the steps that the stepper chooses, and the start of the run; between them they are
        constant.  For what must not be missed between steps, and for what has a time of its own, use `when`.
        """
        self._actions.append(Action(ca.SX(1), _changes(self, "each_step", changes), each_step=True))

    def sample(self, dt: float, changes: Mapping) -> None:
        """Give discrete variables new values every `dt` seconds: a controller in formulas, sampled and held.

        >>> u, total = m.discrete("u"), m.discrete("total")
        >>> m.sample(0.01, {u: -8 * m.rev.phi - total, total: total + 0.01 * m.rev.phi})

        It happens at the start of the run and at every multiple of `dt` after it, when all else has been decided there.
        All new values are computed from those just before.  Being formulas, it runs wherever the model does: in sweeps,
        on a GPU, in an FMU, a page, C.
        """
        _check_period(self, "sample", dt)
        self._actions.append(Action(ca.SX(0), _changes(self, "sample", changes), period=float(dt),
                                    name=f"sample every {dt:g} s"))

    def every(self, dt: float) -> Callable:
        """A controller in Python, asked every `dt` seconds between steps; what it returns is held until the next time.

        One that is made of formulas is better told by `sample`, which runs in compiled code, too.

        >>> u = m.input("brake")
        >>> @m.every(0.01)
        ... def control(t, y):
        ...     return {"brake": 3.0 if y["rev.w"] > 1 else 0.0}
        """
        _check_period(self, "every", dt)

        def register(function: Callable) -> Callable:
            self._controllers.append((function, float(dt)))
            return function

        return register


def _check_period(model: Model, what: str, dt: object) -> None:
    number = isinstance(dt, (int, float, np.number)) and not isinstance(dt, bool)
    if not (number and np.isfinite(dt) and dt > 0):
        raise ModelError(f"{model.path}: {what} needs a positive number of seconds, got {dt!r}.", model)


def _changes(model: Model, what: str, changes: Mapping) -> dict:
    """Targets and new values as expressions."""
    if not isinstance(changes, Mapping) or not changes:
        raise ModelError(f"{model.path}: {what} needs a dict of variables and new values, got {changes!r}.", model)
    entries = {}
    for target, value in changes.items():
        if not isinstance(target, ca.SX) or target.shape[1] != 1:
            raise ModelError(f"{model.path}: {what} sets variables such as m.rev.w or m.body.v_0, got {target!r}.",
                             model)
        if target.numel() == 1:
            entries[target] = _number_or_expression(model, target, value)
            continue
        for part, number in zip(ca.vertsplit(target), _entries(model, target, value), strict=True):
            entries[part] = _number_or_expression(model, part, number)
    return entries


def _entries(model: Model, target: ca.SX, value: object) -> list:
    """The new values of a vector, entry by entry."""
    value = as_symbolic(value)
    whole = isinstance(value, ca.SX)
    if (value.numel() if whole else np.size(value) if np.ndim(value) == 1 else -1) != target.numel():
        raise ModelError(f"{model.path}: the new value of {target} must be {target.numel()} numbers or expressions, "
                         f"got {value!r}.", model)
    return ca.vertsplit(ca.vec(value)) if whole else list(value)


def _number_or_expression(model: Model, target: ca.SX, value: object) -> ca.SX:
    value = as_symbolic(value)
    if isinstance(value, ca.SX) and value.numel() == 1:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{model.path}: the new value of {target} must be a number or an expression, got {value!r}.",
                         model) from None
    if not np.isfinite(number):
        raise ModelError(f"{model.path}: the new value of {target} must be finite, got {value}.", model)
    return ca.SX(number)
