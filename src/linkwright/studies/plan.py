"""What optimal control finds: a motion and the inputs that make it, with everything that a Result can be asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError
from ..result import At, EventTable, Result, Trajectory
from ..system import State, System
from .transcription import Mesh


class Plan(Result):
    """A planned motion: `plan["rev.phi"]`, `plan.at(t)`, `plan.plot(…)`, `plan.animate()` as of any Result.

    `goal` is what was minimised, `time` the duration, `inputs` are (t, values) by name, as `simulate(inputs=)` takes
    them; `success` and `message` say how it ended.  Between points the motion is the polynomial of its interval.
    """

    def __init__(self, system: System, state: State, mesh: Mesh, points: np.ndarray, duration: float,
                 places: dict[str, Any], goal: float, success: bool, message: str, counters: dict[str, int]):
        self.mesh, self.points, self.time, self.goal = mesh, points, duration, goal
        self.success, self.message = success, message
        self._places, self._given = places, state
        t = duration * mesh.times
        Trajectory.__init__(self, system, t, points[:, places["x"]], self._inputs_at(points[:, places["w"]]),
                            state.p.copy(), state.y.copy())
        self._state = state
        self.counters, self.events, self.messages = dict(counters), EventTable(()), []
        self._touches = []

    def __repr__(self) -> str:
        return (f"Plan({self.system.mechanism.name!r}, {self.time:g} s, {len(self.mesh.shares)} intervals, goal "
                f"{self.goal:g}{'' if self.success else f': {self.message}'})")

    @property
    def inputs(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """(t, values) of the inputs."""
        names = self.system.part_names("d")
        return {names[place]: (self.t, self.points[:, self._places["w"]][:, k])
                for k, place in enumerate(self._places["inputs"])}

    def _inputs_at(self, values: np.ndarray) -> np.ndarray:
        """Discrete variables with these inputs among them, one row for each time."""
        d = np.tile(self._given.d, (len(values), 1))
        d[:, self._places["inputs"]] = values
        return d

    def at(self, t: Any, side: str = "before") -> Any:
        """The variables at a time, or at an array of times."""
        times = np.atleast_1d(np.asarray(t, dtype=float)) / self.time
        if times.size and not (times.min() >= -1e-12 and times.max() <= 1 + 1e-12):
            raise ModelError(f"the time asked for is not covered; the plan goes from 0 to {self.time:g} s.")
        x = self.mesh.interpolated(self.points[:, self._places["x"]], self.points[:, self._places["slopes"]], self.time,
                                   times)
        d = self._inputs_at(self.mesh.between(self.points[:, self._places["w"]], times))
        there = Trajectory(self.system, times * self.time, x, d, self._p, self._y)
        return there if np.ndim(t) else At(there)

    @property
    def end(self) -> State:
        """The state at the end of the plan."""
        state = self._given.copy()
        state.t = self.time
        state.q, state.u, state.z = self.system.layout.split(self.states[-1])
        return state
