"""Tables over time, from files of measurements and motions: .sto and .mot (OpenSim), .trc (markers), .csv.

Lengths in a .trc are in metres here, whatever its unit.  A .mot may hold angles in degrees: which of its columns are
angles only a model knows, so that the numbers stay as they are written and `degrees` says so; studies turn them into
radians.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import ModelError, unknown_name
from .printed_tables import Table

TIMES = ("t", "time", "Time", "time / s", "t / s")
LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


@dataclass(frozen=True, repr=False)
class TimeTable(Table):
    """Columns by name over the times `t`: numbers, or vectors where the file has them (markers, quaternions).

    >>> table = lw.read_table("walk.trc")
    >>> table["R.ASIS"]                    # (nt, 3) in metres, NaN where a marker was not seen
    """

    t: np.ndarray
    values: dict[str, np.ndarray]
    degrees: bool = False
    units: dict[str, str] = field(default_factory=dict)
    title: str = "table"

    @property
    def names(self) -> list[str]:
        """The columns, beside the time."""
        return list(self.values)

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.values:
            raise unknown_name(name, self.names, f"{self.title!r}")
        return self.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def vector(self, name: str) -> np.ndarray | None:
        """(nt, 3): a column of that name, or three columns that end in x, y, z; None where there are none."""
        if name in self.values:
            return self.values[name]
        parts = [f"{name}{axis}" for axis in "xyz"]
        return np.column_stack([self.values[p] for p in parts]) if all(p in self.values for p in parts) else None

    def between(self, start: float, stop: float) -> TimeTable:
        """The rows of a span of time, its ends included."""
        keep = (self.t >= start) & (self.t <= stop)
        return TimeTable(self.t[keep], {name: column[keep] for name, column in self.values.items()}, self.degrees,
                         self.units, self.title)

    # --- printed ---

    def columns(self) -> Sequence[str]:
        return ("t / s", *self.values)

    def rows(self) -> Sequence[Sequence[object]]:
        def cell(x: np.ndarray) -> object:
            return float(x) if np.ndim(x) == 0 else str(np.round(x, 4).tolist())

        return [(float(t), *(cell(column[k]) for column in self.values.values())) for k, t in enumerate(self.t)]

    def caption(self) -> str:
        return f"{self.title}: {len(self.t)} times, {len(self.values)} columns"

    # --- written ---

    def save(self, path: str | Path) -> Path:
        """Write a .sto, .mot or .csv; in a .mot columns whose unit is rad are written in degrees."""
        path = Path(path)
        if path.suffix not in (".sto", ".mot", ".csv"):
            raise ModelError(f"{path}: a table is written as .sto, .mot or .csv.")
        turned = path.suffix == ".mot"
        titles, columns = ["time"], [self.t]
        for name, column in self.values.items():
            scale = 180 / np.pi if turned and self.units.get(name) == "rad" else 1.0
            flat = column.reshape(len(self.t), -1)
            titles += [name] if flat.shape[1] == 1 else [f"{name}_{k}" for k in range(flat.shape[1])]
            columns += list(scale * flat.T)
        comma = "," if path.suffix == ".csv" else "\t"
        lines = [comma.join(titles), *(comma.join(f"{x:.12g}" for x in row) for row in zip(*columns, strict=True))]
        if path.suffix != ".csv":
            lines[:0] = [self.title, "version=1", f"nRows={len(self.t)}", f"nColumns={len(columns)}",
                         f"inDegrees={'yes' if turned or self.degrees else 'no'}", "endheader"]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def read_table(path: str | Path) -> TimeTable:
    """A table over time from a .sto, .mot, .trc or .csv file, as a TimeTable.

    >>> motion = lw.read_table("walk.mot"); motion.t, motion["knee_angle_r"], motion.degrees
    """
    path = Path(path)
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file.")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if not any(line.strip() for line in lines):
        raise ModelError(f"{path}: the file is empty.")
    kinds = {".sto": _storage, ".mot": _storage, ".trc": _markers}
    return kinds.get(path.suffix.lower(), _commas)(path, lines)


def as_table(given: object) -> TimeTable:
    """A table, the file of one, or a dict of columns with one of times."""
    if isinstance(given, TimeTable):
        return given
    if isinstance(given, (str, Path)):
        return read_table(given)
    if hasattr(given, "motion"):
        return given.motion
    if isinstance(given, Mapping):
        columns = {str(name): np.asarray(column, dtype=float) for name, column in given.items()}
        return _timed("the table", columns)
    raise ModelError(f"{type(given).__name__} is no table over time; give the path of a .sto, .mot, .trc or .csv file, "
                     "lw.read_table(…), or a dict of columns with one of times, 't'.")


# --- kinds of files ---


def _commas(path: Path, lines: list[str]) -> TimeTable:
    titles = [title.strip().strip('"') for title in lines[0].split(",")]
    rows = [(k, [cell.strip() for cell in line.split(",")]) for k, line in enumerate(lines[1:], 2)
            if line.replace(",", "").strip()]
    return _timed(str(path), _columns(path, titles, rows, "commas"))


def _storage(path: Path, lines: list[str]) -> TimeTable:
    """OpenSim's storage: a header up to `endheader`, titles, rows separated by tabs or blanks."""
    ends = [k for k, line in enumerate(lines) if line.strip().lower() == "endheader"]
    if not ends:
        raise ModelError(f"{path}: the line `endheader` is missing, which stands between the header and the titles of "
                         "a .sto or .mot file.")
    header = dict(line.strip().split("=", 1) for line in lines[:ends[0]] if "=" in line)
    body = [(k, line) for k, line in enumerate(lines[ends[0] + 1:], ends[0] + 2) if line.strip()]
    if not body:
        raise ModelError(f"{path}: there is nothing below the header.")
    titles = body[0][1].split("\t") if "\t" in body[0][1].strip() else body[0][1].split()
    titles = [title.strip() for title in titles if title.strip()]
    rows = [(k, line.split()) for k, line in body[1:]]
    table = _timed(str(path), _columns(path, titles, rows, "tabs"), path.stem)
    simm = any(line.strip().lower().startswith("datacolumns") for line in lines[:ends[0]])  # whose angles are degrees
    degrees = header.get("inDegrees", "yes" if simm else "no").strip().lower() == "yes"
    return TimeTable(table.t, table.values, degrees, {}, path.stem)


def _markers(path: Path, lines: list[str]) -> TimeTable:
    """Places of markers: three lines of header, names every third column, then axes, then rows."""
    if len(lines) < 6:
        raise ModelError(f"{path}: a .trc has five lines of header and then one for each frame.")
    settings = dict(zip(lines[1].split("\t"), (word.strip() for word in lines[2].split("\t")), strict=False))
    unit = settings.get("Units", "m")
    if unit not in LENGTHS:
        raise ModelError(f"{path}: Units {unit!r} are not known; mm, cm and m are.")
    names = [name.strip() for name in lines[3].split("\t")[2:] if name.strip()]
    times, places = [], []
    for k, line in enumerate(lines[5:], 6):
        cells = line.rstrip("\r\n").split("\t")
        if not "".join(cells).strip():
            continue
        cells += [""] * (2 + 3 * len(names) - len(cells))
        try:
            times.append(float(cells[1]))
            places.append([float(x) if x.strip() else np.nan for x in cells[2:2 + 3 * len(names)]])
        except ValueError as error:
            raise ModelError(f"{path}, line {k}: {error}.") from None
    x = LENGTHS[unit] * np.array(places).reshape(len(times), len(names), 3)
    return TimeTable(_increasing(str(path), np.array(times)), {name: x[:, k] for k, name in enumerate(names)}, False,
                     dict.fromkeys(names, "m"), path.stem)


def _columns(path: Path, titles: list[str], rows: list[tuple[int, list[str]]], between: str) -> dict[str, np.ndarray]:
    """Columns by title; cells with commas in them are vectors."""
    found: list[list] = [[] for _ in titles]
    for k, cells in rows:
        if len(cells) != len(titles):
            raise ModelError(f"{path}, line {k}: {len(titles)} numbers separated by {between} are needed, one below "
                             f"each of the titles; got {len(cells)}.")
        for title, cell, column in zip(titles, cells, found, strict=True):
            try:
                parts = [float(part) if part else np.nan for part in cell.strip("()").split(",")]
            except ValueError:
                raise ModelError(f"{path}, line {k}, {title}: {cell!r} is no number; leave the place empty where a "
                                 "sample is missing.", title) from None
            column.append(parts if len(parts) > 1 else parts[0])
    return {title: np.array(column, dtype=float) for title, column in zip(titles, found, strict=True)}


def _timed(where: str, columns: dict[str, np.ndarray], title: str = "table") -> TimeTable:
    known = [name for name in TIMES if name in columns]
    if not known:
        raise ModelError(f"{where}: there is no column of times; call one 't' (there are "
                         f"{', '.join(columns) or 'none'}).")
    t = _increasing(where, columns.pop(known[0]))
    for name, column in columns.items():
        if len(column) != len(t):
            raise ModelError(f"{where}: {name} has {len(column)} rows for {len(t)} times.", name)
    return TimeTable(t, columns, title=title)


def _increasing(where: str, t: np.ndarray) -> np.ndarray:
    if t.ndim != 1 or not len(t) or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
        raise ModelError(f"{where}: times must be finite and increasing.")
    return t
