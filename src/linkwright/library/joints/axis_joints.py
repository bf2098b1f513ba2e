"""Joints (Modelica MultiBody.Joints and Simbody's mobilizers): how frame_b moves relative to frame_a."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...algebra import Scalar, Transform, axis_frame
from ...errors import ModelError
from ...language import Joint, PartsList, RotationalFlange, TranslationalFlange, unit_axis
from ...language.fields import Record, parameter, variable
from ...language.looks import BoxLook, CylinderLook
from ...language.ranges import NUMBER
from ...mechanism import kinds
from ..drives.clearances import CompliantStop
from ..tolerances import PARALLEL, RIGHT_ANGLE
from .bounds import Bearings, Bounded, Coulomb
from .driven import Driven
from .lugre import LuGre
from .several_directions import Sliding
from .stops import Range, Stopped


class OneAxis(Joint):
    """Base of joints that move along or about n."""

    dof = 1
    q = u = a = None

    def _check(self) -> None:
        unit_axis(self, "n")

    def mobilizer(self, plan: PartsList) -> tuple:
        X = Transform(axis_frame(self.n))
        return self.kind(), X, X


class Revolute(Bounded, Driven, CylinderLook, OneAxis):
    """1 dof: frame_b turns about n by phi."""

    kind, flange_type, effort = kinds.Revolute, RotationalFlange, "tau"
    n = parameter((0.0, 0.0, 1.0), "axis of rotation in frame_a (the same in frame_b)", structural=True)
    phi = variable("angle from frame_a to frame_b about n", "rad", initial=True)
    w = variable("angular velocity dphi/dt", "rad/s", initial=True)
    a = variable("angular acceleration dw/dt", "rad/s2", initial=True)
    tau = variable("driving torque about n", "N.m")
    phi_min = parameter(None, "angle of a hard stop", "rad", only=NUMBER)
    phi_max = parameter(None, "angle of a hard stop", "rad", only=NUMBER)

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return (("phi", "w", "a"),)


class RevolutePlanarLoopConstraint(Revolute):
    """The same as Revolute.  Linkwright solves the redundant equations of planar loops, so no special joint is
    needed."""


class Prismatic(Bounded, Driven, BoxLook, OneAxis):
    """1 dof: frame_b slides along n by s."""

    kind, flange_type, effort = kinds.Prismatic, TranslationalFlange, "f"
    n = parameter((1.0, 0.0, 0.0), "direction of sliding in frame_a (the same in frame_b)", structural=True)
    s = variable("distance from frame_a to frame_b along n", "m", initial=True)
    v = variable("velocity ds/dt", "m/s", initial=True)
    a = variable("acceleration dv/dt", "m/s2", initial=True)
    f = variable("driving force along n", "N")
    limits = ("s_min", "s_max")
    s_min = parameter(None, "distance of a hard stop", "m", only=NUMBER)
    s_max = parameter(None, "distance of a hard stop", "m", only=NUMBER)

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return (("s", "v", "a"),)


class Cylindrical(Sliding, Stopped, CylinderLook, OneAxis):
    """2 dof: frame_b slides along n by s and turns about n by phi; both may have stops, hard or elastic."""

    dof = 2
    kind = kinds.Cylindrical
    n = parameter((1.0, 0.0, 0.0), "axis in frame_a (the same in frame_b)", structural=True)
    s = variable("distance along n", "m", initial=True)
    phi = variable("angle about n", "rad", initial=True)
    v = variable("velocity ds/dt", "m/s", initial=True)
    w = variable("angular velocity dphi/dt", "rad/s", initial=True)
    a = variable("acceleration dv/dt", "m/s2", initial=True)
    wd = variable("angular acceleration dw/dt", "rad/s2", initial=True)
    s_min, s_max = (parameter(None, "distance of a stop", "m", only=NUMBER) for _ in range(2))
    phi_min, phi_max = (parameter(None, "angle of a stop", "rad", only=NUMBER) for _ in range(2))
    stop = Record(CompliantStop, "lw.CompliantStop(…): elastic stops of s, N/m")
    stop_phi = Record(CompliantStop, "lw.CompliantStop(…): elastic stops of phi, N.m/rad")

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return ("phi", "w", "wd"), ("s", "v", "a")

    def ranges(self) -> tuple[Range, ...]:
        return Range(0, "phi_min", "phi_max", "stop_phi"), Range(1, "s_min", "s_max", "stop")

    def _check(self) -> None:
        super()._check()
        if self.friction is not None and self.friction.radius is None:
            raise ModelError(f"{self.path}.friction: give radius, at which it turns in its sleeve: friction acts along "
                             "the helix in which its surface slides.", self)

    def sliding(self, plan: PartsList, law: Coulomb | LuGre) -> ca.SX:
        u = plan.joint_symbols(self)[1]
        return ca.vertcat(u[1], law.radius * u[0])

    def rubbing_names(self, law: Coulomb | LuGre, force: ca.SX) -> dict[str, ca.SX]:
        return {"f_friction": force[0], "tau_friction": law.radius * force[1]}


class Screw(Bounded, CylinderLook, OneAxis):
    """1 dof: frame_b turns about n by phi and moves along n by pitch·phi.

    With friction=lw.Coulomb(mu=…, radius=r) the friction in the thread of mean radius r is proportional to the axial
    force f,

        tau_friction = μ r |f| (1 + t²)/(1 ∓ μ t),   t = pitch/r

    with − for motion against the load and + for motion with it.  The screw is self-locking if μ > t.
    """

    n = parameter((0.0, 0.0, 1.0), "axis in frame_a (the same in frame_b)", structural=True)
    pitch = parameter(text="advance per angle", unit="m/rad")
    phi = variable("angle about n", "rad", initial=True)
    w = variable("angular velocity", "rad/s", initial=True)
    a = variable("angular acceleration", "rad/s2", initial=True)
    phi_min = parameter(None, "angle of a stop", "rad", only=NUMBER)
    phi_max = parameter(None, "angle of a stop", "rad", only=NUMBER)

    def _check(self) -> None:
        super()._check()
        law = self.friction
        if law is not None and law.mu is not None and not law.mu * abs(self.pitch) < law.arm:
            raise ModelError(f"{self.path}.friction: with mu = {law.mu:g} and radius = {law.arm:g} m a thread of "
                             f"pitch = {self.pitch:g} m/rad jams: mu pitch/radius must be below 1.", self)

    def _sliding(self, plan: PartsList, law: Coulomb, direction: Scalar) -> ca.SX:
        if law.mu is None:
            return super()._sliding(plan, law, direction)
        steepness = plan.values(self).pitch / law.arm
        against = direction * self.symbol("reaction", (6,))[2]
        return law.mu * law.arm * (1 + steepness**2) * ca.fmax(against / (1 - law.mu * steepness),
                                                                  -against / (1 + law.mu * steepness))

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return (("phi", "w", "a"),)

    def mobilizer(self, plan: PartsList) -> tuple:
        X = Transform(axis_frame(self.n))
        return kinds.Screw(plan.values(self).pitch), X, X


class Universal(Bearings, Stopped, CylinderLook, Joint):
    """2 dof: turns about n_a (in frame_a) by phi_a, then about n_b (in frame_b) by phi_b, with friction and stops."""

    dof = 2
    q = u = a = None
    n_a = parameter((1.0, 0.0, 0.0), "first axis, in frame_a", structural=True)
    n_b = parameter((0.0, 1.0, 0.0), "second axis, in frame_b", structural=True)
    phi_a = variable("angle about n_a", "rad", initial=True)
    phi_b = variable("angle about n_b", "rad", initial=True)
    w_a = variable("speed of phi_a", "rad/s", initial=True)
    w_b = variable("speed of phi_b", "rad/s", initial=True)
    a_a = variable("acceleration of phi_a", "rad/s2", initial=True)
    a_b = variable("acceleration of phi_b", "rad/s2", initial=True)
    phi_a_min, phi_a_max = (parameter(None, "angle of a stop of phi_a", "rad", only=NUMBER) for _ in range(2))
    phi_b_min, phi_b_max = (parameter(None, "angle of a stop of phi_b", "rad", only=NUMBER) for _ in range(2))
    stop = Record(CompliantStop, "lw.CompliantStop(…): elastic stops instead of hard ones")

    def ranges(self) -> tuple[Range, ...]:
        return Range(0, "phi_a_min", "phi_a_max", "stop"), Range(1, "phi_b_min", "phi_b_max", "stop")

    def _check(self) -> None:
        super()._check()
        a, b = (unit_axis(self, name) for name in ("n_a", "n_b"))
        if np.linalg.norm(np.cross(a, b)) < PARALLEL:
            raise ModelError(f"{self.path}: n_a and n_b are parallel; a universal joint needs two directions.", self)

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return ("phi_a", "w_a", "a_a"), ("phi_b", "w_b", "a_b")

    def mobilizer(self, plan: PartsList) -> tuple:
        a, b = unit_axis(self, "n_a"), unit_axis(self, "n_b")
        if abs(a @ b) < RIGHT_ANGLE:
            # with orthogonal axes it is the built-in kind in frames whose x, y are n_a, n_b
            R = np.column_stack([a, b, np.cross(a, b)])
            return kinds.Universal(), Transform(R), Transform(R)
        functions = (lambda q: q[0], lambda q: q[1], None, None, None, None)
        axes = (tuple(a), tuple(b), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
        return kinds.FunctionBased(2, functions, axes), Transform(), Transform()


class Planar(Sliding, Stopped, CylinderLook, BoxLook, Joint):
    """3 dof: frame_b moves in the plane perpendicular to n: s_x, s_y, then phi about n; each may have stops."""

    dof = 3
    q = u = a = None
    n = parameter((0.0, 0.0, 1.0), "normal of the plane, in frame_a", structural=True)
    n_x = parameter((1.0, 0.0, 0.0), "direction of s_x in the plane (made perpendicular to n)", structural=True)
    s_x = variable("distance along x", "m", initial=True)
    s_y = variable("distance along y", "m", initial=True)
    phi = variable("angle about n", "rad", initial=True)
    v_x = variable("velocity of s_x", "m/s", initial=True)
    v_y = variable("velocity of s_y", "m/s", initial=True)
    w = variable("angular velocity", "rad/s", initial=True)
    a_x = variable("acceleration of s_x", "m/s2", initial=True)
    a_y = variable("acceleration of s_y", "m/s2", initial=True)
    wd = variable("angular acceleration", "rad/s2", initial=True)

    s_x_min, s_x_max = (parameter(None, "distance of a stop along x", "m", only=NUMBER) for _ in range(2))
    s_y_min, s_y_max = (parameter(None, "distance of a stop along y", "m", only=NUMBER) for _ in range(2))
    phi_min, phi_max = (parameter(None, "angle of a stop", "rad", only=NUMBER) for _ in range(2))
    stop = Record(CompliantStop, "lw.CompliantStop(…): elastic stops of s_x and s_y, N/m")
    stop_phi = Record(CompliantStop, "lw.CompliantStop(…): elastic stops of phi, N.m/rad")

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        return ("phi", "w", "wd"), ("s_x", "v_x", "a_x"), ("s_y", "v_y", "a_y")

    def ranges(self) -> tuple[Range, ...]:
        return (Range(0, "phi_min", "phi_max", "stop_phi"), Range(1, "s_x_min", "s_x_max", "stop"),
                Range(2, "s_y_min", "s_y_max", "stop"))

    effort = "f"

    def sliding(self, plan: PartsList, law: Coulomb | LuGre) -> ca.SX:
        return plan.joint_symbols(self)[1][1:3]

    def mobilizer(self, plan: PartsList) -> tuple:
        n, x = unit_axis(self, "n"), unit_axis(self, "n_x")
        y = np.cross(n, x)
        if np.linalg.norm(y) < PARALLEL:
            raise ModelError(f"{self.path}: n_x is parallel to n; give a direction in the plane.", self)
        y /= np.linalg.norm(y)
        X = Transform(np.column_stack([np.cross(y, n), y, n]))
        return kinds.Planar(), X, X
