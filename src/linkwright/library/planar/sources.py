"""Planar forces from signals and from speed."""

from __future__ import annotations

import casadi as ca

from ...language import PartsList
from ...language.fields import appearance, parameter, signal, variable
from ...language.planar_frame import load, load_between
from ...language.ranges import POSITIVE
from .curves import square_times_sign
from .resolution import IN_AB, IN_B, Resolved


class WorldForce(Resolved):
    """Force and torque on frame_b from outside: signals (fx, fy, torque)."""

    frames, choices = ("frame_b",), IN_B
    resolve_in_frame = parameter("frame_b", "axes of the force: world, frame_b or frame_resolve", structural=True)
    force = signal([0.0, 0.0, 0.0], "force along x, y and torque on frame_b", "", (3,))
    animation = appearance(True, "whether it is shown")

    def describe(self, plan: PartsList) -> None:
        force = self.symbol("force", (3,))
        load(plan, self, self.frame_b, -(self.rotation(self.resolve_in_frame) @ force[0:2]), -force[2])


class RelativeForce(Resolved):
    """Force and torque between two frames: + on frame_b, − on frame_a with the moment of the force."""

    frames, choices = ("frame_a", "frame_b"), IN_AB
    resolve_in_frame = parameter("frame_a", "axes of the force: world, frame_a, frame_b or frame_resolve",
                                 structural=True)
    force = signal([0.0, 0.0, 0.0], "force along x, y and torque on frame_b", "", (3,))
    animation = appearance(True, "whether it is shown")

    def describe(self, plan: PartsList) -> None:
        force = self.symbol("force", (3,))
        f = self.rotation(self.resolve_in_frame) @ force[0:2]
        load_between(plan, self, self.frame_a, self.frame_b, f, force[2])


class QuadraticSpeedDependentForce(Resolved):
    """Force and torque on frame_b that grow with the square of its speeds: F_nominal (v/v_nominal)² along each axis.

    Positive nominal values drive, negative ones brake.
    """

    frames, choices = ("frame_b",), IN_B
    resolve_in_frame = parameter("world", "axes of the speeds: world, frame_b or frame_resolve", structural=True)
    F_nominal = parameter(text="force at v_nominal", unit="N")
    v_nominal = parameter(text="nominal speed", unit="m/s", only=POSITIVE)
    tau_nominal = parameter(text="torque at w_nominal", unit="N.m")
    w_nominal = parameter(text="nominal angular speed", unit="rad/s", only=POSITIVE)
    animation = appearance(True, "whether it is shown")
    force = variable("force on frame_b, in the chosen axes", "N", (2,))
    torque = variable("torque on frame_b", "N.m")

    def _check(self) -> None:
        super()._check()

    def describe(self, plan: PartsList) -> None:
        f, t = self.symbol("force", (2,)), self.symbol("torque")
        load(plan, self, self.frame_b, -(self.rotation(self.resolve_in_frame) @ f), -t)

    def definitions(self, plan: PartsList) -> dict:
        v, b = plan.values(self), self.frame_b
        speed = self.into(self.resolve_in_frame, b.v) / v.v_nominal
        return {"force": v.F_nominal * ca.vertcat(square_times_sign(speed[0]), square_times_sign(speed[1])),
                "torque": v.tau_nominal * square_times_sign(b.w / v.w_nominal)}
