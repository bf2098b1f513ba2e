"""A scene as data: shapes, where they sit, and what stretches them.

A shape's own axes are Modelica's: it starts at its origin and extends `length` along x, `width` along y and `height`
along z (a sphere of diameter `length` is centred half-way).  It either rides on a frame, or spans two moving points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import ModelError
from .tolerances import ACROSS_X, NO_LENGTH, PARALLEL

Colour = tuple[int, int, int]

#: kinds that `meshes` can build; "mesh" comes from a file, "label" is text, "lines" a set of
#: polylines, "ground" an endless plane in x and y
KINDS = ("box", "sphere", "cylinder", "cone", "pipe", "beam", "gearwheel", "spring", "torus", "wheel", "surface",
         "mesh", "label", "lines", "ground")

#: what a viewer can switch on and off
LAYERS = ("world", "parts", "joints", "forces", "sensors", "shapes", "frames", "reactions", "traces", "names", "limits")


@dataclass(frozen=True)
class Point:
    """A point over time: at `offset` on a frame (None: the world), moved by `scale` times a variable.

    A vector is given in the axes of the frame `axes` (None: the world's); a scalar moves along `direction` in those
    axes, or towards the origin of another frame.  `place` is a variable that is a position itself, in the world.
    A `load` ("force" or "torque") makes an arrow; where it is `relative`, `scale` is the length (m) of the longest one.
    """

    frame: str | None = None
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    variable: str | None = None
    scale: float = 1.0
    axes: str | None = None
    direction: tuple[float, float, float] | None = None
    toward: str | None = None
    place: str | None = None
    load: str = ""
    relative: bool = False


@dataclass(frozen=True)
class Cut:
    """The part of a span of length L that a shape covers: from a·L + b, the `begin`, to c·L + d, the `end` (m).

    Both are kept within the span, unless the shape may reach beyond it.
    """

    begin: tuple[float, float] = (0.0, 0.0)
    end: tuple[float, float] = (1.0, 0.0)
    beyond: bool = False

    def __call__(self, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        begin, end = (a * length + b for a, b in (self.begin, self.end))
        return (begin, end) if self.beyond else (np.clip(begin, 0.0, length), np.clip(end, 0.0, length))


@dataclass(frozen=True)
class Span:
    """From one moving point to another; `cut` says which part of the line between them the shape covers.

    The width direction is that of `roll`, a vector in the axes of `roll_frame`, made perpendicular.
    """

    start: Point
    end: Point
    cut: Cut = Cut()
    roll: tuple[float, float, float] = (0.0, 1.0, 0.0)
    roll_frame: str | None = None


@dataclass(frozen=True)
class Shape:
    """One thing to see.

    `size` is (length, width, height) in m; the length of a shape with a `span` follows from it.  `extra` is Modelica's:
    a cone's ratio of diameters, a pipe's hollow fraction, a gear wheel's teeth, a spring's windings.
    """

    name: str
    kind: str
    size: tuple[float, float, float]
    colour: Colour
    frame: str | None = None
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    extra: float = 0.0
    layer: str = "parts"
    opacity: float = 1.0
    wireframe: bool = False
    span: Span | None = None
    data: object = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)  # of a mesh file in its own units

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ModelError(f"{self.name}: shape_type is one of {', '.join(KINDS[:10])} or a file "
                             f"(.stl, .obj, .ply, .glb, .gltf), not {self.kind!r}.", self.name)
        sizes = np.asarray(self.size, dtype=float)
        if not np.all(np.isfinite(sizes)) or np.any(sizes < 0):
            raise ModelError(f"{self.name}: a shape cannot have the size {tuple(self.size)}; give positive lengths.",
                             self.name)

    def on(self, layer: str) -> Shape:
        """The same shape in another layer."""
        return replace(self, layer=layer)


def along(length_direction: Sequence[float], width_direction: Sequence[float] = (0.0, 1.0, 0.0)) -> np.ndarray:
    """Axes whose x is the length direction and whose y lies in the plane of both, as columns (Modelica's from_nxy)."""
    x = np.asarray(length_direction, dtype=float)
    x = x / (np.linalg.norm(x) or 1.0) if np.linalg.norm(x) > NO_LENGTH else np.array([1.0, 0.0, 0.0])
    z = np.cross(x, np.asarray(width_direction, dtype=float))
    if np.linalg.norm(z) < PARALLEL:
        z = np.cross(x, [0.0, 1.0, 0.0] if abs(x[0]) > ACROSS_X else [1.0, 0.0, 0.0])
    z = z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def arrow(name: str, start: Point, end: Point, diameter: float, colour: Colour, layer: str,
          double: bool = False) -> list[Shape]:
    """A shaft and a head (two heads for a torque) from one moving point to another.

    The head is 4 diameters long and 3 wide, Modelica's ArrowHeadLengthFraction and ArrowHeadWidthFraction, and shrinks
    with an arrow shorter than that.
    """
    head = 4.0 * diameter
    shaft_cut = Cut(end=(1.0, -head * (1.5 if double else 1.0)))
    head_cut, second_cut = Cut(begin=(1.0, -head)), Cut((1.0, -1.5 * head), (1.0, -0.5 * head))
    wide = (0.0, 3.0 * diameter, 3.0 * diameter)
    out = [Shape(f"{name}.shaft", "cylinder", (0.0, diameter, diameter), colour, layer=layer,
                 span=Span(start, end, shaft_cut)),
           Shape(f"{name}.head", "cone", wide, colour, layer=layer, span=Span(start, end, head_cut))]
    if double:
        out.append(Shape(f"{name}.head2", "cone", wide, colour, layer=layer, span=Span(start, end, second_cut)))
    return out


#: how far from their origin arrows begin, in diameters: their ends lie in no plane with the parts that begin there
BEGIN = 0.3


def fixed_arrow(name: str, frame: str | None, tail: Sequence[float], vector: np.ndarray, diameter: float,
                colour: Colour, layer: str) -> list[Shape]:
    """An arrow of constant length on a frame."""
    tail, vector = np.asarray(tail, dtype=float), np.asarray(vector, dtype=float)
    length = float(np.linalg.norm(vector))
    head = min(4.0 * diameter, length)
    axes, begin = along(vector), BEGIN * diameter
    return [Shape(f"{name}.shaft", "cylinder", (length - head - begin, diameter, diameter), colour, frame,
                  tuple(tail + begin * axes[:, 0]), axes, layer=layer),
            Shape(f"{name}.head", "cone", (head, 3 * diameter, 3 * diameter), colour, frame,
                  tuple(tail + axes[:, 0] * (length - head)), axes, layer=layer)]


def axes_cross(name: str, frame: str | None, length: float, diameter: float, colours: Sequence[Colour], layer: str,
               labels: Sequence[str] = ("x", "y", "z"), shown: str = "xyz") -> list[Shape]:
    """Arrows along the axes of a frame, with letters.

    Heads are 5 diameters long and 3 wide (Modelica's FrameHeadLengthFraction and FrameHeadWidthFraction).
    """
    out = []
    for k, label in enumerate(("x", "y", "z")):
        if label not in shown:
            continue
        axes = along(np.eye(3)[k], np.eye(3)[(k + 1) % 3])
        head, begin = 5.0 * diameter, BEGIN * diameter
        out += [Shape(f"{name}.{label}", "cylinder", (length - head - begin, diameter, diameter), colours[k], frame,
                      tuple(np.eye(3)[k] * begin), axes, layer=layer),
                Shape(f"{name}.{label}.head", "cone", (head, 3 * diameter, 3 * diameter), colours[k], frame,
                      tuple(np.eye(3)[k] * (length - head)), axes, layer=layer)]
        if labels is not None:
            # beside its axis, so that it does not lie on a part along it
            aside = -np.eye(3)[0 if k == 1 else 1]
            out.append(Shape(f"{name}.{label}.label", "label", (length / 9,) * 3, colours[k], frame,
                             tuple(length * (np.eye(3)[k] + 0.13 * aside)), layer=layer, data=labels[k]))
    return out
