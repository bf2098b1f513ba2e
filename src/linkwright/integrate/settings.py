"""What may be set anew between the steps of a run: code, accuracy, what is projected, what is watched."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .arguments import CODE, FUNCTIONS

ROUNDING = 1e-13  # errors of constraints that no projection can take off: of angles after many turns


class Settings:
    """Base of Stepper: the part of its record `_r` that its owner may change after any completed step."""

    def use(self, functions: Mapping[str, int], every_stage: bool = False, n_work: int = 0):
        """Go on with this code; sizes of inputs and outputs stay what they are."""
        if n_work > len(self._work):
            self._work = np.zeros(n_work)
            self._r.p_work = self._work.ctypes.data
        self._r.put(**{name: int(functions.get(name) or 0) for name in FUNCTIONS})
        self._r.every_stage = every_stage
        self._note_code()

    def _note_code(self):
        """What is in force from now on, for those who repeat a step."""
        self._code = tuple(getattr(self._r, name) for name in (*FUNCTIONS, *CODE))

    def expect_strain(self, limit: float, sense: int = 1):
        """Call `on_strain` where the strain is above the limit; with `sense` −1 where it is below."""
        self._r.strain_limit, self._r.watch_strain = limit, sense

    @property
    def strain(self) -> float:
        """The strain at the last accepted point."""
        return self._r.strain_now

    def aim(self, accuracy: float, tolerance: float | None = None, speed_tolerance: float | None = None):
        """Accept this error per step and these errors of constraints, on position and velocity level, from now on."""
        tolerance = max(accuracy / 10, ROUNDING) if tolerance is None else tolerance
        speeds = tolerance if speed_tolerance is None else speed_tolerance
        self._r.accuracy, self._r.tolerance, self._r.speed_tolerance = accuracy, tolerance, speeds
        self._note_code()

    @property
    def accuracy(self) -> float:
        """The error per step that is accepted."""
        return self._r.accuracy

    @property
    def every_stage(self) -> bool:
        """Whether every stage of a step is projected, not only its end; may be set after any step."""
        return bool(self._r.every_stage)

    @every_stage.setter
    def every_stage(self, value: bool):
        self._r.every_stage = value
        self._note_code()
