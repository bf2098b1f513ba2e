"""A gear with losses: friction in the mesh of the teeth and in the bearings, stuck where it may be."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import PartsList, RotationalFlange
from ...language import one_dimensional as base
from ...language.fields import parameter, variable
from .friction import over_speed, rows_over_speed, speed_against


class LossyGear(base.Gear):
    """A gear with mesh efficiency and bearing friction: phi_a = ratio phi_b against the support,

        0 = tau_b + ratio (tau_a − tau_loss)

    While it turns forwards (w_a > 0) the loss is the larger of two lines, of which the first holds where flange_a
    drives and the second where flange_b does:

        tau_loss = L(tau_a),   L(x) = max((1 − eta_mf1) x + tau_bf1, (1 − 1/eta_mf2) x + tau_bf2)

    and −L(−tau_a) while it turns backwards.  At rest it is stuck while −L(−tau_a) ≤ tau_loss ≤ L(tau_a).  Rows of
    `loss_table`, in order of speed, are (|w_a|, eta_mf1, eta_mf2, tau_bf1, tau_bf2): efficiencies where flange_a
    (flange_b) drives, and the bearings' friction seen from flange_a in either case, tau_bf1 = eta_mf1 tau_bf_a +
    tau_bf_b/ratio, tau_bf2 = tau_bf_a/eta_mf2 + tau_bf_b/ratio.  Between rows it is linear, beyond the last it stays.

    Pelchen, Schweiger, Otter: Modeling and Simulating the Efficiency of Gearboxes and of Planetary Gearboxes, Modelica
    Conference 2002, pp. 257–266; Modelica Rotational.Components.LossyGear.
    """

    flange_type = RotationalFlange
    loss_table = parameter([[0, 1, 1, 0, 0]], "rows (|w_a|, eta_mf1, eta_mf2, tau_bf1, tau_bf2)", structural=True)
    w_a = variable("speed of flange_a against the support", "rad/s")
    tau_loss = variable("lost torque, seen from flange_a", "N.m")
    loss_power = variable("dissipated power", "W")

    def _check(self) -> None:
        super()._check()
        table = rows_over_speed(self, "loss_table", "|w_a|, eta_mf1, eta_mf2, tau_bf1, tau_bf2")
        for name, column in (("eta_mf1", table[:, 1]), ("eta_mf2", table[:, 2])):
            wrong = column[(column <= 0) | (column > 1)]
            if len(wrong):
                raise ModelError(f"{self.path}.loss_table: the efficiency {name} = {wrong[0]:g} must lie above 0 and "
                                 "not above 1.", self)
        if np.any(table[:, 3:] < 0):
            raise ModelError(f"{self.path}.loss_table: bearing friction tau_bf = {table[:, 3:].min():g} cannot be "
                             "negative.", self)

    def _rows(self) -> np.ndarray:
        return np.atleast_2d(np.asarray(self.loss_table, dtype=float))

    def _ideal(self) -> bool:
        return np.array_equal(np.unique(self._rows()[:, 1:], axis=0), [[1, 1, 0, 0]])

    def loss(self, tau: ca.SX, speed: ca.SX) -> ca.SX:
        """L(tau) at a speed ≥ 0."""
        rows = self._rows()
        speed = ca.fmin(speed, rows[-1, 0])
        eta1, eta2, bearing1, bearing2 = (over_speed(rows[:, [0, k]], speed) for k in range(1, 5))
        return ca.fmax((1 - eta1) * tau + bearing1, (1 - 1 / eta2) * tau + bearing2)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        if self._ideal():
            return
        tau, rate = base.effort(self.flange_a), speed_against(self.flange_a, self.support)

        def sliding(direction: float) -> ca.SX:
            return self.loss(direction * tau, direction * rate)

        limits = self.loss(tau, ca.SX(0)), self.loss(-tau, ca.SX(0))
        stuck, direction, push = plan.friction(self, "", rate, limits, sliding)
        for flange, sign in ((self.flange_a, 1.0), (self.support, -1.0)):
            plan.flange_load(self, flange, sign * direction * (1 - stuck) * sliding(direction))
            plan.flange_cut(self, flange, sign * push)

    def definitions(self, plan: PartsList) -> dict:
        rate = speed_against(self.flange_a, self.support)
        if self._ideal():
            return {"w_a": rate, "tau_loss": ca.SX(0), "loss_power": ca.SX(0), "mode": ca.SX(0)}
        stuck, direction, push = plan.sticking[id(self)]
        sliding = self.loss(direction * base.effort(self.flange_a), direction * rate)
        tau = direction * (1 - stuck) * sliding + push
        return {"w_a": rate, "tau_loss": tau, "loss_power": tau * rate, "mode": direction * (1 - stuck)}
