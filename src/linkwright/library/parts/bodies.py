"""Rigid parts with mass: bodies, point masses, bodies with two frames."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...algebra import (
    Array,
    Inertia,
    Scalar,
    Transform,
    VectorLike,
    cross,
    quaternion_from_rotation,
    rotation_angles,
    rows,
)
from ...errors import ModelError
from ...language import Component, Formula, Frame, PartsList, axis_sequence
from ...language.fields import appearance, parameter, variable
from ...language.looks import BodyLook, BodyShapeLook, PointLook
from ...language.ranges import MASS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MOMENTS = ("I_11", "I_22", "I_33", "I_21", "I_31", "I_32")


class Massive(Component):
    """What bodies share: coordinates for a free body, initial values, and the equations of motion as cut loads."""

    r_0 = variable("position of frame_a in the world", "m", (3,), initial=True)
    v_0 = variable("velocity of frame_a in world axes", "m/s", (3,), initial=True)
    a_0 = variable("acceleration of frame_a in world axes", "m/s2", (3,), initial=True)
    w_a = variable("angular velocity in frame_a", "rad/s", (3,), initial=True)
    z_a = variable("angular acceleration in frame_a", "rad/s2", (3,), initial=True)
    w_0 = variable("angular velocity in world axes", "rad/s", (3,), initial=True)
    z_0 = variable("angular acceleration in world axes", "rad/s2", (3,), initial=True)
    angles = variable("angles of sequence_start that turn the world into frame_a", "rad", (3,), initial=True)
    g_0 = variable("gravity at the centre of mass, in world axes", "m/s2", (3,))
    Q = variable("orientation as a unit quaternion, scalar first", "", (4,))
    sequence_start = axis_sequence("axes of the initial angles, counted from 1")
    enforce_states = parameter(False, "make this body's coordinates states", structural=True)
    use_quaternions = parameter(True, "a free body is described by a quaternion, else by angles", structural=True)
    sequence_angle_states = axis_sequence("axes of the angles, if no quaternion is used")
    quasi_static = parameter(False, "light: it weighs, but its inertia is left out, and it follows in equilibrium",
                             structural=True)

    def dyad(self, v: SimpleNamespace) -> Inertia:
        """The inertia dyad in frame_a, from parameter values."""
        raise NotImplementedError

    def _inertia(self, plan: PartsList) -> Inertia:
        try:
            return self.dyad(plan.values(self))
        except ModelError as error:
            raise ModelError(f"{self.path}: {error}", self) from None

    def check_settled(self) -> None:
        try:
            self.dyad(self.numbers())
        except ModelError as error:
            raise ModelError(f"{self.path}: {error}", self) from None

    def describe(self, plan: PartsList) -> None:
        if not self.quasi_static:
            plan.inertia(self, self.frame_a, self._inertia(plan))
            return
        M, a = self._inertia(plan), self.frame_a
        centre = a.r_0 + a.R_WF @ ca.SX(M.com())
        held = a.R_WF.T @ (-M.m * self._gravity(plan, M))
        plan.load(self, a, held, cross(ca.SX(M.com()), held), M.m * plan.gravity.potential(centre))

    def needed(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        """The load (f, t) at frame_a that the body's motion needs, in frame_a:

        f = m (R (a − g) + z × c + ω × (ω × c)),   t = I_O z + ω × (I_O ω) + m c × R (a − g).
        """
        a, M = self.frame_a, self._inertia(plan)
        s = ca.SX(M.first_moment)
        up = a.R_WF.T @ (a.a_0 - self._gravity(plan, M))
        f = M.m * up + cross(a.z, s) + cross(a.w, cross(a.w, s))
        return f, M.inertia @ a.z + cross(a.w, M.inertia @ a.w) + cross(s, up)

    def _gravity(self, plan: PartsList, M: Inertia) -> ca.SX:
        return plan.gravity_at(self.frame_a.r_0 + self.frame_a.R_WF @ ca.SX(M.com()))

    def definitions(self, plan: PartsList) -> dict:
        a = self.frame_a
        return {
            "r_0": a.r_0, "v_0": a.v_0, "a_0": a.a_0, "w_a": a.w, "z_a": a.z, "w_0": a.R_WF @ a.w,
            "z_0": a.R_WF @ a.z, "g_0": self._gravity(plan, self._inertia(plan)),
            "angles": rotation_angles(a.R_WF, self.sequence_start), "Q": quaternion_from_rotation(a.R_WF),
        }


class Body(BodyLook, Massive):
    """A rigid body with one frame: mass, centre of mass, inertia about it (axes parallel to frame_a)."""

    m = parameter(text="mass", unit="kg", only=MASS, independent=True)
    r_cm = parameter([0.0, 0.0, 0.0], "from frame_a to the centre of mass", "m")
    inertia = parameter(None, "about the centre of mass, 3×3 or three principal moments", "kg.m2")
    I_11 = parameter(0.001, "inertia about the centre of mass", "kg.m2")
    I_22 = parameter(0.001, "inertia about the centre of mass", "kg.m2")
    I_33 = parameter(0.001, "inertia about the centre of mass", "kg.m2")
    I_21 = parameter(0.0, "inertia about the centre of mass", "kg.m2")
    I_31 = parameter(0.0, "inertia about the centre of mass", "kg.m2")
    I_32 = parameter(0.0, "inertia about the centre of mass", "kg.m2")
    any_inertia = parameter(False, "take also an inertia that no real body has: files of robots hold such",
                            structural=True)
    animation = appearance(True, "whether it is shown")

    def __init__(self, m: Scalar | Formula | None = None, r_cm: VectorLike | None = None,
                 inertia: ArrayLike | None = None, **given: Any) -> None:
        given.update({key: value for key, value in (("m", m), ("r_cm", r_cm), ("inertia", inertia))
                      if value is not None})
        super().__init__(**given)

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())

    def _check(self) -> None:
        if self.inertia is not None and np.shape(self.inertia) not in ((3,), (3, 3)):
            raise ModelError(f"{self.path}: inertia is three principal moments or 3×3 numbers, got an array of shape "
                             f"{np.shape(self.inertia)}.", self)
        if "inertia" in self._parameters and any(name in self._parameters for name in MOMENTS):
            raise ModelError(f"{self.path}: give inertia= or I_11= …, not both.", self)

    def dyad(self, v: SimpleNamespace) -> Inertia:
        if v.inertia is not None:
            idle = [name for name in MOMENTS if isinstance(getattr(v, name, None), ca.SX)]
            if idle:
                raise ModelError(f"{idle[0]} does nothing, as inertia= is given; use {self.path}.inertia.", self)
            return self._dyad(v, v.inertia)
        return self._dyad(v, rows((v.I_11, v.I_21, v.I_31), (v.I_21, v.I_22, v.I_32), (v.I_31, v.I_32, v.I_33)))

    def _dyad(self, v: SimpleNamespace, central: Array) -> Inertia:
        if not self.any_inertia:
            return Inertia(v.m, v.r_cm, central)
        about_centre = Inertia.from_moments(v.m, (0.0, 0.0, 0.0), central)
        return Transform(None, v.r_cm) @ about_centre


class PointMass(PointLook, Massive):
    """A point mass: it has a position, but no orientation and no inertia."""

    m = parameter(text="mass", unit="kg", only=MASS, independent=True)
    animation = appearance(True, "whether it is shown")
    point = True

    _make_connectors = Body._make_connectors

    def dyad(self, v: SimpleNamespace) -> Inertia:
        return Inertia(v.m)


class BodyShape(BodyShapeLook, Body):
    """A rigid body with two frames, frame_b at r in frame_a."""

    r = parameter(text="from frame_a to frame_b, in frame_a", unit="m", shape=(3,))

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        plan.rigid(self, self.frame_a, self.frame_b, Transform(None, plan.values(self).r))

    def definitions(self, plan: PartsList) -> dict:
        # Modelica's names for the body inside: shape.body.w_a, shape.body.frame_a.r_0 …
        own = super().definitions(plan)
        own.update({f"body.{name}": value for name, value in list(own.items())})
        own["body.frame_a.r_0"] = self.frame_a.r_0
        own["body.frame_a.f"], own["body.frame_a.t"] = self.needed(plan)
        return own
