"""What acts on a run at times known beforehand: controllers in Python, clocks of formulas, delayed signals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from .tolerances import ON_TIME, SET_BACK, TOGETHER_IN_TIME

#: degree of the polynomials in time that stand for a delayed signal
DEGREE = 8


@dataclass(frozen=True, eq=False)
class Controller:
    """A Python function asked every `period` seconds: f(t, variables by name) → inputs by name."""

    function: Callable
    period: float


@dataclass(frozen=True, eq=False)
class Clock:
    """Instants at the start and at every multiple of `period` after it.

    Discrete variables say how many there have been (`count`) and when the `first` was, so that a run goes on from a
    state with the instants that it would have had.  A clock begins anew where the time is another one: set back by more
    than a period, or far on.
    """

    period: float
    count: ca.SX
    first: ca.SX

    @property
    def _next(self) -> ca.SX:
        return self.first + self.count * self.period

    def due(self, t: ca.SX) -> ca.SX:
        """Whether there is an instant at t."""
        wait = self._next - t
        return ca.logic_or(self.count == 0, ca.logic_or(wait <= TOGETHER_IN_TIME * self.period,
                                                        wait > SET_BACK * self.period))

    def next_instant(self, t: ca.SX, never: float) -> ca.SX:
        """The next instant after t; `never` before the first."""
        later = self._next - t > TOGETHER_IN_TIME * self.period
        return ca.if_else(ca.logic_and(self.count > 0, later), self._next, never)

    def ticked(self, t: ca.SX) -> tuple[tuple[ca.SX, ca.SX], ...]:
        """(symbol, value) after an instant."""
        goes_on = ca.logic_and(self.count > 0, ca.fabs(t - self._next) <= ON_TIME * self.period)
        return (self.count, ca.if_else(goes_on, self.count + 1, 1)), (self.first, ca.if_else(goes_on, self.first, t))


@dataclass(frozen=True, eq=False)
class Delay:
    """A signal `<path>.u` as it was `duration` seconds ago; `before` the start it was this, or its value there."""

    path: str
    duration: float
    before: float | None = None
