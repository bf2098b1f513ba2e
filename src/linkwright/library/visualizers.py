"""Shapes without mechanics (Modelica MultiBody.Visualizers): they ride on a frame and put no load on it.

    m.hull = visualizers.FixedShape(shape_type="hull.stl", extra=0)      # a mesh file in its own units
    m.connect(m.body.frame_a, m.hull.frame_a)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import casadi as ca
import numpy as np

from ..algebra import Transform
from ..errors import ModelError
from ..language import Component, Frame, PartsList
from ..language.fields import appearance, colour, parameter, signal
from ..language.looks import ARROW_COLOR, BODY_COLOR, FRAME_COLOR
from .tolerances import NO_LENGTH


class Visualizer(Component):
    """Base: something to see on frame_a."""

    animation = appearance(True, "whether it is shown")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())

    def required_ports(self) -> list[str]:
        return ["frame_a"]

    def describe(self, plan: PartsList) -> None:
        plan.load(self, self.frame_a, ca.SX.zeros(3), ca.SX.zeros(3))

    def _positive(self, *names: str) -> None:
        """Refuse sizes that leave nothing to see."""
        for name in names:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ModelError(f"{self.path}: {name} = {value:g} leaves nothing to see; give a positive size.", self)

    def _direction(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if value is not None and np.linalg.norm(value) < NO_LENGTH:
                raise ModelError(f"{self.path}: {name} has no direction; give a non-zero vector.", self)

    def _mesh_file(self) -> None:
        """A mesh file must be there when the model is made."""
        name = str(self.shape_type)
        if ("/" in name or "." in name) and not Path(name.removeprefix("file://")).is_file():
            raise ModelError(f"{self.path}: there is no mesh file {name!r}; looked in {Path.cwd()}.", self)


class FixedShape(Visualizer):
    """An elementary shape or a mesh file on frame_a.

    `shape_type`: box, sphere, cylinder, cone, pipe, beam, gearwheel, spring, or a file (.stl, .obj, .ply, .glb, .gltf).
    `extra`: cone: ratio of the diameters; pipe: hollow fraction; gearwheel: teeth (< 0: internal); spring: windings;
    file: 0 keeps its own units, 1 scales it to length, width, height.
    """

    shape_type = appearance("box", "kind of shape, or a mesh file")
    r_shape = appearance((0.0, 0.0, 0.0), "from frame_a to the start of the shape", "m")
    length_direction = appearance((1.0, 0.0, 0.0), "direction of the length")
    width_direction = appearance((0.0, 1.0, 0.0), "direction of the width")
    length = appearance(1.0, "length", "m")
    width = appearance(0.1, "width", "m")
    height = appearance(None, "height; default width", "m")
    color = colour(BODY_COLOR, "colour")
    extra = appearance(0.0, "see the class")
    scale = appearance((1.0, 1.0, 1.0), "of a mesh file in its own units: factors along its x, y, z")

    def _check(self) -> None:
        self._positive("length", "width", "height")
        self._direction("length_direction", "width_direction")
        self._mesh_file()


class FixedShape2(FixedShape):
    """A shape along r that is also a massless rigid link: frame_b at r in frame_a, axes parallel."""

    r = parameter([1.0, 0.0, 0.0], "from frame_a to frame_b, in frame_a", "m")
    length_direction = appearance(None, "direction of the length; default r − r_shape")
    length = appearance(None, "length; default the distance from r_shape to r", "m")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def required_ports(self) -> list[str]:
        return []

    def describe(self, plan: PartsList) -> None:
        plan.rigid(self, self.frame_a, self.frame_b, Transform(None, plan.values(self).r))


class FixedFrame(Visualizer):
    """The axes of frame_a with letters."""

    show_labels = appearance(True, "show letters at the axes")
    length = appearance(0.5, "length of the axes", "m")
    diameter = appearance(None, "their diameter; default length/default_frame_diameter_fraction", "m")
    color_x = colour(FRAME_COLOR, "colour of x")
    color_y = colour(None, "colour of y; default that of x")
    color_z = colour(None, "colour of z; default that of x")

    def _check(self) -> None:
        self._positive("length", "diameter")


class FixedArrow(Visualizer):
    """An arrow of constant length in frame_a."""

    r_tail = appearance((0.0, 0.0, 0.0), "where it starts (or ends, with head_at_origin)", "m")
    n = appearance((1.0, 0.0, 0.0), "direction")
    length = appearance(0.1, "length", "m")
    diameter = appearance(None, "diameter; default default_arrow_diameter", "m")
    color = colour(ARROW_COLOR, "colour")
    head_at_origin = appearance(False, "the head is at r_tail, not the tail")

    def _check(self) -> None:
        self._positive("length", "diameter")
        self._direction("n")


class SignalArrow(Visualizer):
    """An arrow in frame_a whose vector is a signal."""

    r_head = signal([0.0, 0.0, 0.0], "from tail to head, in frame_a", "m", (3,), opens=False)
    r_tail = appearance((0.0, 0.0, 0.0), "where it starts", "m")
    diameter = appearance(None, "diameter; default default_arrow_diameter", "m")
    color = colour(ARROW_COLOR, "colour")
    head_at_origin = appearance(False, "the head is at r_tail, not the tail")


class Rectangle(Visualizer):
    """A flat rectangle centred on frame_a."""

    direction_u = appearance((1.0, 0.0, 0.0), "first direction")
    direction_v = appearance((0.0, 1.0, 0.0), "second direction (made perpendicular)")
    length_u = appearance(3.0, "size along u", "m")
    length_v = appearance(1.0, "size along v", "m")
    nu = appearance(3, "points along u")
    nv = appearance(2, "points along v")
    wireframe = appearance(False, "edges only")
    color = colour(BODY_COLOR, "colour")
    transparency = appearance(0.0, "0 opaque … 1 unseen")

    def _check(self) -> None:
        self._positive("length_u", "length_v")
        self._direction("direction_u", "direction_v")


class Ground(Rectangle):
    """A ground through frame_a, perpendicular to gravity: to the horizon, or a plate where a length is given."""

    direction_u = appearance(None, "first direction; default x, or y where gravity is along x")
    direction_v = None
    length_u = appearance(None, "size along u; default: without end, or length_v", "m")
    length_v = appearance(None, "size along v; default length_u", "m")
    color = colour((200, 200, 200), "colour")

    def _check(self) -> None:
        self._positive("length_u", "length_v")


class Torus(Visualizer):
    """A torus about z of frame_a."""

    R = appearance(0.5, "radius to the middle of the tube", "m")
    r = appearance(0.1, "radius of the tube", "m")
    opening = appearance(0.0, "angle cut out of the tube's inside", "rad")
    start_angle = appearance(-np.pi, "where the sector begins", "rad")
    stop_angle = appearance(np.pi, "where it ends", "rad")
    n_R = appearance(40, "points along the ring")
    n_r = appearance(20, "points around the tube")
    wireframe = appearance(False, "edges only")
    color = colour(BODY_COLOR, "colour")
    transparency = appearance(0.0, "0 opaque … 1 unseen")

    def _check(self) -> None:
        self._positive("R", "r")


class VoluminousWheel(Visualizer):
    """A tyre about y of frame_a."""

    r_tire = appearance(0.25, "radius of the tyre", "m")
    r_rim = appearance(0.14, "radius of the rim", "m")
    width = appearance(0.25, "width", "m")
    r_curvature = appearance(0.30, "radius of the tread's curvature", "m")
    n_r_tire = appearance(40, "points around")
    n_r_curvature = appearance(20, "points across")
    color = colour((64, 64, 64), "colour")

    def _check(self) -> None:
        self._positive("r_tire", "r_rim", "width", "r_curvature")
        if self.r_rim >= self.r_tire:
            raise ModelError(f"{self.path}: r_rim = {self.r_rim:g} must be smaller than r_tire = {self.r_tire:g}.",
                             self)
        if 2 * self.r_curvature < self.width:
            raise ModelError(f"{self.path}: r_curvature = {self.r_curvature:g} cannot span the width {self.width:g}; "
                             "it must be at least half of it.", self)


class PipeWithScalarField(Visualizer):
    """A pipe along x of frame_a, coloured by a field T given at the positions xsi (0 … 1) along it.

    `T` is a list of numbers or expressions, as many as there are positions.
    """

    r_outer = appearance(0.1, "radius", "m")
    length = appearance(1.0, "length", "m")
    T = parameter(text="values of the field, numbers or expressions", structural=True)
    T_min = appearance(0.0, "value of the first colour")
    T_max = appearance(1.0, "value of the last colour")
    xsi = appearance(None, "positions along the pipe; default equally spaced")
    color_map = appearance("jet", "name of a colour map: jet, hot, gray, spring, summer, autumn, winter")
    n_colors = appearance(64, "colours in the map")
    n_length = appearance(20, "rings along the pipe")
    transparency = appearance(0.0, "0 opaque … 1 unseen")

    def _check(self) -> None:
        self._positive("r_outer", "length")
        if not isinstance(self.T, Sequence) or len(self.T) < 1:
            raise ModelError(f"{self.path}: T needs a list of values along the pipe.", self)
        if self.xsi is not None and len(self.xsi) != len(self.T):
            raise ModelError(f"{self.path}: {len(self.T)} values T but {len(self.xsi)} positions xsi.", self)
        if not self.T_max > self.T_min:
            raise ModelError(f"{self.path}: T_max = {self.T_max:g} must lie above T_min = {self.T_min:g}.", self)

    def definitions(self, plan: PartsList) -> dict:
        return {"T": ca.vertcat(*[ca.SX(value) for value in self.T])}


class Surface(Visualizer):
    """A surface on frame_a: function(u, v, t) returns x, y, z for arrays u, v from 0 to 1 and the time t."""

    function = appearance(None, "function(u, v, t) → (x, y, z)")
    nu = appearance(20, "points along u")
    nv = appearance(20, "points along v")
    wireframe = appearance(False, "edges only")
    color = colour(BODY_COLOR, "colour")
    transparency = appearance(0.0, "0 opaque … 1 unseen")

    def _check(self) -> None:
        if not callable(self.function):
            raise ModelError(f"{self.path}: give function=f with f(u, v, t) → (x, y, z).", self)
        if self.nu < 2 or self.nv < 2:
            raise ModelError(f"{self.path}: a surface needs at least 2 × 2 points, got {self.nu} × {self.nv}.", self)


class Lines(Visualizer):
    """Polylines on frame_a: a list of lists of points."""

    lines = parameter(text="lists of points (x, y, z)", unit="m", structural=True)
    color = colour(FRAME_COLOR, "colour")

    def _check(self) -> None:
        try:
            good = all(np.asarray(line, dtype=float).shape[1:] == (3,) and len(line) > 1 for line in self.lines)
        except (TypeError, ValueError):
            good = False
        if not good or not len(self.lines):
            raise ModelError(f"{self.path}: lines are lists of at least two points (x, y, z).", self)


class Text(Visualizer):
    """A text at a point of frame_a."""

    text = appearance("", "what it says")
    r_text = appearance((0.0, 0.0, 0.0), "where it stands", "m")
    height = appearance(None, "height of the letters; default default_joint_length", "m")

    def _check(self) -> None:
        self._positive("height")


__all__ = [
    "FixedArrow", "FixedFrame", "FixedShape", "FixedShape2", "Ground", "Lines", "PipeWithScalarField", "Rectangle",
    "SignalArrow", "Surface", "Text", "Torus", "Visualizer", "VoluminousWheel",
]
