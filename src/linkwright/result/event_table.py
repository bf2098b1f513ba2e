"""The table of events of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .shown import Table


class EventRow(NamedTuple):
    """A row of the table of events: time, what, and its direction (+1 becomes true, −1 false; 0 sticks or rests)."""

    time: float
    what: str
    direction: int


class EventTable(list[EventRow], Table):
    """All events of a run in order: a list of rows that prints as a table."""

    __str__, __repr__ = Table.__str__, Table.__repr__

    def columns(self) -> Sequence[str]:
        return ("time / s", "what", "direction")

    def rows(self) -> Sequence[Sequence[object]]:
        return self

    def caption(self) -> str:
        return f"{len(self)} event{'' if len(self) == 1 else 's'}"
