"""Why a run cannot go on, as a value: whoever finds it returns it, and the run that asked ends with it."""

from __future__ import annotations

from typing import NamedTuple


class Trouble(NamedTuple):
    """What is said to the user, and the exception behind it where a function of theirs has failed."""

    message: str
    cause: Exception | None = None
