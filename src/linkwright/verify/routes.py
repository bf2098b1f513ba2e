"""A route: another way from a model to its motion, what of it is compared, and why it may refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .motions import Motion

if TYPE_CHECKING:
    from .cases import Case

BITS, ACCURACY = "bits", "accuracy"


@dataclass(frozen=True)
class Pair:
    """Two motions to compare; to accuracy, where `finer` is given: the route's own run at α/100 (or shorter steps)."""

    wanted: Motion
    found: Motion
    finer: Motion | None = None
    label: str = ""


class NotComparedError(Exception):
    """A route that has nothing to compare for this model, and why; no verdict on the route."""


@dataclass(frozen=True)
class Route:
    """How a route runs, what is compared, and the refusals that are allowed: the beginnings or parts of messages.

    `missing` says what is not installed here.  A refusal that is not among `may_refuse` counts as a fault.
    """

    name: str
    compared: str
    run: Callable[[Case], Iterator[Pair]]
    may_refuse: tuple[str, ...] = ()
    missing: Callable[[], str | None] = lambda: None
