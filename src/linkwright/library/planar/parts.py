"""Planar parts: fixed points, bodies and massless rods."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Array, Inertia, Scalar, Transform, cross, rotation_z
from ...language import Component, PartsList
from ...language.fields import appearance, parameter, variable
from ...language.planar_frame import PlanarFrame
from ...language.planar_world import world_of
from ...language.ranges import MASS, NOT_NEGATIVE


class Fixed(Component):
    """A frame fixed in the plane at r, turned by phi."""

    r = parameter([0.0, 0.0], "position in the plane", "m", shape=(2,))
    phi = parameter(0.0, "angle", "rad")
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame", PlanarFrame())

    def describe(self, plan: PartsList) -> None:
        v = plan.values(self)
        world_of(self).hold(plan, self, self.frame, Transform(rotation_z(v.phi), in_plane(v.r)))

    def turn(self, plan: PartsList) -> Scalar:
        """Angle of the frame in the plane."""
        return plan.values(self).phi


def in_plane(r: Array) -> Array:
    """A vector of the plane in space."""
    return ca.vertcat(r, 0) if isinstance(r, ca.SX) else np.array([r[0], r[1], 0.0])


class TwoPlanarFrames(Component):
    """Base: a planar component between frame_a and frame_b."""

    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())
        self._port("frame_b", PlanarFrame())


class FixedTranslation(TwoPlanarFrames):
    """A massless rod: frame_b at r in frame_a, axes parallel."""

    r = parameter([1.0, 0.0], "from frame_a to frame_b, in frame_a", "m", shape=(2,))

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_b, Transform(None, in_plane(plan.values(self).r)))

    def turn(self, plan: PartsList) -> Scalar:
        """Angle of frame_b less that of frame_a."""
        return 0.0


class FixedRotation(TwoPlanarFrames):
    """A massless link: frame_b turned by alpha from frame_a."""

    alpha = parameter(text="angle from frame_a to frame_b", unit="rad")

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_b, Transform(rotation_z(plan.values(self).alpha)))

    def turn(self, plan: PartsList) -> Scalar:
        """Angle of frame_b less that of frame_a."""
        return plan.values(self).alpha


class Body(Component):
    """A rigid body with its centre of mass at frame_a: mass m, moment of inertia I about the normal.

    In space it is a flat body: its moments about axes in the plane are I/2 each.
    """

    m = parameter(text="mass", unit="kg", only=MASS)
    I = parameter(text="moment of inertia about the centre of mass", unit="kg.m2", only=NOT_NEGATIVE)
    enable_gravity = parameter(True, "whether gravity acts on it", structural=True)
    enforce_states = parameter(False, "make this body's coordinates states", structural=True)
    quasi_static = parameter(False, "light: it weighs, but its inertia is left out, and it follows in equilibrium",
                             structural=True)
    animation = appearance(True, "whether it is shown")
    r = variable("position in the plane", "m", (2,), initial=True)
    v = variable("velocity in the plane", "m/s", (2,), initial=True)
    a = variable("acceleration in the plane", "m/s2", (2,), initial=True)
    phi = variable("angle", "rad", initial=True)
    w = variable("angular velocity", "rad/s", initial=True)
    z = variable("angular acceleration", "rad/s2", initial=True)

    def _make_connectors(self) -> None:
        self._port("frame_a", PlanarFrame())

    def describe(self, plan: PartsList) -> None:
        m, extra = plan.values(self).m, self._extra_gravity(plan)
        if self.quasi_static:
            r, own = self.frame_a.r_0, self._gravity(plan)
            energy = m * (plan.gravity.potential(r) + (ca.SX(0) if extra is None else self._lift(plan)))
            plan.load(self, self.frame_a, self.frame_a.R_WF.T @ (-m * own), ca.SX.zeros(3), energy)
            return
        plan.inertia(self, self.frame_a, self._inertia(plan))
        if extra is not None:
            plan.load(self, self.frame_a, self.frame_a.R_WF.T @ (-m * extra), ca.SX.zeros(3), m * self._lift(plan))
        if world_of(self).carrier is not None:
            self._lean(plan, world_of(self).seat(plan, self))

    def _lean(self, plan: PartsList, seat: Any) -> None:
        """What a free body feels from the plane that keeps it in, for results: the reaction of its three freedoms."""
        a, reaction = self.frame_a, self.symbol("reaction", (6,))
        f, t = a.R_WF @ reaction[0:3], a.R_WF @ reaction[3:6]
        R = seat.R_WF.T
        plan.cut(self, seat, R @ f, R @ (t + cross(a.r_0 - seat.r_0, f)))

    def _inertia(self, plan: PartsList) -> Inertia:
        v = plan.values(self)
        flat = (v.I / 2, v.I / 2, v.I)
        tensor = ca.diag(ca.vertcat(*flat)) if isinstance(v.I, ca.SX) else np.array(flat)
        return Inertia(v.m, (0.0, 0.0, 0.0), tensor)

    def _gravity(self, plan: PartsList) -> ca.SX:
        """Acceleration of gravity on this body, in world axes."""
        if not self.enable_gravity:
            return ca.SX.zeros(3)
        own = world_of(self).gravity(plan)
        return plan.gravity_at(self.frame_a.r_0) if own is None else ca.SX(own)

    def _extra_gravity(self, plan: PartsList) -> ca.SX | None:
        """What this body's gravity differs from the field of the mechanism; None where it does not."""
        own, field = self._gravity(plan), plan.gravity_at(self.frame_a.r_0)
        difference = ca.simplify(own - field)
        return None if difference.is_zero() or ca.is_equal(own, field, 8) else difference

    def _lift(self, plan: PartsList) -> ca.SX:
        """Potential, for a unit of mass, of its own gravity less that of the mechanism; none in planes that turn it."""
        r, own = self.frame_a.r_0, self._gravity(plan)
        steady = world_of(self).carrier is None or not self.enable_gravity
        return (-ca.dot(own, r) if steady else ca.SX(0)) - plan.gravity.potential(r)

    def needed(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        """The load (f, t) at frame_a that the body's motion needs, in frame_a."""
        a, M = self.frame_a, self._inertia(plan)
        w, z = a.symbol("w", (3,)), a.symbol("z", (3,))
        J = ca.SX(M.inertia)
        return M.m * (a.R_WF.T @ (a.a_0 - self._gravity(plan))), J @ z + cross(w, J @ w)

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        return {"r": a.r, "v": a.v, "a": a.a, "phi": a.phi, "w": a.w, "z": a.z, "f": a.force}
