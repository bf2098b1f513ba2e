"""A disc on the x axis of the plane: rolling without slip, or with dry friction."""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...language import Component, PartsList
from ...language.fields import appearance, free, parameter, variable
from ...language.planar_frame import PlanarFrame, load
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from .constraint import Held
from .curves import limit_by_striple


class _Rolling(Held):
    """Base: a disc of radius R whose centre is frame_a, on the x axis."""

    R = parameter(1.0, "radius of the disc", "m", only=POSITIVE)
    animation = appearance(True, "whether it is shown")
    x = variable("position of the centre along x", "m", initial=True)
    vx = variable("velocity of the centre", "m/s", initial=True)
    phi = variable("angle", "rad", initial=True)
    w = variable("angular velocity", "rad/s", initial=True)
    z = variable("angular acceleration", "rad/s2", initial=True)
    N = variable("normal force on the disc", "N")

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())

    def required_ports(self) -> list[str]:
        return ["frame_a"]

    def _on_the_ground(self, plan: PartsList) -> None:
        """y = R; the ground can push but not pull."""
        self.hold(plan, self.frame_a.y - plan.values(self).R, name="ground")
        plan.require(self, "N", "the normal force turned negative: the disc would leave the x axis, which "
                     "this joint holds it on. Likely: a load lifts it. Let the load push down, or use a contact")

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        return {"x": a.x, "vx": a.vx, "phi": a.phi, "w": a.w, "z": a.z,
                "N": -self.multipliers(name="ground")[0]}


class IdealRolling(_Rolling):
    """Rolling without slip on the x axis: y = R, x + R phi = x_rolled, so that vx = −R w.

    In the plane rolling is holonomic: one degree of freedom, and nothing creeps.
    """

    x_rolled = parameter(text="where the centre is at phi = 0; by default as the start values have it", unit="m")

    def __init__(self, **given: Any) -> None:
        super().__init__(**({"x_rolled": free(0.0)} | given))

    def describe(self, plan: PartsList) -> None:
        self._on_the_ground(plan)
        a, v = self.frame_a, plan.values(self)
        self.hold(plan, a.x + v.R * a.phi - v.x_rolled, name="rolling")


class DryFrictionBasedRolling(_Rolling):
    """Rolling on the x axis with dry friction: fx = N μ(v_slip), v_slip = vx + R w.

    μ rises to mu_A at v_adhesion and falls to mu_S at v_slide.
    """

    v_adhesion = parameter(text="slip velocity of greatest friction", unit="m/s", only=POSITIVE)
    v_slide = parameter(text="slip velocity of full sliding", unit="m/s")
    mu_A = parameter(text="friction coefficient at adhesion", only=NOT_NEGATIVE)
    mu_S = parameter(text="friction coefficient when sliding", only=NOT_NEGATIVE)
    v_slip = variable("slip velocity of the contact point", "m/s")
    f = variable("friction force on the disc along x", "N")
    loss_power = variable("dissipated power", "W")

    def _check(self) -> None:
        super()._check()
        check_slip(self, "v_adhesion", "v_slide")

    def describe(self, plan: PartsList) -> None:
        self._on_the_ground(plan)
        f = self.symbol("f")
        load(plan, self, self.frame_a, -ca.vertcat(f, 0), -f * plan.values(self).R)

    def definitions(self, plan: PartsList) -> dict:
        v, a, slip = plan.values(self), self.frame_a, self.symbol("v_slip")
        friction = limit_by_striple(v.v_adhesion, v.v_slide, v.mu_A, v.mu_S, slip)
        return {**super().definitions(plan), "v_slip": a.vx + v.R * a.w, "f": -self.symbol("N") * friction,
                "loss_power": -self.symbol("f") * slip}


def check_slip(component: Component, adhesion: str, slide: str) -> None:
    """The limits of a slip curve must be positive and in order."""
    from ...errors import ModelError

    if getattr(component, slide) <= getattr(component, adhesion):
        raise ModelError(f"{component.path}: {slide} = {getattr(component, slide):g} must be greater than {adhesion} = "
                         f"{getattr(component, adhesion):g}.", component)
