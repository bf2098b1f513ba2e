"""Rows of the table of events."""

from __future__ import annotations

from typing import NamedTuple


class EventRow(NamedTuple):
    """A row of the table of events: time, what, and its direction (+1 becomes true, −1 false; 0 sticks or rests)."""

    time: float
    what: str
    direction: int
