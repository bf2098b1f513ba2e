"""What a stepped run has behind it: its steps, and signals that come back late.

A delayed signal is noted at every step; within the next it is the straight line between its past values,

    y(t … t + h) = u(t − T) … u(t + h − T)

so that what jumps comes back within a step, as everything here does to first order in h.
"""

from __future__ import annotations

import numpy as np

from ..system import System
from .controllers import PARTS
from .tolerances import STEPPED_ROOM


class Past:
    """Times and rows of numbers, one for every step; there is room for more than there are."""

    def __init__(self, width: int):
        self._t, self._x, self.count = np.zeros(STEPPED_ROOM), np.zeros((STEPPED_ROOM, width)), 0

    def add(self, t: float, x: np.ndarray) -> None:
        """A step is done."""
        if self.count == len(self._t):
            self._t = np.concatenate([self._t, np.zeros_like(self._t)])
            self._x = np.concatenate([self._x, np.zeros_like(self._x)])
        self._t[self.count], self._x[self.count] = t, x
        self.count += 1

    @property
    def t(self) -> np.ndarray:
        """The times of the steps."""
        return self._t[: self.count]

    @property
    def x(self) -> np.ndarray:
        """What was at them."""
        return self._x[: self.count]

    def at(self, t: float, column: int) -> float:
        """A column at a time, along straight lines; before the first step and after the last it is what it is there."""
        after = int(np.searchsorted(self.t, t))
        if after == 0 or after == self.count:
            return float(self._x[min(after, self.count - 1), column])
        t_0, t_1 = self._t[after - 1 : after + 1]
        share = (t - t_0) / (t_1 - t_0)
        return float((1 - share) * self._x[after - 1, column] + share * self._x[after, column])


class SteppedDelays:
    """The delayed signals of a run, whose memory lies among the discrete variables."""

    def __init__(self, system: System, inputs: np.ndarray):
        self.delays = system.mechanism.memories
        self._past = Past(len(self.delays))
        if not self.delays:
            return
        self._parts = [inputs[system.layout.places[part]] for part in PARTS]
        self._signals = [system.function(PARTS, (f"{delay.path}.u",)) for delay in self.delays]
        self._d, names = system.layout.unpack(inputs)["d"], system.part_names("d")
        self._pieces = [names.index(f"{delay.path}.piece[0]") for delay in self.delays]
        self._lengths = [sum(name.startswith(f"{delay.path}.piece[") for name in names) for delay in self.delays]
        self._begun = [names.index(f"{delay.path}.begun") for delay in self.delays]

    def look_back(self, t: float, h: float) -> None:
        """Note the signals at t, and let the next step of length h read what they were."""
        if not self.delays:
            return
        self._past.add(t, np.array([float(signal(*self._parts)) for signal in self._signals]))
        for k, delay in enumerate(self.delays):
            begin, end = (self._value(k, t + way - delay.duration) for way in (0.0, h))
            first, self._d[self._begun[k]] = self._pieces[k], 1.0
            self._d[first : first + self._lengths[k]] = 0.0
            self._d[first : first + 4] = t + h / 2, h / 2, (begin + end) / 2, (end - begin) / 2

    def _value(self, k: int, t: float) -> float:
        before = self.delays[k].before
        return before if before is not None and t < self._past.t[0] else self._past.at(t, k)
