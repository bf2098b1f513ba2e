"""Fitting a model to measured data: least squares with exact derivatives, and how much the data say.

    min Σ (w (y(t; p) − measured))²,      covariance  s² (JᵀJ)⁻¹,      J = w ∂y/∂p

by Levenberg and Marquardt's method (SciPy), J from the sensitivities of the runs.  Combinations of parameters along
which J vanishes are not fixed by the data: they are named, and left where they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compiler import by_name, names, number, system_of
from ..errors import LinkwrightError, ModelError, unknown_name
from ..result import Result, Table
from ..system import System, split_entry
from ..system.tangents import OF_ALL
from .control_start import value_range
from .goal_changes import changes_along
from .measurements import Experiment, experiments
from .tolerances import FLAT_GRADIENT, NAMED_SHARE, NO_RUN, TINY, UNFIXED
from .varied import Varied, refuse_unknown


@dataclass(frozen=True, repr=False, eq=False)
class Fit(Table):
    """Numbers that fit the data best, and how well they are known."""

    values: dict[str, float]
    covariance: np.ndarray  # of the values, in their order; infinite where the data fix nothing
    residuals: list[dict[str, np.ndarray]]  # model − measured, by experiment and variable
    results: list[Result]
    data: list[Experiment]
    weights: dict[str, float]
    unfixed: list[str]  # combinations that the data do not fix
    success: bool
    message: str

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations of the values."""
        return dict(zip(self.values, np.sqrt(np.diag(self.covariance)), strict=True))

    @property
    def correlation(self) -> np.ndarray:
        """Correlations between the values."""
        size = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            return self.covariance / np.outer(size, size)

    @property
    def chi_squared(self) -> float:
        """Σ (w residual)²."""
        return float(sum(np.nansum((self.weights[name] * r) ** 2) for each in self.residuals
                         for name, r in each.items()))

    def columns(self) -> Sequence[str]:
        return ("", "value", "standard deviation")

    def rows(self) -> Sequence[Sequence[object]]:
        return [(name, value, self.deviations[name]) for name, value in self.values.items()]

    def caption(self) -> str:
        samples = sum(each.samples for each in self.data)
        open_ones = f"; the data do not fix {' nor '.join(self.unfixed)}" if self.unfixed else ""
        return f"fit to {samples} samples: {self.message}{open_ones}"

    def plot(self) -> Any:
        """A figure: measurements with the model through them, residuals below, one column for each variable."""
        from .fit_plot import plot

        return plot(self)


def fit(model: object, data: object, wanted: str | Sequence[str], *,
        bounds: Mapping[str, tuple[float, float]] | None = None, weights: Mapping[str, float] | None = None,
        noise: Mapping[str, float] | None = None, own: str | Sequence[str] = (), tolerance: float = 1e-10,
        runs: int = 100, **options: Any) -> Fit:
    """Find the parameters and initial values `wanted` that fit measured `data` best, by least squares.

        found = lw.fit(m, {"t": t, "rev.phi": angle}, ["damper.d", "rev.phi"])
        found.values, found.deviations

    `data` is a table (pandas, xarray, a dict of columns, a CSV file) with a time column and columns named after
    variables, NaN where a sample is missing.  A list of tables means several experiments, each optionally as
    (table, {name: value}) with its parameters or inputs.  Names in `own` get a separate value for each experiment, for
    example unknown initial values.  `noise` gives the standard deviations of the measurements by variable, from which
    the covariance follows; otherwise the noise level is estimated from the residuals, and `weights` sets the weight of
    each variable.
    """
    search = _Fitting(model, experiments(data), names("names", wanted), names("own", own),
                      by_name("weights", weights, "weights={'rev.phi': 2.0}"),
                      by_name("noise", noise, "noise={'rev.phi': 0.01}"), options)
    if not isinstance(runs, int) or runs < 1:
        raise ModelError(f"runs = {runs!r}: give a whole number, 1 or more.")
    limits = {name: value_range(f"bounds: {name}", pair)
              for name, pair in by_name("bounds", bounds, "bounds={'spring.c': (0, 100)}").items()}
    return search.fit(limits, number("tolerance", tolerance), runs)


class _Fitting:
    """Residuals and their Jacobian over all unknowns: shared numbers, then own ones, experiment by experiment."""

    def __init__(self, model: object, data: list[Experiment], shared: tuple[str, ...], own: tuple[str, ...],
                 weights: dict[str, float], noise: dict[str, float], options: dict[str, Any]) -> None:
        self.data, self.shared, self.own, self.options = data, tuple(n for n in shared if n not in own), own, options
        self.varied = Varied(model, [*self.shared, *own])
        measured = list(dict.fromkeys(name for each in data for name in each.columns))
        for name in (*weights, *noise):
            if name not in measured:
                raise unknown_name(name, measured, "what was measured")
        _refuse_columns(system_of(model), measured)
        self.known = bool(noise)
        for what, given in (("noise", noise), ("weights", weights)):
            for name, value in given.items():
                if not 0 < number(f"{what}: {name}", value) < np.inf:
                    raise ModelError(f"{what}: {name} = {value!r}: a positive number is needed.", name)
        self.weights = {name: 1 / noise[name] if name in noise else weights.get(name, 1.0) for name in measured}
        if noise and len(noise) < len(measured):
            missing = ", ".join(name for name in measured if name not in noise)
            raise ModelError(f"noise: give standard deviations of all that was measured; {missing} is missing.")
        labels = [*self.shared, *[f"{name} ({k + 1})" if len(data) > 1 else name for k in range(len(data))
                                  for name in own]]
        self.labels = labels
        self.last: tuple[np.ndarray, np.ndarray, np.ndarray, list[Result]] = (
            np.zeros(0), np.zeros(0), np.zeros((0, 0)), [])

    def fit(self, bounds: Mapping[str, tuple[float, float]], tolerance: float, runs: int) -> Fit:
        from scipy.optimize import least_squares

        own = [self.varied.now(name) for name in self.own]
        start = np.array([*[self.varied.now(name) for name in self.shared], *own * len(self.data)])
        for name in bounds:
            if name not in self.varied.names:
                raise unknown_name(name, self.varied.names, "what is fitted")
        pairs = [bounds.get(label.partition(" (")[0], (-np.inf, np.inf)) for label in self.labels]
        low, high = np.array(pairs, dtype=float).T
        for label, a, b, value in zip(self.labels, low, high, start, strict=True):
            if not a < b or not a <= value <= b:
                raise ModelError(f"bounds: {label} begins at {value:g}, as the model has it, and must lie between "
                                 f"{a:g} and {b:g}; give the model another number, or wider bounds.", label)
        self.unit = np.where(start != 0, np.abs(start), 1.0)
        if sum(each.samples for each in self.data) < len(start):
            raise ModelError(f"{len(start)} numbers cannot be fitted to {sum(e.samples for e in self.data)} samples.")
        # what the data do not fix stays where it was
        y = start / self.unit
        V, fixed = _directions(self.at(y)[1])
        keep = V[fixed] if not np.all(fixed) and not bounds else np.eye(len(y))
        limits = ((low / self.unit - y, high / self.unit - y) if len(keep) == len(y) else (-np.inf, np.inf))
        found = least_squares(lambda a: self._tried(y + keep.T @ a)[0], np.zeros(len(keep)),
                              jac=lambda a: self._tried(y + keep.T @ a)[1] @ keep.T, bounds=limits, xtol=tolerance,
                              ftol=tolerance, gtol=tolerance * FLAT_GRADIENT, max_nfev=runs)
        return self._outcome(y + keep.T @ found.x, bool(found.success), str(found.message))

    def _tried(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same where there is a run; numbers that a model refuses are far from all data."""
        try:
            return self.at(y)[:2]
        except LinkwrightError:
            return np.full(len(self.last[1]), NO_RUN * (1 + np.abs(self.last[1]).max())), self.last[2]

    def at(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Result]]:
        """Weighted residuals, their Jacobian by scaled numbers, and the runs."""
        if not np.array_equal(self.last[0], y):
            x = self.unit * y
            residuals, rows, results = [], [], []
            n, m = len(self.shared), len(self.own)
            for k, each in enumerate(self.data):
                places = [*range(n), *range(n + k * m, n + (k + 1) * m)]
                result = self._run(each, dict(zip(self.varied.names, x[places], strict=True)))
                at = result.at(each.t)
                for name, column in each.columns.items():
                    there, weight = np.isfinite(column), self.weights[name]
                    residuals.append(weight * (at[name] - column)[there])
                    block = np.zeros((there.sum(), len(x)))
                    block[:, places] = changes_along(at, name, self.varied.names)[there]
                    rows.append(weight * block * self.unit)
                results.append(result)
            self.last = y.copy(), np.concatenate(residuals), np.vstack(rows), results
        return self.last[1:]

    def _run(self, each: Experiment, values: dict[str, float]) -> Result:
        start = float(min(each.t[0], self.options.get("start", 0.0)))
        given = {name: value for name, value in each.values.items() if np.ndim(value) == 0 and not callable(value)}
        inputs = {name: value for name, value in each.values.items() if name not in given}
        try:
            return self.varied.run({**given, **values}, float(each.t[-1]), inputs=inputs,
                                   **{**self.options, "start": start})
        except LinkwrightError as error:
            said = ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
            raise type(error)(f"the run with {said} failed: {error}", *error.components) from error

    def _outcome(self, y: np.ndarray, success: bool, message: str) -> Fit:
        r, J, results = self.at(y)
        V, fixed = _directions(J)
        sizes = np.linalg.norm(J @ V.T, axis=0)
        free = max(len(r) - int(fixed.sum()), 1)
        scale = 1.0 if self.known else float(r @ r) / free
        covariance = (V[fixed].T / sizes[fixed] ** 2) @ V[fixed] * scale
        unfixed = [_combination(self.labels, direction, self.unit) for direction in V[~fixed]]
        for direction in V[~fixed]:
            covariance[np.abs(direction) > NAMED_SHARE, :] = covariance[:, np.abs(direction) > NAMED_SHARE] = 0.0
            covariance[np.abs(direction) > NAMED_SHARE, np.abs(direction) > NAMED_SHARE] = np.inf
        covariance = covariance * np.outer(self.unit, self.unit)
        residuals, start = [], 0
        for each in self.data:
            own = {}
            for name, column in each.columns.items():
                there = np.isfinite(column)
                own[name] = np.full(len(column), np.nan)
                own[name][there] = r[start : start + there.sum()] / self.weights[name]
                start += int(there.sum())
            residuals.append(own)
        values = dict(zip(self.labels, map(float, self.unit * y), strict=True))
        return Fit(values, covariance, residuals, results, self.data, self.weights, unfixed, success, message)


def _refuse_columns(system: System, measured: Sequence[str]) -> None:
    """Columns of data that are no single numbers of a model."""
    for name in measured:
        refuse_unknown(system, name)
        whole, place = (name, ()) if name in OF_ALL else split_entry(name, system.names_table)
        shape = np.shape(system.evaluate(system.state_from_defaults(), whole))
        if len(place) != len(shape) or any(k >= n for k, n in zip(place, shape, strict=True)):
            raise ModelError(f"{name}: {whole} has {'×'.join(map(str, shape)) or 'no'} entries, counted from 0; give a "
                             "column for each that was measured, by its name.", name)


def _directions(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orthogonal directions of the scaled numbers, one row each, and which of them the data fix."""
    _, sizes, V = np.linalg.svd(J, full_matrices=len(J) < J.shape[1])
    sizes = np.concatenate([sizes, np.zeros(len(V) - len(sizes))])
    return V, sizes > UNFIXED * max(sizes.max(initial=0.0), TINY)


def _combination(labels: Sequence[str], direction: np.ndarray, unit: np.ndarray) -> str:
    """A direction of the scaled numbers, by name: what changes together without the data noticing."""
    terms = [(value, label) for value, size, label in zip(direction * unit, direction, labels, strict=True)
             if abs(size) > NAMED_SHARE * np.abs(direction).max()]
    if len(terms) == 1:
        return terms[0][1]
    largest = max(terms, key=lambda term: abs(term[0]))[0]
    parts = [f"{value / largest:+.3g} {label}" for value, label in terms]
    return f"a change along ({', '.join(parts)})"
