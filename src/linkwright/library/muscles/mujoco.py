"""MuJoCo's muscle, on the way of a cable: no tendon, no fibre, one state.

    L₀ = (l_max − l_min)/(range₁ − range₀),   L = range₀ + (l − l_min)/L₀,   V = l̇/(L₀ vmax)
    f = F (a F_L(L) F_V(V) + F_P(L))

with pieces of parabolas (MuJoCo documentation, "Computation: Actuation model, Muscle").
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from ...algebra import Scalar
from ...errors import ModelError
from ...language import PartsList, guess
from ...language.fields import parameter, signal, variable
from ...language.looks import MuscleLook
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from ..cables import Cable


class MujocoNumbers(NamedTuple):
    """The numbers of a muscle's law, as MuJoCo's gainprm has them, with the force in place of its scale."""

    range: tuple[Scalar, Scalar]
    force: Scalar
    lmin: Scalar
    lmax: Scalar
    vmax: Scalar
    fpmax: Scalar
    fvmax: Scalar


def force_of(p: MujocoNumbers, lengthrange: Any, l: ca.SX, v: ca.SX) -> tuple[ca.SX, ca.SX]:
    """(force per activation, passive force), both positive where they pull."""
    L0 = (lengthrange[1] - lengthrange[0]) / (p.range[1] - p.range[0])
    L, V = p.range[0] + (l - lengthrange[0]) / L0, v / (L0 * p.vmax)
    return p.force * over_length(p, L) * over_rate(p, V), p.force * passive(p, L)


def over_length(p: Any, L: ca.SX) -> ca.SX:
    """F_L: four parabolas, zero outside of lmin … lmax; they join smoothly but at its ends."""
    a, b = (p.lmin + 1) / 2, (1 + p.lmax) / 2
    inside = ca.if_else((L - a <= 0) != 0, 0.5 * ((L - p.lmin) / (a - p.lmin)) ** 2, ca.if_else(
        (L <= 1) != 0, 1 - 0.5 * ((1 - L) / (1 - a)) ** 2, ca.if_else(
            (L - b <= 0) != 0, 1 - 0.5 * ((L - 1) / (b - 1)) ** 2, 0.5 * ((p.lmax - L) / (p.lmax - b)) ** 2)))
    return ca.if_else(ca.logic_and(p.lmin <= L, p.lmax >= L) != 0, inside, 0)


def over_rate(p: Any, V: ca.SX) -> ca.SX:
    """F_V: parabolas from V = −1 to fvmax."""
    y = p.fvmax - 1
    longer = ca.if_else((V - y <= 0) != 0, p.fvmax - (y - V) ** 2 / y, p.fvmax)
    return ca.if_else((V <= -1) != 0, 0, ca.if_else((V <= 0) != 0, (V + 1) ** 2, longer))


def passive(p: Any, L: ca.SX) -> ca.SX:
    """F_P: a parabola from L = 1 on, then a straight line."""
    b = (1 + p.lmax) / 2
    x = (L - 1) / (b - 1)
    return p.fpmax * ca.if_else((L <= 1) != 0, 0, ca.if_else((L - b <= 0) != 0, 0.5 * x * x, 0.5 + (L - b) / (b - 1)))


def activation_rate(a: ca.SX, control: ca.SX, rising: Scalar, falling: Scalar, smooth: Scalar = 0.0) -> ca.SX:
    """ȧ = d/τ, d = control − a; τ changes over at d = 0, hard or over a width `smooth`."""
    d = ca.fmin(ca.fmax(control, 0), 1) - a
    z = 0.5 + 1.5 * ca.fmin(ca.fmax(a, 0), 1)
    up, down = rising * z, falling / z
    if not isinstance(smooth, ca.SX) and smooth <= 0:
        return d / ca.if_else((d > 0) != 0, up, down)
    x = ca.fmin(ca.fmax(d / smooth + 0.5, 0), 1)
    return d / (down + (up - down) * x**3 * (3 * x * (2 * x - 5) + 10))


class MujocoMuscle(MuscleLook, Cable):
    """MuJoCo's muscle; state a.  `lengthrange` is the shortest and the longest path that the mechanism allows."""

    F_max = parameter(text="largest force", unit="N", only=POSITIVE)
    lengthrange = parameter(text="shortest and longest way", unit="m", shape=(2,))
    range = parameter((0.75, 1.05), "normalised lengths at these")
    lmin = parameter(0.5, "normalised length from which on it is active", only=POSITIVE)
    lmax = parameter(1.6, "normalised length up to which it is active", only=POSITIVE)
    vmax = parameter(1.5, "fastest shortening, in L₀ per second", "1/s", only=POSITIVE)
    fpmax = parameter(1.3, "passive force at lmax, of F_max", only=NOT_NEGATIVE)
    fvmax = parameter(1.2, "largest force while it lengthens, of F_max", only=POSITIVE)
    tau_activation = parameter(0.01, "time constant of rising activation", "s", only=POSITIVE)
    tau_deactivation = parameter(0.04, "time constant of falling activation", "s", only=POSITIVE)
    tausmooth = parameter(0.0, "width over which the time constant changes", structural=True)
    excitation = signal(0.0, "excitation, 0 … 1")
    a = variable("activation", initial=True)
    f_active = variable("active force", "N")
    f_passive = variable("passive force", "N")
    f_rigid = variable("active force at full activation here", "N")
    f_rigid_passive = variable("passive force here", "N")
    power = variable("power of the active part, positive where it shortens", "W")
    loss_power = variable("power that it takes up for good", "W")

    def _check(self) -> None:
        super()._check()
        low, high = (float(x) for x in self.lengthrange)
        if not low < high:
            raise ModelError(f"{self.path}.lengthrange = ({low:g}, {high:g}): the first must be the smaller.", self)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, a = plan.values(self), self.symbol("a")
        entries = self.initial_value("a")
        plan.state(self, "a", a, activation_rate(a, self.symbol("excitation"), p.tau_activation, p.tau_deactivation,
                                                 self.tausmooth),
                   0.0 if entries is None else guess(getattr(entries[0], "value", entries[0])))
        numbers = MujocoNumbers(p.range, p.F_max, p.lmin, p.lmax, p.vmax, p.fpmax, p.fvmax)
        gain, own = force_of(numbers, p.lengthrange, self.symbol("l"), self.symbol("v"))
        return {"f": gain * a + own, "f_active": gain * a, "f_passive": own, "f_rigid": gain, "f_rigid_passive": own,
                "power": -gain * a * self.symbol("v"),
                "loss_power": self.symbol("f") * self.symbol("v")}
