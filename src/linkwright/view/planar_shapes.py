"""Default shapes of planar components: the same kinds as in space, in the plane, with that library's darker colours."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from ..language.planar_world import world_of
from ..library import planar
from .defaults import ball, given, number, port, shown_as, solid
from .force_shapes import damper, helix
from .joint_shapes import axis_cylinder, between
from .shapes import Point, Shape, arrow, axes_cross, fixed_arrow

BODY, ROD, JOINT = (0, 103, 200), (115, 115, 115), (200, 0, 0)
FORCE, SPRING, SENSOR, FRAME = (0, 100, 0), (0, 0, 200), (200, 200, 0), (85, 85, 200)


def planar_sizes(world) -> SimpleNamespace:
    """Default sizes of a planar world, from its nominal length."""
    L = float(world.nominal_length)
    return SimpleNamespace(
        nominal_length=L, default_joint_length=L / 10, default_joint_width=L / 10, default_body_diameter=L / 9,
        default_arrow_diameter=L / 40, default_force_length=L / 10, default_force_width=L / 10, axis_length=L / 2,
        axis_diameter=L / 80, default_width_fraction=float(world.default_width_fraction),
        default_n_to_m=float(world.default_n_to_m), default_nm_to_m=float(world.default_nm_to_m))


def in_plane(component):
    """(sizes, world) of the plane a component lives in."""
    world = world_of(component)
    return planar_sizes(world), world


def shown_in_plane(*classes: type) -> Callable:
    """Register shapes of planar components: a function (component, sizes) → shapes."""

    def keep(function: Callable) -> Callable:
        @shown_as(*classes)
        def shapes(c, s, world):
            own, plane = in_plane(c)
            return function(c, own) if plane.enable_animation else ()

        return function

    return keep


@shown_as(planar.World)
def _world(c, s, world):
    own = planar_sizes(c)
    if not c.enable_animation:
        return
    frame = None if c.carrier is None else port(c, "frame_3d")
    if c.animate_world:
        yield from axes_cross(f"{c.path}.axes", frame, own.axis_length, own.axis_diameter, (FRAME,) * 3, "world")
    if c.animate_gravity and c.carrier is None and c.g:
        n = np.array([*np.asarray(c.n, dtype=float), 0.0])
        yield from fixed_arrow(f"{c.path}.gravity", frame, (0, 0, 0), n / np.linalg.norm(n) * own.axis_length / 2,
                               own.axis_length / 40, (0, 180, 0), "world")


@shown_in_plane(planar.Fixed)
def _fixed(c, s):
    d = s.default_joint_width
    yield solid(f"{c.path}.box", "box", (d, d, d), ROD, port(c, "frame"), (-d / 2, 0, 0), (1, 0, 0), (0, 1, 0), 0.0,
                "parts")


@shown_in_plane(planar.FixedTranslation)
def _translation(c, s):
    r = np.array([*number(c, "r"), 0.0])
    length = float(np.linalg.norm(r))
    if length > 1e-12:
        width = length / s.default_width_fraction
        yield solid(f"{c.path}.shape", "cylinder", (length, width, width), ROD, port(c, "frame_a"), (0, 0, 0), r,
                    (0, 0, 1), 0.0, "parts")


@shown_in_plane(planar.FixedRotation)
def _rotation(c, s):
    yield axis_cylinder(f"{c.path}.cylinder", port(c, "frame_a"), (0, 0, 1), s.default_joint_length,
                        s.default_joint_width, ROD).on("parts")


@shown_in_plane(planar.Body)
def _body(c, s):
    yield ball(f"{c.path}.sphere", s.default_body_diameter, BODY, port(c, "frame_a"))


@shown_in_plane(planar.Revolute, planar.Joint)
def _revolute(c, s):
    yield axis_cylinder(f"{c.path}.axis", port(c, "frame_a"), (0, 0, 1), s.default_joint_length,
                        s.default_joint_width, JOINT)


@shown_in_plane(planar.Prismatic)
def _prismatic(c, s):
    width = s.default_joint_width / 2
    yield between(f"{c.path}.box", "box", c, "frame_a", "frame_b", width, width, JOINT, (0, 0, 1))


def _look(c, s):
    """What springs and dampers of space have as fields."""
    return SimpleNamespace(path=c.path, width=None, coil_width=None, number_of_windings=5, color=SPRING,
                           length_a=None, diameter_a=None, diameter_b=None, color_a=(100, 100, 100),
                           color_b=(155, 155, 155))


@shown_in_plane(planar.Spring)
def _spring(c, s):
    yield helix(_look(c, s), s)


@shown_in_plane(planar.Damper)
def _damper(c, s):
    return damper(_look(c, s), s)


@shown_in_plane(planar.SpringDamper)
def _spring_damper(c, s):
    yield from damper(_look(c, s), s)
    yield helix(_look(c, s), s)


@shown_in_plane(planar.LineForce, planar.TwoFrameForce)
def _line(c, s):
    yield between(f"{c.path}.line", "cylinder", c, "frame_a", "frame_b", s.default_arrow_diameter,
                  s.default_arrow_diameter, SENSOR, layer="forces")


@shown_in_plane(planar.IdealWheelJoint, planar.DryFrictionWheelJoint, planar.SlipBasedWheelJoint, planar.IdealRolling,
                planar.DryFrictionBasedRolling)
def _wheel(c, s):
    """A wheel that stands on the plane (its axle across the driving direction), or one that rolls along x in it."""
    if "WheelJoint" in type(c).__name__:
        d = float(given(getattr(c, "diameter", None), 0.1 * s.nominal_length))
        width = 0.6 * d
        r = np.array([*np.asarray(c.r, dtype=float), 0.0])
        across = np.cross([0, 0, 1], r / np.linalg.norm(r))
        yield solid(f"{c.path}.wheel", "cylinder", (width, d, d), (30, 30, 30), port(c, "frame_a"), -across * width / 2,
                    across, (0, 0, 1), 0.0, "joints")
    else:
        radius = number(c, "R") if "R" in type(c).fields() else number(c, "radius")
        d = 2 * float(radius)
        yield solid(f"{c.path}.wheel", "pipe", (0.05 * d, d, d), (30, 30, 30), port(c, "frame_a"), (0, 0, -0.025 * d),
                    (0, 0, 1), (1, 0, 0), 0.9, "joints")


@shown_in_plane(planar.WorldForce, planar.QuadraticSpeedDependentForce)
def _world_force(c, s):
    return plane_arrows(c, s, ("frame_b",))


@shown_in_plane(planar.RelativeForce)
def _relative_force(c, s):
    return plane_arrows(c, s, ("frame_a", "frame_b"))


def plane_arrows(c, s, frames) -> list[Shape]:
    """Force arrows at planar frames."""
    out = []
    for frame in frames:
        if frame in c._connectors:
            at = port(c, frame)
            for name, direction in (("fx", (1.0, 0, 0)), ("fy", (0, 1.0, 0))):
                tail = Point(at, variable=f"{at}.{name}", scale=1.0 / s.default_n_to_m, direction=direction)
                out += arrow(f"{c.path}.{frame}.{name}", tail, Point(at), s.default_arrow_diameter, FORCE, "forces")
    return out


@shown_in_plane(planar.Distance, planar.RelativePosition)
def _relative(c, s):
    return arrow(f"{c.path}.arrow", Point(port(c, "frame_a")), Point(port(c, "frame_b")), s.default_arrow_diameter,
                 SENSOR, "sensors")


@shown_in_plane(planar.RigidNoLossExternal, planar.RigidNoLossInternal)
def _gears(c, s):
    for end, rgb, sign in (("a", (195, 0, 0), 1), ("b", (0, 0, 195), -1 if "Internal" in type(c).__name__ else 1)):
        d = 2 * float(number(c, f"r_{end}"))
        teeth = 20.0 if end == "a" else 20.0 * float(number(c, "r_b")) / float(number(c, "r_a"))
        yield solid(f"{c.path}.wheel_{end}", "gearwheel", (0.1 * d, d, d), rgb, port(c, f"frame_{end}"),
                    (0, 0, -0.05 * d), (0, 0, 1), (1, 0, 0), sign * round(teeth), "joints")

