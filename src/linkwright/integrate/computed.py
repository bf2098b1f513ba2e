"""What a stepper has computed so far: where it stands, the points and outputs it has come through, what it counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .history import states_at
from .implicit_backward import IMPLICIT
from .record import CODE, COUNTERS, G_SLACK
from .settings import Settings

if TYPE_CHECKING:
    from .accepted_points import Points
    from .method_in_use import MethodInUse
    from .methods import Method


class Computed(Settings):
    """Base of Stepper: what others read of it between the steps of a run."""

    _in: np.ndarray
    _inputs: np.ndarray
    _g: np.ndarray
    _grid_x: np.ndarray
    _carry_from: np.ndarray
    _points: Points
    _methods: MethodInUse
    n: int

    @property
    def t(self) -> float:
        """Present time."""
        return float(self._in[0])

    @property
    def inputs(self) -> np.ndarray:
        """The model's input vector (t, x, rest) at the last accepted point; may be written to."""
        return self._inputs

    @property
    def x(self) -> np.ndarray:
        """Present state, a view into `inputs`; may be written to."""
        return self._in[1 : 1 + self.n]

    @x.setter
    def x(self, value: Sequence[float] | np.ndarray) -> None:
        self._in[1 : 1 + self.n] = value

    @property
    def slack(self) -> np.ndarray:
        """The slack, added to every witness; may be written to before a run starts or goes on."""
        return self._g[G_SLACK, : self._r.n_events]

    @property
    def h(self) -> float:
        """The step size planned next."""
        return self._r.h

    @property
    def method(self) -> Method:
        """The method in use."""
        return self._methods.method

    @property
    def methods(self) -> list[tuple[float, str]]:
        """The methods used: (from when on, name)."""
        return list(self._methods.history)

    @property
    def grid_x(self) -> np.ndarray:
        """States at the output times reached so far, one row each."""
        return self._grid_x[: self._r.grid_next]

    @property
    def steps_t(self) -> np.ndarray:
        """Times of all accepted points; a change by the caller repeats the time with the state after it."""
        return self._points.arrays["steps_t"][: self._r.n_steps]

    @property
    def steps_x(self) -> np.ndarray:
        """States of all accepted points."""
        return self._points.arrays["steps_x"][: self._r.n_steps]

    @property
    def tried_to(self) -> float:
        """The time at which the last step was to end; an event may have cut it short."""
        return self._r.t1

    @property
    def steps_updated(self) -> np.ndarray:
        """Values of the slots `updated` from every accepted point on."""
        return self._points.arrays["steps_carry"][: self._r.n_steps, len(self._carry_from) :]

    def not_backward(self) -> str | None:
        """Why the stored steps cannot be taken backward (see `adjoint`), where they cannot."""
        for force in self._points.in_force:
            stages = CODE.view.from_buffer_copy(force.code).every_stage
            fixed_point = force.method.name in IMPLICIT and not force.method.implicit
            if force.method.uses_qdot or fixed_point and stages:
                return (f"from t = {self.steps_t[force.start]:.6g} s on the run was stepped by {force.method.name}"
                        f"{', every stage projected,' if stages else ','} whose steps are not taken backward")
        return None

    def dense(self, t: float | Sequence[float] | np.ndarray, side: str = "left") -> np.ndarray:
        """States at times already covered, at the accuracy of the run; `side` of a change: "left" or "right"."""
        return states_at(self, t, side)  # type: ignore[arg-type]  # of a Stepper

    @property
    def counters(self) -> dict[str, int]:
        """Steps accepted and rejected, evaluations of rhs, projection iterations, witness evaluations, events, …"""
        return {name: getattr(self._r.counts, name) for name in COUNTERS}
