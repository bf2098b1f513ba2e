"""What the runs of a sweep have given so far: columns with a row a run, in memory or in a store on disk.

A store is safe against being killed at any instant: rows are written first, their status last, and a row counts only by
its status.  A store knows which model and which sampling it belongs to, and refuses others.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..compiler import UNTOLD
from ..errors import ModelError
from .runs import STATUS, Block
from .tolerances import PAUSE

TOLD = {"ended": (float, np.nan), "wall": (float, 0.0), "events": (np.int64, 0), "steps": (np.int64, 0),
        "handed_over": (float, np.nan)}


class Columns:
    """Columns in memory."""

    def __init__(self, n: int, chunk: int):
        self.n, self.chunk = n, chunk
        self.arrays: dict[str, Any] = {}  # NumPy's, or Zarr's
        self._make("status", (), np.int8, 0)
        self._make("message", (), object, "")
        for name, (kind, fill) in TOLD.items():
            self._make(name, (), kind, fill)

    def _make(self, name: str, shape: tuple[int, ...], kind: type, fill: object) -> None:
        self.arrays[name] = np.full((self.n, *shape), fill, dtype=kind)

    def missing(self) -> np.ndarray:
        """The runs that are to be made: those that never ended, and those that failed."""
        return np.flatnonzero(np.asarray(self.arrays["status"][:]) != STATUS.index("ok"))

    def write(self, places: np.ndarray, block: Block) -> None:
        """Put what is kept of some runs into their places; a row counts by its status, which comes last."""
        where = slice(places[0], places[-1] + 1) if len(places) == places[-1] - places[0] + 1 else np.asarray(places)
        for name, values in (*block.outputs.items(), *block.reduced.items()):
            if name not in self.arrays:
                self._make(name, values.shape[1:], float, np.nan)
            if self.arrays[name].shape[1:] != values.shape[1:]:
                raise ModelError(f"{name}: its function gave an array of shape {values.shape[1:]} for run {places[0]}, "
                                 f"and {self.arrays[name].shape[1:]} before; give the same for every run.")
            self._put(name, where, values)
        for name, values in block.told.items():
            if name != "status":
                self._put(name, where, values)
        self._put("status", where, block.told["status"])

    def _put(self, name: str, block: slice | np.ndarray, values: np.ndarray) -> None:
        self.arrays[name][block] = values

    def finish(self) -> None:
        """All rows of this time are there."""

    def as_numpy(self) -> dict[str, np.ndarray]:
        """All columns; the status as words."""
        out = {name: np.asarray(array[:]) for name, array in self.arrays.items()}
        return out | {"status": np.array(STATUS)[out["status"]],
                      "message": np.array([str(text) for text in out["message"]], dtype=object)}


class NetCDFColumns(Columns):
    """Columns in memory that are kept in a NetCDF file, written whole and put in place of the last at once."""

    def __init__(self, path: Path, n: int, chunk: int, identity: Mapping[str, str], resume: bool):
        super().__init__(n, chunk)
        self.path, self.identity, self._written = path, dict(identity), time.monotonic()
        if path.exists():
            self._read(resume)

    def _read(self, resume: bool) -> None:
        import h5py

        with h5py.File(self.path) as file:
            _refuse_others(self.path, json.loads(file.attrs["identity"]), self.identity, resume)
            for name, stored in file.items():
                values = stored.asstr()[:] if name == "message" else stored[:]
                if name not in self.arrays:
                    self._make(name, values.shape[1:], float, np.nan)
                count = min(self.n, len(values))
                self.arrays[name][:count] = values[:count]

    def _put(self, name: str, block: slice | np.ndarray, values: np.ndarray) -> None:
        super()._put(name, block, values)
        if name == "status" and time.monotonic() - self._written > PAUSE:
            self.finish()

    def finish(self) -> None:
        import h5py

        half = self.path.with_name(self.path.name + ".part")
        with h5py.File(half, "w") as file:
            file.attrs["identity"] = json.dumps(self.identity)
            for name, array in self.arrays.items():
                kind = h5py.string_dtype() if name == "message" else array.dtype
                file.create_dataset(name, data=array, dtype=kind)
        os.replace(half, self.path)
        self._written = time.monotonic()


class ZarrColumns(Columns):
    """Columns in a Zarr folder, in chunks of rows that are written as they end; memory holds none of them."""

    def __init__(self, path: Path, n: int, chunk: int, identity: Mapping[str, str], resume: bool):
        try:
            import zarr
        except ImportError:
            raise ModelError(f"store={str(path)!r} needs zarr, which is not installed: pip install zarr; "
                             "or give a store that ends in .nc.") from None
        new = not (path / "zarr.json").exists()
        if new and path.exists() and any(path.iterdir()):
            raise ModelError(f"store={str(path)!r}: this folder is there already and is no store of a sweep.")
        self.group = zarr.open_group(str(path), mode="a")
        if new or "identity" not in self.group.attrs:
            self.group.attrs["identity"] = dict(identity)
            super().__init__(n, chunk)
            return
        _refuse_others(path, self.group.attrs["identity"], identity, resume)
        self.n, self.chunk, self.arrays = n, chunk, dict(self.group.arrays())
        for array in self.arrays.values():
            if array.shape[0] < n:
                array.resize((n, *array.shape[1:]))
            self.n = max(self.n, array.shape[0])
        for name, (kind, fill) in {"status": (np.int8, 0), "message": (str, ""), **TOLD}.items():
            if name not in self.arrays:  # it was killed while the store was made
                self._make(name, (), kind, fill)

    def _make(self, name: str, shape: tuple[int, ...], kind: type, fill: object) -> None:
        self.arrays[name] = self.group.create_array(
            name, shape=(self.n, *shape), chunks=(self.chunk, *shape), dtype=str if kind is object else kind,
            fill_value=fill)

    def missing(self) -> np.ndarray:
        status = np.zeros(self.n, dtype=np.int8)
        for start in range(0, self.n, self.chunk):  # a chunk that cannot be read was being written when all ended
            try:
                status[start : start + self.chunk] = self.arrays["status"][start : start + self.chunk]
            except Exception:
                status[start : start + self.chunk] = 0
        return np.flatnonzero(status != STATUS.index("ok"))

    def _put(self, name: str, block: slice | np.ndarray, values: np.ndarray) -> None:
        if isinstance(block, slice):
            self.arrays[name][block] = values
        else:
            self.arrays[name].oindex[block] = values


def columns(store: str | os.PathLike | None, n: int, chunk: int, identity: Mapping[str, str], resume: bool) -> Columns:
    """Columns for n runs: in memory, or in a store by its suffix."""
    if store is None:
        if resume:
            raise ModelError("resume=True goes with store=, where the runs made before are.")
        return Columns(n, chunk)
    path = Path(store)
    kinds = {".zarr": ZarrColumns, ".nc": NetCDFColumns}
    if path.suffix not in kinds:
        raise ModelError(f"store={str(store)!r}: give a name that ends in .zarr (many runs) or .nc (few).")
    return kinds[path.suffix](path, n, chunk, identity, resume)


def _refuse_others(path: Path, stored: Any, own: Mapping[str, str], resume: bool) -> None:
    if not resume:
        raise ModelError(f"store={str(path)!r} holds runs already; resume=True makes those that are missing or failed, "
                         "or give another name.")
    for what, value in own.items():
        if value.startswith(UNTOLD):
            raise ModelError(f"store={str(path)!r}: it is not known whether its {what} are those of this sweep "
                             f"({value.removeprefix(UNTOLD)}), so that it is not resumed. Give plain functions, or "
                             "another name.")
        if stored.get(what) != value:
            raise ModelError(f"store={str(path)!r} belongs to another sweep: its {what} differs. Give another name.")
