"""The muscle of De Groote, Kinney, Rao, Fregly (Ann. Biomed. Eng. 44 (2016) 2922), smooth everywhere; numbers are those
of OpenSim's DeGrooteFregly2016Muscle.

States are the activation and the normalised force of the tendon f_T:

    l_t = l_slack (1 + ln((f_T + 0.2)/0.2)/k_T),   l_f = √((l − l_t)² + w²),   f_v = (f_T/cos α − f_pe)/(a f_al)
    ḟ_T = 0.2 k_T e^{k_T (l_t/l_slack − 1)} (l̇ − l̇_f/cos α)/l_slack
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...language import PartsList, guess
from ...language.fields import parameter, variable
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from .activation import smooth_first_order
from .muscle import Muscle

#: b₁ … b₄ of three bells, and d₁ … d₄ of force over rate
BELLS = ((0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
         (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
         (0.1, 1.0, 0.353553390593274, 0.0))
RATE = (-0.3211346127989808, -8.149, -0.374, 0.8825327733249912)


class DeGrooteFregly2016(Muscle):
    """A muscle with smooth laws, for optimal control; states a and f_tendon, or only a with tendon="rigid"."""

    tau_activation = parameter(0.015, "time constant of rising activation", "s", only=POSITIVE)
    tau_deactivation = parameter(0.06, "time constant of falling activation", "s", only=POSITIVE)
    steepness = parameter(0.1, "how suddenly the time constant changes", only=POSITIVE)
    width_scale = parameter(1.0, "width of the active curve", only=POSITIVE)
    strain_fiber = parameter(0.6, "strain of the passive fibre at F_max", only=POSITIVE)
    strain_tendon = parameter(0.049, "strain of the tendon at F_max", only=POSITIVE)
    damping = parameter(0.0, "damping of the fibre; without effect on an elastic tendon, as in OpenSim",
                        only=NOT_NEGATIVE)
    passive_fiber = parameter(True, "whether the fibre has passive force")
    f_tendon = variable("normalised force of the tendon", initial=True)

    def activation_rate(self, p: Any, a: ca.SX, e: ca.SX) -> ca.SX:
        return smooth_first_order(a, e, p.tau_activation, p.tau_deactivation, p.steepness)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l, v = plan.values(self), self.symbol("l"), self.symbol("v")
        a, width = self._activation(plan), p.l_opt * ca.sin(p.alpha)
        if self.tendon == "rigid":
            along = l - p.l_slack
            length, cosine, ln = self._fibre(p, along, width)
            rate = v * cosine
            vn = rate / (p.v_max * p.l_opt)
            pull = (a * active(p, ln) * over_rate(vn) + self._passive(p, ln) + p.damping * vn) * cosine
            return self._results(p, a, length, cosine, ln, rate, pull, 0)
        k, fT = np.log(6.0) / p.strain_tendon, self.symbol("f_tendon")
        strain = ca.log((fT + 0.2) / 0.2) / k
        length, cosine, ln = self._fibre(p, l - p.l_slack * (1 + strain), width)
        vn = rate_of((fT / cosine - self._passive(p, ln)) / (a * active(p, ln)))
        rate = vn * p.v_max * p.l_opt
        given = self._given("f_tendon")
        plan.state(self, "f_tendon", fT, k * (fT + 0.2) * (v - rate / cosine) / p.l_slack,
                   guess(0.1 if given is None else given))
        if given is None:
            # at rest: f_T = (a f_al + f_pe) cos α, as strains of the tendon, which are nearly straight in l_f
            still = ca.log((ca.fmax(a * active(p, ln) + self._passive(p, ln), 0) * cosine + 0.2) / 0.2) / k
            plan.initial_equation(f"{self.path}: fibre and tendon in equilibrium",
                                  (strain - still) * p.l_slack / p.l_opt)
            self._refuse_short_way(plan, 0)
        stored = p.F_max * p.l_slack * (0.2 / k * (ca.exp(k * strain) - 1) - 0.2 * strain)
        return self._results(p, a, length, cosine, ln, rate, fT, stored)

    def _fibre(self, p: Any, along: ca.SX, width: Scalar) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(length, cosine of the pennation, normalised length) of the fibre."""
        length = ca.sqrt(along * along + width * width)
        return length, along / length, length / p.l_opt

    def _passive(self, p: Any, ln: ca.SX) -> ca.SX:
        return passive(p, ln) if self.passive_fiber else ca.SX(0)

    def _results(self, p: Any, a: ca.SX, length: ca.SX, cosine: ca.SX, ln: ca.SX, rate: ca.SX, pull: ca.SX,
                 stored: Scalar) -> dict[str, ca.SX]:
        own = p.F_max * self._passive(p, ln) * cosine
        force = p.F_max * pull - own
        o = ca.exp(4 * (0.2 - 1) / p.strain_fiber)
        held = (p.strain_fiber / 4 * ca.exp(4 * (ln - 1) / p.strain_fiber) - o * ln) / (np.exp(4.0) - o)
        stiff, stiff_cosine, stiff_ln = self._fibre(p, self.symbol("l") - p.l_slack, p.l_opt * ca.sin(p.alpha))
        vn = self.symbol("v") * stiff_cosine / (p.v_max * p.l_opt)
        found = {"f": p.F_max * pull, "f_rigid": p.F_max * active(p, stiff_ln) * over_rate(vn) * stiff_cosine,
                 "f_rigid_passive": p.F_max * self._passive(p, stiff_ln) * stiff_cosine, "l_fiber_rigid": stiff,
                 "l_fiber": length,
                 "v_fiber": rate, "alpha_now": ca.acos(cosine),
                 "l_tendon": self.symbol("l") - length * cosine, "f_active": force, "f_passive": own,
                 "power": -force / cosine * rate, "loss_power": force / cosine * rate,
                 "energy": stored + (p.F_max * p.l_opt * held if self.passive_fiber else 0)}
        if self.tendon == "rigid":
            found["f_tendon"] = pull
        return {**found, **({"a": a} if self.activation is None else {})}


def active(p: Any, ln: ca.SX) -> ca.SX:
    """f_al: three bells."""
    x = (ln - 1) / p.width_scale + 1
    return sum(b1 * ca.exp(-0.5 * ((x - b2) / (b3 + b4 * x)) ** 2) for b1, b2, b3, b4 in BELLS)


def passive(p: Any, ln: ca.SX) -> ca.SX:
    """f_pe, zero at a fifth of the optimal length."""
    o = ca.exp(4 * (0.2 - 1) / p.strain_fiber)
    return (ca.exp(4 * (ln - 1) / p.strain_fiber) - o) / (np.exp(4.0) - o)


def over_rate(vn: ca.SX) -> ca.SX:
    """f_v."""
    d1, d2, d3, d4 = RATE
    x = d2 * vn + d3
    return d1 * ca.log(x + ca.sqrt(x * x + 1)) + d4


def rate_of(fv: ca.SX) -> ca.SX:
    """v_n at which f_v has a value."""
    d1, d2, d3, d4 = RATE
    return (ca.sinh((fv - d4) / d1) - d3) / d2
