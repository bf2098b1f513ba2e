"""Dry friction with true sticking in drive trains: bearings, brakes, clutches, a mass between stops.

Friction is forward, backward or stuck.  While it slides the law acts against the motion; while it is stuck the speed is
held at zero by a constraint, until that needs more than the static limit.  Nothing is regularised.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import Component, Connector, PartsList, RotationalFlange, TranslationalFlange
from ...language import one_dimensional as base
from ...language.fields import parameter, signal, variable
from ...language.ranges import AT_LEAST_ONE, FRACTION, NOT_NEGATIVE


def over_speed(table: np.ndarray, speed: ca.SX) -> ca.SX:
    """Piecewise linear law over speed ≥ 0 from rows (speed, value); no selects in it.

    Beyond the last row a rising slope goes on and a falling one ends: friction that went on falling would drive.
    """
    table = np.asarray(table, dtype=float).reshape(-1, 2)
    value, slope = ca.SX(table[0, 1]), 0.0
    for (x0, y0), (x1, y1) in zip(table[:-1], table[1:], strict=True):
        new = (y1 - y0) / (x1 - x0)
        value, slope = value + (new - slope) * ca.fmax(speed - x0, 0), new
    return value - min(slope, 0.0) * ca.fmax(speed - table[-1, 0], 0)


def rows_over_speed(component: Component, name: str, columns: str) -> np.ndarray:
    """A table given by a parameter: rows of finite numbers that begin with a speed, from 0 upwards."""
    given = getattr(component, name)
    try:
        table = np.atleast_2d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        table = np.zeros((0, 0))
    if table.ndim != 2 or table.shape[1] != len(columns.split(", ")) or not len(table) \
            or not np.all(np.isfinite(table)) or table[0, 0] != 0 or np.any(np.diff(table[:, 0]) <= 0):
        raise ModelError(f"{component.path}.{name}: rows ({columns}) with speeds from 0 upwards are needed, got "
                         f"{given!r}.", component)
    return table


def check_table(component: Component, name: str) -> None:
    """Rows (speed, value) from speed 0 up."""
    if np.any(rows_over_speed(component, name, "speed, value")[:, 1] < 0):
        raise ModelError(f"{component.path}.{name}: friction acts against the motion; its values cannot be negative.",
                         component)


class Rubbing(base.TwoFlanges):
    """Base of friction elements: `speed()` that rubs, `sliding(plan, speed)` ≥ 0, `limit(plan)` at rest."""

    one_way = False
    v_rel = variable("speed against the support", "X/s")
    e = variable("friction effort", "E")
    loss_power = variable("dissipated power", "W")
    holds_impacts = parameter(False, "while stuck it bears impulses of any size, as teeth do", structural=True)

    def rubbing(self) -> tuple[ca.SX, tuple[tuple[Connector, float], ...]]:
        """(sliding speed, flanges with the sign of the friction on them)."""
        return (speed_against(self.flange_a, self.support),
                ((self.flange_a, 1.0), (self.support, -1.0)))

    def sliding(self, plan: PartsList, speed: ca.SX) -> ca.SX:
        raise NotImplementedError

    def limit(self, plan: PartsList) -> ca.SX:
        return self.peak * self.sliding(plan, ca.SX(0))

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        rate, ends = self.rubbing()
        stuck, direction, push = plan.friction(self, "", rate, self.limit(plan),
                                               lambda direction: self.sliding(plan, direction * rate), self.one_way,
                                               self.holds_impacts)
        sliding = self.sliding(plan, direction * rate)
        for flange, sign in ends:
            plan.flange_load(self, flange, sign * direction * (1 - stuck) * sliding)
            plan.flange_cut(self, flange, sign * push)

    def definitions(self, plan: PartsList) -> dict:
        rate, _ = self.rubbing()
        stuck, direction, push = plan.sticking[id(self)]
        effort = direction * (1 - stuck) * self.sliding(plan, direction * rate) + push
        return {**self.spelled(v_rel=rate, e=effort), "loss_power": effort * rate, "mode": direction * (1 - stuck)}


def speed_against(flange: Connector, support: Connector) -> ca.SX:
    return base.speed(flange) - base.speed(support)


class OnSupport(Rubbing):
    """A rigid piece that rubs on its support."""

    with_support = True

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0))
        super().describe(plan)


class SupportedFriction(OnSupport):
    """Friction on the support from a table: e_pos over speed while it moves, peak × e_pos(0) at rest."""

    e_pos = parameter([[0, 1]], "rows (speed ≥ 0, friction effort)", structural=True)
    peak = parameter(1.0, "static over sliding friction at rest", "", structural=True, only=AT_LEAST_ONE)

    def _check(self) -> None:
        check_table(self, self.spell("e_pos"))

    def sliding(self, plan: PartsList, speed: ca.SX) -> ca.SX:
        return over_speed(getattr(self, self.spell("e_pos")), speed)


class Pressed(Rubbing):
    """Friction in proportion to a normal force that a signal gives: cgeo mu fn_max f_normalized."""

    mu_pos = parameter([[0, 0.5]], "rows (speed ≥ 0, friction coefficient)", structural=True)
    peak = parameter(1.0, "static over sliding friction at rest", "", structural=True, only=AT_LEAST_ONE)
    cgeo = parameter(1.0, "geometry: friction torque over coefficient and normal force", "m", structural=True,
                     only=NOT_NEGATIVE)
    fn_max = parameter(text="largest normal force", unit="N", structural=True, only=NOT_NEGATIVE)
    f_normalized = signal(0.0, "normal force over fn_max; nothing is pressed where it is negative", "")

    def _check(self) -> None:
        check_table(self, "mu_pos")

    def sliding(self, plan: PartsList, speed: ca.SX) -> ca.SX:
        return over_speed(self.mu_pos, speed) * self.cgeo * self.fn_max * ca.fmax(self.symbol("f_normalized"), 0)

    def definitions(self, plan: PartsList) -> dict:
        """The mode is that of Modelica: −1, 0, 1 for backwards, stuck, forwards, and 2 where nothing is pressed."""
        own = super().definitions(plan)
        return {**own, "mode": ca.if_else(self.symbol("f_normalized") > 0, own["mode"], 2)}


class PressedOnSupport(Pressed, OnSupport):
    """Friction against the support, pressed on by a signal."""


class Clutch(Pressed):
    """Friction between two shafts, pressed together by f_normalized."""

    flange_type = RotationalFlange
    phi_rel = variable("angle of flange_b against flange_a", "rad")
    w_rel = variable("speed of flange_b against flange_a", "rad/s")

    def definitions(self, plan: PartsList) -> dict:
        return {**super().definitions(plan), "phi_rel": self.flange_b.symbol("phi") - self.flange_a.symbol("phi")}

    def rubbing(self) -> tuple[ca.SX, tuple[tuple[Connector, float], ...]]:
        return speed_against(self.flange_b, self.flange_a), ((self.flange_b, 1.0), (self.flange_a, -1.0))


class OneWayClutch(Clutch):
    """A clutch with a freewheel beside it: flange_b may overtake flange_a, but never fall behind."""

    one_way = True


class MassWithStopAndFriction(OnSupport):
    """A sliding mass with Stribeck friction between hard stops: the ends of its length L stay within s_min, s_max.

    f = F_prop v + F_coulomb + F_stribeck exp(−f_exp |v|).
    """

    flange_type = TranslationalFlange
    m = parameter(text="mass", unit="kg", only=NOT_NEGATIVE)
    L = parameter(0.0, "length: distance of flange_b from flange_a", "m")
    s_max = parameter(25.0, "right stop for flange_b", "m")
    s_min = parameter(-25.0, "left stop for flange_a", "m")
    F_prop = parameter(1.0, "friction in proportion to speed", "N.s/m", only=NOT_NEGATIVE)
    F_coulomb = parameter(5.0, "constant friction", "N", only=NOT_NEGATIVE)
    F_stribeck = parameter(10.0, "Stribeck effect", "N", only=NOT_NEGATIVE)
    f_exp = parameter(2.0, "exponential decay of the Stribeck effect", "s/m", only=NOT_NEGATIVE)
    restitution = parameter(0.0, "ratio of the speeds after and before a stop is hit", "", only=FRACTION)
    s = variable("position of the middle", "m", initial=True)
    v = variable("speed", "m/s", initial=True)
    a = variable("acceleration", "m/s2", initial=True)

    def _check(self) -> None:
        low, high, length = (getattr(value, "value", value) for value in (self.s_min, self.s_max, self.L))
        if not low < high - length:
            raise ModelError(f"{self.path}: between s_min = {low} and s_max = {high} there is no room for its length "
                             f"L = {length} to move; s_min must lie below s_max − L.", self)

    def sliding(self, plan: PartsList, speed: ca.SX) -> ca.SX:
        v = plan.values(self)
        return v.F_prop * speed + v.F_coulomb + v.F_stribeck * ca.exp(-v.f_exp * speed)

    def limit(self, plan: PartsList) -> ca.SX:
        return self.sliding(plan, ca.SX(0))

    def describe(self, plan: PartsList) -> None:
        values = plan.values(self)
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0), value=values.L)
        Rubbing.describe(self, plan)
        plan.flange_inertia(self, self.flange_a, values.m)
        place = base.position(self.flange_a) - base.position(self.support)
        for name, gap in (("s_min", place - values.s_min), ("s_max", values.s_max - place - values.L)):
            push = plan.stop(self, name, gap, values.restitution)
            plan.flange_cut(self, self.flange_a, (1 if name == "s_min" else -1) * push)

    def definitions(self, plan: PartsList) -> dict:
        own = super().definitions(plan)
        return {**own, "s": base.position(self.flange_a) + plan.values(self).L / 2, "v": base.speed(self.flange_a),
                "a": base.acceleration(self.flange_a)}
