"""Functions written around programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """Functions in IR, the declarations they need, and the elementary functions they call.

    Of these: the name, and for how many lanes (0: as many as the text is for).

    A program of role "rhs" is called as `@model_rhs(ptr in, ptr out, ptr work)`, over all lanes at once.
    """

    text: str
    declarations: frozenset[str]
    elementary: frozenset[tuple[str, int]]
