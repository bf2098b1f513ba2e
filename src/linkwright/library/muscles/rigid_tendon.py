"""A muscle without states on a tendon that does not stretch (OpenSim's RigidTendonMuscle); curves through points.

    l_f = √(max(0, l − l_slack)² + w²),   f = F_max (a f_al(l_n) f_v(l̇/(v_max l_opt)) + f_pe(l_n)) cos α
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter
from ..cables import spline
from ..tolerances import NO_FIBRE_SQUARED
from .muscle import Muscle

#: points (x, y) of SIMM's generic muscle: f_al and f_pe over normalised length, f_v over normalised rate
ACTIVE = ((-5.307692, -4.307692, -1.923077, -0.884615, -0.269231, 0.230769, 0.461538, 0.52725, 0.62875, 0.71875,
           0.86125, 1.045, 1.2175, 1.43875, 1.5, 1.615385, 2.0, 2.961538, 3.692308, 5.461538, 9.901902),
          (0.012188, 0.021899, 0.036466, 0.052493, 0.075312, 0.114158, 0.157859, 0.226667, 0.636667, 0.856667, 0.95,
           0.993333, 0.77, 0.246667, 0.193821, 0.133252, 0.072683, 0.044417, 0.036341, 0.021899, 0.007332))
PASSIVE = ((-5.0, 0.998, 0.999, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.601, 1.602, 5.0),
           (0.0, 0.0, 0.0, 0.0, 0.035, 0.12, 0.26, 0.55, 1.17, 2.0, 2.0, 2.0, 2.0))
VELOCITY = ((-1.001, *[round(-1 + 0.05 * k, 2) for k in range(41)]),
            (0.0, 0.0, 0.010417, 0.021739, 0.034091, 0.047619, 0.0625, 0.078947, 0.097222, 0.117647, 0.140625, 0.166667,
             0.196429, 0.230769, 0.270833, 0.318182, 0.375, 0.444444, 0.53125, 0.642857, 0.791667, 1.0, 1.482014,
             1.601571, 1.655791, 1.686739, 1.706751, 1.720753, 1.731099, 1.739055, 1.745365, 1.75049, 1.754736,
             1.758312, 1.761364, 1.763999, 1.766298, 1.768321, 1.770115, 1.771717, 1.773155, 1.774455))


class RigidTendon(Muscle):
    """A muscle whose excitation is its activation, on a tendon that does not stretch; no states."""

    tendon = parameter("rigid", "'rigid'", structural=True)
    activation = parameter(None, "None: excitation is activation", structural=True)
    active = parameter(ACTIVE, "points (x, y) of f_al", structural=True)
    passive = parameter(PASSIVE, "points of f_pe", structural=True)
    velocity = parameter(VELOCITY, "points of f_v", structural=True)

    def _check(self) -> None:
        super()._check()
        if self.tendon != "rigid" or self.activation is not None:
            raise ModelError(f"{self.path}: RigidTendon has no elastic tendon and no activation of its own; take "
                             "muscles.Millard2012.", self)
        for name in ("active", "passive", "velocity"):
            points = np.shape(getattr(self, name))
            if len(points) != 2 or points[0] != 2 or points[1] < 3:
                raise ModelError(f"{self.path}.{name} needs two rows of points, x and y.", self)

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        p, l, v, a = plan.values(self), self.symbol("l"), self.symbol("v"), self.symbol("excitation")
        fal, fpe, fv = (spline(*points) for points in (self.active, self.passive, self.velocity))
        width, along = p.l_opt * ca.sin(p.alpha), ca.fmax(l - p.l_slack, 0)
        length = ca.sqrt(along * along + width * width + NO_FIBRE_SQUARED)
        cosine, ln = along / length, length / p.l_opt
        own = p.F_max * a * fal(ln) * fv(v / (p.v_max * p.l_opt)) * cosine
        passive = p.F_max * ca.fmin(ca.fmax(fpe(ln), 0), 10) * cosine
        return {"f": own + passive, "a": a, "l_fiber": length, "v_fiber": v * cosine, "alpha_now": ca.acos(cosine),
                "f_rigid": p.F_max * fal(ln) * fv(v / (p.v_max * p.l_opt)) * cosine, "f_rigid_passive": passive,
                "l_fiber_rigid": length,
                "l_tendon": l - along, "f_active": own, "f_passive": passive, "power": -own * v,
                "loss_power": (own + passive) * v,
                "energy": ca.SX(0)}

    def stores_energy(self) -> bool:
        return False

    def activation_rate(self, p: Any, a: ca.SX, e: ca.SX) -> ca.SX:
        raise NotImplementedError
