"""The table of events as a run writes it."""

from __future__ import annotations

from ..result import ContactRow, EventRow


class EventLog:
    """Rows (time, what, direction) in the order in which they happened; one that repeats itself is written once."""

    def __init__(self) -> None:
        self.rows: list[EventRow] = []
        self.contacts: list[ContactRow] = []  # what happened at contacts between bodies
        self.messages: list[str] = []  # for the result

    def note(self, time: float, what: str, direction: int) -> None:
        row = EventRow(time, what, direction)
        if not self.rows or self.rows[-1] != row:
            self.rows.append(row)
