"""Wheels seen from above: they roll along r in frame_a and turn about their axle flange_a."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...language import PartsList, RotationalFlange
from ...language.expressions import der
from ...language.fields import appearance, parameter, signal, variable
from ...language.one_dimensional import acceleration, position, speed
from ...language.planar_frame import PlanarFrame, direction, load
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from ..tolerances import SLIP_FLOOR
from .constraint import Held
from .curves import limit_by_striple
from .rolling import check_slip


class _Wheel(Held):
    """Base: a wheel of a radius, rolling along r in frame_a."""

    radius = parameter(text="radius of the wheel", unit="m", only=POSITIVE)
    r = parameter((1.0, 0.0), "driving direction in frame_a", structural=True)
    animation = appearance(True, "whether it is shown")
    phi_roll = variable("angle of the axle", "rad", initial=True)
    w_roll = variable("speed of the axle", "rad/s", initial=True)
    a = variable("acceleration of the axle", "rad/s2", initial=True)
    v_long = variable("velocity along the driving direction", "m/s", initial=True)
    v_lat = variable("velocity across it", "m/s", initial=True)
    f_long = variable("force on the frame along the driving direction", "N")
    f_lat = variable("force on the frame across it", "N")

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())
        self._port("flange_a", RotationalFlange())

    def required_ports(self) -> list[str]:
        return ["frame_a"]

    def _check(self) -> None:
        direction(self)

    def _axes(self) -> tuple[ca.SX, ca.SX]:
        """Driving direction and the direction to its left, in the axes of the plane."""
        e = np.asarray(direction(self))
        return self.frame_a.R2 @ ca.DM(e), self.frame_a.R2 @ ca.DM([-e[1], e[0]])

    def _velocities(self) -> tuple[ca.SX, ca.SX]:
        along, across = self._axes()
        return ca.dot(along, self.frame_a.v), ca.dot(across, self.frame_a.v)

    def _roll_along(self, plan: PartsList) -> None:
        """Nothing is connected to the axle: it turns with the ground, and its angle is a state."""
        start = [getattr(entry, "value", entry) or 0.0 for entry in self.initial_value("phi_roll") or [0.0]]
        plan.state(self, "phi_roll", self.symbol("phi_roll"), self.symbol("w_roll"), start[0])

    def definitions(self, plan: PartsList) -> dict:
        v_long, v_lat = self._velocities()
        flange = self.flange_a
        if not plan.is_connected(flange):
            w = v_long / plan.values(self).radius
            return {"w_roll": w, "a": der(w), "v_long": v_long, "v_lat": v_lat}
        return {"phi_roll": position(flange), "w_roll": speed(flange), "a": acceleration(flange), "v_long": v_long,
                "v_lat": v_lat}


class IdealWheelJoint(_Wheel):
    """A wheel that neither slips nor skids: no velocity across, v_long = radius w_roll (nonholonomic)."""

    def describe(self, plan: PartsList) -> None:
        v_long, v_lat = self._velocities()
        self.hold(plan, v_lat, "velocity", "across")
        if plan.is_connected(self.flange_a):
            self.hold(plan, v_long - plan.values(self).radius * speed(self.flange_a), "velocity", "along")
            plan.flange_inertia(self, self.flange_a, 0.0)  # the vehicle's mass moves the axle, even one without inertia
            plan.flange_cut(self, self.flange_a, -plan.values(self).radius * self.multipliers(name="along")[0])
        else:
            self._roll_along(plan)

    def definitions(self, plan: PartsList) -> dict:
        driven = plan.is_connected(self.flange_a)
        own = super().definitions(plan)
        own["f_lat"] = -self.multipliers(name="across")[0]
        own["f_long"] = -self.multipliers(name="along")[0] if driven else ca.SX(0)
        return own


class _SlippingWheel(_Wheel):
    """Base of wheels with friction by slip: force N μ(|slip|) against the slip."""

    N = parameter(text="normal force", unit="N")
    mu_A = parameter(text="friction coefficient at adhesion", only=NOT_NEGATIVE)
    mu_S = parameter(text="friction coefficient when sliding", only=NOT_NEGATIVE)
    v_slip_long = variable("slip velocity along the driving direction", "m/s", initial=True)
    v_slip_lat = variable("slip velocity across it", "m/s", initial=True)
    v_slip = variable("amount of the slip velocity", "m/s")
    f = variable("amount of the friction force", "N")
    loss_power = variable("dissipated power", "W")

    def describe(self, plan: PartsList) -> None:
        along, across = self._axes()
        f_long, f_lat = self.symbol("f_long"), self.symbol("f_lat")
        load(plan, self, self.frame_a, -(along * f_long + across * f_lat))
        if plan.is_connected(self.flange_a):
            plan.flange_load(self, self.flange_a, plan.values(self).radius * f_long)
        else:
            self._roll_along(plan)

    def _limits(self, plan: PartsList) -> tuple[Scalar, Scalar, Scalar]:
        """(slip of adhesion, slip of sliding, normal force)."""
        raise NotImplementedError

    def definitions(self, plan: PartsList) -> dict:
        v, slip = plan.values(self), self.symbol("v_slip")
        slip_long, slip_lat = self.symbol("v_slip_long"), self.symbol("v_slip_lat")
        v_long, v_lat = self._velocities()
        adhesion, slide, normal = self._limits(plan)
        f = normal * limit_by_striple(adhesion, slide, v.mu_A, v.mu_S, slip)
        own = super().definitions(plan)
        own.update({
            "v_slip_long": v_long - v.radius * self.symbol("w_roll"), "v_slip_lat": v_lat,
            "v_slip": ca.sqrt(slip_long**2 + slip_lat**2) + SLIP_FLOOR, "f": f,
            "f_long": -self.symbol("f") * slip_long / slip, "f_lat": -self.symbol("f") * slip_lat / slip,
            "loss_power": self.symbol("f") * (slip_long**2 + slip_lat**2) / slip,
        })
        return own


class DryFrictionWheelJoint(_SlippingWheel):
    """A wheel with dry friction under a fixed normal force; μ rises to mu_A at v_adhesion, falls to mu_S at v_slide."""

    v_adhesion = parameter(text="slip velocity of greatest friction", unit="m/s", only=POSITIVE)
    v_slide = parameter(text="slip velocity of full sliding", unit="m/s")

    def _check(self) -> None:
        super()._check()
        check_slip(self, "v_adhesion", "v_slide")

    def _limits(self, plan: PartsList) -> tuple[Scalar, Scalar, Scalar]:
        v = plan.values(self)
        return v.v_adhesion, v.v_slide, v.N


class SlipBasedWheelJoint(_SlippingWheel):
    """A wheel whose slip limits grow with its rolling speed, under a normal force N + dynamic_load (never negative)."""

    v_adhesion_min = parameter(text="least slip velocity of greatest friction", unit="m/s", only=POSITIVE)
    v_slide_min = parameter(text="least slip velocity of full sliding", unit="m/s")
    s_adhesion = parameter(text="slip of greatest friction, as part of the rolling speed")
    s_slide = parameter(text="slip of full sliding, as part of the rolling speed")
    dynamic_load = signal(0.0, "normal force beyond N", "N")

    def _check(self) -> None:
        super()._check()
        check_slip(self, "v_adhesion_min", "v_slide_min")
        check_slip(self, "s_adhesion", "s_slide")

    def _limits(self, plan: PartsList) -> tuple[Scalar, Scalar, Scalar]:
        v = plan.values(self)
        rolling = ca.fabs(v.radius * self.symbol("w_roll"))
        return (ca.fmax(v.s_adhesion * rolling, v.v_adhesion_min), ca.fmax(v.s_slide * rolling, v.v_slide_min),
                ca.fmax(0, v.N + self.symbol("dynamic_load")))
