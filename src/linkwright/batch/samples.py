"""Which values every run of a sweep has: grids, paired lists, and samples of distributions.

Run k has the same values however many runs are asked for, and wherever it is computed: sequences are those of
scipy.stats.qmc or counter-based random numbers, taken from their beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..compiler import identity
from ..errors import ModelError
from .distributions import Distribution
from .sequences import unit_samples
from .sobol import saltelli


@dataclass(frozen=True)
class Samples:
    """Values by name, one row a run; `identity` tells one sampling from another."""

    values: dict[str, np.ndarray]
    n: int
    identity: str
    axes: dict[str, np.ndarray] | None = None  # of a grid: its values along each name

    def row(self, k: int) -> dict[str, float | np.ndarray]:
        """The values of run k."""
        return {name: column[k] if column.ndim > 1 else float(column[k]) for name, column in self.values.items()}

    def part(self, places: np.ndarray) -> dict[str, np.ndarray]:
        """The values of some runs, a row each."""
        return {name: column[places] for name, column in self.values.items()}

    def seeds(self, seed: int) -> np.ndarray:
        """A seed for every run, from that of the study and the number of the run (Steele, Lea, Flood 2014: mix64)."""
        with np.errstate(over="ignore"):
            z = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.arange(1, self.n + 1, dtype=np.uint64)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def sampled(given: Mapping[str, object], paired: bool, samples: int | None, sampler: str, seed: int) -> Samples:
    """The values of every run; lists make a grid, or runs one by one where `paired`; distributions are drawn from."""
    if not isinstance(given, Mapping) or not given:
        raise ModelError("sweep needs values by name, such as {'body.m': [1.0, 2.0]} or {'body.m': lw.normal(1, 0.1)}.")
    formulas = {name: value for name, value in given.items() if callable(value)}
    drawn = {name: value for name, value in given.items() if isinstance(value, Distribution)}
    lists = {name: _listed(name, value) for name, value in given.items() if name not in formulas and name not in drawn}
    if not drawn and samples is not None:
        raise ModelError(f"samples = {samples} goes with distributions such as lw.normal(1, 0.1); lists say by "
                         "themselves how many runs there are.")
    if drawn and samples is None:
        raise ModelError(f"{', '.join(drawn)}: how many samples? Give samples=1000.")
    if drawn and any(len(values) > 1 for values in lists.values()):
        raise ModelError(f"{', '.join(lists)}: lists and distributions do not go together; draw from a list with "
                         "lw.choice([…]).")
    axes = None
    if drawn:
        values = _drawn(drawn, _whole("samples", samples, 1), sampler, seed)
        n = len(next(iter(values.values())))
        values |= {name: np.repeat(column, n, axis=0) for name, column in lists.items()}
    elif paired:
        lengths = {name: len(column) for name, column in lists.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
            raise ModelError(f"paired=True takes lists of one length: {told}.")
        n, values = next(iter(lengths.values()), 1), lists
    else:
        axes = lists
        places = np.indices([len(column) for column in lists.values()]).reshape(len(lists), -1)
        n = places.shape[1]
        values = {name: column[place] for (name, column), place in zip(lists.items(), places, strict=True)}
    values |= _computed(formulas, values, n)
    told = identity([sorted(given), paired, sampler if drawn else None, seed if drawn else None,
                     {name: repr(value) for name, value in drawn.items()}, lists, formulas])
    return Samples({name: values[name] for name in given}, n, told, axes)


def _drawn(drawn: Mapping[str, Distribution], n: int, sampler: str, seed: int) -> dict[str, np.ndarray]:
    u = saltelli(n, len(drawn), seed) if sampler == "saltelli" else unit_samples(n, len(drawn), sampler, seed)
    return {name: of.quantiles(u[:, k]) for k, (name, of) in enumerate(drawn.items())}


def _computed(formulas: Mapping[str, Callable], values: Mapping[str, np.ndarray], n: int) -> dict[str, np.ndarray]:
    """Values that follow from other swept ones: a function of a run's values, asked for each run."""
    out = {}
    for name, formula in formulas.items():
        rows = []
        for k in range(n):
            row = {key: column[k] for key, column in values.items()}
            try:
                rows.append(np.asarray(formula(row), dtype=float))
            except Exception as error:
                raise ModelError(f"{name}: its formula fails for run {k}, {row}: {type(error).__name__}: "
                                 f"{error}") from error
        out[name] = np.array(rows)
        if not np.isfinite(out[name]).all():
            raise ModelError(f"{name}: its formula is not finite for run {int(np.argmin(np.isfinite(out[name])))}.")
    return out


def _listed(name: str, value: object) -> np.ndarray:
    """A list of numbers, or of vectors (one row each); one number stands for itself."""
    try:
        array = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        raise ModelError(f"{name}: a list of numbers, a distribution (lw.uniform …) or a function of the other values "
                         f"is needed, got {value!r}.") from None
    if not array.size or not np.isfinite(array).all():
        raise ModelError(f"{name}: the list of values is empty or not finite.")
    return array


def _whole(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ModelError(f"{name} = {value!r}: a whole number of at least {least} is needed.")
    return int(value)
