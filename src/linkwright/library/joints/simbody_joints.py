"""Joints after Simbody's mobilizers, with coordinates q and speeds u."""

from __future__ import annotations

from types import SimpleNamespace

import casadi as ca

from ...algebra import Transform
from ...errors import ModelError
from ...language import Joint, PartsList, call_law
from ...language.fields import parameter, variable
from ...mechanism import Mobilizer, kinds
from .bounds import Bearings
from .free_joints import relative_orientation, relative_position


class _Kind(Joint):
    """Base: a joint of one of the engine's kinds."""

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        """The kind, from parameter values."""
        raise NotImplementedError

    def mobilizer(self, plan: PartsList) -> tuple:
        return self.kind(plan.values(self)), Transform(), Transform()


class Gimbal(Bearings, _Kind):
    """3 dof: body-fixed x-y-z angles, each with its own bearing, which may have friction."""

    dof = 3

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.Gimbal()


class BendStretch(_Kind):
    """2 dof: angle about z, then distance along the turned x."""

    dof = 2

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.BendStretch()


class Translation(_Kind):
    """3 dof: position x, y, z of frame_b in frame_a."""

    dof = 3

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.Translation()


class Bushing(_Kind):
    """6 dof: x-y-z angles, then x, y, z of frame_b in frame_a."""

    dof = 6

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.Bushing()


class CantileverFreeBeam(_Kind):
    """3 dof: the free end of an end-loaded cantilever along z."""

    dof = 3
    length = parameter(1.0, "length of the beam", "m")

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.CantileverFreeBeam(values.length)


class SphericalCoords(_Kind):
    """3 dof: azimuth about z, zenith about the new y, radius along z (or x) of frame_b."""

    dof = 3
    azimuth_offset = parameter(0.0, "offset of the azimuth", "rad")
    zenith_offset = parameter(0.0, "offset of the zenith", "rad")
    negative_azimuth = parameter(False, "count the azimuth backwards", structural=True)
    negative_zenith = parameter(False, "count the zenith backwards", structural=True)
    negative_radius = parameter(False, "count the radius backwards", structural=True)
    radial_axis = parameter("z", "axis of frame_b along the radius, 'x' or 'z'", structural=True)

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.SphericalCoords(values.azimuth_offset, values.zenith_offset, self.negative_azimuth,
                                     self.negative_zenith, self.negative_radius, self.radial_axis)


class Ellipsoid(_Kind):
    """3 dof: rotates like Spherical, while frame_b moves on an ellipsoid fixed in frame_a."""

    dof = 3
    q_size = 4
    radii = parameter([1.0, 1.0, 1.0], "half axes of the ellipsoid", "m")

    def _check(self) -> None:
        if any(radius <= 0 for radius in self.radii):
            raise ModelError(f"{self.path}.radii = {tuple(self.radii)}: every half axis must be positive.", self)

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.Ellipsoid(tuple(values.radii[k] for k in range(3)))


class LineOrientation(_Kind):
    """2 dof: direction of the z axis of frame_b, which does not spin about it."""

    dof = 2
    q_size = 4

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.LineOrientation()


class FreeLine(_Kind):
    """5 dof: direction of the z axis of frame_b, and its position; for straight bodies without spin about their axis.

    q are a quaternion from frame_a to frame_b and the position, u (ω_x, ω_y, v) in frame_b.

        FreeLine(r_rel_a=[0, 0, 1], v_rel_a=[2, 0, 0], e_rel_a=[1, 0, 0])
    """

    dof = 5
    q_size = 7
    r_rel_a = variable("position of frame_b in frame_a", "m", (3,), initial=True)
    v_rel_a = variable("its derivative", "m/s", (3,), initial=True)
    e_rel_a = variable("direction of the z axis of frame_b in frame_a", "1", (3,), initial=True)
    e_rate_a = variable("its derivative", "1/s", (3,), initial=True)

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        return kinds.FreeLine()

    def definitions(self, plan: PartsList) -> dict:
        r, v, _ = relative_position(self.frame_a, self.frame_b)
        R_ab, w_b, _ = relative_orientation(self.frame_a, self.frame_b)
        return {**super().definitions(plan), "r_rel_a": r, "v_rel_a": v, "e_rel_a": R_ab[:, 2],
                "e_rate_a": R_ab @ ca.vertcat(w_b[1], -w_b[0], 0)}


class FunctionBased(_Kind):
    """1–6 dof: three rotations and three translations, each a function f(q) of the coordinates along its own axis."""

    functions = parameter(text="six functions f(q): three angles, three distances; None for zero", structural=True)
    axes = parameter(((1, 0, 0), (0, 1, 0), (0, 0, 1)) * 2, "six axes", structural=True)
    degrees = parameter(1, "number of coordinates", structural=True)

    @property
    def dof(self) -> int:  # type: ignore[override]  # here it follows from a parameter
        return self.degrees

    def kind(self, values: SimpleNamespace) -> Mobilizer:
        functions = tuple(f if f is None else lambda q, f=f: call_law(self, "a function of q", f, q)
                          for f in self.functions)
        return kinds.FunctionBased(self.degrees, functions, tuple(map(tuple, self.axes)))
