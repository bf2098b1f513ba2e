"""Default shapes of planar components: the same kinds as in space, in the plane, with that library's darker colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ..algebra import axis_rotation
from ..language.looks import BODY_COLOR, FORCE_COLOR, FRAME_COLOR, JOINT_COLOR, ROD_COLOR, SENSOR_COLOR, SPRING_COLOR
from ..language.planar_world import world_of
from ..language.world_sizes import told
from ..library import planar
from .default_shapes import ball, given, number, port, shown_as, solid
from .force_shapes import damper, helix
from .joint_shapes import axis_cylinder, between
from .meshes import unit_mesh
from .scene_data import Point, Shape, arrow, axes_cross, fixed_arrow
from .sizes import load_scale, rod_width
from .tolerances import NO_LENGTH

if TYPE_CHECKING:
    from ..language import Component, World


def planar_sizes(world: planar.World, length: float = 1.0) -> SimpleNamespace:
    """Default sizes of a planar world, from its nominal length, or that of the mechanism."""
    L = float(given(told(world, "nominal_length"), length))
    return SimpleNamespace(
        nominal_length=L, default_joint_length=L / 10, default_joint_width=L / 10, default_body_diameter=L / 9,
        default_arrow_diameter=L / 40, default_force_length=L / 10, default_force_width=L / 10, axis_length=L / 2,
        axis_diameter=L / 80, default_width_fraction=float(world.default_width_fraction),
        default_n_to_m=told(world, "default_n_to_m"), default_nm_to_m=told(world, "default_nm_to_m"))


def shown_in_plane(*classes: type) -> Callable:
    """Register shapes of planar components: a function (component, sizes) → shapes."""

    def keep(function: Callable) -> Callable:
        @shown_as(*classes)
        def shapes(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
            plane = world_of(c)
            shown = function(c, planar_sizes(plane, s.nominal_length)) if plane.enable_animation else ()
            return [raised(shape, float(plane.default_z_position)) for shape in shown]

        return function

    return keep


def raised(shape: Shape, z: float) -> Shape:
    """The same shape further along the normal of the plane."""
    if not z:
        return shape
    if shape.span is None:
        return replace(shape, origin=(*shape.origin[:2], shape.origin[2] + z))
    start, end = (replace(p, offset=(*p.offset[:2], p.offset[2] + z)) for p in (shape.span.start, shape.span.end))
    return replace(shape, span=replace(shape.span, start=start, end=end))


@shown_as(planar.World)
def _world(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    own = planar_sizes(c, s.nominal_length)
    if not c.enable_animation:
        return
    frame = None if c.carrier is None else port(c, "frame_3d")
    if c.animate_world:
        # the normal points at the viewer, and would cover what is behind it
        yield from axes_cross(f"{c.path}.axes", frame, own.axis_length, own.axis_diameter, (FRAME_COLOR,) * 3, "world",
                              shown="xy" if c.carrier is None else "xyz")
    if c.animate_gravity and c.carrier is None and c.g:
        n = np.array([*np.asarray(c.n, dtype=float), 0.0])
        yield from fixed_arrow(f"{c.path}.gravity", frame, (0, 0, 0), n / np.linalg.norm(n) * own.axis_length / 2,
                               own.axis_length / 40, (0, 180, 0), "world")


@shown_in_plane(planar.Fixed)
def _fixed(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    d = s.default_joint_width
    # less deep than the joint that sits on it, so that no faces lie in one plane
    yield solid(f"{c.path}.box", "box", (1.2 * d, 1.2 * d, 0.8 * d), ROD_COLOR, port(c, "frame"), (-0.6 * d, 0, 0),
                (1, 0, 0), (0, 1, 0), 0.0, "parts")


@shown_in_plane(planar.FixedTranslation)
def _translation(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    r = np.array([*number(c, "r"), 0.0])
    length = float(np.linalg.norm(r))
    if length > NO_LENGTH:
        width = rod_width(s, length)
        yield solid(f"{c.path}.shape", "cylinder", (length, width, width), ROD_COLOR, port(c, "frame_a"), (0, 0, 0), r,
                    (0, 0, 1), 0.0, "parts")


@shown_in_plane(planar.FixedRotation)
def _rotation(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    yield axis_cylinder(f"{c.path}.cylinder", port(c, "frame_a"), (0, 0, 1), s.default_joint_length,
                        s.default_joint_width, ROD_COLOR).on("parts")


@shown_in_plane(planar.Body)
def _body(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    yield ball(f"{c.path}.sphere", s.default_body_diameter, BODY_COLOR, port(c, "frame_a"))


@shown_in_plane(planar.Revolute, planar.Joint)
def _revolute(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    yield axis_cylinder(f"{c.path}.axis", port(c, "frame_a"), (0, 0, 1), s.default_joint_length,
                        s.default_joint_width, JOINT_COLOR)


@shown_in_plane(planar.Prismatic)
def _prismatic(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    width = s.default_joint_width / 2
    yield between(f"{c.path}.box", "box", c, "frame_a", "frame_b", width, width, JOINT_COLOR, (0, 0, 1))


def _look(c: Component, s: SimpleNamespace) -> SimpleNamespace:
    """What springs and dampers of space have as fields."""
    return SimpleNamespace(path=c.path, width=None, coil_width=None, number_of_windings=5, color=SPRING_COLOR,
                           length_a=None, diameter_a=None, diameter_b=None, color_a=(100, 100, 100),
                           color_b=(155, 155, 155))


@shown_in_plane(planar.Spring)
def _spring(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    yield helix(_look(c, s), s)


@shown_in_plane(planar.Damper)
def _damper(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    return damper(_look(c, s), s)


@shown_in_plane(planar.SpringDamper)
def _spring_damper(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    yield from damper(_look(c, s), s)
    yield helix(_look(c, s), s)


@shown_in_plane(planar.LineForce, planar.TwoFrameForce)
def _line(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    yield between(f"{c.path}.line", "cylinder", c, "frame_a", "frame_b", s.default_arrow_diameter,
                  s.default_arrow_diameter, SENSOR_COLOR, layer="forces")


class _Mark:
    """A bar through a wheel that turns with it, seen on its sides and on its tread."""

    def __init__(self, angle: str, size: tuple[float, float, float], across: np.ndarray):
        self.variables, self.across = (angle,), across
        vertices, faces = unit_mesh("box")
        ahead = np.cross(across, [0.0, 0.0, 1.0])
        axes = np.column_stack([[0.0, 0.0, 1.0], ahead, across])
        self.mesh = (vertices - [0.5, 0.0, 0.0]) * size @ axes.T, faces

    def vertices(self, t: np.ndarray, values: dict[str, np.ndarray]) -> np.ndarray:
        """Vertices (nt, n, 3)."""
        return np.stack([self.mesh[0] @ axis_rotation(self.across, float(phi)).T
                         for phi in np.broadcast_to(values[self.variables[0]], np.shape(t))])


@shown_in_plane(planar.IdealWheelJoint, planar.DryFrictionWheelJoint, planar.SlipBasedWheelJoint, planar.IdealRolling,
                planar.DryFrictionBasedRolling)
def _wheel(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    """A wheel that stands on the plane (its axle across the driving direction), or one that rolls along x in it."""
    if "WheelJoint" in type(c).__name__:
        d = 2 * float(number(c, "radius"))
        width = 0.4 * d
        r = np.array([*np.asarray(c.r, dtype=float), 0.0])
        across = np.cross([0, 0, 1], r / np.linalg.norm(r))
        yield solid(f"{c.path}.wheel", "cylinder", (width, d, d), (30, 30, 30), port(c, "frame_a"), -across * width / 2,
                    across, (0, 0, 1), 0.0, "joints")
        yield Shape(f"{c.path}.mark", "box", (1.0, 1.0, 1.0), (110, 110, 110), port(c, "frame_a"), layer="joints",
                    data=_Mark(f"{c.path}.phi_roll", (1.03 * d, 0.12 * d, 1.03 * width), across))
    else:
        radius = number(c, "R") if "R" in type(c).fields() else number(c, "radius")
        d = 2 * float(radius)
        yield solid(f"{c.path}.wheel", "pipe", (0.05 * d, d, d), (30, 30, 30), port(c, "frame_a"), (0, 0, -0.025 * d),
                    (0, 0, 1), (1, 0, 0), 0.9, "joints")
        # a spoke, so that it is seen to turn
        yield solid(f"{c.path}.spoke", "box", (0.9 * d, 0.06 * d, 0.03 * d), (110, 110, 110), port(c, "frame_a"),
                    (-0.45 * d, 0, 0), (1, 0, 0), (0, 1, 0), 0.0, "joints")


@shown_in_plane(planar.CutForce, planar.CutTorque, planar.CutForceAndTorque)
def _cut_sensor(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    """The force as an arrow in the plane, the torque as one along the normal, with their heads at the cut."""
    at, sign = port(c, "frame_a"), -1.0 if c.positive_sign else 1.0
    if "Force" in type(c).__name__:
        for name, direction in (("fx", (sign, 0, 0)), ("fy", (0, sign, 0))):
            tail = Point(at, variable=f"{at}.{name}", direction=direction, **load_scale(s, "force"))
            yield from arrow(f"{c.path}.{name}", tail, Point(at), s.default_arrow_diameter, FORCE_COLOR, "sensors")
    if "Torque" in type(c).__name__:
        tail = Point(at, variable=f"{at}.t", direction=(0, 0, sign), **load_scale(s, "torque"))
        yield from arrow(f"{c.path}.t", tail, Point(at), s.default_arrow_diameter, SENSOR_COLOR, "sensors", double=True)


@shown_in_plane(planar.WorldForce, planar.QuadraticSpeedDependentForce)
def _world_force(c: Component, s: SimpleNamespace) -> list[Shape]:
    return plane_arrows(c, s, ("frame_b",))


@shown_in_plane(planar.RelativeForce)
def _relative_force(c: Component, s: SimpleNamespace) -> list[Shape]:
    return plane_arrows(c, s, ("frame_a", "frame_b"))


def plane_arrows(c: Component, s: SimpleNamespace, frames: Sequence[str]) -> list[Shape]:
    """Force arrows at planar frames."""
    out = []
    for frame in frames:
        if frame in c._connectors:
            at = port(c, frame)
            for name, direction in (("fx", (1.0, 0, 0)), ("fy", (0, 1.0, 0))):
                tail = Point(at, variable=f"{at}.{name}", direction=direction, **load_scale(s, "force"))
                out += arrow(f"{c.path}.{frame}.{name}", tail, Point(at), s.default_arrow_diameter, FORCE_COLOR,
                             "forces")
    return out


@shown_in_plane(planar.Distance, planar.RelativePosition)
def _relative(c: Component, s: SimpleNamespace) -> list[Shape]:
    return arrow(f"{c.path}.arrow", Point(port(c, "frame_a")), Point(port(c, "frame_b")), s.default_arrow_diameter,
                 SENSOR_COLOR, "sensors")


@shown_in_plane(planar.RigidNoLossExternal, planar.RigidNoLossInternal)
def _gears(c: Component, s: SimpleNamespace) -> Iterator[Shape]:
    for end, rgb, sign in (("a", (195, 0, 0), 1), ("b", (0, 0, 195), -1 if "Internal" in type(c).__name__ else 1)):
        d = 2 * float(number(c, f"r_{end}"))
        teeth = 20.0 if end == "a" else 20.0 * float(number(c, "r_b")) / float(number(c, "r_a"))
        yield solid(f"{c.path}.wheel_{end}", "gearwheel", (0.1 * d, d, d), rgb, port(c, f"frame_{end}"),
                    (0, 0, -0.05 * d), (0, 0, 1), (1, 0, 0), sign * round(teeth), "joints")

