"""Rigid parts without mass: fixed points, rods, turned brackets."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...algebra import Array, Transform, VectorLike, axis_rotation, cross, dot, is_symbolic, norm, rotation_from_angles
from ...errors import ModelError
from ...language import Component, Frame, PartsList, axis_sequence, unit_axis
from ...language.fields import appearance, parameter
from ...language.looks import RodLook
from ..tolerances import ACROSS_X, ALONG_FIRST


class Fixed(RodLook, Component):
    """A frame fixed in the world at r."""

    r = parameter([0.0, 0.0, 0.0], "position in the world", "m")
    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_b", Frame())

    def describe(self, plan: PartsList) -> None:
        plan.fixed(self, self.frame_b, Transform(None, plan.values(self).r))


class TwoFrames(Component):
    """Base: a component between frame_a and frame_b."""

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())


class FixedTranslation(RodLook, TwoFrames):
    """A massless rod: frame_b at r in frame_a, axes parallel."""

    r = parameter(text="from frame_a to frame_b, in frame_a", unit="m", shape=(3,))
    animation = appearance(True, "whether it is shown")

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_b, Transform(None, plan.values(self).r))


class FixedRotation(RodLook, TwoFrames):
    """A massless link: frame_b at r in frame_a and turned: about an axis, by two axes, or by three angles."""

    r = parameter([0.0, 0.0, 0.0], "from frame_a to frame_b, in frame_a", "m")
    rotation_type = parameter("axis", "'axis', 'two_axes' or 'sequence'", structural=True)
    n = parameter([1.0, 0.0, 0.0], "axis of rotation")
    angle = parameter(0.0, "angle about n", "rad")
    n_x = parameter([1.0, 0.0, 0.0], "x axis of frame_b in frame_a")
    n_y = parameter([0.0, 1.0, 0.0], "y axis of frame_b in frame_a (made orthogonal)")
    sequence = axis_sequence("axes of the three angles, counted from 1", repeated=True)
    angles = parameter([0.0, 0.0, 0.0], "angles about the axes of the sequence", "rad")
    animation = appearance(True, "whether it is shown")

    def _check(self) -> None:
        if self.rotation_type not in ("axis", "two_axes", "sequence"):
            raise ModelError(f"{self.path}: rotation_type is 'axis', 'two_axes' or 'sequence', "
                             f"not {self.rotation_type!r}.", self)
        for name in {"axis": ("n",), "two_axes": ("n_x", "n_y"), "sequence": ()}[self.rotation_type]:
            unit_axis(self, name)

    def describe(self, plan: PartsList) -> None:
        v = plan.values(self)
        if self.rotation_type == "axis":
            R = axis_rotation(v.n, v.angle)
        elif self.rotation_type == "two_axes":
            R = two_axes(v.n_x, v.n_y)
        else:
            R = rotation_from_angles(self.sequence, v.angles)
        plan.rigid(self, self.frame_a, self.frame_b, Transform(R, v.r))


def two_axes(n_x: VectorLike, n_y: VectorLike) -> Array:
    """The rotation whose x axis is n_x and whose y axis lies in the plane of n_x and n_y (numbers or symbols).

    Where n_y is parallel to n_x another axis is taken, as Modelica's from_nxy does.
    """
    if is_symbolic(n_x, n_y):
        e_x, n_y = ca.SX(n_x / norm(n_x)), ca.SX(n_y)
        e_z = cross(e_x, n_y)
        other = ca.if_else(ca.fabs(e_x[0]) > ACROSS_X, ca.SX([0.0, 1.0, 0.0]), ca.SX([1.0, 0.0, 0.0]))
        e_z = ca.if_else(dot(e_z, e_z) < ALONG_FIRST**2 * dot(n_y, n_y), cross(e_x, other), e_z)
        e_z = e_z / norm(e_z)
        return ca.horzcat(e_x, cross(e_z, e_x), e_z)
    e_x = np.asarray(n_x, dtype=float) / np.linalg.norm(n_x)
    e_z = np.cross(e_x, n_y)
    if np.linalg.norm(e_z) < ALONG_FIRST * np.linalg.norm(n_y):
        e_z = np.cross(e_x, [0.0, 1.0, 0.0] if abs(e_x[0]) > ACROSS_X else [1.0, 0.0, 0.0])
    e_z = e_z / np.linalg.norm(e_z)
    return np.column_stack([e_x, np.cross(e_z, e_x), e_z])
