"""Elastic contact beyond a clearance: in drive trains, and at the ends of joints.

Over a free way nothing acts; beyond it a spring and a damper press back and never pull.  The instants at which contact
begins and ends are located.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import Component, PartsList, RotationalFlange, TranslationalFlange, record
from ...language.fields import parameter, variable
from ...language.one_dimensional import Compliant
from ...language.ranges import AT_LEAST_ONE, NOT_NEGATIVE, POSITIVE


def pressing(spring: ca.SX, damping: ca.SX) -> ca.SX:
    """max(0, spring + damping): what a contact presses with; it sets in with a jump where damping meets speed."""
    return ca.fmax(spring + damping, 0)


def pressing_softly(spring: ca.SX, damping: ca.SX) -> ca.SX:
    """max(0, spring + min(spring, damping)): the same without a jump, since damping sets in with the spring."""
    return ca.fmax(spring + ca.fmin(spring, damping), 0)


class Contact(Compliant):
    """Base: `contact(plan)` gives what the spring alone would, and the law."""

    c = parameter(text="stiffness", unit="E/X", only=POSITIVE)
    d = parameter(0.0, "damping", "E.s/X", only=NOT_NEGATIVE)
    v_rel = variable("relative speed", "X/s")
    loss_power = variable("dissipated power", "W")
    energy = variable("elastic energy", "J")

    def contact(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        raise NotImplementedError

    def law(self, plan: PartsList) -> ca.SX:
        return self.contact(plan)[1]

    def definitions(self, plan: PartsList) -> dict:
        spring, law = self.contact(plan)
        rate = self.relative()[1]
        return {**super().definitions(plan), **self.spelled(v_rel=rate, loss_power=(law - spring) * rate),
                "energy": self.stored(plan, spring)}

    def stored(self, plan: PartsList, spring: ca.SX) -> ca.SX:
        """Elastic energy where the spring alone gives `spring`."""
        return spring**2 / (2 * plan.values(self).c)


class ElastoBacklash(Contact):
    """Spring and damper with backlash b: no torque while |phi_rel − phi_rel0| < b/2.

    Beyond b/2, with the depth δ = phi_rel − phi_rel0 − b/2,

        tau = max(0, c δ + min(c δ, d w_rel))

    and likewise on the other side.  The damping torque is limited by the spring torque, so that the torque does not
    jump when contact begins (Modelica Rotational.Components.ElastoBacklash).
    """

    flange_type = RotationalFlange
    press = staticmethod(pressing_softly)
    b = parameter(text="total backlash", unit="rad", only=NOT_NEGATIVE)
    phi_rel0 = parameter(0.0, "relative angle in the middle of the play", "rad")

    def contact(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        p = plan.values(self)
        phi, w = self.relative()
        phi = phi - p.phi_rel0
        above, below = p.c * (phi - p.b / 2), p.c * (-phi - p.b / 2)
        pressed = self.press(above, p.d * w), -self.press(below, -p.d * w)
        return tuple(ca.if_else(phi > p.b / 2, forwards, ca.if_else(phi < -p.b / 2, backwards, 0))
                     for forwards, backwards in ((above, -below), pressed))


class ElastoBacklash2(ElastoBacklash):
    """Like ElastoBacklash, with the full damping from the beginning of contact: tau = max(0, c δ + d w_rel), which
    may jump."""

    press = staticmethod(pressing)


class ElastoGap(Contact):
    """Two faces with a gap between them: no force while s_rel > s_rel0.

    In contact, with the depth δ = s_rel0 − s_rel,

        f = −max(0, c δⁿ + min(c δⁿ, −d v_rel))

    so that the force does not jump where contact begins (Modelica Translational.Components.ElastoGap).
    """

    flange_type = TranslationalFlange
    s_rel0 = parameter(0.0, "relative position at which the faces meet", "m")
    n = parameter(1.0, "exponent of the spring", "", structural=True, only=AT_LEAST_ONE)
    f = variable("force between the flanges, negative in contact", "N")

    def contact(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        p = plan.values(self)
        s, v = self.relative()
        depth = p.s_rel0 - s
        # the power of a negative depth is never asked for
        spring = p.c * (depth if self.n == 1 else ca.fmax(depth, 0) ** self.n)
        pressed = pressing_softly(spring, -p.d * v)
        return ca.if_else(depth > 0, -spring, 0), ca.if_else(depth > 0, -pressed, 0)

    def stored(self, plan: PartsList, spring: ca.SX) -> ca.SX:
        return -spring * (plan.values(self).s_rel0 - self.relative()[0]) / (self.n + 1)


@record
class CompliantStop(NamedTuple):
    """An elastic end of a joint's way, for `stop=`: beyond the limit it presses with max(0, c δ + d δ̇), depth δ.

    Without damping the joint is thrown back at the speed it came with; with a mass m behind it the damping ratio
    ζ = d/(2 √(c m)) decides how much slower.
    """

    c: float
    d: float = 0.0

    def check(self, owner: Component) -> None:
        """Raise a ModelError for invalid values."""
        for name, value in self._asdict().items():
            if not (np.isscalar(value) and np.isfinite(value) and value >= 0) or (name == "c" and value == 0):
                bound = "positive" if name == "c" else "not negative"
                raise ModelError(f"{owner.path}.stop: {name} = {value} must be finite and {bound}.", owner)

    def force(self, gap: ca.SX, rate: ca.SX) -> ca.SX:
        """The force of the stop, from the distance left and its rate."""
        return ca.if_else(gap < 0, pressing(-self.c * gap, -self.d * rate), 0)

    def energy(self, gap: ca.SX) -> ca.SX:
        """The elastic energy ½ c δ²."""
        return ca.if_else(gap < 0, self.c * gap * gap / 2, 0)

    def loss(self, gap: ca.SX, rate: ca.SX) -> ca.SX:
        """The dissipated power: the power of the spring alone, less that of the stop."""
        return ca.if_else(gap < 0, -self.c * gap - pressing(-self.c * gap, -self.d * rate), 0) * rate
