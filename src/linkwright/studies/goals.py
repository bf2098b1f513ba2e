"""Numbers that sum up runs: the end, the extremes, the mean, the integral, an instant.

They take the name of a variable (or of an entry, "body.r_0[1]"), or a formula of the variables of a model.  Between
output times they use the dense output of the runs, so that they do not depend on the grid beyond its resolution of what
happens.  Every goal is a *search* over any number of runs at once: it sees the values at output times, asks for values
at other times, as often as it needs, and gives a number of each run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from ..compiler import number
from ..errors import ModelError
from ..result import Result
from .scores import Formula, Score
from .tolerances import CLOSING_IN, CLOSING_POINTS

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)  # of an integral, in every interval of the grid
FRACTIONS = np.linspace(0.0, 1.0, CLOSING_POINTS)

#: asks for values (run, time, …) at times (run, time); gives a number or an array of every run
Search = Generator[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Goal(Formula):
    """A number of a run; `name` is the variable it looks at, or else `formula`, an expression."""

    name: str
    formula: object = None

    def named(self, name: str) -> Goal:
        """The same of a variable of this name, which stands for the formula."""
        return replace(self, name=name, formula=None)

    def score(self) -> Score:
        """The goal as a formula of goals."""
        what = self.name if self.formula is None else str(self.formula)
        symbol = ca.SX.sym(f"{type(self).__name__.lower()}({what})")
        return Score(symbol, (symbol,), (self,))

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        """Over runs with `values` (run, time, …) at output times `t` (run, time), smooth between the times `pieces`."""
        raise NotImplementedError

    def value(self, result: Result) -> np.ndarray | float:
        """The number, or one for every entry of the variable."""
        if self.formula is not None:
            raise ModelError("a goal with a formula belongs to the study that was given it; ask a Result for a name.")
        return found(self.search(result.t[None], result[self.name][None], _pieces(result)[None]),
                     lambda times: result.at(times[0])[self.name][None])[0]


def found(search: Search, ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What a search finds, its questions answered by `ask`."""
    try:
        times = next(search)
        while True:
            times = search.send(ask(times))
    except StopIteration as end:
        return end.value


class Final(Goal):
    """The value at the end."""

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        return values[:, -1]
        yield


@dataclass(frozen=True, eq=False)
class AtTime(Goal):
    """The value at a time, before what happens there."""

    time: float = 0.0

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        if not (t[:, 0].max() <= self.time <= t[:, -1].min()):
            raise ModelError(f"lw.final({self.name!r}, at={self.time:g}): the run goes from t = {t[0, 0]:g} s to "
                             f"{t[0, -1]:g} s.")
        return (yield np.full((len(t), 1), self.time))[:, 0]


class Largest(Goal):
    """The largest value over the run."""

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        return (yield from _extreme(t, values))


class Smallest(Goal):
    """The smallest value over the run."""

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        negative = _extreme(t, -values)
        times = next(negative)
        try:
            while True:
                times = negative.send(-(yield times))
        except StopIteration as end:
            return -end.value


class Integral(Goal):
    """∫ x dt over the run."""

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        half, middle = np.diff(pieces) / 2, (pieces[:, :-1] + pieces[:, 1:]) / 2
        asked = yield (middle[:, :, None] + half[:, :, None] * NODES).reshape(len(pieces), -1)
        asked = asked.reshape(*half.shape, len(NODES), *asked.shape[2:])
        total = np.zeros((len(pieces), *asked.shape[3:]))
        for k in range(half.shape[1]):  # in order of time, whatever the number of runs
            here = sum(weight * asked[:, k, i] for i, weight in enumerate(WEIGHTS))
            total = total + half[:, k].reshape(-1, *[1] * (total.ndim - 1)) * here
        return total


class Mean(Integral):
    """The mean over time."""

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        total = yield from super().search(t, values, pieces)
        span = (t[:, -1] - t[:, 0]).reshape(-1, *[1] * (total.ndim - 1))
        return np.where(span > 0, total / np.where(span > 0, span, 1.0), values[:, -1])


@dataclass(frozen=True, eq=False)
class When(Goal):
    """The first time at which a variable is `level` or passes it upwards (or downwards); NaN where it never does."""

    level: float = 0.0
    upwards: bool = True

    def search(self, t: np.ndarray, values: np.ndarray, pieces: np.ndarray) -> Search:
        if values.ndim != 2:
            raise ModelError(f"lw.when({self.name!r}): a single number is needed; name an entry, {self.name}[0].")
        sign, rows = 1.0 if self.upwards else -1.0, np.arange(len(t))
        over = sign * (values - self.level)
        beyond = over >= 0
        k = np.argmax(beyond, axis=1)
        never, at_once = ~beyond.any(axis=1), beyond[:, 0]
        before = np.maximum(k - 1, 0)
        low, high, below, above = t[rows, before], t[rows, k], over[rows, before], over[rows, k]
        for _ in range(CLOSING_IN):
            times = _between(low, high)
            near = sign * ((yield times) - self.level)
            j = np.maximum(np.argmax(near >= 0, axis=1), 1)
            low, high, below, above = times[rows, j - 1], times[rows, j], near[rows, j - 1], near[rows, j]
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.where((below < 0) & (above > below), low + (high - low) * (-below / (above - below)), high)
        return np.where(never, np.nan, np.where(at_once, t[:, 0], inside))


def final(name: object, at: float | None = None) -> Goal:
    """The value of a variable, or of a formula of variables, at the end of a run, or at the time `at` in seconds."""
    if at is None:
        return Final(*_looked_at("final", name))
    return AtTime(*_looked_at("final", name), time=number("at", at))


def largest(name: object) -> Largest:
    """The largest value of a variable or formula over a run, entry by entry."""
    return Largest(*_looked_at("largest", name))


def smallest(name: object) -> Smallest:
    """The smallest value of a variable or formula over a run, entry by entry."""
    return Smallest(*_looked_at("smallest", name))


def mean(name: object) -> Mean:
    """The mean of a variable or formula over the time of a run."""
    return Mean(*_looked_at("mean", name))


def integral(name: object) -> Integral:
    """The integral of a variable or formula over the time of a run."""
    return Integral(*_looked_at("integral", name))


def when(name: object, *, above: float | None = None, below: float | None = None) -> When:
    """The first time at which a variable or formula rises above (or falls below) a level; NaN where it never does."""
    if (above is None) == (below is None):
        raise ModelError(f"lw.when({name!r}): give above= or below=, one of them.")
    return When(*_looked_at("when", name), level=float(below if above is None else above), upwards=below is None)


def _looked_at(kind: str, what: object) -> tuple[str, object]:
    """(name, None) of a variable, (words, formula) of an expression."""
    if isinstance(what, str):
        return what, None
    if isinstance(what, ca.SX) or hasattr(what, "__array__") or isinstance(what, (list, tuple)):
        return f"{kind}(…)", what
    raise ModelError(f"lw.{kind}(…) takes the name of a variable or a formula of variables, got {what!r}.")


def _pieces(result: Result) -> np.ndarray:
    """The times of the grid and of the events: between them everything is smooth."""
    times = [row.time for row in result.events if result.t[0] < row.time < result.t[-1]]
    return np.unique(np.concatenate([result.t, times]))


def _between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Times from `low` to `high`, of every run."""
    times = low[:, None] + (high - low)[:, None] * FRACTIONS
    times[:, -1] = high
    return times


def _extreme(t: np.ndarray, values: np.ndarray) -> Search:
    """The largest value of every entry, closed in on between the output times around it."""
    runs, count = values.shape[:2]
    flat = values.reshape(runs, count, -1)
    entries, rows = flat.shape[2], np.arange(runs)
    k = np.argmax(flat, axis=1)  # (run, entry)
    best = np.take_along_axis(flat, k[:, None], axis=1)[:, 0]
    low = np.take_along_axis(t, np.maximum(k - 1, 0), axis=1)
    high = np.take_along_axis(t, np.minimum(k + 1, count - 1), axis=1)
    for _ in range(CLOSING_IN):
        times = [_between(low[:, e], high[:, e]) for e in range(entries)]
        near = (yield np.concatenate(times, axis=1)).reshape(runs, entries, CLOSING_POINTS, -1)
        for e in range(entries):
            own = near[:, e, :, e]
            j = np.argmax(own, axis=1)
            best[:, e] = np.maximum(best[:, e], own[rows, j])
            low[:, e] = times[e][rows, np.maximum(j - 1, 0)]
            high[:, e] = times[e][rows, np.minimum(j + 1, CLOSING_POINTS - 1)]
    return best.reshape(runs, *values.shape[2:])
