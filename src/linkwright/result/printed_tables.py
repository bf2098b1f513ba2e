"""Tables of results: short in a terminal, with lines and columns in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

ROWS = 12  # of a long table, half from its beginning and half from its end
DIGITS = 5


class Table:
    """What has columns and rows: printed by `print`, drawn by a notebook."""

    def columns(self) -> Sequence[str]:
        """The titles of the columns."""
        raise NotImplementedError

    def rows(self) -> Sequence[Sequence[object]]:
        """The entries, row by row."""
        raise NotImplementedError

    def caption(self) -> str:
        """What stands above the table."""
        return type(self).__name__

    def __str__(self) -> str:
        cells = [list(self.columns()), *_cells(self.rows())]
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))] if cells[0] else []
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([self.caption(), *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(title)}</th>" for title in self.columns())
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                       for row in _cells(self.rows()))
        return f"<table><caption>{escape(self.caption())}</caption><tr>{head}</tr>{body}</table>"


def _cells(rows: Sequence[Sequence[object]]) -> list[list[str]]:
    """The entries as text; of a long table its beginning and its end."""
    written = [[_written(entry) for entry in row] for row in _ends(rows)]
    if len(rows) > ROWS:
        written.insert(ROWS // 2, ["…"] * len(rows[0]))
    return written


def _ends(rows: Sequence[Sequence[object]]) -> list[Sequence[object]]:
    return list(rows) if len(rows) <= ROWS else [*rows[: ROWS // 2], *rows[-ROWS // 2 :]]


def _written(entry: object) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, complex):
        return f"{entry.real:.{DIGITS}g}{entry.imag:+.{DIGITS}g}j"
    return f"{entry:.{DIGITS}g}" if isinstance(entry, float) else str(entry)
