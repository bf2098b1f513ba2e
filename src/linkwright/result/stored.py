"""Results read back from a file: the stored variables, and values between the stored times by interpolation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from .result import Series
from .times import as_times

if TYPE_CHECKING:
    from .event_table import EventRow


class StoredResult(Series):
    """A result from a file; it knows the variables that were saved, and no mechanism.

    A .nc file keeps events, counters and messages of the run too; a .csv file holds numbers only.
    """

    def __init__(self, name: str, t: np.ndarray, values: dict[str, np.ndarray], units: dict[str, str] | None = None,
                 events: Sequence[EventRow] = (), counters: dict[str, int] | None = None,
                 messages: Sequence[str] = ()) -> None:
        super().__init__(t)
        self.name, self.units = name, dict(units or {})
        self.events, self.counters, self.messages = list(events), dict(counters or {}), list(messages)
        self._known = dict(values)

    @property
    def names(self) -> list[str]:
        """The variables that were saved."""
        return list(self._known)

    def __repr__(self) -> str:
        return f"StoredResult({self.name!r}, {len(self.t)} times, {len(self.names)} variables)"

    def at(self, t: float | Sequence[float] | np.ndarray, side: str = "before") -> StoredResult:
        """The variables at other times, by cubic interpolation of what was stored."""
        times = as_times(t)
        if not len(self.t) or times.size and not (times.min() >= self.t[0] and times.max() <= self.t[-1]):
            span = f"goes from {self.t[0]:g} s to {self.t[-1]:g} s" if len(self.t) else "is empty"
            raise ModelError(f"the requested time is not covered; the result {span}.")
        from scipy.interpolate import CubicSpline

        def between(values: np.ndarray) -> np.ndarray:
            found = CubicSpline(self.t, values, axis=0)(times) if len(self.t) > 1 else values[: len(times)]
            return found if np.ndim(t) else found[0]

        return StoredResult(self.name, times, {name: between(values) for name, values in self._known.items()},
                            self.units, self.events, self.counters, self.messages)

    def to_xarray(self, names: Sequence[str] | None = None) -> Any:
        """The variables as an xarray.Dataset over `t`."""
        from .datasets import to_xarray

        return to_xarray(self, names)

    def to_pandas(self, names: Sequence[str] | None = None) -> Any:
        """The variables as a pandas.DataFrame over `t`."""
        from .datasets import to_pandas

        return to_pandas(self, names)

    def save(self, path: str | Path, names: Sequence[str] | None = None) -> None:
        """Write to a file by its suffix: .nc or .csv."""
        from .datasets import save

        save(self, path, names)

    def plot(self, *names: str, compare: Series | Sequence[Series] | Mapping[str, Series] = ()) -> Any:
        """A matplotlib Figure of the variables, with further results over it (see `Result.plot`)."""
        from .plots import plot

        return plot(self, names, compare)


def load(path: str | Path) -> StoredResult:
    """A result from a .nc or .csv file; data only, nothing in the file is executed."""
    path = Path(path)
    if path.suffix not in (".nc", ".csv"):
        raise ModelError(f"{path.name}: results are read from .nc and .csv files.")
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file.")
    from .datasets import read_csv, read_netcdf

    t, values, units, run = (read_netcdf if path.suffix == ".nc" else read_csv)(path)
    return StoredResult(path.stem, t, values, units, **run)
