"""Default shapes of joints, constraints and loop assemblies: red axes, boxes and balls."""

from __future__ import annotations

import numpy as np

from ..components.looks import JOINT_COLOR, SENSOR_COLOR
from .defaults import ball, colour, given, port, shown_as
from .shapes import Point, Shape, Span, along, arrow


def axis_cylinder(name, frame, n, length, diameter, rgb) -> Shape:
    """A cylinder centred on a frame's origin, along n."""
    e = np.asarray(n, dtype=float) / np.linalg.norm(n)
    return Shape(name, "cylinder", (float(length), float(diameter), float(diameter)), colour(rgb), frame,
                 tuple(-e * length / 2), along(e), layer="joints")


def between(name, kind, c, a, b, width, height, rgb, roll=(0.0, 1.0, 0.0), extra=0.0, layer="joints") -> Shape:
    """A shape from one frame of a component to another."""
    return Shape(name, kind, (0.0, float(width), float(height)), colour(rgb), extra=extra, layer=layer,
                 span=Span(Point(port(c, a)), Point(port(c, b)), roll=tuple(roll), roll_frame=port(c, a)))


def _cylinder_sizes(c, s):
    return (float(given(c.cylinder_length, s.default_joint_length)),
            float(given(c.cylinder_diameter, s.default_joint_width)))


@shown_as("joints.Revolute", "joints.Screw", "joints.RevolutePlanarLoopConstraint",
          "joints.RevoluteWithLengthConstraint", "constraints.RevolutePlanarLoopConstraint")
def _revolute(c, s, world):
    yield axis_cylinder(f"{c.path}.axis", port(c, "frame_a"), c.n, *_cylinder_sizes(c, s), c.cylinder_color)


@shown_as("joints.Prismatic", "joints.PrismaticWithLengthConstraint")
def _prismatic(c, s, world):
    width = float(given(c.box_width, s.default_joint_width))
    yield between(f"{c.path}.box", "box", c, "frame_a", "frame_b", width, given(c.box_height, width), c.box_color,
                  c.box_width_direction)


@shown_as("joints.Cylindrical")
def _cylindrical(c, s, world):
    width = float(given(c.cylinder_diameter, s.default_joint_width))
    yield between(f"{c.path}.cylinder", "cylinder", c, "frame_a", "frame_b", width, width, c.cylinder_color)


@shown_as("joints.Universal")
def _universal(c, s, world):
    for axis, frame in (("a", "frame_a"), ("b", "frame_b")):
        yield axis_cylinder(f"{c.path}.axis_{axis}", port(c, frame), getattr(c, f"n_{axis}"), *_cylinder_sizes(c, s),
                            c.cylinder_color)


@shown_as("joints.Planar")
def _planar(c, s, world):
    length, diameter = _cylinder_sizes(c, s)
    width = float(given(c.box_width, 0.3 * diameter))
    height = float(given(c.box_height, width))
    n = np.asarray(c.n, dtype=float) / np.linalg.norm(c.n)
    y = np.cross(n, c.n_x)
    y /= np.linalg.norm(y)
    x = np.cross(y, n)
    a = port(c, "frame_a")
    corner = Point(a, variable=f"{c.path}.s_x", axes=a, direction=tuple(x))
    yield Shape(f"{c.path}.box_x", "box", (0.0, width, height), colour(c.box_color), layer="joints",
                span=Span(Point(a), corner, roll=tuple(n), roll_frame=a))
    yield Shape(f"{c.path}.box_y", "box", (0.0, width, height), colour(c.box_color), layer="joints",
                span=Span(corner, Point(port(c, "frame_b")), roll=tuple(n), roll_frame=a))
    yield axis_cylinder(f"{c.path}.axis", port(c, "frame_b"), n, length, diameter, c.cylinder_color)


@shown_as("joints.Spherical")
def _spherical(c, s, world):
    yield ball(f"{c.path}.sphere", float(given(c.sphere_diameter, s.default_joint_length)), c.sphere_color,
               port(c, "frame_a"), layer="joints")


@shown_as("joints.Gimbal", "joints.Ellipsoid", "joints.LineOrientation")
def _ball_like(c, s, world):
    yield ball(f"{c.path}.sphere", s.default_joint_length, JOINT_COLOR, port(c, "frame_b"), layer="joints")


@shown_as("joints.FreeMotion", "joints.FreeMotionScalarInit", "joints.Bushing", "joints.FreeLine", "joints.Translation")
def _free(c, s, world):
    yield from arrow(f"{c.path}.arrow", Point(port(c, "frame_a")), Point(port(c, "frame_b")), s.default_arrow_diameter,
                     colour(getattr(c, "arrow_color", SENSOR_COLOR)), "joints")


@shown_as("joints.Joint")
def _any_joint(c, s, world):
    """A joint of the user's own: a ball at frame_a and a line to frame_b."""
    yield ball(f"{c.path}.sphere", s.default_joint_length / 2, JOINT_COLOR, port(c, "frame_a"), layer="joints")
    yield between(f"{c.path}.line", "cylinder", c, "frame_a", "frame_b", s.default_arrow_diameter,
                  s.default_arrow_diameter, JOINT_COLOR)


@shown_as("constraints.Constraint", "constraints.Prismatic", "constraints.Revolute", "constraints.Spherical",
          "constraints.Universal")
def _constraint(c, s, world):
    d = float(given(getattr(c, "sphere_diameter", None), s.default_joint_length / 3))
    frame = "frame_a" if "frame_a" in c._connectors else next(iter(c._connectors), None)
    if frame is not None:
        yield ball(f"{c.path}.sphere", d, getattr(c, "sphere_color", JOINT_COLOR), port(c, frame), layer="joints")
