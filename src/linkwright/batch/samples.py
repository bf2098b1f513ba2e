"""Which values every run of a sweep has: grids, paired lists, and samples of distributions.

Run k has the same values however many runs are asked for, and wherever it is computed: sequences are those of
scipy.stats.qmc or counter-based random numbers, taken from their beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..compiler import Model, identity, input_names, number_at, refuse_open_entries
from ..errors import ModelError
from ..system import check_entry, split_entry
from .distributions import Distribution
from .sequences import unit_samples
from .sobol import saltelli


@dataclass(frozen=True)
class Samples:
    """Values by name, one row a run; `identity` tells one sampling from another.

    Runs are made with values of whole vectors (`of_runs`) where single entries were named.
    """

    values: dict[str, np.ndarray]
    n: int
    identity: str
    of_runs: dict[str, np.ndarray]
    axes: dict[str, np.ndarray] | None = None  # of a grid: its values along each name

    def row(self, k: int) -> dict[str, float | np.ndarray]:
        """The values of run k, as they were named."""
        return _row(self.values, k)

    def run(self, k: int) -> dict[str, float | np.ndarray]:
        """The values that run k is made with."""
        return _row(self.of_runs, k)

    def part(self, places: np.ndarray) -> dict[str, np.ndarray]:
        """The values that some runs are made with, a row each."""
        return {name: column[places] for name, column in self.of_runs.items()}

    def seeds(self, seed: int) -> np.ndarray:
        """A seed for every run, from that of the study and the number of the run (Steele, Lea, Flood 2014: mix64)."""
        with np.errstate(over="ignore"):
            z = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.arange(1, self.n + 1, dtype=np.uint64)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _row(columns: Mapping[str, np.ndarray], k: int) -> dict[str, float | np.ndarray]:
    return {name: column[k] if column.ndim > 1 else float(column[k]) for name, column in columns.items()}


def of_vectors(samples: Samples, model: Model) -> Samples:
    """The same runs, with values of whole vectors where single entries were named ("body.r_cm[0]"); the others stay."""
    def whole_of(whole: str, name: str) -> np.ndarray:
        refuse_open_entries(model, whole, name)
        return number_at(model, whole)

    return replace(samples, of_runs=merged(samples.values, input_names(model), whole_of))


def merged(columns: Mapping[str, np.ndarray], known: Container[str],
           whole_of: Callable[[str, str], np.ndarray]) -> dict[str, np.ndarray]:
    """Columns of whole vectors in the place of those of their entries; `whole_of(vector, entry)` gives the others."""
    values: dict[str, np.ndarray] = {}
    for name, column in columns.items():
        whole, place = split_entry(name, known)
        if place and whole in columns:
            raise ModelError(f"{name}: {whole} is given as a whole; name it, or its entries.", name)
        if not place:
            values[name] = column
            continue
        if column.ndim > 1:
            raise ModelError(f"{name}: this is one number, and takes a list of numbers.", name)
        if whole not in values:
            values[whole] = np.repeat(np.asarray(whole_of(whole, name))[None], len(column), axis=0)
        check_entry(name, values[whole].shape[1:])
        index: tuple = (slice(None), *place)
        values[whole][index] = column
    return values


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
    values = {name: values[name] for name in given}
    return Samples(values, n, told, values, axes)


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
