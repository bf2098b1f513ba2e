"""What the user asks of a file that is read: the options of `lw.read` beside the path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, eq=False)
class Wishes:
    """See `lw.read`; `ground` is a height, None for no ground of its own."""

    floating: bool = False
    stops: bool = True
    friction: bool = True
    hulls: bool = False
    search: Sequence[str | Path] = ()
    contact: object = None
    key: str | int | bool | None = None
    ground: float | None = None
    srdf: Path | None = None
    args: Mapping[str, object] | None = None
