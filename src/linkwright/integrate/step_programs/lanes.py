"""Many runs of one step program on this processor: W at a time, each with the bits of the ordinary stepper."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...codegen import Linked, function_address, native_lanes
from ...codegen.dialect import layout
from ...errors import ModelError
from ..record import FAILURES
from ..tolerances import CLOCK, FINE, MOST_INSTANTS, PATIENCE, PAUSE_SECONDS
from .emit import written
from .lane_memory import Memory
from .step_program import DONE, FAILED, IDLE, REASONS, StepProgram


@dataclass(frozen=True)
class Aim:
    """The end time and the accuracy of runs, with step sizes, weights and tolerances (see `Stepper`)."""

    stop: float
    accuracy: float = 1e-8
    h: float | None = None
    h_max: float | None = None
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
        """What a run that was not finished has kept, by the names of `lane_memory`."""
        first, size = self.memory.first, self.memory.size
        return lambda name: self.resting[run, first[name] : first[name] + size[name]]

    @property
    def unfinished(self) -> np.ndarray:
        """Numbers of the runs that the ordinary run has to take over."""
        return np.flatnonzero((self.status != DONE) & (self.status != FAILED))

    def reason(self, run: int) -> str:
        """Why a run ended, in words."""
        if self.status[run] == FAILED:
            return FAILURES[int(self.cause[run])][1]
        return REASONS[int(self.status[run])]


def shared(step: StepProgram, aim: Aim) -> dict[str, float]:
    """The numbers of a lane that all runs have in common."""
    return {"target": aim.stop, "h": aim.h or 0.0, "h_max": np.inf if aim.h_max is None else aim.h_max,
            "accuracy": aim.accuracy, "tolerance": aim.tolerance, "time_scale": aim.time_scale,
            "boundary": _boundary(step, aim.accuracy), "patience": float(PATIENCE)}


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
        return Linked(self.step.roles, written(self.step, self.width), self.width, self.step.functions,
                      self.step.fast)

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
        found = {"final": np.empty((n_runs, step.n_in - 1)), "counts": np.zeros((n_runs, 6)),
                 "grid_x": np.full((n_runs, n_grid, step.n), np.nan),
                 "grid_changing": np.full((n_runs, n_grid, len(step.changing)), np.nan),
                 # touched where a run is not finished, and at events
                 "resting": np.empty((n_runs, step.memory.slots)),
                 "instants": np.zeros((n_runs, 1 if step.lane_events is None else 1 + MOST_INSTANTS))}
        weights = np.ones(step.n) if aim.weights is None else np.ascontiguousarray(aim.weights, dtype=float)
        settings = shared(step, aim)
        common = {"settings": np.array(list(settings.values())), "weights": weights,
                  "places": np.array([step.memory[name] for name in settings]),
                  "usual": np.array(usual, dtype=float) if len(usual) else np.zeros(step.n_holds)}
        ends = np.linspace(0, n_runs, max(1, min(threads, n_runs // (2 * self.width))) + 1).astype(int)
        shares = [_Share(self, {**common, "starts": starts[a:b], "rests": rests[a:b], "times": times[a:b],
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
        x, rest = np.split(found["final"], [self.step.n], axis=1)
        return LaneResults(status, cause, t, x, rest, found["grid_x"], found["grid_changing"], steps, rejected, events,
                           found["resting"], found["instants"], self.step.memory)


class _Share:
    """Runs that go through the same lanes, one after the other; arrays by the names that `drive` has for them."""

    def __init__(self, lanes: Lanes, arrays: dict[str, np.ndarray]) -> None:
        from .lane_loop import Places

        step, code, W = lanes.step, lanes.code, lanes.width
        S = _aligned(step.memory.slots * W).reshape(step.memory.slots, W)
        S[:] = 0.0
        S[step.memory["status"]] = IDLE
        S[step.memory["target"]] = arrays["settings"][0]
        called = [name for name in step.functions if name != "sample"]
        sizes = {"n": step.n, "n_rest": step.n_in - 1 - step.n, "n_holds": step.n_holds}
        # without events every step ends where it was planned to, and these are not looked at
        absent = {} if step.lane_events is not None else dict.fromkeys(
            ("t_end", "event_found", "reached", "n_events"), step.memory["t1"])
        known = {**step.memory.first, **absent, **sizes}
        self.left, self.chunk, self.stopped = len(arrays["starts"]), 64, False
        places = np.zeros(1, layout(Places).dtype)
        for name in places.dtype.names or ():
            places[name] = known[name]
        self._arguments = (
            np.array([code.address(name) for name in called], dtype=np.int64), S, _aligned(code.n_work * W),
            np.full(W, -1, dtype=np.int64), np.zeros(W, dtype=np.int64), np.zeros(1, dtype=np.int64), places,
            *[arrays[name] for name in ("starts", "times", "rests", "final", "counts", "resting", "instants", "places",
                                        "settings", "weights", "usual", "grid", "grid_x")],
            np.array(step.changing, dtype=np.int64), arrays["grid_changing"])

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
        raise ModelError("a start is not finite.")
    if len(grid) not in (1, len(starts)):
        raise ModelError(f"output times are those of all runs, or a row for each; got shape {grid.shape}.")
    if grid.size and (np.any(np.diff(grid) < 0) or np.any(grid[:, 0] < times) or grid[:, -1].max() > aim.stop):
        raise ModelError("output times must be increasing, from the start of all runs to their end.")
    if not aim.stop > times.max(initial=-np.inf):
        raise ModelError(f"stop = {aim.stop} must lie after the start of every run.")
    if step.fixed != (aim.h is not None):
        raise ModelError("a step size h belongs to steps of fixed length, and to no others.")
    return starts, rests, grid, times


def _boundary(step: StepProgram, accuracy: float) -> float:
    """hρ from which on a step is suspected to be stiff (see `stiffness`), to the last bit as the stepper finds it."""
    power = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(function_address("approximate_power"))
    return step.method.boundary * min(1.0, power(accuracy / FINE, 0.2))


def _aligned(size: int) -> np.ndarray:
    """Doubles that start at a cache line."""
    raw = np.zeros(size + 8)
    start = (-raw.ctypes.data % 64) // 8
    return raw[start : start + size]
