"""Bounds of functions of coordinates, beside the stops that one-axis joints have themselves."""

from __future__ import annotations

from ...errors import ModelError
from ...language import Component, PartsList
from ...language.fields import parameter, signal
from ...language.ranges import FRACTION


class CoordinateStop(Component):
    """Hard stops of a function of coordinates: low ≤ function ≤ high; give one limit or both.

    For example, two finger joints on one cord, whose angles add up to 2 rad at most:

    >>> m.cord = constraints.CoordinateStop(function=m.first.phi + m.second.phi, high=2.0)
    """

    function = signal(0.0, "the expression that is bounded, such as rev1.phi + rev2.phi", opens=False)
    low = parameter(None, "the least value it takes", structural=True)
    high = parameter(None, "the largest value it takes", structural=True)
    restitution = parameter(0.0, "ratio of the rates after and before a stop is hit", "", only=FRACTION)

    def _check(self) -> None:
        if self.low is None and self.high is None:
            raise ModelError(f"{self.path}: give low or high, where it stops.", self)
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ModelError(f"{self.path}: low = {self.low:g} must lie below high = {self.high:g}.", self)

    def describe(self, plan: PartsList) -> None:
        restitution = plan.values(self).restitution
        if self.low is not None:
            plan.stop(self, "low", self.function - float(self.low), restitution)
        if self.high is not None:
            plan.stop(self, "high", float(self.high) - self.function, restitution)
