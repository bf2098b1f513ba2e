"""Every component's default shapes, with the sizes and colours of the MultiBody library's animation tables.

A component is drawn by the function registered for its class or the nearest base class, so that a user's own joint or
spring is shown like the kind it derives from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..geometry import MESH_SUFFIXES
from ..language import Component, Model, World, parameter_value
from ..language.fields import plain_reads
from ..language.looks import ROD_COLOR
from ..language.world_sizes import told
from ..library import joints, parts
from .ground import ground_shape
from .scene_data import Shape, along, axes_cross, fixed_arrow
from .sizes import colour, given, model_length, rod_width, sizes
from .tolerances import NO_LENGTH

if TYPE_CHECKING:
    from ..system import System

EARTH_MU, EARTH_DIAMETER = 3.986004418e14, 12_742_000.0  # m³/s², m

_SHAPES: dict[type, Callable[..., Iterable[Shape]]] = {}


def shown_as(*classes: type) -> Callable:
    """Register a function (component, sizes, world) → shapes for components of these classes."""

    def keep(function: Callable) -> Callable:
        _SHAPES.update(dict.fromkeys(classes, function))
        return function

    return keep


def drawn_by(cls: type) -> Callable | None:
    """The function that draws components of a class: its own, or that of the nearest base class."""
    # each registers what it draws
    from . import (  # noqa: F401
        cable_shapes,
        contact_shapes,
        flexible_shapes,
        force_shapes,
        joint_shapes,
        molecule_shapes,
        planar_shapes,
        visuals,
    )

    return next((_SHAPES[base] for base in cls.__mro__ if base in _SHAPES), None)


def shapes_of(component: Component, world: World, length: float = 1.0) -> list[Shape]:
    """What a component looks like; nothing where it, or the world, is not animated.

    `length` is the size of the mechanism, where the world gives no nominal length.
    """
    if not world.enable_animation or not getattr(component, "animation", True):
        return []
    draw = drawn_by(type(component))
    if draw is None:
        return []
    with plain_reads():
        return list(draw(component, sizes(world, length), world))


def model_shapes(model: Model, system: System) -> list[Shape]:
    """The shapes of all components of a model, in proportion to the size of its mechanism."""
    world = world_of(model)
    length = model_length(system) if told(world, "nominal_length") is None else 1.0
    components = list(model.leaves())
    if world not in components:
        components.insert(0, world)
    shapes = [shape for component in components for shape in shapes_of(component, world, length)]
    if not shapes or not world.enable_animation:
        return shapes
    from .annotations import annotated

    with plain_reads():
        return shapes + annotated(model, sizes(world, length))


def world_of(model: Model) -> World:
    """The model's World, or one with defaults where it has none; a planar model's has no axes of its own."""
    from ..language import World
    from ..library.planar import World as PlanarWorld

    planar = None
    for component in model.leaves():
        if isinstance(component, World):
            return component
        if isinstance(component, PlanarWorld):
            planar = component
    if planar is not None:
        world = World(g=planar.g, n=[*planar.n, 0.0], animate_world=False, animate_gravity=False,
                      nominal_length=told(planar, "nominal_length"))
        world.__dict__["_name"], world.__dict__["_parent"] = "world", model
        return world
    world = World()
    world.__dict__["_name"], world.__dict__["_parent"] = "world", model
    return world


def number(component: Component, name: str) -> Any:
    """A parameter's value as numbers."""
    value = parameter_value(getattr(component, name))
    return value if value is None or np.ndim(value) == 0 else np.asarray(value, dtype=float)


def port(component: Component, name: str) -> str:
    return f"{component.path}.{name}"


# --- world ---

@shown_as(World)
def _world(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    if world.animate_world:
        x = colour(c.axis_color_x)
        labels = (c.label1, c.label2, "z") if c.axis_show_labels else None
        colours = (x, colour(c.axis_color_y, x), colour(c.axis_color_z, x))
        yield from axes_cross(f"{c.path}.axes", None, s.axis_length, s.axis_diameter, colours, "world", labels)
    n = np.zeros(3)
    n[:len(c.n)] = np.asarray(c.n, dtype=float)
    n /= np.linalg.norm(n)
    gravity = getattr(c, "gravity", "uniform")
    if world.animate_gravity and gravity == "uniform" and c.g:
        yield from fixed_arrow(f"{c.path}.gravity", None, c.gravity_arrow_tail, n * s.gravity_arrow_length,
                               s.gravity_arrow_diameter, colour(c.gravity_arrow_color), "world")
    if world.animate_gravity and gravity == "point":
        like_earth = abs(parameter_value(c.mu) / EARTH_MU - 1) < 0.01
        d = float(given(c.gravity_sphere_diameter, EARTH_DIAMETER if like_earth else s.default_body_diameter))
        yield Shape(f"{c.path}.gravity", "sphere", (d, d, d), colour(c.gravity_sphere_color), None, (-d / 2, 0.0, 0.0),
                    layer="world")
    if world.animate_ground:
        given_u = told(c, "ground_length_u")
        yield ground(f"{c.path}.ground", n, c.ground_axis_u, given_u, told(c, "ground_length_v"), s.nominal_length,
                     colour(c.ground_color))


def ground(name: str, n: np.ndarray, axis_u: Sequence[float] | None, length_u: float | None, length_v: float | None,
           size: float, rgb: Sequence[float], frame: str | None = None) -> Shape:
    """A ground that gravity's direction n is perpendicular to: endless, or a thin plate where a length is given."""
    u = np.asarray(given(axis_u, (0.0, 1.0, 0.0) if abs(n[0]) >= 0.99 else (1.0, 0.0, 0.0)), dtype=float)
    u = u - n * (u @ n)
    if length_u is None and length_v is None:
        return ground_shape(name, -n, u, size, rgb, frame)
    length_u, length_v = float(given(length_u, length_v)), float(given(length_v, length_u))
    axes = along(u, np.cross(n, u))
    thick = 0.005 * max(length_u, length_v)
    start = -axes[:, 0] * length_u / 2 + n * thick / 2
    return Shape(name, "box", (length_u, length_v, thick), rgb, frame, tuple(start), axes, layer="world")


# --- parts ---

def rod(c: Component, s: SimpleNamespace, r: np.ndarray, frame: str | None, rgb: Sequence[float],
        layer: str = "parts", name: str = "shape") -> Iterator[Shape]:
    """The shape along a rigid part, from the look's fields; none without length."""
    r_shape = np.asarray(c.r_shape, dtype=float)
    d = np.asarray(r, dtype=float) - r_shape
    length = float(given(parameter_value(c.length), np.linalg.norm(d)))
    if length < NO_LENGTH and not is_file(c.shape_type):
        return
    width = float(given(parameter_value(c.width), rod_width(s, length)))
    size = (length, width, float(given(parameter_value(c.height), width)))
    direction = given(c.length_direction, d)
    yield solid(f"{c.path}.{name}", c.shape_type, size, rgb, frame, r_shape, direction, c.width_direction, c.extra,
                layer)


def is_file(shape_type: str) -> bool:
    return str(shape_type).lower().endswith(MESH_SUFFIXES) or "/" in str(shape_type)


def solid(name: str, shape_type: str, size: Sequence[float], rgb: Sequence[float], frame: str | None,
          origin: Sequence[float], direction: Sequence[float], width_direction: Sequence[float], extra: float,
          layer: str) -> Shape:
    """A shape by its type, which may be a mesh file."""
    file = is_file(shape_type)
    return Shape(name, "mesh" if file else shape_type, tuple(map(float, size)), colour(rgb), frame,
                 tuple(np.asarray(origin, dtype=float)), along(direction, width_direction), float(extra), layer,
                 data=str(shape_type) if file else None)


def ball(name: str, diameter: float, rgb: Sequence[float], frame: str | None,
         centre: Sequence[float] = (0.0, 0.0, 0.0), layer: str = "parts") -> Shape:
    """A sphere about a point of a frame."""
    centre = np.asarray(centre, dtype=float) - [diameter / 2, 0, 0]
    return Shape(name, "sphere", (diameter,) * 3, colour(rgb), frame, tuple(centre), layer=layer)


@shown_as(parts.Fixed)
def _fixed(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield from rod(c, s, number(c, "r"), None, c.color)


@shown_as(parts.FixedTranslation, parts.FixedRotation)
def _link(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield from rod(c, s, number(c, "r"), port(c, "frame_a"), c.color)


@shown_as(parts.Body)
def _body(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    d = float(given(c.sphere_diameter, s.default_body_diameter))
    r_cm, frame = number(c, "r_cm"), port(c, "frame_a")
    length = float(np.linalg.norm(r_cm))
    if length > d / 2:
        width = float(given(c.cylinder_diameter, d / 3))
        yield Shape(f"{c.path}.cylinder", "cylinder", (length, width, width), colour(c.cylinder_color, c.sphere_color),
                    frame, axes=along(r_cm))
    if d > 0:
        yield ball(f"{c.path}.sphere", d, c.sphere_color, frame, r_cm)


@shown_as(parts.PointMass)
def _point_mass(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield ball(f"{c.path}.sphere", float(given(c.sphere_diameter, s.default_body_diameter)), c.sphere_color,
               port(c, "frame_a"))


@shown_as(parts.BodyShape)
def _body_shape(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    frame = port(c, "frame_a")
    yield from rod(c, s, number(c, "r"), frame, c.color)
    if c.animate_sphere:
        length = given(c.length, np.linalg.norm(number(c, "r") - np.asarray(c.r_shape)))
        width = float(given(c.width, rod_width(s, length)))
        d = float(given(c.sphere_diameter, 2 * width))
        if d > 0:
            yield ball(f"{c.path}.sphere", d, given(c.sphere_color, c.color), frame, number(c, "r_cm"))


def _along_density(c: Component) -> tuple[float, np.ndarray]:
    d = number(c, "r") - number(c, "r_shape")
    length = float(given(number(c, "length"), np.linalg.norm(d)))
    return length, given(c.length_direction, d)


@shown_as(parts.BodyBox)
def _body_box(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    length, direction = _along_density(c)
    width = float(given(number(c, "width"), length / c.width_fraction))
    height = float(given(number(c, "height"), width))
    yield Shape(f"{c.path}.box", "box", (length, width, height), colour(c.color), port(c, "frame_a"),
                tuple(number(c, "r_shape")), along(direction, c.width_direction))


@shown_as(parts.BodyCylinder)
def _body_cylinder(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    length, direction = _along_density(c)
    d = float(given(number(c, "diameter"), length / c.width_fraction))
    yield Shape(f"{c.path}.cylinder", "pipe", (length, d, d), colour(c.color), port(c, "frame_a"),
                tuple(number(c, "r_shape")), along(direction), float(number(c, "inner_diameter")) / d)


@shown_as(parts.Rotor1D)
def _rotor(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    e = np.asarray(c.n, dtype=float) / np.linalg.norm(c.n)
    length = float(given(c.cylinder_length, 2 * s.default_joint_length))
    d = float(given(c.cylinder_diameter, 2 * s.default_joint_width))
    centre = np.asarray(getattr(c, "r_center", (0.0, 0.0, 0.0)), dtype=float)
    yield Shape(f"{c.path}.cylinder", "cylinder", (length, d, d), colour(c.cylinder_color, ROD_COLOR),
                port(c, "frame_a"), tuple(centre - e * length / 2), along(e))


@shown_as(joints.RollingWheel, parts.RollingWheel)
def _rolling_wheel(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    radius, width = float(number(c, "radius")), float(getattr(c, "width", 0.035))
    yield Shape(f"{c.path}.wheel", "pipe", (width, 2 * radius, 2 * radius),
                colour(getattr(c, "color", (30, 30, 30))), port(c, "frame_a"), (0.0, -width / 2, 0.0),
                along((0, 1, 0), (1, 0, 0)), float(getattr(c, "hollow_fraction", 0.8)))
    yield spoke(f"{c.path}.spoke", radius, width, port(c, "frame_a"))


def spoke(name: str, radius: float, width: float, frame: str) -> Shape:
    """A bar across a wheel that turns about y of its frame, so that it is seen to turn."""
    length = 1.7 * radius
    return Shape(name, "box", (length, 0.1 * radius, 0.7 * width), (110, 110, 110), frame, (-length / 2, 0.0, 0.0),
                 along((1, 0, 0), (0, 0, 1)))


@shown_as(parts.RollingWheelSet)
def _rolling_wheel_set(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    radius, width = float(number(c, "R_wheel")), float(getattr(c, "width_wheel", 0.01))
    for end in ("frame1", "frame2"):
        yield Shape(f"{c.path}.{end}.wheel", "pipe", (width, 2 * radius, 2 * radius),
                    colour(getattr(c, "color", (30, 30, 30))), port(c, end), (0.0, -width / 2, 0.0),
                    along((0, 1, 0), (1, 0, 0)), float(getattr(c, "hollow_fraction", 0.8)))
        yield spoke(f"{c.path}.{end}.spoke", radius, width, port(c, end))

