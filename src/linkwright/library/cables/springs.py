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

    by = parameter(None, "force(l, v), tension positive", structural=True)

    def __init__(self, route: Any = None, by: Any = None, **given: Any) -> None:
        super().__init__(route, **given, by=by)

    def force(self, l: ca.SX, v: ca.SX) -> ca.SX:
        """The tension at length l and rate v."""
        if self.by is None:
            raise ModelError(f"{self.path}: give the law of this line, cables.Line([…], lambda l, v: …), or a class "
                             "with force(self, l, v).", self)
        return self.by(l, v)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        value = call_law(self, "force(l, v)", type(self).force, Bound(self, plan), self.symbol("l"), self.symbol("v"))
        return {"f": as_expression(value, (), f"{self.path}: force(l, v)")}


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

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l, v = plan.values(self), self.symbol("l"), self.symbol("v")
        pull, over = p.c * (l - p.length), ca.fmax(l - p.length, 0)
        if isinstance(p.d, ca.SX) or p.d:
            pull += p.d * v
            pull = ca.if_else(pull > 0, pull, 0)
        return {"f": ca.if_else(l > p.length, pull, 0), "energy": p.c * over * over / 2,
                "loss_power": (self.symbol("f") - p.c * over) * v}


__all__ = ["Line", "SpringCable"]
