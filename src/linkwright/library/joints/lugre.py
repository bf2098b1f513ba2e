"""Friction before sliding: bristles that bend, then slip (the LuGre law), along one direction or several.

With the sliding velocity v of a joint (one number, or a vector in which no direction is preferred) and the bend z of
the bristles, a state,

    ż = v − σ₀ |v|/g(|v|) z,      f = σ₀ z + σ₁ ż + σ₂ v
    g(s) = tau (1 + (peak − 1) exp(−(s/stribeck)²))

At rest it is a spring of stiffness σ₀; in steady sliding f = g(|v|) v/|v| + σ₂ v.  The bristles hold ½ σ₀ z², and

    f·v = d/dt ½ σ₀ z² + loss,      loss = σ₀² |v| z²/g + σ₁ ż·v + σ₂ v²

Canudas de Wit, Olsson, Åström, Lischinsky: A New Model for Control of Systems with Friction, IEEE Transactions on
Automatic Control 40 (1995) 419–425; several directions: Simbody Theory Manual §11.2.3 names the need.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from ...errors import ModelError
from ...language import Component, PartsList, record
from ...language.fields import Record
from ...language.given_values import as_number
from ..tolerances import NO_SLIDE_SQUARED
from .stops import given_by


@record
class LuGre(NamedTuple):
    """Friction with presliding displacement: continuous, with a state; lw.Coulomb sticks exactly instead.

        m.hinge = joints.Revolute(friction=lw.LuGre(tau=1.0, sigma0=500.0, sigma1=2.0))
        m.ball = joints.Spherical(friction=lw.LuGre(tau=0.5, sigma0=200.0))

    `tau` is the sliding friction (N·m; `f` in N where a joint slides), `sigma0` the stiffness and `sigma1` the damping
    of the bristles, `viscous` the slope over speed.  With `peak` > 1 the friction at rest is larger and falls over the
    speed `stribeck`.  `radius` of a Cylindrical joint is the radius of its sleeve.
    """

    tau: float | None = None
    sigma0: float | None = None
    sigma1: float = 0.0
    viscous: float = 0.0
    peak: float = 1.0
    stribeck: float | None = None
    radius: float | None = None

    def check(self, owner: Component) -> None:
        """Raise a ModelError for invalid values."""
        for name in ("tau", "sigma0", "stribeck", "radius"):
            value = getattr(self, name)
            if value is None and name in ("tau", "sigma0"):
                raise ModelError(f"{owner.path}.friction: LuGre needs tau, the sliding friction, and sigma0, the "
                                 "stiffness of the bristles.", owner)
            if value is not None and not as_number(value, f"{owner.path}.friction: {name}", owner) > 0:
                raise ModelError(f"{owner.path}.friction: {name} = {value} must be positive.", owner)
        for name in ("sigma1", "viscous"):
            if as_number(getattr(self, name), f"{owner.path}.friction: {name}", owner) < 0:
                raise ModelError(f"{owner.path}.friction: {name} = {getattr(self, name)} cannot be negative.", owner)
        if as_number(self.peak, f"{owner.path}.friction: peak", owner) < 1:
            raise ModelError(f"{owner.path}.friction: peak = {self.peak} must be at least 1.", owner)
        if self.peak > 1 and self.stribeck is None:
            raise ModelError(f"{owner.path}.friction: with peak = {self.peak} give stribeck, the speed over which "
                             "friction falls to its sliding value.", owner)

    def bending(self, v: ca.SX, z: ca.SX) -> ca.SX:
        """ż."""
        square = ca.dot(v, v) + NO_SLIDE_SQUARED
        level = self.tau
        if self.stribeck is not None:
            level = level * (1 + (self.peak - 1) * ca.exp(-square / (self.stribeck * self.stribeck)))
        return v - self.sigma0 * ca.sqrt(square) / level * z

    def force(self, v: ca.SX, z: ca.SX) -> ca.SX:
        """f."""
        return self.sigma0 * z + self.sigma1 * self.bending(v, z) + self.viscous * v

    def energy(self, z: ca.SX) -> ca.SX:
        """The elastic energy of the presliding displacement."""
        return self.sigma0 * ca.dot(z, z) / 2

    def loss(self, v: ca.SX, z: ca.SX) -> ca.SX:
        """The dissipated power."""
        return ca.dot(self.force(v, z), v) - self.sigma0 * ca.dot(z, self.bending(v, z))


class Bristled:
    """Mixin of joints with LuGre friction: `sliding(plan, law)` is the velocity that rubs, linear in the speeds u."""

    friction = Record(LuGre, "lw.LuGre(…)")
    effort = "tau"

    def sliding(self, plan: PartsList, law: Any) -> ca.SX:
        """The sliding velocity."""
        raise NotImplementedError

    def rubbing_names(self, law: Any, force: ca.SX) -> dict[str, ca.SX]:
        """What the friction is called in results."""
        return {f"{self.effort}_friction": force}

    def bristled(self) -> bool:
        """Whether its friction is of this kind."""
        return isinstance(self.friction, LuGre)

    def _check(self) -> None:
        super()._check()
        if self.bristled():
            self.friction.check(self)

    def stores_energy(self) -> bool:
        return self.bristled() or super().stores_energy()

    def loses_power(self) -> bool:
        return self.friction is not None or super().loses_power()

    def _bend(self, v: ca.SX) -> ca.SX:
        return self.symbol("bristle", (v.numel(),) if v.numel() > 1 else ())

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        if not self.bristled():
            return
        law, u = plan.values(self).friction, plan.joint_symbols(self)[1]
        v = self.sliding(plan, law)
        z = self._bend(v)
        plan.state(self, "bristle", z, law.bending(v, z), [0.0] * v.numel())
        for k, force in enumerate(ca.vertsplit(-ca.jacobian(v, u).T @ law.force(v, z))):
            if not force.is_zero():
                plan.mobility_load(self, k, force)

    def __getattr__(self, name: str) -> Any:
        if name in ("loss_power", "energy") and self.bristled():
            return self.symbol(name)
        if name.endswith("_friction"):
            return given_by(self, name, ("friction",))
        return super().__getattr__(name)

    def definitions(self, plan: PartsList) -> dict:
        own = dict(super().definitions(plan))
        if self.bristled():
            law = plan.values(self).friction
            v = self.sliding(plan, law)
            z = self._bend(v)
            own |= {**self.rubbing_names(law, law.force(v, z)), "bristle": z,
                    "loss_power": law.loss(v, z) + own.get("loss_power", 0),
                    "energy": law.energy(z) + own.get("energy", 0)}
        return own
