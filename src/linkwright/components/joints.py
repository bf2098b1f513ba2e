"""Joints (Modelica MultiBody.Joints and Simbody's mobilizers): how frame_b moves relative to frame_a."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..algebra import Transform, axis_frame, rotation_angles
from ..errors import ModelError
from ..mechanism import kinds, orientation
from ..mechanism.custom import Custom, FunctionBased
from ..mechanism.mobilizer import Mobilizer
from .component import Component
from .connectors import Frame, RotationalFlange, TranslationalFlange
from .fields import appearance, parameter, variable
from .looks import ArrowLook, BoxLook, CylinderLook, SphereLook


class Joint(Component):
    """Base of all joints; a user's own joint states `dof` and `transform(q)`, position level only.

    >>> class Knee(Joint):
    ...     dof = 1
    ...     def transform(self, q):
    ...         return Transform(rotation_z(q[0]), [0.01 * sin(q[0]), 0, 0])
    """

    dof: int = 1
    reverse = parameter(False, "count coordinates as if frame_a and frame_b were swapped", structural=True)
    enforce_states = parameter(False, "never cut this joint in a loop", structural=True)
    animation = appearance(True, "whether it is shown")
    q = variable("coordinates", "", (), initial=True)
    u = variable("speeds", "", (), initial=True)

    def _make_connectors(self):
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def transform(self, q) -> Transform:
        """Pose of frame_b in frame_a for coordinates q."""
        raise ModelError(f"{self.path}: a joint of your own defines dof and transform(self, q).", self)

    def mobilizer(self, plan) -> tuple[Mobilizer, Transform, Transform]:
        """The kind, and the poses of F on frame_a and of M on frame_b."""
        return Custom(self.dof, self.transform), Transform(), Transform()

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        """Names of coordinate, speed and acceleration of each mobility."""
        if self.dof == 1:
            return (("q", "u", "a"),)
        return tuple((f"q[{k + 1}]", f"u[{k + 1}]", f"a[{k + 1}]") for k in range(self.dof))

    def describe(self, plan):
        kind, X_aF, X_bM = self.mobilizer(plan)
        plan.joint(self, self.frame_a, self.frame_b, kind, X_aF, X_bM)

    def definitions(self, plan):
        q, u, a = plan.joint_symbols(self)
        out = {}
        for k, (name, speed, acceleration) in enumerate(self.coordinates()):
            out[name], out[speed], out[acceleration] = q[k], u[k], a[k]
        return out


class OneAxis(Joint):
    """Base of joints with one coordinate along or about n, with drive flanges `axis` and `support`."""

    dof = 1
    q = u = None

    def _check(self):
        n = np.asarray(self.n, dtype=float)
        if n.shape != (3,) or not np.all(np.isfinite(n)):
            raise ModelError(f"{self.path}: axis n = {self.n} must be three finite numbers.", self)
        if np.linalg.norm(n) < 1e-10:
            raise ModelError(f"{self.path}: axis n = ({n[0]:g}, {n[1]:g}, {n[2]:g}) has no direction; "
                             "give a non-zero vector.", self)

    def mobilizer(self, plan):
        X = Transform(axis_frame(self.n))
        return self.kind(), X, X

    def describe(self, plan):
        super().describe(plan)
        if "axis" in self._connectors:
            plan.axis(self, 0, self.axis, self.support)


class Revolute(CylinderLook, OneAxis):
    """1 dof: frame_b turns about n by phi."""

    kind = kinds.Revolute
    n = parameter((0.0, 0.0, 1.0), "axis of rotation in frame_a (the same in frame_b)", structural=True)
    phi = variable("angle from frame_a to frame_b about n", "rad", initial=True)
    w = variable("angular velocity dphi/dt", "rad/s", initial=True)
    a = variable("angular acceleration dw/dt", "rad/s2", initial=True)
    tau = variable("driving torque about n", "N.m")

    def _make_connectors(self):
        super()._make_connectors()
        self._port("axis", RotationalFlange())
        self._port("support", RotationalFlange())

    def coordinates(self):
        return (("phi", "w", "a"),)

    def definitions(self, plan):
        return {**super().definitions(plan), "tau": plan.drive(self, 0)}


class RevolutePlanarLoopConstraint(Revolute):
    """As Revolute.  Redundant equations of a planar loop are solved, so that no special joint is needed there."""


class Prismatic(BoxLook, OneAxis):
    """1 dof: frame_b slides along n by s."""

    kind = kinds.Prismatic
    n = parameter((1.0, 0.0, 0.0), "direction of sliding in frame_a (the same in frame_b)", structural=True)
    s = variable("distance from frame_a to frame_b along n", "m", initial=True)
    v = variable("velocity ds/dt", "m/s", initial=True)
    a = variable("acceleration dv/dt", "m/s2", initial=True)
    f = variable("driving force along n", "N")

    def _make_connectors(self):
        super()._make_connectors()
        self._port("axis", TranslationalFlange())
        self._port("support", TranslationalFlange())

    def coordinates(self):
        return (("s", "v", "a"),)

    def definitions(self, plan):
        return {**super().definitions(plan), "f": plan.drive(self, 0)}


class Cylindrical(CylinderLook, OneAxis):
    """2 dof: frame_b slides along n by s and turns about n by phi."""

    dof = 2
    kind = kinds.Cylindrical
    n = parameter((1.0, 0.0, 0.0), "axis in frame_a (the same in frame_b)", structural=True)
    s = variable("distance along n", "m", initial=True)
    phi = variable("angle about n", "rad", initial=True)
    v = variable("velocity ds/dt", "m/s", initial=True)
    w = variable("angular velocity dphi/dt", "rad/s", initial=True)
    a = variable("acceleration dv/dt", "m/s2", initial=True)
    wd = variable("angular acceleration dw/dt", "rad/s2", initial=True)

    def coordinates(self):
        return ("phi", "w", "wd"), ("s", "v", "a")


class Screw(CylinderLook, OneAxis):
    """1 dof: frame_b turns about n by phi and moves along n by pitch·phi."""

    n = parameter((0.0, 0.0, 1.0), "axis in frame_a (the same in frame_b)", structural=True)
    pitch = parameter(text="advance per angle", unit="m/rad")
    phi = variable("angle about n", "rad", initial=True)
    w = variable("angular velocity", "rad/s", initial=True)
    a = variable("angular acceleration", "rad/s2", initial=True)

    def coordinates(self):
        return (("phi", "w", "a"),)

    def mobilizer(self, plan):
        X = Transform(axis_frame(self.n))
        return kinds.Screw(plan.values(self).pitch), X, X


class Universal(CylinderLook, Joint):
    """2 dof: turns about n_a (in frame_a) by phi_a, then about n_b (in frame_b) by phi_b."""

    dof = 2
    q = u = None
    n_a = parameter((1.0, 0.0, 0.0), "first axis, in frame_a", structural=True)
    n_b = parameter((0.0, 1.0, 0.0), "second axis, in frame_b", structural=True)
    phi_a = variable("angle about n_a", "rad", initial=True)
    phi_b = variable("angle about n_b", "rad", initial=True)
    w_a = variable("speed of phi_a", "rad/s", initial=True)
    w_b = variable("speed of phi_b", "rad/s", initial=True)
    a_a = variable("acceleration of phi_a", "rad/s2", initial=True)
    a_b = variable("acceleration of phi_b", "rad/s2", initial=True)

    def _check(self):
        a, b = (_unit(self, name) for name in ("n_a", "n_b"))
        if np.linalg.norm(np.cross(a, b)) < 1e-10:
            raise ModelError(f"{self.path}: n_a and n_b are parallel; a universal joint needs two directions.", self)

    def coordinates(self):
        return ("phi_a", "w_a", "a_a"), ("phi_b", "w_b", "a_b")

    def mobilizer(self, plan):
        a, b = _unit(self, "n_a"), _unit(self, "n_b")
        if abs(a @ b) < 1e-12:
            # with orthogonal axes it is the built-in kind in frames whose x, y are n_a, n_b
            R = np.column_stack([a, b, np.cross(a, b)])
            return kinds.Universal(), Transform(R), Transform(R)
        functions = (lambda q: q[0], lambda q: q[1], None, None, None, None)
        axes = (tuple(a), tuple(b), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
        return FunctionBased(2, functions, axes), Transform(), Transform()


class Planar(CylinderLook, BoxLook, Joint):
    """3 dof: frame_b moves in the plane perpendicular to n: s_x, s_y, then phi about n."""

    dof = 3
    q = u = None
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

    def coordinates(self):
        return ("phi", "w", "wd"), ("s_x", "v_x", "a_x"), ("s_y", "v_y", "a_y")

    def mobilizer(self, plan):
        n, x = _unit(self, "n"), _unit(self, "n_x")
        y = np.cross(n, x)
        if np.linalg.norm(y) < 1e-10:
            raise ModelError(f"{self.path}: n_x is parallel to n; give a direction in the plane.", self)
        y /= np.linalg.norm(y)
        X = Transform(np.column_stack([np.cross(y, n), y, n]))
        return kinds.Planar(), X, X


class _Turning(Joint):
    """Base of joints with a free relative orientation: initial angles, relative angular velocity, quaternion."""

    q = u = None
    angles = variable("angles of sequence_start from frame_a to frame_b", "rad", (3,), initial=True)
    w_rel_a = variable("relative angular velocity in frame_a", "rad/s", (3,), initial=True)
    z_rel_a = variable("relative angular acceleration in frame_a", "rad/s2", (3,), initial=True)
    w_rel_b = variable("relative angular velocity in frame_b", "rad/s", (3,), initial=True)
    sequence_start = parameter((1, 2, 3), "axes of the initial angles, counted from 1", structural=True)
    use_quaternions = parameter(True, "describe the orientation by a quaternion, else by angles", structural=True)
    sequence_angle_states = parameter((1, 2, 3), "axes of the angles, if no quaternion is used", structural=True)

    def _sequence(self):
        return None if self.use_quaternions else tuple(self.sequence_angle_states)

    def coordinates(self):
        return ()

    def definitions(self, plan):
        R_ab = self.frame_a.R_WF.T @ self.frame_b.R_WF
        w_b = self.frame_b.w - R_ab.T @ self.frame_a.w
        z_b = self.frame_b.z - R_ab.T @ self.frame_a.z + ca.cross(w_b, R_ab.T @ self.frame_a.w)
        return {"angles": rotation_angles(R_ab, self.sequence_start), "w_rel_b": w_b, "w_rel_a": R_ab @ w_b,
                "z_rel_a": R_ab @ z_b}


class Spherical(SphereLook, _Turning):
    """3 dof: frame_b turns freely about the common origin."""

    dof = 3

    def mobilizer(self, plan):
        return orientation.Spherical(self._sequence()), Transform(), Transform()


class FreeMotion(ArrowLook, _Turning):
    """6 dof: no constraint; gives the relative motion of two frames coordinates."""

    dof = 6
    enforce_states = parameter(True, "the relative motion is described by this joint", structural=True)
    r_rel_a = variable("position of frame_b in frame_a", "m", (3,), initial=True)
    v_rel_a = variable("its derivative", "m/s", (3,), initial=True)
    a_rel_a = variable("its second derivative", "m/s2", (3,), initial=True)

    def mobilizer(self, plan):
        return orientation.Free(self._sequence()), Transform(), Transform()

    def definitions(self, plan):
        a, b = self.frame_a, self.frame_b
        r = a.R_WF.T @ (b.r_0 - a.r_0)
        v = a.R_WF.T @ (b.v_0 - a.v_0) - ca.cross(a.w, r)
        acceleration = (a.R_WF.T @ (b.a_0 - a.a_0) - ca.cross(a.z, r) - 2 * ca.cross(a.w, v)
                        - ca.cross(a.w, ca.cross(a.w, r)))
        return {**super().definitions(plan), "r_rel_a": r, "v_rel_a": v, "a_rel_a": acceleration}


def _plain(name: str, kind, dof: int, text: str, extra: dict | None = None):
    """A joint class for one of Simbody's mobilizers: coordinates q, speeds u, parameters as the kind has them."""
    fields = {key: parameter(value[0], value[1], value[2], structural=value[3]) for key, value in (extra or {}).items()}

    def mobilizer(self, plan):
        values = plan.values(self)
        arguments = {key: getattr(values, key) if not value[3] else getattr(self, key)
                     for key, value in (extra or {}).items()}
        return kind(**{key: tuple(v) if isinstance(v, (list, np.ndarray)) else v for key, v in arguments.items()}), \
            Transform(), Transform()

    shape = () if dof == 1 else (dof,)
    body = {"__doc__": text, "dof": dof, "mobilizer": mobilizer, **fields,
            "q": variable("coordinates", "", shape, initial=True), "u": variable("speeds", "", shape, initial=True),
            "a": variable("accelerations", "", shape),
            "coordinates": lambda self: tuple((f"q[{k}]", f"u[{k}]", f"a[{k}]") for k in range(dof)),
            "definitions": lambda self, plan: dict(zip(("q", "u", "a"), plan.joint_symbols(self), strict=True))}
    return type(name, (Joint,), body)


Gimbal = _plain("Gimbal", kinds.Gimbal, 3, "3 dof: body-fixed x-y-z angles.")
BendStretch = _plain("BendStretch", kinds.BendStretch, 2, "2 dof: angle about z, then distance along the turned x.")
Translation = _plain("Translation", kinds.Translation, 3, "3 dof: position x, y, z of frame_b in frame_a.")
Bushing = _plain("Bushing", kinds.Bushing, 6, "6 dof: x-y-z angles and x, y, z translation.")
CantileverFreeBeam = _plain(
    "CantileverFreeBeam", kinds.CantileverFreeBeam, 3, "3 dof: the free end of an end-loaded cantilever along z.",
    {"length": (1.0, "length of the beam", "m", False)})
SphericalCoords = _plain(
    "SphericalCoords", kinds.SphericalCoords, 3, "3 dof: azimuth about z, zenith about the new y, radius along z.",
    {"azimuth_offset": (0.0, "offset of the azimuth", "rad", False),
     "zenith_offset": (0.0, "offset of the zenith", "rad", False),
     "negative_azimuth": (False, "count the azimuth backwards", "", True),
     "negative_zenith": (False, "count the zenith backwards", "", True),
     "negative_radius": (False, "count the radius backwards", "", True),
     "radial_axis": ("z", "axis of frame_b along the radius, 'x' or 'z'", "", True)})
Ellipsoid = _plain(
    "Ellipsoid", orientation.Ellipsoid, 3, "3 dof: as Spherical, frame_b riding on an ellipsoid fixed in frame_a.",
    {"radii": ([1.0, 1.0, 1.0], "half axes of the ellipsoid", "m", True)})
LineOrientation = _plain(
    "LineOrientation", orientation.LineOrientation, 2, "2 dof: orientation of a line along z of frame_b.")
FreeLine = _plain("FreeLine", orientation.FreeLine, 5, "5 dof: position and orientation of a line along z of frame_b.")



class FunctionBasedJoint(Joint):
    """1–6 dof: three rotations and three translations, each a function of the coordinates along its own axis."""

    functions = parameter(text="six functions f(q), None for zero", structural=True)
    axes = parameter(((1, 0, 0), (0, 1, 0), (0, 0, 1)) * 2, "six axes", structural=True)
    degrees = parameter(1, "number of coordinates", structural=True)

    @property
    def dof(self):
        return self.degrees

    def mobilizer(self, plan):
        kind = FunctionBased(self.degrees, tuple(self.functions), tuple(map(tuple, self.axes)))
        return kind, Transform(), Transform()



def _unit(component, name: str) -> np.ndarray:
    n = np.asarray(getattr(component, name), dtype=float)
    length = np.linalg.norm(n)
    if length < 1e-10:
        raise ModelError(f"{component.path}: axis {name} = ({n[0]:g}, {n[1]:g}, {n[2]:g}) has no direction; "
                         "give a non-zero vector.", component)
    return n / length
