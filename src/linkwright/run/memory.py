"""Delayed signals: pieces of polynomials, fitted to the stored steps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import chebyshev

from ..codegen import cosine, inverse
from ..mechanism import DEGREE, Delay
from ..result import Trajectory
from ..system import System, split_entry
from .tolerances import SHORTEST_PIECE, SHORTEST_PIECE_OF_TIME

if TYPE_CHECKING:
    from .controllers import Reading, Scheduled
    from .run import EventRun

NODES = np.array([cosine(Fraction(2 * k + 1, 2 * (DEGREE + 1))) for k in range(DEGREE + 1)])
PROBES = np.array([-0.97, -0.31, 0.44, 0.93])
FIT = inverse([list(map(Fraction, row)) for row in chebyshev.chebvander(NODES, DEGREE)])
VALUES = chebyshev.chebvander(PROBES, DEGREE)


class Breaks:
    """Instants at which a signal jumped or had a corner: no piece of a delayed signal extends over one."""

    def __init__(self, system: System):
        own = {f"{item.path}.piece" for item in system.mechanism.memories}
        self._others = np.array([split_entry(name)[0] not in own for name in system.part_names("d")], dtype=bool)
        self._seen, self._events = 0, 0
        self.times: set[float] = set()

    def update(self, run: EventRun) -> None:
        """Add the events since the last update."""
        history = run.history
        for k in range(max(self._seen, 1), len(history)):
            if not np.array_equal(history[k][1][self._others], history[k - 1][1][self._others]):
                self.times.add(history[k][0])
        self.times.update(event.time for event in run.table[self._events :])
        self._seen, self._events = len(history), len(run.table)

    def next_after(self, t: float) -> float:
        return min((b for b in self.times if b > t), default=np.inf)


class Delayed:
    """A delayed signal, as polynomials piece by piece: where one ends, the next is fitted to the stored steps."""

    def __init__(self, system: System, delay: Delay, start: float, accuracy: float, breaks: Breaks):
        self.system, self.path, self.delay = system, delay.path, delay.duration
        self.start, self.accuracy, self.breaks = start, accuracy, breaks
        self.before = delay.before  # the signal before the start, where it was given
        self.until, self.cornered = start, True  # where the present piece ends, and whether at a break
        self.length, self.scale = delay.duration, 0.0

    @property
    def label(self) -> str:
        return f"the block {self.path}"

    def next_time(self, t: float) -> float:
        return self.until

    def values(self, run: EventRun, reading: Reading) -> dict[str, float]:
        """The next piece, from the present time on."""
        t = run.t
        if t <= self.start:
            self.until = self.start + self.delay
            before = reading.at(run.instant.inputs)[f"{self.path}.u"] if self.before is None else self.before
            return self._piece(t, self.delay, [before])
        self.breaks.update(run)
        if self.cornered:
            self.breaks.times.add(t)
        past = t - self.delay
        corner = self.breaks.next_after(past + SHORTEST_PIECE * self.delay)
        length, coefficients = self._fit(run, past, min(self.length, self.delay, corner - past))
        self.length, self.cornered = 2 * length, length >= corner - past
        self.until = corner + self.delay if self.cornered else t + length
        return self._piece(t, length, coefficients)

    def _fit(self, run: EventRun, begin: float, length: float) -> tuple[float, np.ndarray]:
        """(length, coefficients) of a polynomial piece that fits the signal to the accuracy of the run."""
        while True:
            times = begin + length * (1 + np.concatenate([NODES, PROBES])) / 2
            u = self._signal(run, times)
            self.scale = max(self.scale, np.abs(u).max())
            coefficients = (FIT * u[: len(NODES)]).sum(axis=1)  # not BLAS, whose last bits hang on the processor
            missed = np.abs(VALUES @ coefficients - u[len(NODES) :]).max()
            shortest = max(SHORTEST_PIECE * self.delay, SHORTEST_PIECE_OF_TIME * abs(run.t))
            if missed <= self.accuracy * self.scale or length <= shortest:
                return length, coefficients
            length /= 2

    def _signal(self, run: EventRun, times: np.ndarray) -> np.ndarray:
        """The signal at times that the run has already passed."""
        order = np.argsort(times)
        places = [bisect_left(run.history, t, key=lambda entry: entry[0]) for t in times[order]]
        d = np.array([run.history[max(k - 1, 0)][1] for k in places])
        now = run.instant
        there = Trajectory(self.system, times[order], run.stepper.dense(times[order]), d, now.p.copy(), now.y.copy())
        values = np.empty(len(times))
        values[order] = there[f"{self.path}.u"]
        return values

    def _piece(self, t: float, length: float, coefficients: Sequence[float] | np.ndarray) -> dict[str, float]:
        numbers = [t + length / 2, length / 2, *coefficients, *np.zeros(DEGREE + 1 - len(coefficients))]
        return {f"{self.path}.begun": 1.0, **{f"{self.path}.piece[{k}]": x for k, x in enumerate(numbers)}}


def memories(system: System, start: float, accuracy: float) -> list[Scheduled]:
    """Everything that blocks of a system have to remember."""
    if not system.mechanism.memories:
        return []
    breaks = Breaks(system)
    return [Delayed(system, delay, start, accuracy, breaks) for delay in system.mechanism.memories]
