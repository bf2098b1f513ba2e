"""Forces along ways as OpenSim has them: springs that damp, ligaments, actuators."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter, signal, variable
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from .cable import Cable
from .splines import spline
from .stops import Line

#: points (strain + 1, force) of a ligament unless others are given
LIGAMENT = ((-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0),
            (0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0))


class PathSpring(Cable):
    """f = c max(0, l − L₀)(1 + η v): a spring whose damping is proportional to its force; f is negative for v <
    −1/η."""

    c = parameter(text="stiffness", unit="N/m", only=POSITIVE)
    length = parameter(text="free length", unit="m", only=NOT_NEGATIVE)
    dissipation = parameter(0.0, "dissipation η", "s/m", only=NOT_NEGATIVE)
    energy = variable("elastic energy", "J")
    loss_power = variable("dissipated power", "W")

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l, v = plan.values(self), self.symbol("l"), self.symbol("v")
        over = ca.if_else(l > p.length, l - p.length, 0)
        return {"f": p.c * over * (1 + p.dissipation * v), "energy": p.c * over * over / 2,
                "loss_power": p.c * over * p.dissipation * v * v}


class Ligament(Cable):
    """f = F curve(l/L₀) for l > L₀, the curve a spline through points."""

    F = parameter(text="force that the curve multiplies", unit="N", only=NOT_NEGATIVE)
    length = parameter(text="free length", unit="m", only=POSITIVE)
    curve = parameter(LIGAMENT, "points (l/L₀, f/F) of the curve", structural=True)

    def _check(self) -> None:
        shape = np.shape(self.curve)
        if len(shape) != 2 or shape[0] != 2 or shape[1] < 3:
            raise ModelError(f"{self.path}.curve needs two rows of points, l/L₀ and f/F.", self)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l = plan.values(self), self.symbol("l")
        return {"f": ca.if_else(l > p.length, p.F * spline(*self.curve)(l / p.length), 0)}


class Blankevoort1991(Cable):
    """A ligament with a quadratic toe region (Blankevoort, Huiskes: J. Biomech. Eng. 113 (1991) 263; OpenSim).

    With the strain ε = l/L₀ − 1: f = ½ k ε²/ε_t up to ε_t, then k (ε − ε_t/2); plus c ε̇ while the strain increases.
    """

    k = parameter(text="stiffness, force per strain", unit="N", only=POSITIVE)
    length = parameter(text="slack length", unit="m", only=POSITIVE)
    transition = parameter(0.06, "strain at which it becomes straight", only=POSITIVE)
    damping = parameter(0.003, "damping c, force times time per strain", "N.s", only=NOT_NEGATIVE)
    energy = variable("elastic energy", "J")
    loss_power = variable("dissipated power", "W")

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l, v = plan.values(self), self.symbol("l"), self.symbol("v")
        e = l / p.length - 1
        low, over = ca.fmin(ca.fmax(e, 0), p.transition), ca.fmax(e - p.transition, 0)
        spring = p.k * (low * low / (2 * p.transition) + over)
        x = ca.fmin(ca.fmax(e / 0.01, 0), 1)
        step = x**3 * (10 + x * (6 * x - 15))
        drag = p.damping * v / p.length * step
        stored = p.k * p.length * (low**3 / (6 * p.transition) + over * (p.transition + over) / 2)
        drag = ca.if_else(v > 0, drag, 0)
        return {"f": spring + drag, "energy": stored, "loss_power": drag * v}


class PathActuator(Cable):
    """A tension given by a signal, `pull` (N), and dry friction of size `friction` (N) against changes of the length,
    which sticks exactly.

    >>> m.tendon = cables.PathActuator([m.world.frame_b, m.drum.wrap(), m.load.frame_a], pull=20.0, friction=3.0)
    """

    pull = signal(0.0, "tension", "N")
    friction = parameter(0.0, "dry friction along the way", "N", structural=True, only=NOT_NEGATIVE)

    def act_on(self, plan: PartsList, line: Line) -> None:
        if not self.friction:
            super().act_on(plan, line)
            return
        limit = ca.SX(float(self.friction))
        stuck, direction, push = plan.friction(self, "friction", self.symbol("v"), limit, lambda _: limit,
                                               frames=[leg.stop.frame for leg in line.legs])
        sliding = self.symbol("pull") + direction * (1 - stuck) * limit
        self.pull_on(plan, line, sliding)
        plan.keep(self, sliding + push)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        return {"f": plan.kept(self) if self.friction else self.symbol("pull")}
