"""Numbers that sum up a run: the end, the extremes, the mean, the integral, an instant.

They take the name of a variable (or of an entry, "body.r_0[1]") and are asked of a Result; between output times they
use its dense output, so that they do not depend on the grid beyond its resolution of what happens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ModelError
from ..result import Result

ROUNDS, POINTS = 5, 9  # of closing in on an extreme or a crossing, by this many points each
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)  # of an integral, in every interval of the grid


@dataclass(frozen=True)
class Goal:
    """A number of a run; `name` is the variable it looks at."""

    name: str

    def value(self, result: Result) -> np.ndarray | float:
        """The number, or one for every entry of the variable."""
        raise NotImplementedError


class Final(Goal):
    """The value at the end."""

    def value(self, result: Result) -> np.ndarray | float:
        return result[self.name][-1]


class Largest(Goal):
    """The largest value over the run."""

    def value(self, result: Result) -> np.ndarray | float:
        return _extreme(result, self.name, 1.0)


class Smallest(Goal):
    """The smallest value over the run."""

    def value(self, result: Result) -> np.ndarray | float:
        return -_extreme(result, self.name, -1.0)


class Integral(Goal):
    """∫ x dt over the run."""

    def value(self, result: Result) -> np.ndarray | float:
        ends = _pieces(result)
        half, middle = np.diff(ends) / 2, (ends[:-1] + ends[1:]) / 2
        values = result.at((middle[:, None] + half[:, None] * NODES).ravel())[self.name]
        values = values.reshape(len(half), len(NODES), *values.shape[1:])
        return np.einsum("i,k,ik...->...", half, WEIGHTS, values)


class Mean(Integral):
    """The mean over time."""

    def value(self, result: Result) -> np.ndarray | float:
        span = result.t[-1] - result.t[0]
        return super().value(result) / span if span > 0 else result[self.name][-1]


@dataclass(frozen=True)
class When(Goal):
    """The first time at which a variable is `level` or passes it upwards (or downwards); NaN where it never does."""

    level: float
    upwards: bool = True

    def value(self, result: Result) -> float:
        sign = 1.0 if self.upwards else -1.0
        beyond = sign * (result[self.name] - self.level) >= 0
        if beyond.ndim != 1:
            raise ModelError(f"lw.when({self.name!r}): a single number is needed; name an entry, {self.name}[0].")
        if not beyond.any():
            return np.nan
        k = int(np.argmax(beyond))
        if k == 0:
            return float(result.t[0])
        low, high = result.t[k - 1], result.t[k]
        for _ in range(ROUNDS * 2):
            t = np.linspace(low, high, POINTS)
            j = int(np.argmax(sign * (result.at(t)[self.name] - self.level) >= 0))
            low, high = (t[j - 1], t[j]) if j else (low, t[1])
        return float((low + high) / 2)


def final(name: str) -> Final:
    """The value of a variable at the end of a run."""
    return Final(_named("final", name))


def largest(name: str) -> Largest:
    """The largest value of a variable over a run, entry by entry."""
    return Largest(_named("largest", name))


def smallest(name: str) -> Smallest:
    """The smallest value of a variable over a run, entry by entry."""
    return Smallest(_named("smallest", name))


def mean(name: str) -> Mean:
    """The mean of a variable over the time of a run."""
    return Mean(_named("mean", name))


def integral(name: str) -> Integral:
    """The integral of a variable over the time of a run."""
    return Integral(_named("integral", name))


def when(name: str, *, above: float | None = None, below: float | None = None) -> When:
    """The first time at which a variable rises above (or falls below) a level; NaN where it never does."""
    if (above is None) == (below is None):
        raise ModelError(f"lw.when({name!r}): give above= or below=, one of them.")
    return When(_named("when", name), float(below if above is None else above), below is None)


def _named(kind: str, name: object) -> str:
    if not isinstance(name, str):
        raise ModelError(f"lw.{kind}(…) takes the name of a variable; give a formula a name with m.output('name', …).")
    return name


def _pieces(result: Result) -> np.ndarray:
    """The times of the grid and of the events: between them everything is smooth."""
    times = [row.time for row in result.events if result.t[0] < row.time < result.t[-1]]
    return np.unique(np.concatenate([result.t, times]))


def _extreme(result: Result, name: str, sign: float) -> np.ndarray | float:
    """The largest sign × x, closed in on between the output times around it."""
    values = sign * result[name]
    if values.ndim > 1:
        entries = [_extreme(result, f"{name}[{','.join(map(str, place))}]", sign)
                   for place in np.ndindex(values.shape[1:])]
        return np.array(entries).reshape(values.shape[1:])
    k, best = int(np.argmax(values)), float(values.max())
    low, high = result.t[max(k - 1, 0)], result.t[min(k + 1, len(values) - 1)]
    for _ in range(ROUNDS if high > low else 0):
        t = np.linspace(low, high, POINTS)
        near = sign * result.at(t)[name]
        j = int(np.argmax(near))
        best, low, high = max(best, float(near[j])), t[max(j - 1, 0)], t[min(j + 1, POINTS - 1)]
    return best
