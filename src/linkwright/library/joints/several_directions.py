"""Exact dry friction of joints of several freedoms: along all directions at once, none preferred.

With the sliding velocity v of the joint, the friction is f = tau v/|v| while it moves, and any |f| ≤ peak tau at rest:
a ball of torques in a Spherical joint, a disc of forces in a Planar one, an ellipse of f and tau/radius in a
Cylindrical one (Simbody Theory Manual §8.6.2.4).  Nothing is regularised.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import Record
from .bounds import Coulomb
from .lugre import Bristled, LuGre
from .stops import given_by


class Sliding(Bristled):
    """Mixin of joints whose friction has a direction: `lw.Coulomb`, which sticks exactly, or `lw.LuGre`."""

    friction = Record((Coulomb, LuGre), "lw.Coulomb(…), or lw.LuGre(…) with presliding displacement")

    def _check(self) -> None:
        super()._check()
        if self.rubs():
            self.friction.check(self)
            if self.friction.mu is not None:
                raise ModelError(f"{self.path}.friction: mu is for joints of one freedom; give {self.effort}, the "
                                 f"friction of this {type(self).__name__} in every direction.", self)

    def rubs(self) -> bool:
        """Whether its friction is exact."""
        return isinstance(self.friction, Coulomb)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        if not self.rubs():
            return
        law, u = plan.values(self).friction, plan.joint_symbols(self)[1]
        v = self.sliding(plan, law)
        told = plan.ball_friction(self, "friction", v, ca.SX(law.peak * law.tau), ca.SX(law.tau), law.holds_impacts)
        plan.keep(self, told)
        ball, _ = told
        force = (1 - ball.held) * law.tau * ball.way + law.viscous * v
        for k, load in enumerate(ca.vertsplit(-ca.jacobian(v, u).T @ force)):
            if not load.is_zero():
                plan.mobility_load(self, k, load)

    def __getattr__(self, name: str) -> Any:
        if name == "friction_mode":
            return given_by(self, name, ("friction",))
        if name == "loss_power" and self.rubs():
            return self.symbol(name)
        return super().__getattr__(name)

    def definitions(self, plan: PartsList) -> dict:
        own = dict(super().definitions(plan))
        if self.rubs():
            law = plan.values(self).friction
            v, (ball, push) = self.sliding(plan, law), plan.kept(self)
            force = (1 - ball.held) * law.tau * ball.way + law.viscous * v + push
            own |= {**self.rubbing_names(law, force), "friction_mode": 1 - ball.held,
                    "loss_power": ca.dot(force, v) + own.get("loss_power", 0)}
        return own
