"""Many runs of one step program on this processor: W at a time, each with the bits of the ordinary stepper."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...codegen import Linked, native_lanes
from ...codegen.dialect import layout
from ...errors import ModelError
from ..record import FAILURES, G_SENSE, HOLD_MOST, WEIGHT
from ..tolerances import CLOCK, HUGE, MOST_INSTANTS, NEVER, PATIENCE, PAUSE_SECONDS, REMEMBERED
from .lane_record import Memory, in_use
from .step_program import DONE, FAILED, IDLE, REASONS, StepProgram

NOT_FINITE = "a start is not finite."
#: where the loop finds the numbers of a lane
PLACES = {"doing": "doing", "status": "status", "t": "t", "target": "target", "horizon": "horizon",
          "steps": "counts.steps", "rejected": "counts.rejected", "happened": "happened", "inp": "at.inp",
          "grid": "at.grid", "grid_x": "at.grid_x"}


@dataclass(frozen=True)
class Aim:
    """The end time and the accuracy of runs, with step size, weights and tolerances (see `Stepper`)."""

    stop: float
    accuracy: float = 1e-8
    h: float | None = None
    weights: np.ndarray | None = None
    time_scale: float = 1.0
    tolerance: float = 0.0


@dataclass(frozen=True)
class LaneResults:
    """What became of every run.

    `status` is DONE, FAILED, or asks for the ordinary run (REASONS says why); `t` and `x` are where the run came to,
    `grid_x` (run, output time, state) is filled up to there, NaN beyond; `rest` is the tail of the input vector at the
    end, and `grid_changing` holds its slots that change on the way, as they are in force at output times.  `events` is
    how many events there were; `resting` is the memory of lanes whose runs were not finished, `instants` the number of
    events, then their times.
    """

    status: np.ndarray
    cause: np.ndarray
    t: np.ndarray
    x: np.ndarray
    rest: np.ndarray
    grid_x: np.ndarray
    grid_changing: np.ndarray
    steps: np.ndarray
    rejected: np.ndarray
    events: np.ndarray
    resting: np.ndarray
    instants: np.ndarray
    memory: Memory

    def lane(self, run: int) -> Callable[[str], np.ndarray]:
        """What a run that was not finished has kept, by the names of its record."""
        return lambda name: self.memory.of(self.resting[run], name)

    @property
    def unfinished(self) -> np.ndarray:
        """Numbers of the runs that the ordinary run has to take over."""
        return np.flatnonzero((self.status != DONE) & (self.status != FAILED))

    def reason(self, run: int) -> str:
        """Why a run ended, in words."""
        if self.status[run] == FAILED:
            return FAILURES[int(self.cause[run])][1]
        return REASONS[int(self.status[run])]


def template(step: StepProgram, aim: Aim, usual: Sequence[float] = ()) -> np.ndarray:
    """The memory of a lane before it is given time, state and inputs; `usual` is how well constraints usually hold."""
    lane, memory, n = np.zeros(step.memory.slots), step.memory, step.n
    memory.put(lane, h=aim.h or 0.0, accuracy=aim.accuracy, time_scale=aim.time_scale, target=aim.stop,
               horizon=aim.stop, changed=1, jumped=1, doing=IDLE, **{"code.tolerance": aim.tolerance})
    vectors = memory.of(lane, "at.vectors")
    vectors[WEIGHT, :n] = 1.0 if aim.weights is None else aim.weights
    vectors[HOLD_MOST, : step.n_holds] = usual if len(usual) else 0.0
    for name in ("pieces.own.error_before", "pieces.implicit.error_before"):
        if name in memory.fields:
            memory.put(lane, **{name: REMEMBERED})
    if step.changes:
        memory.put(lane, **in_use(step), **{"stiffness.patience": PATIENCE, "holds.followed": 1})
        if step.led:
            memory.put(lane, until=NEVER)
    if step.lane_events is not None:
        senses = [witness.sense for witness in step.lane_events.witnesses]
        memory.of(lane, "at.witnesses")[G_SENSE, : len(senses)] = senses
        memory.put(lane, recent=-HUGE)
        rows = step.lane_events.rows
        if rows is not None:
            memory.put(lane, **{f"rows.{name}": value for name, value in rows.start(aim.accuracy).items()})
    return lane


class Lanes:
    """A step program compiled for W lanes: `Lanes(step).run(starts, rests, aim, grid)`."""

    def __init__(self, step: StepProgram, width: int | None = None) -> None:
        self.step = step
        self.width = native_lanes() if width is None else width
        if self.width not in (1, 2, 4, 8, 16):
            raise ModelError(f"lanes = {width!r}; choose 1, 2, 4, 8 or 16.")

    @cached_property
    def code(self) -> Linked:
        """The machine code; made when first needed."""
        step = self.step
        return Linked(step.roles, step.written(self.width), self.width, step.functions, step.fast)

    def run(self, starts: np.ndarray, rests: np.ndarray, aim: Aim, grid: Sequence[float] | np.ndarray = (),
            times: float | np.ndarray = 0.0, usual: Sequence[float] = (), on_pause: Callable[[int], None] | None = None,
            threads: int = 1) -> LaneResults:
        """One run for every row of `starts` (states) and `rests` (the tail of the input vector) to `aim.stop`.

        `grid` are output times, of all runs or a row for each, `times` when the runs begin, `usual` how well
        constraints usually hold.  `on_pause` is called about every 50 ms with the number of runs that are not finished.
        An interrupt from the keyboard carries what is done in `.results`; runs that are not have status RUNNING.
        `threads` of this processor share the runs.
        """
        step = self.step
        starts, rests, grid, times = checked(step, starts, rests, grid, times, aim)
        n_runs, n_grid = len(starts), grid.shape[1]
        found = _places_for(step, n_runs, n_grid)
        template = step.template(aim, usual)
        step.memory.put(template, **{"at.n_grid": n_grid})
        starts = np.concatenate([times[:, None], starts], axis=1)
        ends = np.linspace(0, n_runs, max(1, min(threads, n_runs // (2 * self.width))) + 1).astype(int)
        shares = [_Share(self, {"templates": template[None].copy(), "ends": np.array([aim.stop]),
                                "starts": starts[a:b], "rests": rests[a:b],
                                "grid": grid[a:b] if len(grid) > 1 else grid,
                                **{name: array[a:b] for name, array in found.items()}})
                  for a, b in pairwise(ends)]
        try:
            _work_off(shares, on_pause)
        except KeyboardInterrupt as error:
            error.results = self._results(found)
            raise
        return self._results(found)

    def _results(self, found: dict[str, np.ndarray]) -> LaneResults:
        status, cause, t, steps, rejected, events = found["counts"].T
        status, cause, steps, rejected, events = (column.astype(np.int64) for column in (
            status, cause, steps, rejected, events))
        n, grid_x = self.step.n, found["grid_x"]
        return LaneResults(status, cause, t, found["final"][:, 1 : 1 + n], found["final"][:, 1 + n :],
                           grid_x[:, :, :n], grid_x[:, :, n:], steps, rejected, events, found["resting"],
                           found["instants"], self.step.memory)


def _places_for(step: StepProgram, n_runs: int, n_grid: int) -> dict[str, np.ndarray]:
    """Arrays for what becomes of runs, by the names that `drive` has for them."""
    return {"final": np.empty((n_runs, step.n_in)), "counts": np.zeros((n_runs, 6)),
            "grid_x": np.full((n_runs, n_grid, step.n + len(step.changing)), np.nan),
            # touched where a run is not finished, and at events
            "resting": np.empty((n_runs, step.memory.kept)),
            "instants": np.zeros((n_runs, 1 if step.lane_events is None else 1 + MOST_INSTANTS))}


class Repeated:
    """The same number of runs again and again, each time from other inputs: `Lanes.run` without setting it up anew.

    `run(inputs, ends)` gives the input vectors at the end of each, and their `counts` (first what each was doing then:
    DONE, …); the next call overwrites both.  Runs that have `pasts`, a row of memory each, go on with these, and leave
    there what the next call is to go on with.
    """

    def __init__(self, lanes: Lanes, n_runs: int, aim: Aim, usual: Sequence[float] = (),
                 pasts: np.ndarray | None = None) -> None:
        step, self.n_runs, self.pasts = lanes.step, n_runs, pasts
        self._starts, self._rests = np.empty((n_runs, 1 + step.n)), np.empty((n_runs, step.n_in - 1 - step.n))
        self._ends, self._found = np.empty(n_runs), _places_for(step, n_runs, 0)
        if pasts is not None:
            self._found["resting"] = pasts
        self._share = _Share(lanes, {"templates": step.template(aim, usual)[None] if pasts is None else pasts,
                                     "starts": self._starts, "rests": self._rests, "ends": self._ends,
                                     "grid": np.empty((1, 0)), **self._found}, pasts is not None)

    def run(self, inputs: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, share, found = self._starts.shape[1], self._share, self._found
        self._starts[:], self._rests[:] = inputs[:, :n], inputs[:, n:]
        if not np.isfinite(self._starts).all():
            raise ModelError(NOT_FINITE)
        found["instants"][:, 0] = 0.0
        self._ends[:] = ends
        share.rewind()
        share.finish()
        return found["final"], found["counts"]


class _Share:
    """Runs that go through the same lanes, one after the other; arrays by the names that `drive` has for them."""

    def __init__(self, lanes: Lanes, arrays: dict[str, np.ndarray], past: bool = False) -> None:
        from .lane_loop import Places

        step, code, W, memory = lanes.step, lanes.code, lanes.width, lanes.step.memory
        self.stopped, self._begun = False, np.zeros(1, dtype=np.int64)
        self._arrays, self._work = arrays, _aligned(code.n_work * W)
        templates, grid, grid_x = arrays["templates"], arrays["grid"], arrays["grid_x"]
        self._room = templates.view(np.int64)[:, memory["at.work"]]
        S = _aligned(memory.slots * W).reshape(memory.slots, W)
        S[: templates.shape[1]] = templates[0][:, None]
        places = np.zeros(1, layout(Places).dtype)
        for name, path in PLACES.items():
            places[name] = memory[path]
        places["n"], places["n_in"] = step.n, step.n_in
        self._arguments = (
            np.array([code.address(name) for name in step.functions], dtype=np.int64), S,
            np.full(W, -1, dtype=np.int64), self._begun, places, templates, arrays["starts"],
            arrays["rests"], arrays["ends"], grid.ctypes.data, grid_x.ctypes.data,
            grid[0].nbytes if len(grid) > 1 else 0, grid_x[0].nbytes, arrays["final"], arrays["counts"],
            arrays["resting"], arrays["instants"], int(past))
        self.rewind()

    def rewind(self) -> None:
        """All runs are to be begun."""
        self._room[:] = self._work.ctypes.data
        self.left, self.chunk, self._begun[0] = len(self._arrays["starts"]), 64, 0

    def go(self) -> None:
        """About 50 ms of work."""
        from .lane_loop import drive

        began = time.perf_counter()
        self.left = drive(*self._arguments, self.chunk)
        passed = max(time.perf_counter() - began, CLOCK)
        self.chunk = max(1, min(8 * self.chunk, int(self.chunk * PAUSE_SECONDS / passed)))

    def finish(self) -> None:
        """All of the work, unless stopped."""
        while self.left and not self.stopped:
            self.go()


def _work_off(shares: Sequence[_Share], on_pause: Callable[[int], None] | None) -> None:
    """All shares, the first ones beside each other in threads where there are several."""

    def pause() -> None:
        left = sum(share.left for share in shares)
        if left and on_pause is not None:
            on_pause(left)

    if len(shares) == 1:
        while shares[0].left:
            shares[0].go()
            pause()
        return
    with ThreadPoolExecutor(len(shares)) as pool:
        waiting = {pool.submit(share.finish) for share in shares}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=PAUSE_SECONDS)
                for future in done:
                    future.result()
                pause()
        finally:
            for share in shares:
                share.stopped = True


def checked(step: StepProgram, starts: np.ndarray, rests: np.ndarray, grid: Sequence[float] | np.ndarray,
            times: float | np.ndarray, aim: Aim) -> tuple[np.ndarray, ...]:
    """Contiguous arrays that fit together, or what is wrong with them."""
    starts = np.array(starts, dtype=float)
    n_rest = step.n_in - 1 - step.n
    if starts.ndim != 2 or starts.shape[1] != step.n:
        raise ModelError(f"starts must have a row of {step.n} states for every run; got shape {starts.shape}.")
    rests = np.array(np.broadcast_to(np.asarray(rests, dtype=float), (len(starts), n_rest)))
    times = np.array(np.broadcast_to(np.asarray(times, dtype=float), len(starts)))
    grid = np.atleast_2d(np.array(grid, dtype=float))
    if not (np.all(np.isfinite(starts)) and np.all(np.isfinite(times))):
        raise ModelError(NOT_FINITE)
    if len(grid) not in (1, len(starts)):
        raise ModelError(f"output times are those of all runs, or a row for each; got shape {grid.shape}.")
    if grid.size and (np.any(np.diff(grid) < 0) or np.any(grid[:, 0] < times) or grid[:, -1].max() > aim.stop):
        raise ModelError("output times must be increasing, from the start of all runs to their end.")
    if not aim.stop > times.max(initial=-np.inf):
        raise ModelError(f"stop = {aim.stop} must lie after the start of every run.")
    if step.fixed != (aim.h is not None):
        raise ModelError("a step size h belongs to steps of fixed length, and to no others.")
    return starts, rests, grid, times


def _aligned(size: int) -> np.ndarray:
    """Doubles that start at a cache line."""
    raw = np.zeros(size + 8)
    start = (-raw.ctypes.data % 64) // 8
    return raw[start : start + size]
