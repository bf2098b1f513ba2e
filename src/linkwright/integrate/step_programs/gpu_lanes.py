"""Runs on a GPU, asked for and answered as those in lanes are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from ...device import Advanced, CudaError, Threads, device, write_runs
from ...errors import ModelError
from .lanes import Aim, LaneResults, checked
from .step_program import StepProgram


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
        return self.step.threads()

    def resident(self, starts: np.ndarray, rests: np.ndarray, aim: Aim, times: np.ndarray,
                 usual: Sequence[float] = ()) -> Advanced:
        """Runs whose numbers stay on the GPU, ready to start."""
        require_gpu()
        starts, rests, _, times = checked(self.step, starts, rests, (), times, aim)
        try:
            runs = Advanced(self.code, device(), len(starts), np.empty(0))
            runs.begin(np.concatenate([times[:, None], starts, rests], axis=1), self.step.lasting(aim, usual))
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
            got = self.code.run(inputs, step.lasting(aim, usual), grid, on_pause=on_pause)
        except CudaError as error:
            raise ModelError(f"the GPU cannot be used: {error}") from error
        n, resting = step.n, np.empty((len(starts), step.memory.kept))
        if len(got["left"]):
            resting[got["left"][:, None], step.lasting_slots] = got["resting"]
        return LaneResults(got["status"], got["cause"], got["t"], got["inputs"][:, 1 : 1 + n],
                           got["inputs"][:, 1 + n :], got["grid_x"][:, :, :n], got["grid_x"][:, :, n:], got["steps"],
                           got["rejected"], got["events"], resting, np.zeros((len(starts), 1)), step.memory)


def write_bundle(path: str | Path, step: StepProgram, starts: np.ndarray, rests: np.ndarray, aim: Aim,
                 grid: Sequence[float] = (), times: float | np.ndarray = 0.0, usual: Sequence[float] = ()) -> Path:
    """A file that does these runs on another machine with a GPU; arguments are those of `Lanes.run`."""
    starts, rests, grid, times = checked(step, starts, rests, grid, times, aim)
    inputs = np.concatenate([times[:, None], starts, rests], axis=1)
    return write_runs(path, step.threads(), inputs, step.lasting(aim, usual), grid, step.sources())
