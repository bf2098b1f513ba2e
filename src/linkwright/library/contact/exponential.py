"""A normal force that grows as an exponential, and friction by a damped spring whose anchor moves where it slides."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from ...algebra import Scalar
from ...language import Component, record
from ..tolerances import BEYOND_LIMIT, TINY
from .friction import length, step_up
from .law_numbers import check_numbers


class Grip(NamedTuple):
    """Friction of one point: the force on b, what is lost and held, and how its two states change."""

    force: ca.SX
    loss: ca.SX
    energy: ca.SX
    stretch_rate: ca.SX
    sliding_rate: ca.SX


@record
class Exponential(NamedTuple("Exponential", [
    ("strength", float), ("sharpness", float), ("offset", float), ("dissipation", float), ("cap", float), ("mu", float),
    ("mu_s", float | None), ("grip", float), ("grip_damping", float | None), ("settle", float),
    ("settle_time", float)])):
    """A normal force that is an exponential function of the depth at every distance (Simbody's ExponentialSpringForce):

        f = d₁ exp(d₂ (x + d₀)) (1 + c v),     0 ≤ f ≤ cap

    `strength` d₁ (N), `sharpness` d₂ (1/m), `offset` d₀ (m), `dissipation` c (s/m).  With the default values, a point
    under 10 N rests at a depth of −4 mm.

    Friction acts through a damped spring of stiffness `grip` k (N/m) and `grip_damping` c_t (N s/m; by default critical
    for 1 kg), anchored on a; a contact that sticks does not creep.  States of every point are the stretch e of the
    spring and the degree of sliding 0 ≤ σ ≤ 1 (`touch.stretch`, `touch.sliding`); with the slip velocity v,

        f_t = −(k e + c_t v), not longer than μ f_n,       μ = μ_s − σ (μ_s − μ_k)
        ė = (1 − a) v − a e k/c_t,                         a = 0 within that limit, 1 from a tenth beyond it
        σ̇ = (S(a |v|/v_s) − σ)/τ,                          v_s `settle` (m/s), τ `settle_time` (s)

    Simbody moves the anchor after every step; these equations are the limit of that rule for short steps.  While the
    spring holds, the anchor stays in place; otherwise it is dragged along.  The law dissipates energy in every motion.
    """

    smooth, switches = True, ("mu", "mu_s")

    def __new__(cls, strength: Scalar = 0.5336, sharpness: Scalar = 1150.0, offset: Scalar = 0.0065905,
                dissipation: Scalar = 0.5, cap: Scalar = 1e5, mu: Scalar = 0.0, mu_s: Scalar | None = None,
                grip: Scalar = 2e4, grip_damping: Scalar | None = None, settle: Scalar = 0.01,
                settle_time: Scalar = 0.01) -> Exponential:
        return super().__new__(cls, strength, sharpness, offset, dissipation, cap, mu, mu_s, grip, grip_damping, settle,
                               settle_time)

    def check(self, owner: Component) -> None:
        """Raise a ModelError for invalid values."""
        check_numbers(self, owner)

    @property
    def rubs(self) -> bool:
        """Whether there is friction at all."""
        return any(isinstance(x, ca.SX) or bool(x) for x in (self.mu, self.mu_s))

    def spring(self, x: Scalar) -> Scalar:
        """d₁ exp(d₂ (x + d₀)), at most 1e300, so that far inside it stays a number."""
        return self.strength * ca.exp(ca.fmin(self.sharpness * (x + self.offset), 600.0))

    def normal(self, x: Scalar, v: Scalar) -> Scalar:
        return ca.fmin(ca.fmax(self.spring(x) * (1 + self.dissipation * v), 0), self.cap)

    def energy(self, x: Scalar) -> Scalar:
        """∫ f dx = f/d₂ up to the cap, and cap times the way from there on."""
        f, cap = self.spring(x), self.cap
        beyond = x + self.offset - ca.log(cap / self.strength) / self.sharpness
        return ca.if_else(f < cap, f / self.sharpness, cap * (beyond + 1 / self.sharpness))

    def hold(self, f_n: ca.SX, slip: ca.SX, n: ca.SX, stretch: ca.SX, sliding: ca.SX) -> Grip:
        """Friction under a normal force at a slip velocity, from its two states; n is the normal, all in a's axes."""
        k, mu_s = self.grip, self.mu if self.mu_s is None else self.mu_s
        c = 2 * ca.sqrt(k) if self.grip_damping is None else self.grip_damping
        along = stretch - ca.dot(n, stretch) * n
        limit = (mu_s - sliding * (mu_s - self.mu)) * f_n
        wanted = -(k * along + c * slip)
        size = length(wanted)
        left = ca.fmin(1, limit / size)
        moving = ca.fmin(ca.fmax((size - limit) / (BEYOND_LIMIT * limit + TINY), 0), 1)
        force = left * wanted
        # what turns out of the surface, where the normal turns, is let go as well
        rate = (1 - moving) * slip - k / c * (moving * along + (stretch - along))
        energy = k * ca.dot(stretch, stretch) / 2
        loss = -ca.dot(force, slip) - k * ca.dot(stretch, rate)
        speed = moving * length(slip) / self.settle
        return Grip(force, loss, energy, rate, (step_up(ca.fmin(speed, 1)) - sliding) / self.settle_time)
