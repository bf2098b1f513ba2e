"""Joints with a free orientation, and a helper that gives their start values one by one."""

from __future__ import annotations

import math

import casadi as ca

from ...algebra import Transform, rotation_angles
from ...errors import ModelError
from ...language import Component, Frame, Joint, PartsList, axis_sequence, unit_axis
from ...language.expressions import der
from ...language.fields import Record, appearance, parameter, variable
from ...language.looks import ArrowLook, SphereLook
from ...language.ranges import Range
from ...mechanism import kinds
from ..drives.clearances import CompliantStop
from .bounds import Coulomb
from .lugre import LuGre
from .several_directions import Sliding
from .stops import Stopped, Way

LESS_THAN_HALF_TURN = Range(" must lie between 0 and π", lambda x: 0 < x < math.pi)
WITHIN_HALF_TURN = Range(" must lie between −π and π", lambda x: -math.pi < x < math.pi)


def relative_orientation(frame_a: Frame, frame_b: Frame) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(R_ab, relative angular velocity, its derivative as seen from a or b, both in b's axes)."""
    R_ab = frame_a.R_WF.T @ frame_b.R_WF
    w_b = frame_b.w - R_ab.T @ frame_a.w
    z_b = frame_b.z - R_ab.T @ frame_a.z + ca.cross(w_b, R_ab.T @ frame_a.w)
    return R_ab, w_b, z_b


def relative_position(a: Frame, b: Frame) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Position of b in a with its first and second derivatives as seen from a, in a's axes."""
    r = a.R_WF.T @ (b.r_0 - a.r_0)
    v = a.R_WF.T @ (b.v_0 - a.v_0) - ca.cross(a.w, r)
    acceleration = (a.R_WF.T @ (b.a_0 - a.a_0) - ca.cross(a.z, r) - 2 * ca.cross(a.w, v)
                    - ca.cross(a.w, ca.cross(a.w, r)))
    return r, v, acceleration


class _Turning(Joint):
    """Base of joints with a free relative orientation: initial angles, relative angular velocity, quaternion."""

    q = u = a = None
    angles = variable("angles of sequence_start from frame_a to frame_b", "rad", (3,), initial=True)
    w_rel_a = variable("relative angular velocity in frame_a", "rad/s", (3,), initial=True)
    z_rel_a = variable("relative angular acceleration in frame_a", "rad/s2", (3,), initial=True)
    w_rel_b = variable("relative angular velocity in frame_b", "rad/s", (3,), initial=True)
    sequence_start = axis_sequence("axes of the initial angles, counted from 1")
    use_quaternions = parameter(True, "describe the orientation by a quaternion, else by angles", structural=True)
    sequence_angle_states = axis_sequence("axes of the angles, if no quaternion is used")

    def _sequence(self) -> tuple[int, int, int] | None:
        return None if self.use_quaternions else tuple(self.sequence_angle_states)

    def definitions(self, plan: PartsList) -> dict:
        R_ab, w_b, z_b = relative_orientation(self.frame_a, self.frame_b)
        return {"angles": rotation_angles(R_ab, self.sequence_start), "w_rel_b": w_b, "w_rel_a": R_ab @ w_b,
                "z_rel_a": R_ab @ z_b}


class Spherical(Sliding, Stopped, SphereLook, _Turning):
    """3 dof: frame_b turns freely about the common origin, or within a cone of swing and a range of twist.

    The orientation is a twist about n, then a swing that turns n of frame_b away from n of frame_a by less than half a
    turn: cos swing = nᵀ R n, tan ½twist = n·vee(R − Rᵀ)/(1 + tr R).  The distance to the stop of the cone is
    gap = (cos swing − cos swing_max)/sin swing_max, which near the stop is the remaining angle.
    """

    dof = 3
    n = parameter((1.0, 0.0, 0.0), "axis of the cone and of the twist, in frame_a and in frame_b", structural=True)
    swing_max = parameter(None, "largest angle between n of frame_a and n of frame_b", "rad", only=LESS_THAN_HALF_TURN)
    twist_min, twist_max = (parameter(None, "largest twist about n, backwards and forwards", "rad",
                                      only=WITHIN_HALF_TURN) for _ in range(2))
    stop = Record(CompliantStop, "lw.CompliantStop(…): elastic stops instead of hard ones, N.m/rad")

    def _check(self) -> None:
        super()._check()
        unit_axis(self, "n")
        if self.twist_min is not None and self.twist_max is not None and not self.twist_min < self.twist_max:
            raise ModelError(f"{self.path}: twist_min = {self.twist_min} must lie below twist_max = {self.twist_max}.",
                             self)

    def sliding(self, plan: PartsList, law: Coulomb | LuGre) -> ca.SX:
        q, u, _ = plan.joint_symbols(self)
        columns = plan.joint_kind(self).columns(q)
        return ca.densify(sum((ca.SX(S.resultant) * u[k] for k, S in enumerate(columns)), ca.SX(3, 1)))

    def limited(self) -> dict[str, tuple[str, ...]]:
        return {"stop": ("swing_max", "twist_min", "twist_max")}

    def ways(self, plan: PartsList) -> list[Way]:
        values, q = plan.values(self), plan.joint_symbols(self)[0]
        R, n = ca.SX(plan.joint_kind(self).transform(q).R), ca.SX(unit_axis(self, "n"))
        turned = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
        twist = 2 * ca.atan2(ca.dot(n, turned), 1 + ca.trace(R))
        out = []
        if values.swing_max is not None:
            gap = (ca.dot(n, R @ n) - ca.cos(values.swing_max)) / ca.sin(values.swing_max)
            out.append(Way("swing_max", gap, values.stop))
        for name, sign in (("twist_min", 1), ("twist_max", -1)):
            if getattr(values, name) is not None:
                out.append(Way(name, sign * (twist - getattr(values, name)), values.stop))
        return out

    def mobilizer(self, plan: PartsList) -> tuple:
        return kinds.Spherical(self._sequence()), Transform(), Transform()


class FreeMotion(ArrowLook, _Turning):
    """6 dof: no constraint; gives the relative motion of two frames coordinates."""

    dof = 6
    enforce_states = parameter(True, "the relative motion is described by this joint", structural=True)
    r_rel_a = variable("position of frame_b in frame_a", "m", (3,), initial=True)
    v_rel_a = variable("its derivative", "m/s", (3,), initial=True)
    a_rel_a = variable("its second derivative", "m/s2", (3,), initial=True)

    def mobilizer(self, plan: PartsList) -> tuple:
        return kinds.Free(self._sequence()), Transform(), Transform()

    def definitions(self, plan: PartsList) -> dict:
        r, v, acceleration = relative_position(self.frame_a, self.frame_b)
        return {**super().definitions(plan), "r_rel_a": r, "v_rel_a": v, "a_rel_a": acceleration}


class FreeMotionScalarInit(ArrowLook, Component):
    """Start values of the motion of frame_b relative to frame_a, each a scalar; no joint and no force.

    r_rel_a_1 … (position in frame_a), v_rel_a_i, a_rel_a_i (its derivatives), angle_1 … (angles of sequence_start from
    frame_a to frame_b), angle_d_i, angle_dd_i (their derivatives), w_rel_b_i, z_rel_b_i (angular velocity and
    acceleration in frame_b).

    >>> FreeMotionScalarInit(angle_2=0, angle_d_2=0)
    <FreeMotionScalarInit FreeMotionScalarInit>
    """

    sequence_start = axis_sequence("axes of the angles, counted from 1")
    animation = appearance(True, "whether it is shown")
    for _name, _text, _unit in (
        ("r_rel_a", "position of frame_b in frame_a", "m"), ("v_rel_a", "its derivative", "m/s"),
        ("a_rel_a", "its second derivative", "m/s2"), ("angle", "angle about an axis of sequence_start", "rad"),
        ("angle_d", "its derivative", "rad/s"), ("angle_dd", "its second derivative", "rad/s2"),
        ("w_rel_b", "relative angular velocity in frame_b", "rad/s"),
        ("z_rel_b", "relative angular acceleration in frame_b", "rad/s2"),
    ):
        for _k in (1, 2, 3):
            vars()[f"{_name}_{_k}"] = variable(f"{_text}, entry {_k}", _unit, initial=True)
    del _name, _text, _unit, _k

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def required_ports(self) -> list[str]:
        return ["frame_a", "frame_b"]

    def definitions(self, plan: PartsList) -> dict:
        r, v, a = relative_position(self.frame_a, self.frame_b)
        R_ab, w, z = relative_orientation(self.frame_a, self.frame_b)
        angles = rotation_angles(R_ab, self.sequence_start)
        rates = der(angles)
        vectors = {"r_rel_a": r, "v_rel_a": v, "a_rel_a": a, "angle": angles, "angle_d": rates, "angle_dd": der(rates),
                   "w_rel_b": w, "z_rel_b": z}
        return {f"{name}_{k + 1}": vector[k] for name, vector in vectors.items() for k in range(3)}
