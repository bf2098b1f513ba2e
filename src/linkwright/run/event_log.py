"""The table of events as a run writes it."""

from __future__ import annotations

from ..result import ContactRow, EventRow


class EventLog:
    """Rows (time, what, direction) in order of time; a row equal to the one before is left out."""

    def __init__(self) -> None:
        self.rows: list[EventRow] = []
        self.contacts: list[ContactRow] = []  # what happened at contacts between bodies
        self.messages: list[str] = []  # for the result

    def note(self, time: float, what: str, direction: int) -> None:
        rows = self.rows
        if not rows or rows[-1] != (time, what, direction):
            rows.append(EventRow(time, what, direction))
