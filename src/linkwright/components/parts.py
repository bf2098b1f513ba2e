"""Rigid parts: bodies, point masses, and massless links (Modelica MultiBody.Parts)."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..algebra import (
    Inertia,
    Transform,
    axis_rotation,
    cross,
    dot,
    is_symbolic,
    norm,
    rotation_angles,
    rotation_from_angles,
)
from ..algebra.arrays import rows, stack
from ..algebra.rotations import quaternion_from_rotation
from ..errors import ModelError
from .component import Component
from .connectors import Frame
from .drives3d import BevelGear1D, Mounting1D, Rotor1D
from .fields import appearance, parameter, variable
from .looks import BodyLook, BodyShapeLook, PointLook, RodLook


class Fixed(RodLook, Component):
    """A frame fixed in the world at r."""

    r = parameter([0.0, 0.0, 0.0], "position in the world", "m")
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self):
        self._port("frame_b", Frame())

    def describe(self, plan):
        plan.fixed(self, self.frame_b, Transform(None, plan.values(self).r))


class TwoFrames(Component):
    """Base: a component between frame_a and frame_b."""

    def _make_connectors(self):
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())


class FixedTranslation(RodLook, TwoFrames):
    """A massless rod: frame_b at r in frame_a, axes parallel."""

    r = parameter(text="from frame_a to frame_b, in frame_a", unit="m", shape=(3,))
    animation = appearance(True, "whether it is shown")

    def describe(self, plan):
        plan.rigid(self, self.frame_a, self.frame_b, Transform(None, plan.values(self).r))


class FixedRotation(RodLook, TwoFrames):
    """A massless link: frame_b at r in frame_a and turned: about an axis, by two axes, or by three angles."""

    r = parameter([0.0, 0.0, 0.0], "from frame_a to frame_b, in frame_a", "m")
    rotation_type = parameter("axis", "'axis', 'two_axes' or 'sequence'", structural=True)
    n = parameter([1.0, 0.0, 0.0], "axis of rotation")
    angle = parameter(0.0, "angle about n", "rad")
    n_x = parameter([1.0, 0.0, 0.0], "x axis of frame_b in frame_a")
    n_y = parameter([0.0, 1.0, 0.0], "y axis of frame_b in frame_a (made orthogonal)")
    sequence = parameter((1, 2, 3), "axes of the three angles, counted from 1", structural=True)
    angles = parameter([0.0, 0.0, 0.0], "angles about the axes of the sequence", "rad")
    animation = appearance(True, "whether it is shown")

    def _check(self):
        if self.rotation_type not in ("axis", "two_axes", "sequence"):
            raise ModelError(f"{self.path}: rotation_type is 'axis', 'two_axes' or 'sequence', "
                             f"not {self.rotation_type!r}.", self)
        for name in {"axis": ("n",), "two_axes": ("n_x", "n_y"), "sequence": ()}[self.rotation_type]:
            _direction(self, name)

    def describe(self, plan):
        v = plan.values(self)
        if self.rotation_type == "axis":
            R = axis_rotation(v.n, v.angle)
        elif self.rotation_type == "two_axes":
            R = two_axes(v.n_x, v.n_y)
        else:
            R = rotation_from_angles(self.sequence, v.angles)
        plan.rigid(self, self.frame_a, self.frame_b, Transform(R, v.r))


def two_axes(n_x, n_y):
    """The rotation whose x axis is n_x and whose y axis lies in the plane of n_x and n_y (numbers or symbols).

    Where n_y is parallel to n_x another axis is taken, as Modelica's from_nxy does.
    """
    if is_symbolic(n_x, n_y):
        e_x, n_y = ca.SX(n_x / norm(n_x)), ca.SX(n_y)
        e_z = cross(e_x, n_y)
        other = ca.if_else(ca.fabs(e_x[0]) > 1e-6, ca.SX([0.0, 1.0, 0.0]), ca.SX([1.0, 0.0, 0.0]))
        e_z = ca.if_else(dot(e_z, e_z) < 1e-12 * dot(n_y, n_y), cross(e_x, other), e_z)
        e_z = e_z / norm(e_z)
        return ca.horzcat(e_x, cross(e_z, e_x), e_z)
    e_x = np.asarray(n_x, dtype=float) / np.linalg.norm(n_x)
    e_z = np.cross(e_x, n_y)
    if np.linalg.norm(e_z) < 1e-6 * np.linalg.norm(n_y):
        e_z = np.cross(e_x, [0.0, 1.0, 0.0] if abs(e_x[0]) > 1e-6 else [1.0, 0.0, 0.0])
    e_z = e_z / np.linalg.norm(e_z)
    return np.column_stack([e_x, np.cross(e_z, e_x), e_z])


def _direction(component, name: str) -> np.ndarray:
    n = np.asarray(getattr(component, name), dtype=float)
    if np.linalg.norm(n) < 1e-10:
        raise ModelError(f"{component.path}: axis {name} = ({n[0]:g}, {n[1]:g}, {n[2]:g}) has no direction; "
                         "give a non-zero vector.", component)
    return n


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
    sequence_start = parameter((1, 2, 3), "axes of the initial angles, counted from 1", structural=True)
    enforce_states = parameter(False, "make this body's coordinates states", structural=True)
    use_quaternions = parameter(True, "a free body is described by a quaternion, else by angles", structural=True)
    sequence_angle_states = parameter((1, 2, 3), "axes of the angles, if no quaternion is used", structural=True)

    def inertia(self, v) -> Inertia:
        """The inertia dyad in frame_a, from parameter values."""
        raise NotImplementedError

    def _inertia(self, plan) -> Inertia:
        try:
            return self.inertia(plan.values(self))
        except ModelError as error:
            raise ModelError(f"{self.path}: {error}", self) from None

    def describe(self, plan):
        plan.inertia(self, self.frame_a, self._inertia(plan))

    def needed(self, plan):
        """The load (f, t) at frame_a that the body's motion needs, in frame_a:

        f = m (R (a − g) + z × c + ω × (ω × c)),   t = I_O z + ω × (I_O ω) + m c × R (a − g).
        """
        a, M = self.frame_a, self._inertia(plan)
        s = ca.SX(M.first_moment)
        up = a.R_WF.T @ (a.a_0 - self._gravity(plan, M))
        f = M.m * up + cross(a.z, s) + cross(a.w, cross(a.w, s))
        return f, M.inertia @ a.z + cross(a.w, M.inertia @ a.w) + cross(s, up)

    def _gravity(self, plan, M):
        return plan.gravity_at(self.frame_a.r_0 + self.frame_a.R_WF @ ca.SX(M.com()))

    def definitions(self, plan):
        a = self.frame_a
        return {
            "r_0": a.r_0, "v_0": a.v_0, "a_0": a.a_0, "w_a": a.w, "z_a": a.z, "w_0": a.R_WF @ a.w,
            "z_0": a.R_WF @ a.z, "g_0": self._gravity(plan, self._inertia(plan)),
            "angles": rotation_angles(a.R_WF, self.sequence_start), "Q": _quaternion(a.R_WF),
        }


def _quaternion(R):
    """The quaternion of a rotation as an expression: the largest of the four pivots, sign with e₀ ≥ 0."""
    if not is_symbolic(R):
        return quaternion_from_rotation(R)
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    choices = [
        stack(1 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]),
        stack(R[2, 1] - R[1, 2], 1 + 2 * R[0, 0] - trace, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]),
        stack(R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 + 2 * R[1, 1] - trace, R[1, 2] + R[2, 1]),
        stack(R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 + 2 * R[2, 2] - trace),
    ]
    pivots = [trace, R[0, 0], R[1, 1], R[2, 2]]
    best, value = choices[0], pivots[0]
    for choice, pivot in zip(choices[1:], pivots[1:], strict=True):
        best, value = ca.if_else(pivot > value, choice, best), ca.fmax(pivot, value)
    Q = best / norm(best)
    return Q * ca.if_else(Q[0] < 0, -1, 1)


class Body(BodyLook, Massive):
    """A rigid body with one frame: mass, centre of mass, inertia about it (axes parallel to frame_a)."""

    m = parameter(text="mass", unit="kg")
    r_cm = parameter([0.0, 0.0, 0.0], "from frame_a to the centre of mass", "m")
    inertia_tensor = parameter(None, "about the centre of mass, 3×3 or three principal moments", "kg.m2")
    I_11 = parameter(0.001, "inertia about the centre of mass", "kg.m2")
    I_22 = parameter(0.001, "inertia about the centre of mass", "kg.m2")
    I_33 = parameter(0.001, "inertia about the centre of mass", "kg.m2")
    I_21 = parameter(0.0, "inertia about the centre of mass", "kg.m2")
    I_31 = parameter(0.0, "inertia about the centre of mass", "kg.m2")
    I_32 = parameter(0.0, "inertia about the centre of mass", "kg.m2")
    animation = appearance(True, "whether it is shown")

    def __init__(self, m=None, r_cm=None, inertia=None, **given):
        given.update({key: value for key, value in
                      (("m", m), ("r_cm", r_cm), ("inertia_tensor", inertia)) if value is not None})
        super().__init__(**given)
        if "inertia_tensor" in self._parameters and any(f"I_{ij}" in self._parameters
                                                        for ij in ("11", "22", "33", "21", "31", "32")):
            raise ModelError(f"{self.path}: give inertia= or I_11= …, not both.", self)

    def _make_connectors(self):
        self._port("frame_a", Frame())

    def _check(self):
        if np.any(np.asarray(self.m) < 0):
            raise ModelError(f"{self.path}.m = {self.m:g}: a mass cannot be negative.", self)

    def inertia(self, v) -> Inertia:
        if self.inertia_tensor is not None:
            return Inertia(v.m, v.r_cm, v.inertia_tensor)
        return Inertia(v.m, v.r_cm, rows((v.I_11, v.I_21, v.I_31), (v.I_21, v.I_22, v.I_32), (v.I_31, v.I_32, v.I_33)))


class PointMass(PointLook, Massive):
    """A mass without extent or orientation."""

    m = parameter(text="mass", unit="kg")
    animation = appearance(True, "whether it is shown")
    point = True

    _make_connectors = Body._make_connectors
    _check = Body._check

    def inertia(self, v) -> Inertia:
        return Inertia(v.m)


class BodyShape(BodyShapeLook, Body):
    """A rigid body with two frames, frame_b at r in frame_a."""

    r = parameter(text="from frame_a to frame_b, in frame_a", unit="m", shape=(3,))

    def _make_connectors(self):
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def describe(self, plan):
        super().describe(plan)
        plan.rigid(self, self.frame_a, self.frame_b, Transform(None, plan.values(self).r))

    def definitions(self, plan):
        # Modelica's names for the body inside: shape.body.w_a, shape.body.frame_a.r_0 …
        own = super().definitions(plan)
        own.update({f"body.{name}": value for name, value in list(own.items())})
        own["body.frame_a.r_0"] = self.frame_a.r_0
        own["body.frame_a.f"], own["body.frame_a.t"] = self.needed(plan)
        return own


class DensityBody(BodyShape):
    """Base of bodies whose mass and inertia follow from a shape along r − r_shape and a density."""

    m = r_cm = inertia_tensor = I_11 = I_22 = I_33 = I_21 = I_31 = I_32 = None
    shape_type = width_direction = width = height = extra = animate_sphere = sphere_diameter = sphere_color = None
    r_shape = parameter([0.0, 0.0, 0.0], "from frame_a to the start of the shape", "m")
    length = parameter(None, "length of the shape; default the distance from r_shape to r", "m")
    density = parameter(7700.0, "density", "kg/m3")
    length_direction = parameter(None, "direction of the shape; default r − r_shape", structural=True)
    width_fraction = 20.0

    def __init__(self, **given):
        Component.__init__(self, **given)

    def _check(self):
        if np.linalg.norm(np.asarray(self.r) - np.asarray(self.r_shape)) < 1e-10 and self.length is None:
            raise ModelError(f"{self.path}: r and r_shape coincide, so the shape has no length; give r.", self)

    def _axis(self, v):
        """Unit vector along the shape, its length, and the rotation whose x axis is along r."""
        d = ca.SX(v.r - v.r_shape) if is_symbolic(v.r, v.r_shape) else np.asarray(v.r) - np.asarray(v.r_shape)
        length = norm(d) if v.length is None else v.length
        along = d / norm(d) if self.length_direction is None else np.asarray(self.length_direction, dtype=float)
        return along, length

    def _tensor(self, v, I_axis, I_width, I_height, width_direction):
        R = two_axes(v.r, width_direction)
        D = rows((I_axis, 0, 0), (0, I_width, 0), (0, 0, I_height))
        return R @ D @ R.T

    def mass_properties(self, v):
        """(m, r_cm, tensor about the centre of mass)."""
        raise NotImplementedError

    def inertia(self, v) -> Inertia:
        m, r_cm, tensor = self.mass_properties(v)
        if not is_symbolic(tensor):
            tensor = (tensor + tensor.T) / 2
        return Inertia(m, r_cm, tensor)

    def definitions(self, plan):
        m, r_cm, tensor = self.mass_properties(plan.values(self))
        out = super().definitions(plan)
        out.update({"m": ca.SX(m), "r_cm": ca.SX(r_cm), "I": ca.SX(tensor)})
        return out


class BodyBox(DensityBody):
    """A (hollow) box along r with mass and inertia from its density."""

    width_direction = parameter([0.0, 1.0, 0.0], "direction of the width", structural=True)
    width = parameter(None, "width; default length/20", "m")
    height = parameter(None, "height; default width", "m")
    inner_width = parameter(0.0, "width of the hollow", "m")
    inner_height = parameter(None, "height of the hollow; default inner_width", "m")

    def sizes(self, v):
        """(length, width, height, inner width, inner height)."""
        _, length = self._axis(v)
        width = length / self.width_fraction if v.width is None else v.width
        height = width if v.height is None else v.height
        return length, width, height, v.inner_width, v.inner_width if v.inner_height is None else v.inner_height

    def mass_properties(self, v):
        along, length = self._axis(v)
        L, W, H, Wi, Hi = self.sizes(v)
        m_o, m_i = v.density * L * W * H, v.density * L * Wi * Hi
        I_axis = (m_o * (W * W + H * H) - m_i * (Wi * Wi + Hi * Hi)) / 12
        I_width = (m_o * (L * L + H * H) - m_i * (L * L + Hi * Hi)) / 12
        I_height = (m_o * (L * L + W * W) - m_i * (L * L + Wi * Wi)) / 12
        return m_o - m_i, v.r_shape + along * (length / 2), self._tensor(v, I_axis, I_width, I_height,
                                                                           self.width_direction)


class BodyCylinder(DensityBody):
    """A (hollow) cylinder along r with mass and inertia from its density."""

    diameter = parameter(None, "diameter; default length/20", "m")
    inner_diameter = parameter(0.0, "diameter of the bore", "m")

    def _check(self):
        super()._check()
        if self.diameter is not None and self.inner_diameter >= self.diameter:
            raise ModelError(f"{self.path}: inner_diameter = {self.inner_diameter:g} must be smaller than "
                             f"diameter = {self.diameter:g}.", self)

    def sizes(self, v):
        """(length, diameter, inner diameter)."""
        _, length = self._axis(v)
        return length, length / self.width_fraction if v.diameter is None else v.diameter, v.inner_diameter

    def mass_properties(self, v):
        along, _ = self._axis(v)
        L, D, Di = self.sizes(v)
        R, Ri = D / 2, Di / 2
        m_o, m_i = v.density * np.pi * L * R * R, v.density * np.pi * L * Ri * Ri
        I_axis = (m_o * R * R - m_i * Ri * Ri) / 2
        I_across = (m_o * (L * L + 3 * R * R) - m_i * (L * L + 3 * Ri * Ri)) / 12
        tensor = self._tensor(v, I_axis, I_across, I_across, [0.0, 1.0, 0.0])
        return m_o - m_i, v.r_shape + along * (L / 2), tensor


__all__ = [
    "BevelGear1D", "Body", "BodyBox", "BodyCylinder", "BodyShape", "Fixed", "FixedRotation", "FixedTranslation",
    "Mounting1D", "PointMass", "Rotor1D",
]
