"""A sweep that was made: what every run gave, as one Dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError
from ..result import Result, subplots
from .lanes import LaneBatch
from .runs import Job, repeat
from .samples import Samples
from .sobol import sobol_indices


class Study:
    """The results of `lw.sweep`: `data` is an xarray.Dataset with one row per run.

    `failed` lists the failed runs, and `result(k)` repeats run k and returns its complete Result.
    """

    def __init__(self, job: Job, samples: Samples, data: Any, sampler: str) -> None:
        self.job, self.samples, self.data, self.sampler = job, samples, data, sampler

    def __repr__(self) -> str:
        status = self.data["status"].values
        return f"Study({self.job.model.title!r}, {len(status)} runs, {int((status == 'failed').sum())} failed)"

    def _repr_html_(self) -> str:
        return self.data._repr_html_()

    @property
    def failed(self) -> Any:
        """The runs that failed, with their values, times and messages."""
        return self.data.isel(run=np.flatnonzero(self.data["status"].values == "failed"))

    def values(self, k: int) -> dict[str, float | np.ndarray]:
        """The swept values of run k."""
        if not 0 <= k < self.samples.n:
            raise ModelError(f"run {k}: there are runs 0 … {self.samples.n - 1}.")
        return self.samples.row(k)

    def result(self, k: int) -> Result:
        """Repeat run k and return its complete Result."""
        self.values(k)  # refuses a number that no run has
        return repeat(self.job, self.samples.run(k))

    def bundle(self, path: str | Path) -> Path:
        """Write the runs as a zip file for another machine with a GPU: run `python runs.zip results.npz` there.

        That machine needs only NumPy and the driver.  The results are the states at the output times, one row per run;
        runs with invalid values are left out.
        """
        lanes = LaneBatch(self.job, "gpu")
        if not lanes.fits:
            raise ModelError("bundle: these runs cannot go to a GPU (delays, a parameter decides the "
                             "structure, or a reduction is a Python function).")
        return lanes.runs.bundle(path, lanes.begin(self.samples.part(np.arange(self.samples.n)))[0])

    def sensitivity(self, *names: str) -> Any:
        """Sobol indices of reduced values: the share of the variance that each swept value causes (a Dataset).

        Requires a sweep of distributions with sampler="saltelli".
        """
        import xarray

        if self.sampler != "saltelli":
            raise ModelError("sensitivity needs runs laid out for it: sweep(…, sampler='saltelli'), not "
                             f"{self.sampler!r}.")
        swept = list(self.samples.values)
        found = {}
        for name in names or self.job.reducers:
            if name not in self.data:
                raise ModelError(f"sensitivity: {name!r} is none of {', '.join(self.job.reducers)}.")
            indices = sobol_indices(self.data[name].values, swept)
            for kind in ("first", "total"):
                found[f"{name}.{kind}"] = ("parameter", np.array([indices[p][kind] for p in swept]))
        return xarray.Dataset(found, coords={"parameter": swept})

    def plot(self, *names: str) -> Any:
        """Plot outputs over time (a faint line per run, and the median) and reduced values over the first swept one."""
        names = names or (*self.job.outputs, *self.job.reducers)
        swept = list(self.samples.values)
        over_time = [name for name in names if "time" in self.data[name].dims]
        reduced = [name for name in names if name not in over_time]
        rows = len(over_time) + len(reduced)
        figure, axes = subplots(max(rows, 1), 1, figsize=(8, 1 + 2.8 * rows))
        for axis, name in zip(axes[:, 0], [*over_time, *reduced], strict=True):
            values = self.data[name].values.reshape(self.samples.n, *self.data[name].shape[1:])
            if name in over_time:
                flat = values if values.ndim == 2 else values.reshape(*values.shape[:2], -1)[..., 0]
                axis.plot(self.data["time"].values, flat.T, color="C0", alpha=max(0.02, min(1.0, 20 / len(flat))))
                axis.plot(self.data["time"].values, np.nanmedian(flat, axis=0), color="black", label="median")
                axis.set_xlabel("t / s")
                axis.legend()
            else:
                axis.plot(self.samples.values[swept[0]], values.reshape(len(values), -1), ".", alpha=0.5)
                axis.set_xlabel(swept[0])
            axis.set_ylabel(name)
            axis.grid(alpha=0.3)
        return figure


def dataset(job: Job, samples: Samples, columns: dict[str, np.ndarray], times: np.ndarray, seeds: np.ndarray,
            units: dict[str, str]) -> Any:
    """The runs as an xarray.Dataset: swept values are coordinates, outputs have a time, reduced values none."""
    import xarray

    def variable(name: str, over_time: bool) -> tuple[list[str], np.ndarray, dict[str, str]]:
        # a run that fails where it begins has no values; nor has an output of which all do
        array = columns[name] if name in columns or not over_time else np.full((samples.n, len(times)), np.nan)
        shape = array.shape[2:] if over_time else array.shape[1:]
        dims = ["run", *(["time"] if over_time else []), *(f"{name}.axis{k}" for k in range(len(shape)))]
        return (dims, array, {"units": units[name]} if units.get(name) else {})

    # a start value that is an output too is told from it
    coordinates = {f"{name} (start)" if name in columns else name:
                   (["run", *(f"{name}.axis{k}" for k in range(column.ndim - 1))], column,
                    {"units": units[name]} if units.get(name) else {}) for name, column in samples.values.items()}
    told = {name: ("run", columns[name]) for name in ("message", "ended", "events", "steps", "wall", "handed_over")}
    ordinary = int(np.isfinite(columns["handed_over"]).sum())
    return xarray.Dataset(
        {**{name: variable(name, True) for name in job.outputs}, **told,
         **{name: variable(name, False) for name in job.reducers if name in columns}},
        coords={"run": np.arange(samples.n), "time": ("time", times, {"units": "s"}), "seed": ("run", seeds),
                "status": ("run", columns["status"]), **coordinates},
        attrs={"model": job.model.title, "stop": job.stop, "samples": samples.identity,
               # runs that lanes or a GPU did not make, or not to their end; `handed_over` says from when on
               "ordinary_runs": ordinary})
