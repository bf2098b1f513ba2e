"""Default shapes of joints, constraints and loop assemblies: red axes, boxes and balls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import numpy as np

from ..language import Component, Conditional, World
from ..language.looks import BODY_COLOR, JOINT_COLOR, ROD_COLOR, SENSOR_COLOR
from ..library import assemblies, constraints, joints
from .default_shapes import ball, colour, given, number, port, shown_as
from .scene_data import Cut, Point, Shape, Span, along, arrow


def axis_cylinder(name: str, frame: str, n: Sequence[float], length: float, diameter: float,
                  rgb: Sequence[float]) -> Shape:
    """A cylinder centred on a frame's origin, along n."""
    e = np.asarray(n, dtype=float) / np.linalg.norm(n)
    return Shape(name, "cylinder", (float(length), float(diameter), float(diameter)), colour(rgb), frame,
                 tuple(-e * length / 2), along(e), layer="joints")


def between(name: str, kind: str, c: Component | SimpleNamespace, a: str, b: str, width: float, height: float,
            rgb: Sequence[float], roll: Sequence[float] = (0.0, 1.0, 0.0), extra: float = 0.0,
            layer: str = "joints") -> Shape:
    """A shape from one frame of a component to another, but for a little, so that its ends lie in no plane with those
    of the parts that begin there."""
    return Shape(name, kind, (0.0, float(width), float(height)), colour(rgb), extra=extra, layer=layer,
                 span=Span(Point(port(c, a)), Point(port(c, b)), Cut((0.01, 0.0), (0.99, 0.0)), roll=tuple(roll),
                           roll_frame=port(c, a)))


def _cylinder_sizes(c: Component, s: SimpleNamespace) -> tuple[float, float]:
    return (float(given(c.cylinder_length, s.default_joint_length)),
            float(given(c.cylinder_diameter, s.default_joint_width)))


@shown_as(joints.Revolute, joints.Screw)
def _revolute(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield axis_cylinder(f"{c.path}.axis", port(c, "frame_a"), c.n, *_cylinder_sizes(c, s), c.cylinder_color)


@shown_as(joints.Prismatic)
def _prismatic(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    width = float(given(c.box_width, s.default_joint_width))
    yield between(f"{c.path}.box", "box", c, "frame_a", "frame_b", width, given(c.box_height, width), c.box_color,
                  c.box_width_direction)


@shown_as(joints.Cylindrical)
def _cylindrical(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    width = float(given(c.cylinder_diameter, s.default_joint_width))
    yield between(f"{c.path}.cylinder", "cylinder", c, "frame_a", "frame_b", width, width, c.cylinder_color)


@shown_as(joints.Universal)
def _universal(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    for axis, frame in (("a", "frame_a"), ("b", "frame_b")):
        yield axis_cylinder(f"{c.path}.axis_{axis}", port(c, frame), getattr(c, f"n_{axis}"), *_cylinder_sizes(c, s),
                            c.cylinder_color)


@shown_as(joints.Planar)
def _planar(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
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


@shown_as(joints.Spherical)
def _spherical(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield ball(f"{c.path}.sphere", float(given(c.sphere_diameter, s.default_joint_length)), c.sphere_color,
               port(c, "frame_a"), layer="joints")


@shown_as(joints.Gimbal, joints.Ellipsoid, joints.LineOrientation)
def _ball_like(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield ball(f"{c.path}.sphere", s.default_joint_length, JOINT_COLOR, port(c, "frame_b"), layer="joints")


@shown_as(joints.FreeMotion, joints.FreeMotionScalarInit, joints.Bushing, joints.FreeLine, joints.Translation)
def _free(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield from arrow(f"{c.path}.arrow", Point(port(c, "frame_a")), Point(port(c, "frame_b")), s.default_arrow_diameter,
                     colour(getattr(c, "arrow_color", SENSOR_COLOR)), "joints")


@shown_as(joints.Joint)
def _any_joint(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    """A joint of the user's own: a ball at frame_a and a line to frame_b."""
    yield ball(f"{c.path}.sphere", s.default_joint_length / 2, JOINT_COLOR, port(c, "frame_a"), layer="joints")
    yield between(f"{c.path}.line", "cylinder", c, "frame_a", "frame_b", s.default_arrow_diameter,
                  s.default_arrow_diameter, JOINT_COLOR)


@shown_as(Conditional, *(getattr(constraints, name) for name in constraints.__all__))
def _constraint(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    """A small ball where the constraint holds."""
    d = float(given(getattr(c, "sphere_diameter", None), s.default_joint_length / 3))
    frames = [name for name, port_ in c._connectors.items() if port_.kind == "frame"]
    frame = "frame_a" if "frame_a" in frames else next(iter(frames), None)
    if frame is not None:
        yield ball(f"{c.path}.sphere", d, getattr(c, "sphere_color", JOINT_COLOR), port(c, frame), layer="joints")


# --- rods with joints at their ends, and the loop assemblies made of them ---

def _rod_sizes(c: Component, s: SimpleNamespace) -> tuple[float, float]:
    ball_d = float(given(getattr(c, "sphere_diameter", None), s.default_joint_length))
    return ball_d, float(given(getattr(c, "rod_diameter", None), ball_d / 2))


@shown_as(joints.SphericalSpherical, constraints.Rod)
def _rod(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    ball_d, rod_d = _rod_sizes(c, s)
    rgb = getattr(c, "sphere_color", JOINT_COLOR)
    yield between(f"{c.path}.rod", "cylinder", c, "frame_a", "frame_b", rod_d, rod_d,
                  getattr(c, "rod_color", ROD_COLOR))
    for end in ("frame_a", "frame_b"):
        yield ball(f"{c.path}.{end}.sphere", ball_d, rgb, port(c, end), layer="joints")
    if getattr(c, "show_mass", True) and getattr(c, "m", 0):
        d = float(given(getattr(c, "mass_diameter", None), ball_d))
        middle = Cut((0.5, -d / 2), (0.5, d / 2), beyond=True)
        yield Shape(f"{c.path}.mass", "sphere", (d, d, d), colour(getattr(c, "mass_color", BODY_COLOR)),
                    layer="joints", span=Span(Point(port(c, "frame_a")), Point(port(c, "frame_b")), middle))


@shown_as(joints.UniversalSpherical)
def _universal_spherical(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    ball_d, rod_d = _rod_sizes(c, s)
    rod_d = float(given(getattr(c, "rod_width", None), rod_d))
    yield between(f"{c.path}.rod", getattr(c, "rod_shape_type", "cylinder"), c, "frame_a", "frame_b", rod_d,
                  given(getattr(c, "rod_height", None), rod_d), getattr(c, "rod_color", ROD_COLOR))
    yield ball(f"{c.path}.sphere", ball_d, getattr(c, "sphere_color", JOINT_COLOR), port(c, "frame_b"),
               layer="joints")
    if getattr(c, "show_universal_axes", True):
        yield axis_cylinder(f"{c.path}.axis", port(c, "frame_a"), c.n1_a, *_assembly_cylinder(c, s), JOINT_COLOR)


def _assembly_cylinder(c: Component, s: SimpleNamespace) -> tuple[float, float]:
    return (float(given(getattr(c, "cylinder_length", None), s.default_joint_length)),
            float(given(getattr(c, "cylinder_diameter", None), s.default_joint_width)))


@shown_as(assemblies.JointUPS, assemblies.JointRPR)
def _strut(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    ball_d, rod_d = _rod_sizes(c, s)
    rod_d = float(given(getattr(c, "axis_diameter", None), rod_d))
    yield between(f"{c.path}.axis", "cylinder", c, "frame_a", "frame_b", rod_d, rod_d,
                  getattr(c, "axis_color", SENSOR_COLOR))
    yield ball(f"{c.path}.sphere", ball_d, getattr(c, "sphere_color", JOINT_COLOR), port(c, "frame_b"),
               layer="joints")
    n, name = (c.n1_a, "universal") if hasattr(c, "n1_a") else (c.n_a, "revolute")
    if getattr(c, "show_universal_axes", True):
        yield axis_cylinder(f"{c.path}.{name}", port(c, "frame_a"), n, *_assembly_cylinder(c, s), JOINT_COLOR)


@shown_as(assemblies.JointUSR, assemblies.JointUSP, assemblies.JointSSR, assemblies.JointSSP,
          assemblies.JointSUR, assemblies.JointSUP, assemblies.JointRRR, assemblies.JointRRP, assemblies.JointRPP,
          assemblies.JointPRP)
def _assembly(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    """Rods from frame_a to frame_im and on to the last joint, with the joints: U, S, R or P by the letters."""
    letters = type(c).__name__.removeprefix("Joint")
    ball_d, rod_d = _rod_sizes(c, s)
    length, d = _assembly_cylinder(c, s)
    rod_d = 1.1 * d if not set(letters) & {"U", "S"} else rod_d
    width = float(given(getattr(c, "box_width", None), s.default_joint_width))

    def axis(name: str, frame: str, n: Sequence[float]) -> Shape:
        return axis_cylinder(f"{c.path}.{name}", port(c, frame), n, length, d, JOINT_COLOR)

    def slide(name: str, a: str, b: str) -> Shape:
        return between(f"{c.path}.{name}", "box", c, a, b, width, width, JOINT_COLOR)

    def sphere(name: str, frame: str) -> Shape:
        return ball(f"{c.path}.{name}", ball_d, JOINT_COLOR, port(c, frame), layer="joints")

    start = "frame_ia" if letters[0] == "P" else "frame_a"
    if letters[1] != "P":
        yield between(f"{c.path}.rod1", "cylinder", c, start, "frame_im", rod_d, rod_d,
                      getattr(c, "rod_color", ROD_COLOR))
    yield between(f"{c.path}.rod2", "cylinder", c, "frame_im", "frame_ib", rod_d, rod_d,
                  getattr(c, "rod_color", ROD_COLOR))
    first = {"S": lambda: sphere("sphere_a", "frame_a"), "P": lambda: slide("box_a", "frame_a", "frame_ia"),
             "U": lambda: axis("axis_a", "frame_a", c.n1_a), "R": lambda: axis("axis_a", "frame_a", c.n_a)}
    middle = {"S": lambda: sphere("sphere_im", "frame_im"), "P": lambda: slide("box_im", "frame_im", "frame_ia"),
              "U": lambda: axis("axis_im", "frame_im", c.n1_b),
              "R": lambda: axis("axis_im", "frame_im", getattr(c, "n_im", None) or c.n_a)}
    yield first[letters[0]]()
    yield middle[letters[1]]()
    if letters[2] == "P":
        yield slide("box", "frame_b", "frame_ib")
    else:
        yield axis("axis_b", "frame_b", c.n_a if c.n_b is None else c.n_b)


@shown_as(joints.GearConstraint)
def _gear_constraint(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    for end in ("a", "b"):
        yield axis_cylinder(f"{c.path}.axis_{end}", port(c, f"frame_{end}"), getattr(c, f"n_{end}"),
                            *_assembly_cylinder(c, s), JOINT_COLOR)


@shown_as(joints.RollingWheelSet)
def _rolling_set(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    radius, width = float(number(c, "radius")), 0.1 * float(number(c, "radius"))
    for end in ("frame1", "frame2"):
        yield Shape(f"{c.path}.{end}.wheel", "pipe", (width, 2 * radius, 2 * radius), (30, 30, 30), port(c, end),
                    (0.0, -width / 2, 0.0), along((0, 1, 0), (1, 0, 0)), 0.8, "joints")
