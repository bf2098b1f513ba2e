"""Compliant laws of contact: a force for a depth and its rate.

Each law is a named tuple; its numbers are parameters of the pair (`touch.law.mu`).  With depth x ≥ 0, closing speed v
(positive while the depth grows), slip speed s and normal force f:

    normal(x, v) → f ≥ 0        friction(s, f) → f_t ≥ 0, against the slip        energy(x) → what the spring holds

A class of one's own needs `normal`; `friction` and `energy` where there is any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import casadi as ca

from ...algebra import Scalar
from ...errors import ModelError
from ...language import Component, record
from ..tolerances import TINY
from .ellipses import hertz_factor
from .friction import LAWS
from .law_numbers import check_numbers
from .restitution import dissipation_for

if TYPE_CHECKING:
    from typing import Self

    from .material import Material


class CompliantLaw(Protocol):
    """What every compliant law has, those of one's own too."""

    def normal(self, x: Scalar, v: Scalar) -> Scalar:
        """The normal force at depth x and closing speed v."""


class Rubbing:
    """The part of a law that is friction: entries mu, mu_s, viscous, transition, model.

    `switches` are entries without which a law has other formulas: whether they are zero decides the structure.
    """

    switches = ("mu", "mu_s", "viscous")

    def check(self, owner: Component) -> None:
        """Raise a ModelError for invalid values."""
        check_numbers(self, owner)

    def friction(self, slip: Scalar, f_n: Scalar) -> Scalar:
        """The friction at a slip speed under a normal force."""
        mu_s = self.mu if self.mu_s is None else self.mu_s
        return f_n * LAWS[self.model](slip, self.mu, mu_s, self.viscous, self.transition)

    @property
    def rubs(self) -> bool:
        """Whether there is friction at all."""
        return any(isinstance(x, ca.SX) or bool(x) for x in (self.mu, self.mu_s, self.viscous))

    def at(self, curvatures: tuple[Scalar, Scalar] | None, owner: Component) -> Self:
        """The law at a point of contact, from the principal curvatures there (None at an edge or corner)."""
        return self


class _Round(Rubbing):
    """The part of a law that follows Hertz: entries stiffness, radius, factor."""

    def at(self, curvatures: tuple[Scalar, Scalar] | None, owner: Component) -> Self:
        if self.radius is not None:
            return self
        if curvatures is None:
            raise ModelError(f"{owner.path}: an edge or a corner touches here, which has no radius for "
                             f"{type(self).__name__}; give law=contact.{type(self).__name__}(…, radius=…), or take "
                             "contact.Linear.", owner)
        large, small = curvatures
        if large is small or ca.is_equal(ca.SX(large), ca.SX(small), 100):
            return self._replace(radius=1 / large)
        return self._replace(radius=2 / (large + small), factor=hertz_factor(large / small))

    def spring(self, x: Scalar) -> Scalar:
        """f_H = 4/3 ε E* √R x^{3/2}; the smallest of numbers leaves the root a slope where x = 0."""
        x = ca.fmax(x, 0)
        return 4 / 3 * self.factor * self.stiffness * ca.sqrt(self.radius * x + TINY) * x

    def energy(self, x: Scalar) -> Scalar:
        """∫ f_H dx = 2/5 f_H x."""
        return 2 / 5 * self.spring(x) * x


@record
class Hertz(_Round, NamedTuple("Hertz", [
    ("stiffness", float), ("mu", float), ("mu_s", float | None), ("viscous", float), ("transition", float),
    ("model", str), ("radius", float | None), ("factor", float)])):
    """Elastic contact of round bodies without normal dissipation: f = 4/3 ε E* √R x^{3/2}.

        m.touch = contact.Pair(m.floor, m.skin, law=contact.Hertz(stiffness=1e9, mu=0.3))

    `stiffness` is the contact modulus E* of the pair (Pa), 1/E* = Σ (1 − ν²)/E.  R and ε follow from the curvatures of
    both surfaces, or from `radius`.  If the curvature changes during contact (an ellipsoid rolling onto its end), the
    force is not conservative: a few per cent of the stored energy is gained or lost.  A constant `radius` makes it
    conservative.  Friction is `mu` in motion and `mu_s` at rest, reached over slip speeds of `transition` (m/s).
    """

    def __new__(cls, stiffness: Scalar, mu: Scalar = 0.0, mu_s: Scalar | None = None, viscous: Scalar = 0.0,
                transition: Scalar = 0.01, model: str = "stribeck", radius: Scalar | None = None,
                factor: Scalar = 1.0) -> Hertz:
        return super().__new__(cls, stiffness, mu, mu_s, viscous, transition, model, radius, factor)

    def normal(self, x: Scalar, v: Scalar) -> Scalar:
        return self.spring(x)


@record
class HuntCrossley(_Round, NamedTuple("HuntCrossley", [
    ("stiffness", float), ("dissipation", float), ("mu", float), ("mu_s", float | None), ("viscous", float),
    ("transition", float), ("restitution", float | None), ("at_speed", float), ("model", str),
    ("radius", float | None), ("factor", float)])):
    """Hertz contact with dissipation: f = max(0, f_H (1 + 3/2 c v)), v the closing speed (Hunt and Crossley 1975;
    Simbody).

    `dissipation` c (s/m) is the slope of the coefficient of restitution over the impact speed, e ≈ 1 − c v.  You may
    give the coefficient of restitution at one impact speed (m/s) instead: `restitution=0.7, at=1.0`.
    """

    def __new__(cls, stiffness: Scalar, dissipation: Scalar = 0.0, mu: Scalar = 0.0, mu_s: Scalar | None = None,
                viscous: Scalar = 0.0, transition: Scalar = 0.01, restitution: Scalar | None = None, at: Scalar = 1.0,
                model: str = "stribeck", radius: Scalar | None = None, factor: Scalar = 1.0) -> HuntCrossley:
        return super().__new__(cls, stiffness, dissipation, mu, mu_s, viscous, transition, restitution, at, model,
                               radius, factor)

    def check(self, owner: Component) -> None:
        super().check(owner)
        if self.restitution is not None and self.dissipation:
            raise ModelError(f"{owner.path}.law: give either dissipation or restitution.", owner)
        if self.restitution is not None and not self.restitution > 0:
            raise ModelError(f"{owner.path}.law: restitution = {self.restitution} would need a dissipation without "
                             "bound; give a positive one, or take contact.Rigid.", owner)

    def normal(self, x: Scalar, v: Scalar) -> Scalar:
        c = self.dissipation if self.restitution is None else dissipation_for(self.restitution, self.at_speed)
        return ca.fmax(0, self.spring(x) * (1 + 1.5 * c * v))


@record
class Linear(Rubbing, NamedTuple("Linear", [
    ("stiffness", float), ("dissipation", float), ("mu", float), ("mu_s", float | None), ("viscous", float),
    ("transition", float), ("model", str)])):
    """A linear spring under every point: f = max(0, k x (1 + c v)), for corners and flat faces (Simbody's brick).

    `stiffness` k (N/m), `dissipation` c (s/m).
    """

    def __new__(cls, stiffness: Scalar, dissipation: Scalar = 0.0, mu: Scalar = 0.0, mu_s: Scalar | None = None,
                viscous: Scalar = 0.0, transition: Scalar = 0.01, model: str = "stribeck") -> Linear:
        return super().__new__(cls, stiffness, dissipation, mu, mu_s, viscous, transition, model)

    def normal(self, x: Scalar, v: Scalar) -> Scalar:
        return ca.fmax(0, self.stiffness * x * (1 + self.dissipation * v))

    def energy(self, x: Scalar) -> Scalar:
        return self.stiffness * ca.fmax(x, 0) ** 2 / 2


@record
class Smooth(_Round, NamedTuple("Smooth", [
    ("stiffness", float), ("dissipation", float), ("mu", float), ("mu_s", float | None), ("viscous", float),
    ("transition", float), ("smoothing", float), ("depth_sharpness", float), ("speed_sharpness", float), ("model", str),
    ("radius", float | None), ("factor", float)])):
    """Hunt–Crossley without switches, for optimisation (Simbody's SmoothSphereHalfSpaceForce):

        f = 4/3 E* √R (x² + cf)^{3/4} (½ + ½ tanh(b_d x)) (1 + 3/2 c v) (½ + ½ tanh(b_v (v + 2/(3c))))

    There is a small force before the shapes touch.  `smoothing` cf (m²), `depth_sharpness` b_d (1/m), `speed_sharpness`
    b_v (s/m); friction is Hollars' law for the slip s' = √(s² + cf), times s/s'.
    """

    smooth = True
    switches = ("mu", "mu_s", "viscous", "dissipation")

    def __new__(cls, stiffness: Scalar, dissipation: Scalar = 0.0, mu: Scalar = 0.0, mu_s: Scalar | None = None,
                viscous: Scalar = 0.0, transition: Scalar = 0.01, smoothing: Scalar = 1e-5,
                depth_sharpness: Scalar = 300.0, speed_sharpness: Scalar = 50.0, radius: Scalar | None = None,
                factor: Scalar = 1.0) -> Smooth:
        return super().__new__(cls, stiffness, dissipation, mu, mu_s, viscous, transition, smoothing, depth_sharpness,
                               speed_sharpness, "hollars", radius, factor)

    def normal(self, x: Scalar, v: Scalar) -> Scalar:
        c = self.dissipation
        pressed = 4 / 3 * self.factor * self.stiffness * ca.sqrt(self.radius) * (x * x + self.smoothing) ** 0.75
        held = pressed * (0.5 + 0.5 * ca.tanh(self.depth_sharpness * x))
        if not isinstance(c, ca.SX) and c == 0:
            return held
        return held * (1 + 1.5 * c * v) * (0.5 + 0.5 * ca.tanh(self.speed_sharpness * (v + 2 / (3 * c))))

    def friction(self, slip: Scalar, f_n: Scalar) -> Scalar:
        smoothed = ca.sqrt(slip * slip + self.smoothing)
        return super().friction(smoothed, f_n) * slip / smoothed

    def energy(self, x: Scalar) -> Scalar:
        return 2 / 5 * self.normal(x, 0.0) * x


def is_law(value: object) -> bool:
    """Whether something is a compliant law, one's own included."""
    return callable(getattr(value, "normal", None)) and not isinstance(value, type)


def _smaller(x: Scalar, y: Scalar) -> Scalar:
    return ca.fmin(x, y) if isinstance(x, ca.SX) or isinstance(y, ca.SX) else min(x, y)


def of_materials(a: Material, b: Material) -> tuple[HuntCrossley, Scalar]:
    """Hunt–Crossley of two materials, and the share of the depth that a takes (Simbody's rules):

        k_i = E_i^{2/3},  s_a = k_b/(k_a + k_b),  E* = (k_a s_a)^{3/2},
        c = c_a s_a + c_b s_b,  μ = 2 μ_a μ_b/(μ_a + μ_b)

    The smaller slip speed of transition counts, and the friction law of both, which has to be one.
    """
    k_a, k_b = a.stiffness ** (2 / 3), b.stiffness ** (2 / 3)
    share = k_b / (k_a + k_b)

    def together(x: Scalar, y: Scalar) -> Scalar:
        if isinstance(x + y, ca.SX):
            return 2 * x * y / (x + y + TINY)
        return 2 * x * y / (x + y) if x + y else 0.0

    static = [m.mu if m.mu_s is None else m.mu_s for m in (a, b)]
    law = HuntCrossley((k_a * share) ** 1.5, a.dissipation * share + b.dissipation * (1 - share),
                       together(a.mu, b.mu), together(*static), together(a.viscous, b.viscous),
                       _smaller(a.transition, b.transition), model=a.model)
    return law, share
