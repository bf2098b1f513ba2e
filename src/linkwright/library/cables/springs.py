"""Laws of tension: cables that pull like springs, and a law of one's own."""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...errors import ModelError
from ...language import Bound, PartsList, RotationalFlange, call_law
from ...language.expressions import der
from ...language.fields import as_expression, parameter, variable
from ...language.ranges import NOT_NEGATIVE, NOT_ZERO, POSITIVE
from .cable import Cable


class Line(Cable):
    """A path with a user-defined law: `force(l, v)` returns the tension, or a class defines `force(self, l, v)`.

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
    """An elastic cable: it pulls like a spring while it is longer than its free length, and is slack otherwise.

        f = max(0, c (l − L₀) + d v) for l > L₀, else 0

    The times at which it becomes slack or taut are located; no energy is lost there.

    >>> m.rope = cables.SpringCable([(m.world.frame_b, [0, 1, 0]), m.drum.wrap(turn=1), (m.load.frame_a, [0, 0, 0])],
    ...                             c=1e4, d=10, length=0.9)
    """

    hangs = True

    c = parameter(text="stiffness", unit="N/m", only=POSITIVE)
    d = parameter(0.0, "damping", "N.s/m", only=NOT_NEGATIVE)
    length = parameter(text="free length", unit="m", only=NOT_NEGATIVE)
    slack = variable("how much longer the cable is than its way", "m")
    energy = variable("elastic energy", "J")
    loss_power = variable("dissipated power", "W")

    def spare(self, plan: PartsList) -> ca.SX:
        return plan.values(self).length - self.symbol("l")

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        return self.stretched(plan, self.symbol("l"), self.symbol("v"))

    def stretched(self, plan: PartsList, l: ca.SX, v: ca.SX) -> dict[str, ca.SX]:
        """Tension, energy and loss at a length and its rate."""
        p = plan.values(self)
        pull, over = p.c * (l - p.length), ca.fmax(l - p.length, 0)
        if isinstance(p.d, ca.SX) or p.d:
            pull += p.d * v
            pull = ca.if_else(pull > 0, pull, 0)
        return {"f": ca.if_else(l > p.length, pull, 0), "energy": p.c * over * over / 2,
                "loss_power": (self.symbol("f") - p.c * over) * v}


class Hoist(SpringCable):
    """A SpringCable whose first end is wound on a drum: if the shaft at `drum` turns by φ, the free length shortens by
    r φ.

    The cable acts on the shaft with the torque −r f.  To model a rope that does not slip on a pulley with inertia, put
    two hoists on the shaft of the pulley, with radii r and −r.

    >>> m.hoist = cables.Hoist([(m.boom.frame_b, [0, 0, 0]), (m.hook.frame_a, [0, 0, 0])], radius=0.2, c=1e5, length=4)
    >>> m.connect(m.motor.flange, m.hoist.drum)
    """

    radius = parameter(text="radius of the drum; negative where it turns the other way", unit="m", only=NOT_ZERO)

    def _make_connectors(self) -> None:
        super()._make_connectors()
        self._port("drum", RotationalFlange())

    def required_ports(self) -> list[str]:
        return [*super().required_ports(), "drum"]

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        plan.flange_load(self, self.drum, plan.values(self).radius * self.symbol("f"))

    def spare(self, plan: PartsList) -> ca.SX:
        return super().spare(plan) - plan.values(self).radius * self.drum.phi

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        r = plan.values(self).radius
        return self.stretched(plan, self.symbol("l") + r * self.drum.phi, self.symbol("v") + r * der(self.drum.phi))


__all__ = ["Hoist", "Line", "SpringCable"]
