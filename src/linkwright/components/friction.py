"""Dry friction with true sticking, and hard stops: on joints, and as 1-D components.

Friction is forward, backward or stuck.  While it slides the law acts against the motion; while it is stuck the speed is
held at zero by a constraint, until that needs more than the static limit.  Nothing is regularised.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from ..errors import ModelError
from . import one_dimensional as base
from .connectors import RotationalFlange, TranslationalFlange
from .fields import parameter, signal, variable


class Coulomb(NamedTuple):
    """Friction of a joint: a given torque or force `tau`, or `mu` × reaction (× `radius`, on a Revolute).

    `peak` ≥ 1 is the ratio of the static limit to the sliding friction at zero speed, `viscous` the slope over speed.
    """

    tau: float | None = None
    peak: float = 1.0
    viscous: float = 0.0
    mu: float | None = None
    radius: float = 1.0

    def check(self, owner) -> None:
        """Refuse what makes no sense."""
        if (self.tau is None) == (self.mu is None):
            raise ModelError(f"{owner.path}.friction: give either tau or mu.", owner)
        for name in ("tau", "viscous", "mu", "radius"):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value >= 0):
                raise ModelError(f"{owner.path}.friction: {name} = {value} must be finite and not negative.", owner)
        if not (np.isfinite(self.peak) and self.peak >= 1):
            raise ModelError(f"{owner.path}.friction: peak = {self.peak} must be at least 1.", owner)


class Bounded:
    """Mixin of joints with one coordinate: friction, and hard stops at its ends."""

    limits = ("phi_min", "phi_max")
    friction = parameter(None, "lw.Coulomb(…)", structural=True)
    restitution = parameter(0.0, "ratio of the speeds after and before a stop is hit", "")

    def _check(self):
        super()._check()
        if self.friction is not None:
            if not isinstance(self.friction, Coulomb):
                raise ModelError(f"{self.path}.friction: expected lw.Coulomb(tau=…) or lw.Coulomb(mu=…, radius=…), got "
                                 f"{self.friction!r}.", self)
            self.friction.check(self)
        low, high = (getattr(self, name) for name in self.limits)
        if low is not None and high is not None and not low < high:
            raise ModelError(f"{self.path}: {self.limits[0]} = {low} must lie below {self.limits[1]} = {high}.", self)
        if not 0 <= getattr(self.restitution, "value", self.restitution) <= 1:
            raise ModelError(f"{self.path}.restitution = {self.restitution} must lie between 0 and 1.", self)

    def describe(self, plan):
        super().describe(plan)
        values = plan.values(self)
        q, u, _ = plan.joint_symbols(self)
        for name, sign in zip(self.limits, (1, -1), strict=True):
            limit = getattr(values, name)
            if limit is not None:
                plan.stop(self, name, sign * (q[0] - limit), values.restitution)
        if self.friction is not None:
            sliding = self._sliding()
            stuck, direction, _ = plan.friction(self, "friction", u[0], self.friction.peak * sliding,
                                                 lambda _: sliding)
            plan.mobility_load(self, 0, -direction * (1 - stuck) * sliding - self.friction.viscous * u[0])

    def _sliding(self):
        law = self.friction
        if law.tau is not None:
            return ca.SX(law.tau)
        radial = self.symbol("reaction", (6,))[0:2]
        arm = law.radius if self.limits[0].startswith("phi") else 1.0
        return law.mu * arm * ca.sqrt(ca.dot(radial, radial) + 1e-30)

    def definitions(self, plan):
        own = super().definitions(plan)
        if self.friction is None:
            return own
        u = plan.joint_symbols(self)[1][0]
        stuck, direction, push = plan.friction_symbols[id(self)]
        effort = direction * (1 - stuck) * self._sliding() + self.friction.viscous * u + push
        name = "tau_friction" if self.limits[0].startswith("phi") else "f_friction"
        return {**own, name: effort, "friction_power": effort * u, "friction_mode": direction * (1 - stuck)}


# --- 1-D components ---


def over_speed(table, speed):
    """Piecewise linear law over speed ≥ 0 from rows (speed, value), the last slope going on; no selects in it."""
    table = np.asarray(table, dtype=float).reshape(-1, 2)
    value, slope = ca.SX(table[0, 1]), 0.0
    for (x0, y0), (x1, y1) in zip(table[:-1], table[1:], strict=True):
        new = (y1 - y0) / (x1 - x0)
        value, slope = value + (new - slope) * ca.fmax(speed - x0, 0), new
    return value


def check_table(component, name: str) -> None:
    """Rows (speed, value) from speed 0 up."""
    table = np.asarray(getattr(component, name), dtype=float)
    if table.ndim != 2 or table.shape[1] != 2 or table[0, 0] != 0 or np.any(np.diff(table[:, 0]) <= 0) \
            or not np.all(np.isfinite(table)):
        raise ModelError(f"{component.path}.{name}: rows (speed, value) with speeds from 0 upwards are needed, got "
                         f"{getattr(component, name)!r}.", component)
    if not component.peak >= 1:
        raise ModelError(f"{component.path}.peak = {component.peak} must be at least 1.", component)


class Rubbing(base.TwoFlanges):
    """Base of friction elements: `speed()` that rubs, `sliding(plan, speed)` ≥ 0, `limit(plan)` at rest."""

    one_way = False

    def rubbing(self):
        """(speed that rubs, flanges with the sign by which they feel the effort)."""
        return (speed_against(self.flange_a, self.support),
                ((self.flange_a, 1.0), (self.support, -1.0)))

    def sliding(self, plan, speed):
        raise NotImplementedError

    def limit(self, plan):
        return self.peak * self.sliding(plan, ca.SX(0))

    def describe(self, plan):
        super().describe(plan)
        rate, ends = self.rubbing()
        stuck, direction, push = plan.friction(self, "", rate, self.limit(plan),
                                               lambda direction: self.sliding(plan, direction * rate), self.one_way)
        sliding = self.sliding(plan, direction * rate)
        for flange, sign in ends:
            plan.flange_load(self, flange, sign * direction * (1 - stuck) * sliding)
            plan.flange_cut(self, flange, sign * push)

    def definitions(self, plan):
        rate, _ = self.rubbing()
        stuck, direction, push = plan.friction_symbols[id(self)]
        effort = direction * (1 - stuck) * self.sliding(plan, direction * rate) + push
        return {**self.spelled(v_rel=rate, e=effort), "loss_power": effort * rate, "mode": direction * (1 - stuck)}


def speed_against(flange, support):
    return base.speed(flange) - base.speed(support)


class _OnSupport(Rubbing):
    """A rigid piece that rubs on its support."""

    with_support = True

    def describe(self, plan):
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0))
        super().describe(plan)


class BearingFriction(_OnSupport):
    """Friction of a shaft in its bearing: tau_pos over speed while it turns, peak × tau_pos(0) at rest."""

    flange_type = RotationalFlange
    tau_pos = parameter([[0, 1]], "rows (speed ≥ 0, friction torque)", structural=True)
    peak = parameter(1.0, "static over sliding friction at rest", "", structural=True)
    w_rel = variable("speed against the support", "rad/s")
    tau = variable("friction torque", "N.m")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        check_table(self, "tau_pos")

    def sliding(self, plan, speed):
        return over_speed(self.tau_pos, speed)


class SupportFriction(_OnSupport):
    """Friction of a rod on its support: f_pos over speed while it slides, peak × f_pos(0) at rest."""

    flange_type = TranslationalFlange
    f_pos = parameter([[0, 1]], "rows (speed ≥ 0, friction force)", structural=True)
    peak = parameter(1.0, "static over sliding friction at rest", "", structural=True)
    v_rel = variable("speed against the support", "m/s")
    f = variable("friction force", "N")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        check_table(self, "f_pos")

    def sliding(self, plan, speed):
        return over_speed(self.f_pos, speed)


class _Pressed(Rubbing):
    """Friction in proportion to a normal force that a signal gives."""

    flange_type = RotationalFlange
    mu_pos = parameter([[0, 0.5]], "rows (speed ≥ 0, friction coefficient)", structural=True)
    peak = parameter(1.0, "static over sliding friction at rest", "", structural=True)
    cgeo = parameter(1.0, "geometry: torque per friction force", "m", structural=True)
    fn_max = parameter(text="largest normal force", unit="N", structural=True)
    f_normalized = signal(0.0, "normal force over fn_max; nothing is pressed where it is negative", "")
    w_rel = variable("relative speed", "rad/s")
    tau = variable("friction torque", "N.m")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        check_table(self, "mu_pos")

    def sliding(self, plan, speed):
        return over_speed(self.mu_pos, speed) * self.cgeo * self.fn_max * ca.fmax(self.symbol("f_normalized"), 0)


class Brake(_Pressed, _OnSupport):
    """A brake on a shaft: friction against the support, pressed on by f_normalized."""


class Clutch(_Pressed):
    """Friction between two shafts, pressed together by f_normalized."""

    def rubbing(self):
        return speed_against(self.flange_b, self.flange_a), ((self.flange_b, 1.0), (self.flange_a, -1.0))


class OneWayClutch(Clutch):
    """A clutch with a freewheel beside it: flange_b may overtake flange_a, but never fall behind."""

    one_way = True


class MassWithStopAndFriction(_OnSupport):
    """A sliding mass with Stribeck friction between hard stops: the ends of its length L stay within s_min, s_max.

    f = F_prop v + F_coulomb + F_stribeck exp(−f_exp |v|).
    """

    flange_type = TranslationalFlange
    m = parameter(text="mass", unit="kg")
    L = parameter(0.0, "length: distance of flange_b from flange_a", "m")
    s_max = parameter(25.0, "right stop for flange_b", "m")
    s_min = parameter(-25.0, "left stop for flange_a", "m")
    F_prop = parameter(1.0, "friction in proportion to speed", "N.s/m")
    F_coulomb = parameter(5.0, "constant friction", "N")
    F_stribeck = parameter(10.0, "Stribeck effect", "N")
    f_exp = parameter(2.0, "exponential decay of the Stribeck effect", "s/m")
    restitution = parameter(0.0, "ratio of the speeds after and before a stop is hit", "")
    s = variable("position of the middle", "m", initial=True)
    v = variable("speed", "m/s", initial=True)
    a = variable("acceleration", "m/s2", initial=True)
    f = variable("friction force", "N")
    loss_power = variable("dissipated power", "W")

    def _check(self):
        base.refuse_negative(self, "m", "F_prop", "F_coulomb", "F_stribeck", "f_exp")

    def sliding(self, plan, speed):
        v = plan.values(self)
        return v.F_prop * speed + v.F_coulomb + v.F_stribeck * ca.exp(-v.f_exp * speed)

    def limit(self, plan):
        return self.sliding(plan, ca.SX(0))

    def describe(self, plan):
        values = plan.values(self)
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0), value=values.L)
        Rubbing.describe(self, plan)
        plan.flange_inertia(self, self.flange_a, values.m)
        place = base.position(self.flange_a) - base.position(self.support)
        for name, gap in (("s_min", place - values.s_min), ("s_max", values.s_max - place - values.L)):
            plan.stop(self, name, gap, values.restitution, ((self.flange_a, 1 if name == "s_min" else -1),))

    def definitions(self, plan):
        own = super().definitions(plan)
        return {**own, "s": base.position(self.flange_a) + plan.values(self).L / 2, "v": base.speed(self.flange_a),
                "a": base.acceleration(self.flange_a)}


ROTATIONAL = (BearingFriction, Brake, Clutch, OneWayClutch)
TRANSLATIONAL = (SupportFriction, MassWithStopAndFriction)
