"""Given motions that let go at a limit: a motor with a largest torque, a cylinder with a largest force.

The speed against the reference, v − v_ref, is held at zero while that takes no more than the limit; beyond it the
source slips and drives with its limit, until the speeds agree again (Simbody Theory Manual §8.6: bounded speed
constraints).  That is dry friction between the flange and a moving reference.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...language import PartsList, UnknownAttribute
from ...language import one_dimensional as base
from ...language.fields import parameter
from ...language.ranges import POSITIVE


class Limited(base.OneDimensional):
    """Mixin of sources of motion with a largest effort: `reference(plan)` is the speed that they hold."""

    e_max = parameter(None, "largest effort: where more would be needed it lets go and slips; None: any", "E",
                      only=POSITIVE)

    def reference(self, plan: PartsList) -> ca.SX:
        """The speed that is followed."""
        raise NotImplementedError

    def limited(self) -> bool:
        """Whether it lets go."""
        return getattr(self, self.spell("e_max")) is not None

    def describe_limited(self, plan: PartsList) -> None:
        """Friction against the reference."""
        limit = ca.SX(self.value(plan, "e_max"))
        holds, direction, push = plan.friction(self, "", self._slip(plan), limit, lambda _: limit)
        for flange, sign in ((self.flange, 1.0), (self.support, -1.0)):
            plan.flange_load(self, flange, sign * direction * (1 - holds) * limit)
            plan.flange_cut(self, flange, sign * push)

    def _slip(self, plan: PartsList) -> ca.SX:
        return self.moving()[1] - self.reference(plan)

    def loses_power(self) -> bool:
        return self.limited() or super().loses_power()

    def __getattr__(self, name: str) -> Any:
        if name in (self.spell("e"), self.spell("v_slip"), "mode", "loss_power"):
            if not self.limited():
                raise UnknownAttribute(f"{self.path} has no {name} without {self.spell('e_max')}; give it "
                                       f"{self.spell('e_max')}=….", self)
            return self.symbol(name)
        return super().__getattr__(name)

    def limited_definitions(self, plan: PartsList) -> dict:
        """Effort, slip and mode (0 follows, ±1 slips)."""
        holds, direction, push = plan.sticking[id(self)]
        effort = direction * (1 - holds) * self.value(plan, "e_max") + push
        slip = self._slip(plan)
        return {**self.spelled(e=-effort, v_slip=slip), "mode": direction * (1 - holds), "loss_power": effort * slip}
