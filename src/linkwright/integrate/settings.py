"""What may be changed between the steps of a run: code, accuracy, projection, singular positions that are watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .record import FUNCTIONS, HOLD, HOLD_BEFORE, HOLD_FIRST, HOLD_MOST, HOLD_RATE, View
from .tolerances import CONSTRAINT_ROUNDING


class Settings:
    """Base of Stepper: the part of its record that its owner may change after any completed step."""

    _r: View
    _work: np.ndarray
    _vectors: np.ndarray

    def use(self, functions: Mapping[str, int], every_stage: bool = False, n_work: int = 0) -> None:
        """Go on with this code; sizes of inputs and outputs stay what they are."""
        self.reserve(n_work)
        self._r.code.put(**{name: int(functions.get(name) or 0) for name in FUNCTIONS}, every_stage=every_stage)

    def reserve(self, n_work: int) -> None:
        """Work space for calls of the model."""
        if n_work > len(self._work):
            self._work = np.zeros(n_work)

    @property
    def strain(self) -> float:
        """The strain at the last accepted point."""
        return self._r.strain_now

    def ignore_strain(self) -> None:
        """Call `on_strain` for singular positions only from now on."""
        self._r.watch_strain = 0

    def watch_holds(self, most: Sequence[float] | np.ndarray, times: Sequence[float] | np.ndarray = (),
                    before: Sequence[np.ndarray] = ()) -> None:
        """Step across singular positions, and call `on_strain` where one comes near or is left behind.

        For each constraint, `most` is the largest value so far of how well it holds (larger ones replace it), `before`
        are the values at the last `times`.
        """
        missing = len(most) - self._vectors.shape[1]
        if missing > 0:
            self._vectors = np.pad(self._vectors, ((0, 0), (0, missing)))
        self._vectors[HOLD_MOST, : len(most)] = most
        self._r.holds.count = len(most)
        self._vectors[[HOLD, HOLD_BEFORE, HOLD_FIRST, HOLD_RATE]] = 0.0
        spans = np.diff(times)[::-1]
        if len(spans) and np.all(spans > 0):
            for row, value in zip((HOLD, HOLD_BEFORE, HOLD_FIRST), before[::-1], strict=False):
                self._vectors[row, : len(most)] = value
            self._vectors[HOLD_RATE] = np.abs(self._vectors[HOLD] - self._vectors[HOLD_BEFORE]) / spans[0]
            self._r.holds.put(span=float(spans[0]), span_first=float(spans[-1]))

    def aim(self, accuracy: float, tolerance: float | None = None) -> None:
        """Accept this error per step and these errors of constraints (default accuracy/10) from now on."""
        self._r.accuracy = accuracy
        self._r.code.tolerance = max(accuracy / 10, CONSTRAINT_ROUNDING) if tolerance is None else tolerance

    @property
    def accuracy(self) -> float:
        """The error per step that is accepted."""
        return self._r.accuracy

    @property
    def coarsest(self) -> tuple[float, float]:
        """The largest error of a step that was allowed above the accuracy, and when; zero where there was none."""
        return self._r.holds.coarse_error, self._r.holds.coarse_time

    @property
    def gap(self) -> float:
        """The error of the position constraints at the last projection."""
        return self._r.position_error

    @property
    def every_stage(self) -> bool:
        """Whether every stage of a step is projected, not only its end; may be set after any step."""
        return bool(self._r.code.every_stage)

    @every_stage.setter
    def every_stage(self, value: bool) -> None:
        self._r.code.every_stage = value

    @property
    def near_singular(self) -> bool:
        """Whether a position where constraints hardly hold is a few steps away; may be set after any step."""
        return bool(self._r.holds.near)

    @near_singular.setter
    def near_singular(self, value: bool) -> None:
        self._r.holds.near = value
