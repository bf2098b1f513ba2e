"""Results as xarray and pandas tables, and in files."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..system import split_entry
from .event_table import EventRow
from .units import unit_of

if TYPE_CHECKING:
    from .result import Result
    from .stored import StoredResult


def to_xarray(result: Result | StoredResult, names: Sequence[str] | None = None) -> Any:
    """An xarray.Dataset over `t`; vectors have a dimension `axis`, matrices `axis` and `column` of their own size."""
    import xarray

    variables = {}
    for name, values in result.get_many(result.names if names is None else names).items():
        dims = ["t", *(f"{kind}{size}" for kind, size in zip(("axis", "column"), values.shape[1:], strict=False))]
        variables[name] = (dims, values, {"units": unit} if (unit := unit_of(result, name)) else {})
    return xarray.Dataset(variables, coords={"t": ("t", result.t, {"units": "s"})}, attrs=_run_as_text(result))


def _run_as_text(result: Result | StoredResult) -> dict[str, str]:
    """What a run tells beside its variables, as JSON."""
    events = [[float(e.time), e.what, int(e.direction)] for e in result.events]
    counters = {name: int(count) for name, count in result.counters.items()}
    return {"events": json.dumps(events), "counters": json.dumps(counters), "messages": json.dumps(result.messages)}


def _run_from_text(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The same read back, checked; what is missing stays empty."""
    texts = {name: str(attributes[name]) for name in ("events", "counters", "messages") if name in attributes}
    read = {name: json.loads(text) for name, text in texts.items()}
    return {"events": [EventRow(float(t), str(what), int(direction)) for t, what, direction in read.get("events", [])],
            "counters": {str(name): int(count) for name, count in read.get("counters", {}).items()},
            "messages": [str(message) for message in read.get("messages", [])]}


def to_pandas(result: Result | StoredResult, names: Sequence[str] | None = None) -> Any:
    """A pandas.DataFrame over `t`, one column per number."""
    try:
        import pandas
    except ImportError:
        raise ModelError("to_pandas needs pandas, which is not installed; pip install pandas.") from None
    return pandas.DataFrame(_columns(result, names), index=pandas.Index(result.t, name="t"))


def _columns(result: Result | StoredResult, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    out = {}
    for name, values in result.get_many(result.names if names is None else names).items():
        if values.ndim == 1:
            out[name] = values
        for index in np.ndindex(*values.shape[1:]) if values.ndim > 1 else ():
            out[f"{name}[{','.join(map(str, index))}]"] = values[(slice(None), *index)]
    return out


#: what stands in a NetCDF file for the slash, which means a folder there
SLASH = "∕"

ANIMATIONS = (".html", ".png", ".gif", ".mp4", ".glb", ".usd", ".usdc", ".usda")


def save(result: Result | StoredResult, path: str | Path, names: Sequence[str] | None = None, **options: Any) -> None:
    """Write a result to a file by its suffix; `options` are those of an animation."""
    path = Path(path)
    if not path.parent.is_dir():
        raise ModelError(f"{path}: the folder {path.parent} does not exist; make it first.")
    if options and path.suffix not in ANIMATIONS:
        raise ModelError(f"{path.name}: {', '.join(options)} are options of animations ({', '.join(ANIMATIONS)}).")
    if path.suffix == ".nc":
        table = to_xarray(result, names)
        table = table.rename({name: str(name).replace("/", SLASH) for name in table.variables if "/" in str(name)})
        table.to_netcdf(path, engine=_netcdf_engine())
    elif path.suffix == ".csv":
        columns = _columns(result, names)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["t", *columns])
            writer.writerows(zip(*(map(repr, map(float, v)) for v in (result.t, *columns.values())), strict=True))
    elif path.suffix in ANIMATIONS:
        from ..view import save as save_animation

        save_animation(result, path, **options)
    else:
        raise ModelError(f"{path.name}: results are saved as .nc, .csv, {', '.join(ANIMATIONS)}.")


def _netcdf_engine() -> str:
    """NetCDF 4 where h5py is installed, else NetCDF 3, which SciPy writes."""
    return "h5netcdf" if importlib.util.find_spec("h5py") else "scipy"


def read_netcdf(path: Path) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, str], dict[str, Any]]:
    """Times, variables, units, and events, counters and messages of a file written by `save`."""
    import xarray

    try:
        with xarray.open_dataset(path) as table:
            if "t" not in table.coords:
                raise ModelError(f"{path}: the file has no times 't'; it is no result.")
            names = {name: str(name).replace(SLASH, "/") for name in table.data_vars}
            units = {names[name]: str(table[name].attrs["units"]) for name in table.data_vars
                     if "units" in table[name].attrs}
            values = {names[name]: table[name].values for name in table.data_vars}
            return table["t"].values, values, units, _run_from_text(table.attrs)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: the file cannot be read as NetCDF ({error}).") from None


def read_csv(path: Path) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, str], dict[str, Any]]:
    """Times and variables of a file written by `save`, vectors and matrices put together again; numbers only."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"{path}: the file is no text in columns ({error}).") from None
    if not rows or not rows[0] or rows[0][0] != "t":
        raise ModelError(f"{path}: the first column must be 't'; the file is no result.")
    try:
        numbers = np.array(rows[1:], dtype=float).reshape(-1, len(rows[0]))
    except ValueError as error:
        raise ModelError(f"{path}: the file holds something that is no number ({error}).") from None
    parts: dict[str, dict[tuple[int, ...], np.ndarray]] = {}
    for k, name in enumerate(rows[0][1:], start=1):
        whole, index = split_entry(name)
        parts.setdefault(whole, {})[index] = numbers[:, k]
    found: dict[str, np.ndarray] = {}
    for whole, columns in parts.items():
        found |= _put_together(whole, columns)
    return numbers[:, 0], found, {}, {}


def _put_together(whole: str, columns: dict[tuple[int, ...], np.ndarray]) -> dict[str, np.ndarray]:
    """A variable of which all entries are there; else the entries that are, by their names."""
    shape = tuple(max(index) + 1 for index in zip(*columns, strict=False))
    if len({len(index) for index in columns}) > 1 or len(columns) < np.prod(shape, dtype=int):
        return {f"{whole}[{','.join(map(str, index))}]" if index else whole: column
                for index, column in columns.items()}
    values = np.zeros((len(next(iter(columns.values()))), *shape))
    for index, column in columns.items():
        place: tuple = (slice(None), *index)
        values[place] = column
    return {whole: values}
