"""Runs on a GPU, asked for and answered as those in lanes are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from ...errors import ModelError
from .cuda import CudaError, device
from .gpu import Threads
from .lanes import Aim, LaneResults, checked, shared
from .resident import Advanced
from .step_program import StepProgram
from .thread import kept, threads


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
        weights = np.ones(self.step.n) if aim.weights is None else aim.weights
        try:
            runs = Advanced(self.code, device(), len(starts), np.empty(0))
            runs.begin(starts, rests, times, shared(self.step, aim), weights, usual)
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
        weights = np.ones(step.n) if aim.weights is None else aim.weights
        try:
            got = self.code.run(starts, rests, times, shared(step, aim), weights, usual, grid, on_pause=on_pause)
        except CudaError as error:
            raise ModelError(f"the GPU cannot be used: {error}") from error
        whole = {name: got[name].astype(np.int64) for name in ("status", "cause", "steps", "rejected")}
        resting = np.empty((len(starts), step.memory.slots))
        if len(got["left"]):
            slots = [slot for place in kept(step).values() for slot in place]
            resting[got["left"][:, None], slots] = got["resting"]
        events = got.get("events", np.zeros(len(starts))).astype(np.int64)
        return LaneResults(whole["status"], whole["cause"], got["t"], got["x"], got["rest"], got["grid_x"],
                           got["grid_changing"], whole["steps"], whole["rejected"], events,
                           resting, np.zeros((len(starts), 1)), step.memory)
