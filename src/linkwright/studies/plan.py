"""What optimal control finds: a motion and the inputs that make it, with everything that a Result can be asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import LinkwrightError, ModelError
from ..result import At, EventTable, Result, Trajectory
from ..system import Implicit, State
from .tolerances import END_ROUNDING, FINE
from .transcription import Mesh


class Plan(Result):
    """A planned motion: `plan["rev.phi"]`, `plan.at(t)`, `plan.plot(…)`, `plan.animate()` as of any Result.

    `goal` is what was minimised, `time` the duration, `inputs` are (t, values) by name, as `simulate(inputs=)` takes
    them; `success` and `message` say how it ended.  Between points the motion is the polynomial of its interval.
    `miss` says by name how far from the end of the plan a simulation with its inputs ends (NaN where that fails).
    """

    miss: dict[str, float]

    def __init__(self, point: Implicit, state: State, mesh: Mesh, points: np.ndarray, duration: float, goal: float,
                 success: bool, message: str, counters: dict[str, int], missed: tuple[str, ...] = ()):
        self.mesh, self.points, self.time, self.goal = mesh, points, duration, goal
        self.success, self.message, self.miss, self._missed = success, message, {}, missed
        self._point, self._given = point, state
        t = duration * mesh.times
        states = point.followed(points[:, : point.nx], state, t)
        Trajectory.__init__(self, point.system, t, states, self._inputs_at(points[:, point.places["w"]]),
                            state.p.copy(), state.y.copy())
        self._state = state
        self.counters, self.events, self.messages = dict(counters), EventTable(()), []
        self._touches = []

    def __repr__(self) -> str:
        return (f"Plan({self.system.mechanism.name!r}, {self.time:g} s, {len(self.mesh.shares)} intervals, goal "
                f"{self.goal:g}{'' if self.success else f': {self.message}'})")

    def show(self, **options: Any) -> Any:
        """Print how the search ended and show the last position of the plan; what is missed there is marked in red.

        `options` are those of `m.show()`: browser, block, port.
        """
        ended = LinkwrightError(self.message, *self._missed)
        ended.model, ended.state = self.system.model, self.end
        return ended.show(**options)

    def __getstate__(self) -> dict[str, object]:
        """What is copied and pickled: the equations are written down again from the system."""
        return {**self.__dict__, "_point": (self._point.inputs, self._point.after.numel(), self._point.caught)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._point = Implicit(self.system, self._given, *kept["_point"])

    @property
    def inputs(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """(t, values) of the inputs, so close that straight lines between them follow the polynomials."""
        names, inside = self.system.part_names("d"), np.linspace(0, 1, FINE, endpoint=False)
        times = np.append((self.mesh.ends[:-1, None] + self.mesh.shares[:, None] * inside).ravel(), 1.0)
        values = self.mesh.between(self.points[:, self._point.places["w"]], times)
        return {names[place]: (times * self.time, values[:, k]) for k, place in enumerate(self._point.inputs)}

    def _inputs_at(self, values: np.ndarray) -> np.ndarray:
        """Discrete variables with these inputs among them, one row for each time."""
        d = np.tile(self._given.d, (len(values), 1))
        d[:, self._point.inputs] = values
        return d

    def at(self, t: Any, side: str = "before") -> Any:
        """The variables at a time, or at an array of times."""
        times = np.atleast_1d(np.asarray(t, dtype=float)) / self.time
        if times.size and not (times.min() >= -END_ROUNDING and times.max() <= 1 + END_ROUNDING):
            raise ModelError(f"the requested time is not covered; the plan goes from 0 to {self.time:g} s.")
        point = self._point
        x = self.mesh.interpolated(self.points[:, : point.nx], self.points[:, point.slopes], self.time, times)
        d = self._inputs_at(self.mesh.between(self.points[:, point.places["w"]], times))
        if point.closed is not None:
            near = np.column_stack([np.interp(times, self.mesh.times, column) for column in self.states.T])
            x = point.whole(x, point.constants_of(self._given, times * self.time, near))
        there = Trajectory(self.system, times * self.time, x, d, self._p, self._y)
        return there if np.ndim(t) else At(there)

    @property
    def start(self) -> State:
        """The state at which the plan begins, for `simulate(…, state=plan.start, inputs=plan.inputs)`."""
        return self._state_at(0)

    @property
    def end(self) -> State:
        """The state at the end of the plan."""
        return self._state_at(-1)

    def _state_at(self, k: int) -> State:
        state = self._given.copy()
        state.t = float(self.t[k])
        state.q, state.u, state.z = self.system.layout.split(self.states[k])
        return state
