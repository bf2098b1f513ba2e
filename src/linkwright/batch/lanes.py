"""Runs of a sweep side by side in the lanes of the processor or on a GPU, each with the bits of its ordinary run.

Lanes give the states at output times: outputs over time, and final values.  Extremes, means and instants ask for states
between them: the runs are made again, with those as output times.  A run that a lane cannot finish is taken over by
the ordinary run where it was left, or made by it from the start (see `studies.lane_runs`).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..compiler import is_input, owner_of, refusals
from ..result import Trajectory
from ..studies import output_times
from ..studies.goals import Final, Goal, Integral, Search
from ..studies.lane_runs import Finished, LaneRuns, Starts
from ..studies.stepped_runs import refusal_of, runs_of, steps_contacts
from ..system import State
from .runs import STATUS, Block, Job, Row, shared_by_runs
from .tolerances import NUMBERS

if TYPE_CHECKING:
    from ..integrate.step_programs import LaneResults

LANE_OPTIONS = ("method", "accuracy", "weights", "time_scale", "norm")
DONE = 1


class LaneBatch:
    """The lanes of a job; `fits` where its runs can go through them at all."""

    def __init__(self, job: Job, device: str = "cpu", threads: int = 1):
        self.job = job
        self.start = float(job.options.get("start") or 0.0)
        self.goals: dict[str, Goal] = {name: goal for name, goal in job.reducers.items() if isinstance(goal, Goal)}
        self.searching = any(not isinstance(goal, Final) for goal in self.goals.values())
        self.integrating = any(isinstance(goal, Integral) for goal in self.goals.values())
        self.shared = shared = shared_by_runs(job)
        self.why = self._refusal(device)
        self.fits = self.why is None
        self.owners = {name: owner_of(job.model, name) for name in job.names if not is_input(job.model, name)}
        if self.fits and shared is not None:
            self.base, self.starts = shared.starts.base, shared.starts
            options = {name: job.options[name] for name in LANE_OPTIONS if name in job.options}
            self.runs = runs_of(shared.system, self.base, job.stop, start=self.start, device=device,
                                h=job.options.get("fixed_step"), step=job.options.get("output_step"),
                                threads=threads, **options)
            # of runs that only their end is asked of, nothing else is kept
            self.grid = self.runs.grid if job.outputs or self.searching else self.runs.grid[-1:]

    def _refusal(self, device: str) -> str | None:
        """Why runs cannot go through lanes; None where they can."""
        shared, method = self.shared, self.job.options.get("method", "auto")
        if shared is None:
            return "a swept value decides the structure, or an input is a function of time"
        for name in self.job.reducers:
            if name not in self.goals:
                return f"the reduction {name} is a function in Python"
        events = bool(shared.system.mechanism.events)
        if self.searching and shared.system.layout.size("y"):
            # unknowns are followed from one output time to the next
            return "what is searched between output times has unknowns that are followed from one time to the next"
        if self.integrating and events and (device == "gpu" or steps_contacts(shared.system, method)):
            return "an integral or mean asks when events were, which is not kept"
        return refusal_of(shared.system, shared.starts.base, method)

    def made(self, columns: Mapping[str, np.ndarray]) -> tuple[Block, np.ndarray]:
        """What is kept of the runs, and the places of those that are to be made from the start elsewhere."""
        n = len(next(iter(columns.values())))
        block = Block(n, len(output_times(self.start, self.job.stop, self.job.options.get("output_step"))))
        if not self.fits:
            return block, np.arange(n)
        began = time.perf_counter()
        starts, places = self.begin(columns, block)
        if not len(places):
            return block, np.empty(0, dtype=int)
        found = self.runs.run(starts, grid=self.grid)
        runs = _Runs(self.runs, starts, found)
        done = np.flatnonzero((found.status == DONE) & ~self._eventful(found.instants))
        sought = self._sought(runs, done)
        share = (time.perf_counter() - began) / n
        block.fill(places[done], {"status": STATUS.index("ok"), "ended": self.grid[-1], "wall": share,
                                  "events": found.events[done], "steps": found.steps[done]},
                   runs.variables(done, self.grid, self.job.outputs), sought)
        left = []
        for j in np.setdiff1d(np.arange(len(places)), done).tolist():
            ended = None if self.searching else self.runs.finish(found, j, runs.state(j, self.base), self.grid)
            if ended is None:
                left.append(places[j])
            else:
                block.put(places[j], self._row(runs, j, ended, share))
        return block, np.array(left, dtype=int)

    def begin(self, columns: Mapping[str, np.ndarray], block: Block | None = None) -> tuple[Starts, np.ndarray]:
        """Where runs begin, their values checked as those of the model, and their places; the others have failed."""
        n = len(next(iter(columns.values())))
        block = Block(n, 0) if block is None else block
        others = {name: column for name, column in columns.items() if name in self.owners}
        refused = refusals(self.job.model, others, self.owners) if others else {}
        for k, message in refused.items():
            block.put(k, Row("failed", message))
        places = np.setdiff1d(np.arange(n), list(refused))
        inputs, failed = self.starts.rows({name: column[places] for name, column in columns.items()})
        for j, error in failed.items():
            block.put(int(places[j]), Row("failed", str(error)))
        good = np.setdiff1d(np.arange(len(places)), list(failed))
        return self.runs.starts(inputs[good]), places[good]

    def _eventful(self, instants: np.ndarray) -> np.ndarray:
        """Runs with more events than were remembered, where an integral has to know their times."""
        return self.integrating & (instants[:, 0] > instants.shape[1] - 1)

    def _row(self, runs: _Runs, j: int, ended: Finished, wall: float) -> Row:
        """The row of a run that was taken over: its end may lie between output times, or it may have failed."""
        t = self.grid[: ended.rows].copy()
        if len(t):
            t[-1] = ended.ended
        names = [*self.job.outputs, *(goal.name for goal in self.goals.values())]
        kept = runs.variables(np.array([j]), t, names, ended.rows) if len(t) else {}
        outputs = {name: kept[name][0] for name in self.job.outputs if name in kept}
        reduced = {} if ended.error else {name: np.asarray(kept[goal.name][0, -1]) for name, goal in self.goals.items()}
        return Row("failed" if ended.error else "ok", str(ended.error or ""), ended.ended, wall,
                   int(runs.found.events[j]), int(runs.found.steps[j]), outputs, reduced, ended.since)

    # --- what is asked of runs beside their output times ---

    def _sought(self, runs: _Runs, done: np.ndarray) -> dict[str, np.ndarray]:
        """What the goals have found, a row for each run."""
        if not len(done) or not self.goals:
            return {}
        width = max(len(self.grid) * 4, 256) * self.runs.program.n
        size = max(1, NUMBERS // width)
        parts = [self._searched(runs, done[a : a + size]) for a in range(0, len(done), size)]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.goals}

    def _searched(self, runs: _Runs, done: np.ndarray) -> dict[str, np.ndarray]:
        """All searches together: what they ask for is computed at once."""
        names = list(dict.fromkeys(goal.name for goal in self.goals.values()))
        values = runs.variables(done, self.grid, names)
        t = np.tile(self.grid, (len(done), 1))
        pieces = self._pieces(runs.found.instants[done]) if self.integrating else t
        packed = Starts(runs.starts.inputs[done], runs.starts.suits[done])
        searches: dict[str, Search] = {name: goal.search(t, values[goal.name], pieces)
                                       for name, goal in self.goals.items()}
        results: dict[str, np.ndarray] = {}
        answers: dict[str, np.ndarray | None] = dict.fromkeys(searches)
        while True:
            asked: dict[str, np.ndarray] = {}
            for name, answer in answers.items():
                try:
                    asked[name] = next(searches[name]) if answer is None else searches[name].send(answer)
                except StopIteration as end:
                    results[name] = end.value
            if not asked:
                return results
            times = np.concatenate(list(asked.values()), axis=1)
            order = np.argsort(times, axis=1, kind="stable")
            ordered = np.take_along_axis(times, order, axis=1)
            there = self.runs.run(packed, grid=ordered)
            seen = _Runs(self.runs, packed, there).variables(np.arange(len(done)), ordered,
                                                             [self.goals[name].name for name in asked])
            back, first = np.argsort(order, axis=1, kind="stable"), 0
            answers = {}
            for name, own in asked.items():
                every, place = seen[self.goals[name].name], back[:, first : first + own.shape[1]]
                answers[name] = np.take_along_axis(every, place.reshape(*place.shape, *[1] * (every.ndim - 2)), axis=1)
                first += own.shape[1]

    def _pieces(self, instants: np.ndarray) -> np.ndarray:
        """Output times and times of events, of every run; as many for each, the last repeated."""
        most = int(instants[:, 0].max(initial=0.0))
        numbers, times = np.arange(most), instants[:, 1 : 1 + most]
        inside = (numbers < instants[:, :1]) & (times > self.grid[0]) & (times < self.grid[-1])
        both = np.concatenate([np.tile(self.grid, (len(instants), 1)), np.where(inside, times, self.grid[-1])], axis=1)
        return np.sort(both, axis=1)


@dataclass(frozen=True)
class _Runs:
    """Runs that were made, and where they began."""

    runs: LaneRuns
    starts: Starts
    found: LaneResults

    def state(self, j: int, like: State) -> State:
        """Where a run began."""
        return self.runs.system.layout.put(self.starts.inputs[j], like.copy())

    def variables(self, which: np.ndarray, times: np.ndarray, names: Sequence[str],
                  rows: int | None = None) -> dict[str, np.ndarray]:
        """Variables (run, time, …) of some runs at the output times they were made with, or at the first `rows`."""
        if not len(which) or not names:
            return {}
        system, names = self.runs.system, list(dict.fromkeys(names))
        x, first = self.found.grid_x[which, :rows], system.layout.places["d"].start
        n, count = x.shape[:2]
        d, p, y = (self.starts.inputs[which, system.layout.places[part]] for part in "dpy")
        d = np.repeat(d[:, None], count, axis=1)
        # what changes on the way, as it is at each time
        changing = [slot - first for slot in self.runs.program.changing]
        d[:, :, changing] = self.found.grid_changing[which, :rows]
        t = np.broadcast_to(times, (n, count))
        if y.shape[1]:
            # unknowns are followed from each time to the next
            each = [Trajectory(system, t[k], x[k], d[k], p[k], y[k]).get_many(names) for k in range(n)]
            return {name: np.array([one[name] for one in each]) for name in names}
        along = Trajectory(system, t.reshape(-1), x.reshape(n * count, -1), d.reshape(n * count, -1),
                           np.repeat(p, count, axis=0), np.repeat(y, count, axis=0))
        return {name: values.reshape(n, count, *values.shape[1:]) for name, values in along.get_many(names).items()}
