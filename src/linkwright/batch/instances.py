"""Where the instances of a Simulator are: in the memory of this process, or in that of a GPU; a row of inputs each."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..studies.lane_runs import LaneRuns


class Here:
    """Instances in the memory of this process; without lanes all of them are left to the ordinary run."""

    def __init__(self, rows: np.ndarray, lanes: LaneRuns | None) -> None:
        self.rows, self._lanes = rows, lanes
        self.failures: dict[int, str] = {}  # of the last step: instances that it ended, and why

    def set_rows(self, which: np.ndarray, rows: np.ndarray) -> None:
        """New rows of some instances."""
        self.rows[which] = rows

    def set_columns(self, place: slice, values: np.ndarray) -> None:
        """New numbers of all instances, in some columns."""
        self.rows[:, place] = values.reshape(len(values), -1)

    def array(self, place: slice) -> np.ndarray:
        """The numbers in some columns, themselves."""
        return self.rows[:, place.start] if place.stop == place.start + 1 else self.rows[:, place]

    def advance(self, which: np.ndarray, h: float) -> np.ndarray:
        """Advance some instances by h; gives those that the ordinary run has to take from where they stand."""
        if self._lanes is None:
            return which
        to = self.rows[which, 0] + h
        ends, done = self._lanes.advance(self.rows[which], to)
        ends[:, 0] = to
        self.rows[which[done]] = ends[done]
        return which[~done]


class OnGpu:
    """Instances in the memory of a GPU, where they stay from step to step."""

    def __init__(self, rows: np.ndarray, lanes: LaneRuns) -> None:
        starts = lanes.starts(rows)
        self.failures: dict[int, str] = {}  # those that fail are left to the ordinary run
        self._suits = starts.suits
        self._lanes, self._runs = lanes, lanes.resident(starts)

    @property
    def rows(self) -> np.ndarray:
        """A copy of all of them."""
        return self._runs.get("at.inp").T.copy()

    def set_rows(self, which: np.ndarray, rows: np.ndarray) -> None:
        starts = self._lanes.starts(np.ascontiguousarray(rows))
        self._suits[which] = starts.suits
        for name, part in (("t", slice(0, 1)), ("at.inp", slice(None))):
            numbers = self._runs.get(name)
            numbers[:, which] = starts.inputs[:, part].T
            self._runs.put(name, numbers)
        self._runs.forget(which)

    def set_columns(self, place: slice, values: np.ndarray) -> None:
        self._runs.set("at.inp", place.start, values.reshape(len(values), -1).T)

    def array(self, place: slice) -> Any:
        """The numbers in some columns, themselves, for CuPy, PyTorch or JAX."""
        count = place.stop - place.start
        return self._runs.array("at.inp", place.start, None if count == 1 else count)

    def advance(self, which: np.ndarray, h: float) -> np.ndarray:
        goes = np.zeros(len(self._suits), dtype=bool)
        goes[which] = self._suits[which]
        return which[~self._runs.advance(goes, h)[which]]
