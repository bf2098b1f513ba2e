"""The numbers of many runs in the memory of a GPU: number j of run i at [j·runs + i].  Needs NumPy and the driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .cuda import CudaError, Device
from .device_array import DeviceArray

if TYPE_CHECKING:
    from .gpu import Threads

WARP = 32  # threads that go in step: numbers of far memory lie side by side for them
STARTING, RUNNING, DONE, FAILED = -1, 0, 1, 2  # as in `step_program`, which a bundle does not hold
LIVING = ("at.inp", "begun")  # what goes on from one advance to the next


class Resident:
    """`n_runs` runs of a step program; `grid` are the output times of all, or a row for each."""

    def __init__(self, code: Threads, gpu: Device, n_runs: int, grid: np.ndarray, level: int = 4) -> None:
        self.code, self.gpu, self.n_runs = code, gpu, n_runs
        gpu.use()
        n, n_grid = code.n + code.n_changing, grid.shape[-1]
        far = -(-n_runs // WARP) * WARP * code.far
        needed = 8 * (n_runs * (code.n_rows + n_grid * n) + grid.size + far)
        if needed > gpu.free_bytes():
            raise CudaError(f"{n_runs} runs need {needed / 2**30:.1f} GiB on {gpu.name}, of which "
                            f"{gpu.free_bytes() / 2**30:.1f} GiB are free: give fewer runs or output times at once.")
        self._start, self._runs = (code.kernel(gpu, name, level) for name in ("starts", "runs"))
        self.memory, self.times = gpu.zeros(8 * code.n_rows * n_runs), gpu.zeros(8 * grid.size)
        self.states = gpu.zeros(8 * n_grid * n * n_runs)
        gpu.put(self.times.pointer, grid)
        self._arguments: tuple[int, ...] = (
            n_runs, *code.block(gpu, n_runs), self.memory.pointer, n_runs, code.attempts, self.times.pointer, n_grid,
            int(grid.ndim == 2 and len(grid) > 1), self.states.pointer)
        self._far = gpu.zeros(8 * far) if far else None
        self._shape = (n_runs, n_grid, n)

    def put(self, name: str, values: np.ndarray | float) -> None:
        """Numbers by name, a row each: (count, run), or one for all runs."""
        first, count = self.code.rows[name]
        if count:
            full = np.empty((count, self.n_runs))
            full[:] = values
            self.gpu.put(self.memory.pointer + 8 * self.n_runs * first, full)

    def get(self, name: str) -> np.ndarray:
        first, count = self.code.rows[name]
        values = np.empty((count, self.n_runs))
        if count:
            self.gpu.get(self.memory.pointer + 8 * self.n_runs * first, values)
        return values

    def array(self, name: str, first: int = 0, count: int | None = None) -> DeviceArray:
        """The numbers themselves: (run,), or (run, count) of several."""
        row = self.code.rows[name][0] + first
        shape, strides = ((self.n_runs,), (1,)) if count is None else ((self.n_runs, count), (1, self.n_runs))
        return DeviceArray(self.gpu, self.memory, row * self.n_runs, shape, strides)

    def begin(self, inputs: np.ndarray, template: np.ndarray) -> None:
        """Input vectors (run, entry), and what all runs have in common: a number for each row; nothing runs yet."""
        for name, (first, count) in self.code.rows.items():
            if template[first : first + count].view(np.int64).any():
                self.put(name, template[first : first + count, None])
        if self._far is not None:
            first_of_far = template[self.code.n_rows :]
            self._first_of_far = self.gpu.zeros(first_of_far.nbytes)
            self.gpu.put(self._first_of_far.pointer, first_of_far)
            self._arguments += self._far.pointer, self._first_of_far.pointer
        self.put("at.inp", inputs.T)
        self.put("t", inputs[:, 0])
        self.do(STARTING)

    def forget(self, which: np.ndarray) -> None:
        """The past of some runs, where runs have one."""
        if "begun" in self.code.rows:
            begun = self.get("begun")
            begun[:, which] = 0.0
            self.put("begun", begun)

    def do(self, what: int | np.ndarray) -> None:
        """What the runs are to do."""
        self.put("doing", np.asarray(what, dtype=np.int64).view(np.float64))

    def doing(self) -> np.ndarray:
        """What they are doing."""
        return self.get("doing")[0].view(np.int64)

    def run(self, on_pause: Callable[[int], None] | None = None) -> None:
        """All runs that are to start, to their end."""
        self.gpu.use()
        self.gpu.wait()  # for others who write what we read
        self._start(*self._arguments)
        while True:
            self._runs(*self._arguments)
            going = int(np.count_nonzero(self.doing() == RUNNING))
            if not going:
                return
            if on_pause is not None:
                on_pause(going)

    def at_output_times(self) -> np.ndarray:
        """(run, time, number): states, then what changes beside them; NaN where a run has not come."""
        n_grid = self._shape[1]
        there = np.empty(self._shape)
        if n_grid:
            self.gpu.get(self.states.pointer, there)
        reached = self.get("grid_next")[0].view(np.int64)
        there[np.arange(n_grid)[None, :] >= reached[:, None]] = np.nan
        return there


class Advanced(Resident):
    """Runs that stay on the GPU and are advanced from outside, time after time (after `begin`)."""

    def begin(self, *given: Any, **named: Any) -> None:
        super().begin(*given, **named)
        # everything but states and the rest of the input is as it is now whenever an advance begins
        self._width = 8 * self.n_runs
        size = self._width * self.code.n_rows
        self._saved, self._before = self.gpu.zeros(size), self.gpu.zeros(size)
        self.gpu.copy(self._saved.pointer, self.memory.pointer, size)

    def advance(self, goes: np.ndarray, h: float) -> np.ndarray:
        """Advance the runs in `goes` by h; returns those that arrived, the others stay where they were."""
        self.gpu.use()
        self.gpu.wait()  # for others who write into our arrays
        times = self.get("t")[0]
        for name, (first, count) in self.code.rows.items():
            at, size = self._width * first, self._width * count
            source, target = (self.memory, self._before) if name in LIVING else (self._saved, self.memory)
            if size:
                self.gpu.copy(target.pointer + at, source.pointer + at, size)
        self.put("t", times)
        self.put("target", times + h)
        self.put("horizon", times + h)
        self.do(np.where(goes, STARTING, FAILED))
        self.run()
        done = goes & (self.doing() == DONE)
        self.put("t", np.where(done, times + h, times))
        self.set("at.inp", 0, np.where(done, times + h, times)[None])
        if not done.all():
            self._put_back(~done)
        return done

    def _put_back(self, which: np.ndarray) -> None:
        """Runs as they were before."""
        for name in LIVING:
            first, count = self.code.rows.get(name, (0, 0))
            if count:
                before, now = np.empty((count, self.n_runs)), self.get(name)
                self.gpu.get(self._before.pointer + self._width * first, before)
                now[:, which] = before[:, which]
                self.put(name, now)

    def set(self, name: str, first: int, values: np.ndarray) -> None:
        """Some rows of the numbers of a name, (count, run)."""
        row = self.code.rows[name][0] + first
        self.gpu.put(self.memory.pointer + self._width * row, values)
