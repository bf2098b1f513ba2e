"""Functions written around programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """Functions in IR, the declarations they need, and the elementary functions they call.

    A program of role "rhs" is called as `@model_rhs(ptr in, ptr out, ptr work)`, over all lanes at once.
    """

    text: str
    declarations: frozenset[str]
    elementary: frozenset[str]
