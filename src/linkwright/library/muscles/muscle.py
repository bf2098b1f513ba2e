"""What all muscles share: a way, an activation, a fibre of constant width in series with a tendon, results.

    w = l_opt sin α_opt,   cos α = √(1 − (w/l_f)²),   l = l_f cos α + l_t,   tension f = F_max f_se(l_t/l_slack)
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...errors import ModelError
from ...language import PartsList, guess
from ...language.fields import parameter, signal, variable
from ...language.looks import MuscleLook
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from ..cables import Cable
from ..tolerances import ACTIVATION_AT_START, NO_FIBRE_SQUARED, STEEPEST_PENNATION


class Muscle(MuscleLook, Cable):
    """Base of all muscles: a path over points and surfaces, and an `excitation` (0 … 1), an input named after the
    muscle.

    The fibre starts in equilibrium with the tendon, at rest, unless `l_fiber` is given; the activation starts at
    `a`.  With `activation=None` the excitation is the activation.
    """

    F_max = parameter(text="largest isometric force", unit="N", only=POSITIVE)
    l_opt = parameter(text="length of the fibre at that force", unit="m", only=POSITIVE)
    l_slack = parameter(text="length of the slack tendon", unit="m", only=POSITIVE)
    alpha = parameter(0.0, "pennation at l_opt", "rad", only=NOT_NEGATIVE)
    v_max = parameter(10.0, "fastest shortening, in l_opt per second", "1/s", only=POSITIVE)
    tendon = parameter("elastic", "'elastic' or 'rigid'", structural=True)
    activation = parameter("first_order", "'first_order', or None: excitation is activation", structural=True)
    tau_activation = parameter(0.01, "time constant of rising activation", "s", only=POSITIVE)
    tau_deactivation = parameter(0.04, "time constant of falling activation", "s", only=POSITIVE)
    a_min = parameter(0.01, "least activation", only=NOT_NEGATIVE)
    excitation = signal(0.0, "excitation, 0 … 1")
    a = variable("activation", initial=True)
    l_fiber = variable("length of the fibre", "m", initial=True)
    v_fiber = variable("its rate", "m/s")
    alpha_now = variable("pennation", "rad")
    l_tendon = variable("length of the tendon", "m")
    f_active = variable("force of the active fibre, along the tendon", "N")
    f_passive = variable("force of the passive fibre, along the tendon", "N")
    f_rigid = variable("active tension at full activation here, were the tendon rigid", "N")
    l_fiber_rigid = variable("length of the fibre here, were the tendon rigid", "m")
    f_rigid_passive = variable("passive tension here, were the tendon rigid", "N")
    power = variable("power of the active fibre, positive where it shortens", "W")
    loss_power = variable("power that its fibre takes up for good: −power", "W")
    energy = variable("elastic energy of tendon and passive fibre", "J")

    def _check(self) -> None:
        super()._check()
        if not self.alpha < np.pi / 2:
            raise ModelError(f"{self.path}.alpha = {float(self.alpha):g} rad must be less than 90°.", self)
        for name, choices in (("tendon", ("elastic", "rigid")), ("activation", ("first_order", None))):
            if getattr(self, name) not in choices:
                raise ModelError(f"{self.path}.{name} = {getattr(self, name)!r}; choose {choices[0]!r} or "
                                 f"{choices[1]!r}.", self)

    # --- activation ---

    def _activation(self, plan: PartsList) -> ca.SX:
        """The activation: a state, or the excitation itself."""
        if self.activation is None:
            return self.symbol("excitation")
        a, given = self.symbol("a"), self._given("a")
        plan.state(self, "a", a, self.activation_rate(plan.values(self), a, self.symbol("excitation")),
                   ACTIVATION_AT_START if given is None else guess(given))
        return a

    def activation_rate(self, p: Any, a: ca.SX, e: ca.SX) -> ca.SX:
        """ȧ."""
        raise NotImplementedError

    def _fibre_state(self, plan: PartsList, rate: ca.SX, off: ca.SX, least: Scalar) -> None:
        """The fibre's length is a state; at the start the tendon's strain is `off` by nothing.

        As a strain of the tendon, equilibrium is nearly straight in l_f, whatever the force.
        """
        lf, given, p = self.symbol("l_fiber"), self._given("l_fiber"), plan.values(self)
        plan.state(self, "l_fiber", lf, rate, guess(float(self.numbers().l_opt) if given is None else given))
        if given is None:
            plan.initial_equation(f"{self.path}: fibre and tendon in equilibrium", off * p.l_slack / p.l_opt)
            self._refuse_short_way(plan, ca.sqrt(ca.fmax(least * least - (p.l_opt * ca.sin(p.alpha)) ** 2, 0)))

    def _refuse_short_way(self, plan: PartsList, along: Scalar) -> None:
        """On a way shorter than the slack tendon and the shortest fibre there is no equilibrium."""
        p, numbers = plan.values(self), self.numbers()
        plan.starts_above_zero(
            self.symbol("l") - p.l_slack - along,
            f"{self.path}: fibre and tendon have no equilibrium: the way, less the slack tendon (l_slack = "
            f"{float(numbers.l_slack):g} m) and the shortest fibre (l_opt = {float(numbers.l_opt):g} m), is "
            "{value:.3g} m: the fibre cannot pull it tight. Likely: l_slack, or the places of its points; change one, "
            "or give l_fiber=.")

    def _told(self, p: Any, a: ca.SX, fibre: Fibre, fse: ca.SX, fpe: ca.SX, rate: ca.SX,
              stored: ca.SX) -> dict[str, ca.SX]:
        """The results that all muscles with a fibre and a tendon have; forces are of F_max."""
        passive = p.F_max * fpe * fibre.cosine
        active = p.F_max * fse - passive
        found = {"v_fiber": rate, "alpha_now": ca.acos(fibre.cosine), "l_tendon": self.symbol("l") - fibre.along,
                 "f_active": active, "f_passive": passive, "power": -active / fibre.cosine * rate,
                 "loss_power": active / fibre.cosine * rate, "energy": stored}
        return {**found, **({"a": a} if self.activation is None else {})}

    def _rigid_tendon(self, p: Any, least: Scalar) -> tuple[Fibre, ca.SX]:
        """(fibre, its normalised rate) as they follow from the way where the tendon does not stretch."""
        along, width = ca.fmax(self.symbol("l") - p.l_slack, 0), p.l_opt * ca.sin(p.alpha)
        fibre = Fibre(p, ca.sqrt(along * along + width * width + NO_FIBRE_SQUARED), least)
        return fibre, self.symbol("v") * fibre.cosine / (p.v_max * p.l_opt)

    def _given(self, name: str) -> float | None:
        """A start value that was given."""
        entries = self.initial_value(name)
        return None if entries is None else getattr(entries[0], "value", entries[0])


class Fibre:
    """A fibre of constant width at length l_f, with numbers p of its muscle."""

    def __init__(self, p: Any, l: Scalar, least: Scalar) -> None:
        self.width = p.l_opt * ca.sin(p.alpha)
        self.length = ca.fmax(l, least)
        self.cosine = ca.sqrt(1 - (self.width / self.length) ** 2)
        self.normal = self.length / p.l_opt
        self.along = self.length * self.cosine


def least_length(p: Any) -> Scalar:
    """The fibre's length at the steepest pennation, cos α = 0.1."""
    return p.l_opt * ca.sin(p.alpha) / np.sin(np.arccos(STEEPEST_PENNATION))


def held(l: ca.SX, least: Scalar, rate: ca.SX) -> ca.SX:
    """The rate of a fibre that does not become shorter than it can."""
    return ca.if_else(ca.logic_and(l <= least, rate < 0) != 0, 0, rate)
