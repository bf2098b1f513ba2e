"""Laws of tension: cables that pull like springs, and a law of one's own."""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...errors import ModelError
from ...language import Bound, PartsList, call_law
from ...language.fields import as_expression, parameter, variable
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from .cable import Cable


class Line(Cable):
    """A way with a law of one's own: `force(l, v)` gives the tension, or a class defines `force(self, l, v)`.

    >>> m.band = cables.Line([(m.world.frame_b, [0, 1, 0]), (m.body.frame_a, [0, 0, 0])], lambda l, v: 20 * l + v)
    """

    law = parameter(None, "force(l, v), tension positive", structural=True)

    def __init__(self, route: Any = None, law: Any = None, **given: Any) -> None:
        super().__init__(route, **given, law=law)

    def force(self, l: ca.SX, v: ca.SX) -> ca.SX:
        """The tension at length l and rate v."""
        if self.law is None:
            raise ModelError(f"{self.path}: give the law of this line, cables.Line([…], lambda l, v: …), or a class "
                             "with force(self, l, v).", self)
        return self.law(l, v)

    def tension(self, plan: PartsList) -> ca.SX:
        value = call_law(self, "force(l, v)", type(self).force, Bound(self, plan), self.symbol("l"), self.symbol("v"))
        return as_expression(value, (), f"{self.path}: force(l, v)")


class SpringCable(Cable):
    """A cable that pulls like a spring where it is longer than its free length, and is slack where it is not:

        f = max(0, c (l − L₀) + d v) for l > L₀, else 0

    Slack and taut are located events; nothing is lost at them.

    >>> m.rope = cables.SpringCable([(m.world.frame_b, [0, 1, 0]), m.drum.wrap(turn=1), (m.load.frame_a, [0, 0, 0])],
    ...                             c=1e4, d=10, length=0.9)
    """

    c = parameter(text="stiffness", unit="N/m", only=POSITIVE)
    d = parameter(0.0, "damping", "N.s/m", only=NOT_NEGATIVE)
    length = parameter(text="free length", unit="m", only=NOT_NEGATIVE)
    energy = variable("elastic energy", "J")
    loss_power = variable("dissipated power", "W")

    def tension(self, plan: PartsList) -> ca.SX:
        p, l, v = plan.values(self), self.symbol("l"), self.symbol("v")
        spring = p.c * (l - p.length)
        if not isinstance(p.d, ca.SX) and p.d == 0:
            return ca.if_else(l > p.length, spring, 0)
        pull = spring + p.d * v
        return ca.if_else(l > p.length, ca.if_else(pull > 0, pull, 0), 0)

    def definitions(self, plan: PartsList) -> dict:
        p, f, v = plan.values(self), self.symbol("f"), self.symbol("v")
        over = ca.fmax(self.symbol("l") - p.length, 0)
        return {**super().definitions(plan), "energy": p.c * over * over / 2,
                "loss_power": (f - p.c * over) * v}


__all__ = ["Line", "SpringCable"]
