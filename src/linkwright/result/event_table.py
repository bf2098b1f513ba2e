"""The table of events of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .printed_tables import Table


class EventRow(NamedTuple):
    """A row of the table of events: time, what, and its direction (+1 becomes true, −1 false; 0 sticks or rests)."""

    time: float
    what: str
    direction: int


class ContactRow(NamedTuple):
    """A row of the table of contacts: when, which point of which pair, and what happened.

    | what | |
    |---|---|
    | "hit" | an impact with the normal `impulse` (N s) at the closing `speed` (m/s), which cost `loss` (J) |
    | "touch", "leave" | a compliant law begins or ends to act; a rigid contact opens |
    | "rest", "slide", "stick" | a rigid contact presses from now on: without friction, sliding, or held by it |
    | "jam" | friction leaves no other way than an impulse that ends the slip (Painlevé), which cost `loss` |

    What is left of a speed where a contact begins to press or to stick is taken off, and stands in `loss` too.

    Where more points press than statics needs, `unique` is False from such a row on: other forces would agree with the
    motion as well; those given are shared by weights 1/(μ f_n).
    """

    time: float
    pair: str
    point: int
    what: str
    impulse: float = 0.0
    speed: float = 0.0
    loss: float = 0.0
    unique: bool = True


class EventTable(list[EventRow], Table):
    """All events of a run in order: a list of rows that prints as a table."""

    __str__, __repr__ = Table.__str__, Table.__repr__

    def columns(self) -> Sequence[str]:
        return ("time / s", "what", "direction")

    def rows(self) -> Sequence[Sequence[object]]:
        return self

    def caption(self) -> str:
        return f"{len(self)} event{'' if len(self) == 1 else 's'}"


class ContactTable(list[ContactRow], Table):
    """What happened at the contacts of a run, in order: a list of rows that prints as a table."""

    __str__, __repr__ = Table.__str__, Table.__repr__

    def columns(self) -> Sequence[str]:
        return ("time / s", "pair", "point", "what", "impulse / N s", "speed / m/s", "loss / J", "unique")

    def rows(self) -> Sequence[Sequence[object]]:
        return self

    def caption(self) -> str:
        return f"{len(self)} row{'' if len(self) == 1 else 's'}"
