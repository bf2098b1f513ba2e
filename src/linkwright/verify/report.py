"""What `verify` found: a row for every route, as a table, as JSON, as an exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

#: how a route can end, and what that means for the exit code
SAME_BITS, SAME, DIFFERS = "same bits", "same to accuracy", "differs"
REFUSES, UNEXPECTED, NOT_INSTALLED, LEFT_OUT = "refuses", "refuses unexpectedly", "not installed", "left out"
BAD = (DIFFERS, UNEXPECTED)


@dataclass(frozen=True)
class Row:
    """One route: how it ended, and where it differs or why it was not compared.

    `until` is the time up to which it was compared, `gap` the largest relative difference, `seconds` what it took.
    """

    route: str
    status: str
    said: str = ""
    until: float | None = None
    gap: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """The rows of a model; true where no route differs and none refuses unexpectedly."""

    model: str
    stop: float
    accuracy: float
    rows: tuple[Row, ...]

    @property
    def bad(self) -> tuple[Row, ...]:
        """The rows that say something else than `simulate`, or refuse without being allowed to."""
        return tuple(row for row in self.rows if row.status in BAD)

    @property
    def exit_code(self) -> int:
        return 1 if self.bad else 0

    def __bool__(self) -> bool:
        return not self.bad

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, route: str) -> Row:
        return next(row for row in self.rows if row.route == route)

    def to_json(self) -> str:
        """All of it, for other programs."""
        return json.dumps({"model": self.model, "stop": self.stop, "accuracy": self.accuracy, "same": bool(self),
                           "routes": [asdict(row) for row in self.rows]}, indent=1)

    def __str__(self) -> str:
        width = max((len(row.route) for row in self.rows), default=0)
        head = f"{self.model}, {self.stop:g} s, accuracy {self.accuracy:g}"
        lines = [f"  {row.route:{width}}  {_shown(row)}" for row in self.rows]
        counts = [(status, sum(row.status == status for row in self.rows))
                  for status in (SAME_BITS, SAME, DIFFERS, UNEXPECTED, REFUSES, NOT_INSTALLED, LEFT_OUT)]
        return "\n".join([head, *lines, "  " + " · ".join(f"{n} {status}" for status, n in counts if n)])

    __repr__ = __str__


def _shown(row: Row) -> str:
    status = row.status.upper() if row.status in BAD else row.status
    gap = "" if row.gap is None else f" ({row.gap:.1e})"
    until = "" if row.until is None else f", up to t = {row.until:g} s"
    said = f": {row.said}" if row.said else ""
    return f"{status}{gap}{until}{said}"
