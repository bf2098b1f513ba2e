"""Default shapes of force elements and sensors: helices, cylinders and arrows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ..language.looks import BODY_COLOR, FORCE_COLOR, ROD_COLOR, SENSOR_COLOR, TORQUE_COLOR
from ..library import forces, sensors
from .default_shapes import ball, colour, given, number, port, shown_as
from .joint_shapes import between
from .scene_data import Cut, Point, Shape, Span, arrow
from .sizes import load_scale

if TYPE_CHECKING:
    from ..language import Component, World


def load_arrow(c: Component, s: SimpleNamespace, frame: str, kind: str, rgb: Sequence[float]) -> list[Shape]:
    """The force (or torque) that a component puts on what is connected to a frame: an arrow with its head there."""
    name, at = "f" if kind == "force" else "t", port(c, frame)
    # frame.f is the load on the component itself, the part feels the opposite: tail at r − (−f)·scale
    tail = Point(at, variable=f"{at}.{name}", axes=at, **load_scale(s, kind))
    return arrow(f"{c.path}.{frame}.{kind}", tail, Point(at), s.default_arrow_diameter, colour(rgb), "forces",
                 double=kind == "torque")


@shown_as(forces.WorldForce)
def _world_force(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    return load_arrow(c, s, "frame_b", "force", c.color)


@shown_as(forces.WorldTorque)
def _world_torque(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    return load_arrow(c, s, "frame_b", "torque", c.color)


@shown_as(forces.WorldForceAndTorque)
def _world_wrench(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    return [*load_arrow(c, s, "frame_b", "force", c.force_color),
            *load_arrow(c, s, "frame_b", "torque", c.torque_color)]


@shown_as(forces.Force, forces.Torque, forces.ForceAndTorque)
def _pair(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    kinds = [kind for kind in ("force", "torque") if kind in type(c).fields()]
    for frame in ("frame_a", "frame_b"):
        for kind in kinds:
            yield from load_arrow(c, s, frame, kind, c.force_color if kind == "force" else c.torque_color)
    width = given(c.connection_line_diameter, s.default_arrow_diameter)
    yield between(f"{c.path}.line", "cylinder", c, "frame_a", "frame_b", width, width, c.connection_line_color,
                  layer="forces")


@shown_as(forces.TwoFrameForce)
def _two_frame_force(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    for frame in ("frame_a", "frame_b"):
        yield from load_arrow(c, s, frame, "force", FORCE_COLOR)
        yield from load_arrow(c, s, frame, "torque", TORQUE_COLOR)
    yield between(f"{c.path}.line", "cylinder", c, "frame_a", "frame_b", s.default_arrow_diameter,
                  s.default_arrow_diameter, SENSOR_COLOR, layer="forces")


@shown_as(forces.LineForce)
def _line(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield between(f"{c.path}.line", "cylinder", c, "frame_a", "frame_b", s.default_arrow_diameter,
                  s.default_arrow_diameter, SENSOR_COLOR, layer="forces")


def mass_on_line(c: Component, diameter: float, rgb: Sequence[float], fraction: float, name: str = "mass") -> Shape:
    """A sphere at a fraction of the line from frame_a to frame_b."""
    cut = Cut((fraction, -diameter / 2), (fraction, diameter / 2), beyond=True)
    return Shape(f"{c.path}.{name}", "sphere", (diameter, diameter, diameter), colour(rgb), layer="forces",
                 span=Span(Point(port(c, "frame_a")), Point(port(c, "frame_b")), cut))


@shown_as(forces.LineForceWithMass)
def _line_with_mass(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    if getattr(c, "animate_line", True):
        width = float(given(getattr(c, "line_shape_width", None), s.default_arrow_diameter))
        yield between(f"{c.path}.line", getattr(c, "line_shape_type", "cylinder"), c, "frame_a", "frame_b", width,
                      given(getattr(c, "line_shape_height", None), width),
                      getattr(c, "line_shape_color", SENSOR_COLOR),
                      extra=float(getattr(c, "line_shape_extra", 0.0)), layer="forces")
    if getattr(c, "animate_mass", True) and number(c, "m") > 0:
        d = float(given(getattr(c, "mass_diameter", None), s.default_body_diameter))
        yield mass_on_line(c, d, getattr(c, "mass_color", BODY_COLOR), float(number(c, "length_fraction")))


@shown_as(forces.LineForceWithTwoMasses)
def _line_with_two_masses(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    d_a = float(given(getattr(c, "cylinder_diameter_a", None), s.default_force_width))
    fraction = float(getattr(c, "diameter_fraction", 0.8))
    L_a = float(number(c, "L_a"))
    L_b = float(given(number(c, "L_b"), L_a))
    length_a = float(given(getattr(c, "cylinder_length_a", None), 2 * L_a))
    length_b = float(given(getattr(c, "cylinder_length_b", None), 2 * L_b))
    yield telescope(c, "a", d_a, getattr(c, "color_a", ROD_COLOR), Cut(end=(0.0, length_a)))
    yield telescope(c, "b", fraction * d_a, getattr(c, "color_b", (100, 100, 100)),
                    Cut(begin=(1.0, -length_b)))
    if getattr(c, "animate_masses", True):
        d = d_a * float(getattr(c, "mass_diameter_faction", 1.7))
        rgb = colour(getattr(c, "mass_color", BODY_COLOR))
        for end, mass, cut in (("a", "m_a", Cut((0.0, L_a - d / 2), (0.0, L_a + d / 2), beyond=True)),
                               ("b", "m_b", Cut((1.0, -L_b - d / 2), (1.0, -L_b + d / 2), beyond=True))):
            if number(c, mass) > 0:
                yield Shape(f"{c.path}.mass_{end}", "sphere", (d, d, d), rgb, layer="forces",
                            span=Span(Point(port(c, "frame_a")), Point(port(c, "frame_b")), cut))


def telescope(c: Component | SimpleNamespace, end: str, diameter: float, rgb: Sequence[float], cut: Cut,
              start: Point | None = None, stop: Point | None = None) -> Shape:
    """One cylinder of a damper."""
    return Shape(f"{c.path}.cylinder_{end}", "cylinder", (0.0, diameter, diameter), colour(rgb), layer="forces",
                 span=Span(start or Point(port(c, "frame_a")), stop or Point(port(c, "frame_b")), cut))


def helix(c: Component | SimpleNamespace, s: SimpleNamespace, start: Point | None = None,
          stop: Point | None = None) -> Shape:
    """The spring of a component that looks like one; height is twice the wire's width, as in Modelica."""
    width = float(given(c.width, s.default_force_width))
    return Shape(f"{c.path}.spring", "spring", (0.0, width, 2 * float(given(c.coil_width, width / 10))),
                 colour(c.color), extra=float(c.number_of_windings), layer="forces",
                 span=Span(start or Point(port(c, "frame_a")), stop or Point(port(c, "frame_b"))))


def damper(c: Component | SimpleNamespace, s: SimpleNamespace, stop: Point | None = None) -> Iterator[Shape]:
    """The two cylinders of a damper."""
    d_a = float(given(c.diameter_a, s.default_force_width))
    d_b = float(given(c.diameter_b, 0.6 * d_a))
    length_a = float(given(c.length_a, s.default_force_length))
    yield telescope(c, "a", d_a, c.color_a, Cut(end=(0.0, length_a)), stop=stop)
    yield telescope(c, "b", d_b, c.color_b, Cut(begin=(0.0, length_a)), stop=stop)


@shown_as(forces.Spring)
def _spring(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield helix(c, s)
    if c.show_mass and number(c, "m") > 0:
        width = float(given(c.width, s.default_force_width))
        coil = float(given(c.coil_width, width / 10))
        d = float(given(c.mass_diameter, max(0.0, (width - 2 * coil) * 0.9)))
        yield mass_on_line(c, d, c.mass_color, float(number(c, "length_fraction")))


@shown_as(forces.Damper)
def _damper(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    return damper(c, s)


@shown_as(forces.SpringDamperParallel)
def _parallel(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield from damper(c, s)
    yield helix(c, s)


@shown_as(forces.SpringDamperSeries)
def _series(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    a = port(c, "frame_a")
    middle = Point(a, variable=f"{c.path}.s_damper", toward=port(c, "frame_b"))
    yield from damper(c, s, stop=middle)
    yield helix(c, s, start=middle)


# --- sensors ---

@shown_as(sensors.Marker)
def _marker(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    yield ball(f"{c.path}.sphere", float(c.diameter), c.color, port(c, "frame_a"), number(c, "r"), "sensors")


@shown_as(sensors.AbsoluteSensor, sensors.AbsolutePosition)
def _absolute(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    return arrow(f"{c.path}.arrow", Point(), Point(port(c, "frame_a")), s.default_arrow_diameter,
                 colour(getattr(c, "arrow_color", SENSOR_COLOR)), "sensors")


@shown_as(sensors.RelativeSensor, sensors.Distance, sensors.RelativePosition)
def _relative(c: Component, s: SimpleNamespace, world: World) -> list[Shape]:
    return arrow(f"{c.path}.arrow", Point(port(c, "frame_a")), Point(port(c, "frame_b")), s.default_arrow_diameter,
                 colour(getattr(c, "arrow_color", SENSOR_COLOR)), "sensors")


def _cut(c: Component, s: SimpleNamespace, kind: str, rgb: Sequence[float]) -> list[Shape]:
    at, name = port(c, "frame_a"), "f" if kind == "force" else "t"
    tail = Point(at, variable=f"{at}.{name}", axes=at, **load_scale(s, kind))
    if getattr(c, "positive_sign", True):
        tail = replace(tail, scale=-tail.scale)
    return arrow(f"{c.path}.{kind}", tail, Point(at), s.default_arrow_diameter, colour(rgb), "sensors",
                 double=kind == "torque")


@shown_as(sensors.CutForce, sensors.CutTorque, sensors.CutForceAndTorque)
def _cut_sensor(c: Component, s: SimpleNamespace, world: World) -> Iterator[Shape]:
    cls = type(c).__name__
    if "Force" in cls:
        yield from _cut(c, s, "force", getattr(c, "force_color", FORCE_COLOR))
    if "Torque" in cls:
        yield from _cut(c, s, "torque", getattr(c, "torque_color", TORQUE_COLOR))
