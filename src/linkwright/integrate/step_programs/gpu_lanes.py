"""Runs on a GPU, asked for and answered as those in lanes are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from ...device import Advanced, CudaError, Threads, device, write_runs
from ...errors import ModelError
from .emit import sources
from .lanes import Aim, LaneResults, checked, template
from .step_program import StepProgram
from .thread import threads


def require_gpu() -> None:
    """An error where this machine has no GPU that can be used."""
    try:
        device()
    except CudaError as error:
        raise ModelError(f"the GPU cannot be used: {error}") from error


class GpuLanes:
    """A step program for the GPU of this machine: `GpuLanes(step).run(starts, rests, aim, grid)`."""

    def __init__(self, step: StepProgram) -> None:
        self.step = step

    @cached_property
    def code(self) -> Threads:
        """PTX; made when first needed."""
        return threads(self.step)

    def resident(self, starts: np.ndarray, rests: np.ndarray, aim: Aim, times: np.ndarray,
                 usual: Sequence[float] = ()) -> Advanced:
        """Runs whose numbers stay on the GPU, ready to start."""
        require_gpu()
        starts, rests, _, times = checked(self.step, starts, rests, (), times, aim)
        try:
            runs = Advanced(self.code, device(), len(starts), np.empty(0))
            runs.begin(np.concatenate([times[:, None], starts, rests], axis=1), lasting(self.step, aim, usual))
        except CudaError as error:
            raise ModelError(f"the GPU cannot be used: {error}") from error
        return runs

    def run(self, starts: np.ndarray, rests: np.ndarray, aim: Aim, grid: Sequence[float] = (),
            times: float | np.ndarray = 0.0, usual: Sequence[float] = (), on_pause: Callable[[int], None] | None = None,
            threads: int = 1) -> LaneResults:
        """As `Lanes.run`."""
        step = self.step
        require_gpu()
        starts, rests, grid, times = checked(step, starts, rests, grid, times, aim)
        inputs = np.concatenate([times[:, None], starts, rests], axis=1)
        try:
            got = self.code.run(inputs, lasting(step, aim, usual), grid, on_pause=on_pause)
        except CudaError as error:
            raise ModelError(f"the GPU cannot be used: {error}") from error
        n, resting = step.n, np.empty((len(starts), step.memory.slots))
        if len(got["left"]):
            resting[got["left"][:, None], _slots(step)] = got["resting"]
        return LaneResults(got["status"], got["cause"], got["t"], got["inputs"][:, 1 : 1 + n],
                           got["inputs"][:, 1 + n :], got["grid_x"][:, :, :n], got["grid_x"][:, :, n:], got["steps"],
                           got["rejected"], got["events"], resting, np.zeros((len(starts), 1)), step.memory)


def write_bundle(path: str | Path, step: StepProgram, starts: np.ndarray, rests: np.ndarray, aim: Aim,
                 grid: Sequence[float] = (), times: float | np.ndarray = 0.0, usual: Sequence[float] = ()) -> Path:
    """A file that does these runs on another machine with a GPU; arguments are those of `Lanes.run`."""
    starts, rests, grid, times = checked(step, starts, rests, grid, times, aim)
    inputs = np.concatenate([times[:, None], starts, rests], axis=1)
    return write_runs(path, threads(step), inputs, lasting(step, aim, usual), grid, sources(step))


def lasting(step: StepProgram, aim: Aim, usual: Sequence[float]) -> np.ndarray:
    """The lasting numbers of a lane that has not begun."""
    return template(step, aim, usual)[_slots(step)]


def _slots(step: StepProgram) -> list[int]:
    return [slot for slots in step.memory.lasting().values() for slot in slots]
