"""Measured data of experiments, from whatever table they come in: times, and columns of variables by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..compiler import by_name, given_inputs
from ..errors import ModelError
from ..result import TIMES, TimeTable, read_table


@dataclass(frozen=True, eq=False)
class Experiment:
    """Times (s, increasing), what was measured there (NaN where a sample is missing), and numbers of the run.

    `values` are parameters, start values and inputs that this experiment was made with.
    """

    t: np.ndarray
    columns: dict[str, np.ndarray]
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def samples(self) -> int:
        """How many numbers were measured."""
        return int(sum(np.isfinite(column).sum() for column in self.columns.values()))


def experiments(data: object) -> list[Experiment]:
    """One experiment or several: tables, files, or pairs (table, numbers of the run)."""
    if isinstance(data, Sequence) and not isinstance(data, (str, tuple)):
        return [experiment(item) for item in data] or _refuse_empty()
    return [experiment(data)]


def _refuse_empty() -> list[Experiment]:
    raise ModelError("data = []: give at least one experiment.")


def experiment(data: object) -> Experiment:
    """A pandas DataFrame, xarray Dataset, dict of columns, Result or file; or (one of these, {name: number})."""
    values: dict[str, Any] = {}
    if isinstance(data, tuple) and len(data) == 2:
        by_name("the numbers of an experiment", data[1], "{'motor.tau': 2.0}")
        data, values = data[0], given_inputs(data[1])
    columns = _columns(data)
    known = [name for name in TIMES if name in columns]
    if not known:
        raise ModelError(f"the data have no column of times; call one 't' (there are {', '.join(columns) or 'none'}).")
    t = columns.pop(known[0])
    if t.ndim != 1 or len(t) < 1 or not np.all(np.isfinite(t)) or not np.all(np.diff(t) > 0):
        raise ModelError(f"{known[0]}: times of measurements must be finite and increasing.")
    for name, column in columns.items():
        if column.shape != t.shape:
            raise ModelError(f"{name}: {len(t)} numbers are needed, one for each time; got shape {column.shape}. Of a "
                             f"vector give its entries, {name}[0].", name)
        if np.isinf(column).any():
            raise ModelError(f"{name}: measurements must be finite; NaN stands for one that is missing.", name)
    measured = {name: column for name, column in columns.items() if np.isfinite(column).any()}
    if not measured:
        raise ModelError("the data hold nothing that was measured: no column beside the times has a number.")
    return Experiment(t, measured, values)


def _columns(data: Any) -> dict[str, np.ndarray]:
    if isinstance(data, (str, Path)):
        data = read_table(data)
    if isinstance(data, TimeTable):
        return {"t": data.t, **data.values}
    if hasattr(data, "to_dataframe"):
        data = data.to_dataframe()
    if hasattr(data, "columns") and hasattr(data, "index"):
        found = {str(name): _numbers(name, data[name]) for name in data.columns}
        if not any(name in found for name in TIMES):
            found["t"] = _numbers("t", data.index)
        return found
    if isinstance(data, Mapping):
        return {str(name): _numbers(name, column) for name, column in data.items()}
    raise ModelError(f"{type(data).__name__} is no table of measurements; give a pandas DataFrame, an xarray Dataset, "
                     "a dict of columns or the path of a .csv, .sto or .mot file.")


def _numbers(name: object, column: Any) -> np.ndarray:
    try:
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name}: numbers are needed, NaN for those that are missing: {error}.", str(name)) from None
