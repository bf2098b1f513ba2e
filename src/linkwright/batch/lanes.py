"""Runs of a sweep side by side in the lanes of the processor or on a GPU, each with the bits of its ordinary run.

Lanes take what needs the states at output times alone: outputs over time, and final values.  A run that a lane cannot
finish (see `studies.lane_runs`) and every run of a mechanism in which things happen is made by the ordinary simulation.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from ..compiler import changed, is_input, is_parameter, owner_of, system_of
from ..errors import LinkwrightError
from ..result import Trajectory
from ..start import conditions_read
from ..studies.goals import Final
from ..studies.lane_runs import LaneRuns, refusal
from ..studies.simulate import prepare
from ..system import State
from .runs import Job, Row

LANE_OPTIONS = ("method", "accuracy", "h", "weights", "time_scale", "norm")


class LaneBatch:
    """The lanes of a job; `fits` where its runs can go through them at all."""

    def __init__(self, job: Job, device: str = "cpu"):
        self.job, self.runs = job, None
        self.start = float(job.options.get("start") or 0.0)
        wanted = all(isinstance(reducer, Final) for reducer in job.reducers.values())
        others = [name for name in job.names if name not in job.tunable and not is_input(job.model, name)]
        structural = [name for name in others if is_parameter(job.model, name)]
        system = system_of(job.model, **({"tunable": job.tunable} if job.tunable else {}))
        # a start value that is a coordinate of a tree, and that no other condition reads, is set as it is
        self.plain = (not system.mechanism.constraints and not conditions_read(system, job.names)
                      and {*system.part_names("q"), *system.part_names("u")}.issuperset(others))
        method, h = str(job.options.get("method", "auto")), job.options.get("h")
        over_time = any(callable(value) or np.ndim(value) for value in job.inputs.values())
        self.fits = wanted and not structural and not over_time and refusal(system, method, h) is None
        self.inputs = {name for name in job.names if is_input(job.model, name)}
        self.owners = {name: owner_of(job.model, name) for name in job.names if name not in self.inputs}
        if self.fits:
            self.slots = {name: system.slot(name) for name in job.names} if self.plain else {}
            self.base = prepare(system, None, self.start, job.inputs)
            options = {name: job.options[name] for name in LANE_OPTIONS if name in job.options}
            self.runs = LaneRuns(system, self.base, job.stop, start=self.start, step=job.options.get("step"),
                                 device=device, **options)

    def made(self, values: Sequence[Mapping[str, object]]) -> list[Row | None]:
        """A row for every run that a lane could finish, and for those that cannot begin."""
        rows: list[Row | None] = [None] * len(values)
        states, places, began = [], [], time.perf_counter()
        for k, own in enumerate(values):
            try:
                states.append(self._begin(own))
                places.append(k)
            except LinkwrightError as error:
                rows[k] = Row("failed", str(error))
        if not states:
            return rows
        found = self.runs.run(states)
        share = (time.perf_counter() - began) / len(values)
        done = [j for j in range(len(states)) if found.status[j] == 1]
        kept = self._taken(states, found, done, self.job.outputs, slice(None))
        ends = self._taken(states, found, done, [goal.name for goal in self.job.reducers.values()], slice(-1, None))
        for n, j in enumerate(done):
            outputs = {name: array[n] for name, array in kept.items()}
            reduced = {name: np.asarray(ends[goal.name][n, -1]) for name, goal in self.job.reducers.items()}
            rows[places[j]] = Row("ok", "", float(self.runs.grid[-1]), share, int(found.events[j]), int(found.steps[j]),
                                  outputs, reduced)
        return rows

    def _begin(self, values: Mapping[str, object]) -> State:
        """The state that a run begins with, its values checked as those of the model."""
        inputs = {name: value for name, value in values.items() if name in self.inputs}
        others = {name: value for name, value in values.items() if name not in inputs}
        with changed(self.job.model, others, self.owners):
            if not self.plain:
                system = system_of(self.job.model, **({"tunable": self.job.tunable} if self.job.tunable else {}))
                return prepare(system, None, self.start, {**self.job.inputs, **inputs})
        state = self.base.copy()
        for name, value in values.items():
            part, where = self.slots[name]
            getattr(state, part)[where] = np.ravel(value)
        return state

    def _taken(self, states: Sequence[State], found, done: Sequence[int], names: Sequence[str],
               when: slice) -> dict[str, np.ndarray]:
        """Variables of all runs at output times, computed at once."""
        if not done or not names:
            return {}
        grid, n = self.runs.grid[when], len(done)
        x = found.grid_x[done, when].reshape(n * len(grid), -1)
        d, p, y = (np.repeat([getattr(states[j], part) for j in done], len(grid), axis=0) for part in "dpy")
        # what changes on the way, as it is at each output time
        first = self.runs.system.layout.places["d"].start
        changing = [slot - first for slot in self.runs.program.changing]
        d[:, changing] = found.grid_changing[done, when].reshape(len(d), -1)
        along = Trajectory(self.runs.system, np.tile(grid, n), x, d, p, y)
        return {name: values.reshape(n, len(grid), *values.shape[1:])
                for name, values in along.get_many(list(dict.fromkeys(names))).items()}
