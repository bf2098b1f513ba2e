"""What acts on a run at times known beforehand: sampled controllers, sample and hold, delayed signals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: degree of the polynomials in time that stand for a delayed signal
DEGREE = 8


@dataclass(frozen=True, eq=False)
class Controller:
    """A Python function asked every `period` seconds: f(t, variables by name) → inputs by name."""

    function: Callable
    period: float


@dataclass(frozen=True, eq=False)
class Hold:
    """A zero-order hold: at every multiple of `period` it takes a sample of `<path>.u`."""

    path: str
    period: float


@dataclass(frozen=True, eq=False)
class Delay:
    """A signal `<path>.u` as it was `duration` seconds ago; `before` the start it was this, or its value there."""

    path: str
    duration: float
    before: float | None = None
