"""Dry friction of points on lines and in planes, with exact sticking (Simbody Theory Manual §8.6.2.4)."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...algebra import cross
from ...errors import ModelError
from ...language import PartsList, Relative, UnknownAttribute
from ...language.fields import Record
from ..joints.bounds import Coulomb
from ..tolerances import NO_REACTION_SQUARED


class Rubs(Relative):
    """Base of constraints on a point that slides along `ways()`, unit vectors in frame_a."""

    friction = Record(Coulomb, "lw.Coulomb(f=…): dry friction of the point where it slides")

    def ways(self) -> tuple[np.ndarray, ...]:
        """The directions in which it slides."""
        raise NotImplementedError

    def loses_power(self) -> bool:
        return self.friction is not None or super().loses_power()

    def _check(self) -> None:
        super()._check()
        if self.friction is not None:
            self.friction.check(self)
            if self.friction.mu is not None and len(self.ways()) > 1:
                raise ModelError(f"{self.path}.friction: give f, the friction in every direction; mu is for a point on "
                                 "a line (and for contact.Pair with law=contact.Rigid(mu=…)).", self)

    def slip(self, plan: PartsList) -> ca.SX:
        """Speeds along the ways."""
        R, _, V = plan.relative(self.frame_a, self.frame_b)
        velocity = R @ V[3:6]
        return ca.vertcat(*[ca.dot(ca.SX(way), velocity) for way in self.ways()])

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        law = plan.values(self).friction
        if law is None:
            return
        slip, frames = self.slip(plan), (self.frame_a, self.frame_b)
        size = self._sliding(law)
        if len(self.ways()) == 1:
            stuck, direction, push = plan.friction(self, "friction", slip, law.peak * size, lambda _: size,
                                                   holds_impacts=law.holds_impacts, frames=frames)
            free, way = 1 - stuck, direction
        else:
            ball, push = plan.ball_friction(self, "friction", slip, law.peak * size, size, law.holds_impacts)
            plan.pushed(ball.name, frames)
            free, way = 1 - ball.held, ball.way
        plan.keep(self, (free, way, push))
        force = free * size * way + law.viscous * slip
        a, b = frames
        against = a.R_WF @ sum((ca.SX(way) * force[k] for k, way in enumerate(self.ways())), ca.SX(3, 1))
        plan.load(self, b, b.R_WF.T @ against, ca.SX.zeros(3))
        plan.load(self, a, -(a.R_WF.T @ against), -(a.R_WF.T @ cross(b.r_0 - a.r_0, against)))

    def _sliding(self, law: Coulomb) -> ca.SX:
        """The size of the friction while it slides."""
        if law.tau is not None:
            return ca.SX(law.tau)
        across = self.symbol("lambda", (2,))
        return law.mu * ca.sqrt(ca.dot(across, across) + NO_REACTION_SQUARED)

    def __getattr__(self, name: str) -> Any:
        if name in ("f_friction", "friction_mode", "loss_power"):
            if self.friction is None:
                raise UnknownAttribute(f"{self.path} has no {name} without friction=lw.Coulomb(…).", self)
            return self.symbol(name, (len(self.ways()),) if name == "f_friction" and len(self.ways()) > 1 else ())
        return super().__getattr__(name)

    def definitions(self, plan: PartsList) -> dict:
        own, law = dict(super().definitions(plan)), plan.values(self).friction
        if law is not None:
            free, way, push = plan.kept(self)
            slip = self.slip(plan)
            force = free * self._sliding(law) * way + law.viscous * slip + push
            mode = free * way if len(self.ways()) == 1 else free
            own |= {"f_friction": force, "friction_mode": mode, "loss_power": ca.dot(force, slip)}
        return own
