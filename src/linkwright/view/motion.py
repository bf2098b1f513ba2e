"""Where everything is over time: the shapes of a model placed along a result.

Frames of one rigid body move together, so only one of them is computed and the others follow at constant poses.  All
variables are asked for at once, so that they compile once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..algebra import Transform
from ..errors import ModelError
from ..geometry import file_mesh
from .ground import is_endless, piece, settle
from .meshes import Mesh, torus, unit_mesh, wheel
from .scene_data import Point, Shape, Span
from .tolerances import LEAST_HEAD, NEXT_TO_NOTHING, NO_EXTENT, NO_LENGTH, PARALLEL_ROLL

if TYPE_CHECKING:
    from ..result import Trajectory
    from ..system import System

#: layers that need not be in the picture as a whole
ASIDE = ("sensors", "reactions", "names", "limits")


@dataclass
class Body:
    """A node that moves: poses over time, position (nt, 3) and rotation (nt, 3, 3)."""

    name: str
    p: np.ndarray
    R: np.ndarray


@dataclass
class Item:
    """A shape in place: on body number `body` (−1: the world) at a constant pose, or moving by itself.

    `p`, `R`, `scale` are (3,), (3, 3), (3,), or have times in front where `moving`; `visible` says when there is
    anything of it; `vertices` (nt, n, 3) replace the mesh's where the surface itself changes, `colours` (nt, 3) too.
    """

    shape: Shape
    mesh: Mesh | None
    body: int
    p: np.ndarray
    R: np.ndarray
    scale: np.ndarray
    moving: bool = False
    visible: np.ndarray | None = None
    vertices: np.ndarray | None = None
    colours: np.ndarray | None = None


@dataclass
class Animation:
    """A scene over time: what the viewers, pictures and files are made from."""

    title: str
    t: np.ndarray
    bodies: list[Body]
    items: list[Item]
    up: np.ndarray
    frames: dict[str, tuple[int, np.ndarray, np.ndarray]] = field(default_factory=dict)
    lines: dict[str, np.ndarray] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)  # the largest force and torque that an arrow shows
    flat: bool = False  # a mechanism in a plane, which is seen from the front

    def pose(self, item: Item, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(p, R, scale) of an item in the world at time number k."""
        if item.moving:
            return item.p[k], item.R[k], item.scale[k]
        if item.body < 0:
            return item.p, item.R, item.scale
        body = self.bodies[item.body]
        return body.p[k] + body.R[k] @ item.p, body.R[k] @ item.R, item.scale

    def points(self) -> np.ndarray:
        """Corners of the boxes around all shapes at many times, (n, 3).

        The ground, surfaces that stand still and planets are left out, and arrows of loads and sensors, which may be
        long.
        """
        times = np.unique(np.linspace(0, len(self.t) - 1, min(len(self.t), 40)).astype(int))
        out = []
        for item in self.items:
            if item.shape.layer in ASIDE or _shows_a_load(item.shape) or is_endless(item) or \
                    item.shape.layer == "world" and item.shape.kind in ("sphere", "box", "lines") or \
                    item.shape.kind == "surface" and item.body < 0 and len(self.items) > 1:
                continue
            v = extent_of(item)
            corners = np.array(np.meshgrid(*zip(v.min(axis=0), v.max(axis=0), strict=True))).reshape(3, -1).T
            for k in times if item.moving or item.body >= 0 else times[:1]:
                if item.visible is None or item.visible[k]:
                    p, R, scale = self.pose(item, k)
                    out.append(p + (corners * scale) @ R.T)
        return np.vstack(out) if out else np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Opposite corners of a box around everything at all times."""
        points = self.points()
        return points.min(axis=0), points.max(axis=0)


def _shows_a_load(shape: Shape) -> bool:
    return shape.span is not None and bool(shape.span.start.load or shape.span.end.load)


def extent_of(item: Item) -> np.ndarray:
    """Points that an item reaches, in its own axes before scaling."""
    if item.vertices is not None:
        return item.vertices.reshape(-1, 3)
    if item.shape.kind == "label":
        return np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]) * item.shape.size[0]
    return np.vstack(item.shape.data) if item.shape.kind == "lines" else item.mesh[0]


def mesh_of(shape: Shape, aspect: float = 1.0) -> Mesh | None:
    """The surface of a shape in its own axes before scaling by its size; None for text and lines."""
    if shape.kind == "mesh":
        v, f = file_mesh(str(shape.data), shape.name)
        if shape.extra:  # scaled to the size
            low, high = v.min(axis=0), v.max(axis=0)
            v = (v - [low[0], (low[1] + high[1]) / 2, (low[2] + high[2]) / 2]) / np.maximum(high - low, NO_LENGTH)
        return v, f
    if shape.kind == "torus":
        return torus(**shape.data)
    if shape.kind == "wheel":
        return wheel(**shape.data)
    if shape.kind == "surface":
        return shape.data
    if shape.kind == "ground":
        return piece()
    if shape.kind in ("label", "lines"):
        return None
    wire = shape.size[2] / 2 / shape.size[1] if shape.kind == "spring" and shape.size[1] else 0.1
    return unit_mesh(shape.kind, float(shape.extra), round(float(aspect), 2), round(wire, 4))


def scale_of(shape: Shape) -> np.ndarray:
    """What the mesh is scaled by; round things keep their own size."""
    if shape.kind in ("torus", "wheel", "surface", "label", "lines"):
        return np.ones(3)
    if shape.kind == "mesh" and not shape.extra:
        return np.array(shape.scale)
    length, width, height = shape.size
    if shape.kind == "ground":
        return np.array([length, width, 1.0])
    return np.array([length, width, width if shape.kind == "spring" else height])


class Poses:
    """Positions and rotations of frames, and variables, along a series of times."""

    def __init__(self, series: Trajectory, system: System, frames: Sequence[str], variables: Sequence[str]) -> None:
        self.series, self.nt = series, len(series.t)
        self.peaks: dict[str, float] = {}
        known = getattr(system.mechanism, "frames", {})
        self.place: dict[str, tuple[int, np.ndarray, np.ndarray]] = {}  # frame → (body, p, R)
        self.bodies: list[Body] = []
        leaders: dict[object, tuple[str, tuple[np.ndarray, np.ndarray] | None]] = {}
        members: list[tuple[str, str, np.ndarray, np.ndarray]] = []
        wanted = []
        for path in dict.fromkeys(frames):
            frame = known.get(path)
            X = None if frame is None else _numeric(frame.X_BQ)
            key = path if X is None else frame.body
            if key == -1:
                self.place[path] = (-1, *X)
                continue
            if key not in leaders:
                leaders[key] = (path, X)
                wanted += [f"{path}.r_0", f"{path}.R.T"]
            leader, X_leader = leaders[key]
            if X is None:
                members.append((path, leader, np.zeros(3), np.eye(3)))
            else:
                assert X_leader is not None, "a body is led by a frame that is fixed on it"
                p0, R0 = X_leader
                members.append((path, leader, R0.T @ (X[0] - p0), R0.T @ X[1]))
        names = [*wanted, *dict.fromkeys(variables)]
        self.values = series.get_many(names) if names else {}
        numbers = {}
        for leader, _ in leaders.values():
            numbers[leader] = len(self.bodies)
            R = np.swapaxes(np.asarray(self.values[f"{leader}.R.T"]).reshape(self.nt, 3, 3), 1, 2)
            self.bodies.append(Body(leader, np.asarray(self.values[f"{leader}.r_0"]).reshape(self.nt, 3), R))
        for path, leader, p, R in members:
            self.place[path] = (numbers[leader], p, R)

    def measure_loads(self, shapes: Sequence[Shape], known: Mapping[str, float]) -> None:
        """The largest loads that arrows show, at least those known before."""
        self.peaks = dict(known)
        for point in (p for shape in shapes if shape.span is not None for p in (shape.span.start, shape.span.end)):
            if point.load and point.variable is not None:
                values = np.asarray(self.values[point.variable]).reshape(self.nt, -1)
                most = float(np.linalg.norm(values, axis=1).max(initial=0.0))
                self.peaks[point.load] = max(self.peaks.get(point.load, NO_EXTENT), most)

    def frame(self, path: str | None) -> tuple[np.ndarray, np.ndarray]:
        """(p, R) of a frame over time; None is the world."""
        if path is None:
            return np.zeros((self.nt, 3)), np.broadcast_to(np.eye(3), (self.nt, 3, 3))
        body, p, R = self.place[path]
        if body < 0:
            return np.broadcast_to(p, (self.nt, 3)), np.broadcast_to(R, (self.nt, 3, 3))
        b = self.bodies[body]
        return b.p + b.R @ p, b.R @ R

    def point(self, point: Point) -> np.ndarray:
        """A moving point, (nt, 3)."""
        p, R = self.frame(point.frame)
        p = p + R @ np.asarray(point.offset, dtype=float)
        if point.place is not None:
            p = p + np.asarray(self.values[point.place]).reshape(self.nt, 3)
        if point.variable is None:
            return p
        value = point.scale * np.asarray(self.values[point.variable]).reshape(self.nt, -1)
        if point.relative:
            value = value / self.peaks[point.load]
        axes = self.frame(point.axes)[1]
        if point.toward is not None:
            line = self.frame(point.toward)[0] - p
            return p + value * line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), NO_EXTENT)
        if point.direction is not None:
            value = value * np.asarray(point.direction, dtype=float)
        return p + np.einsum("tij,tj->ti", axes, value)


def _numeric(X: Transform) -> tuple[np.ndarray, np.ndarray] | None:
    """(p, R) of a constant pose as numbers, or None where it depends on a tunable parameter."""
    try:
        return np.asarray(X.p, dtype=float).reshape(3), np.asarray(X.R, dtype=float).reshape(3, 3)
    except (TypeError, ValueError, RuntimeError, NotImplementedError):
        return None


def frames_of(shapes: Sequence[Shape]) -> list[str]:
    """Frames that shapes ride on or span."""
    out = []
    for shape in shapes:
        out.append(shape.frame)
        if shape.span is not None:
            out += [shape.span.roll_frame]
            for point in (shape.span.start, shape.span.end):
                out += [point.frame, point.axes, point.toward]
    return [path for path in dict.fromkeys(out) if path is not None]


def variables_of(shapes: Sequence[Shape]) -> list[str]:
    """Variables that stretch shapes."""
    return [name for shape in shapes if shape.span is not None for point in (shape.span.start, shape.span.end)
            for name in (point.variable, point.place) if name is not None]


def place(shape: Shape, poses: Poses) -> Item:
    """Put one shape into the scene."""
    if shape.span is not None:
        return _spanning(shape, shape.span, poses)
    body, p, R = (-1, np.zeros(3), np.eye(3)) if shape.frame is None else poses.place[shape.frame]
    aspect = shape.size[0] / shape.size[1] if shape.size[1] else 1.0
    return Item(shape, mesh_of(shape, aspect), body, p + R @ np.asarray(shape.origin, dtype=float), R @ shape.axes,
                scale_of(shape))


def _spanning(shape: Shape, span: Span, poses: Poses) -> Item:
    start, end = poses.point(span.start), poses.point(span.end)
    line = end - start
    length = np.linalg.norm(line, axis=1)
    # a span without length keeps its last direction
    x = line / np.maximum(length, NO_EXTENT)[:, None]
    x[length < NO_EXTENT] = [1.0, 0.0, 0.0]
    roll = poses.frame(span.roll_frame)[1] @ np.asarray(span.roll, dtype=float)
    z = np.cross(x, roll)
    for other in ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]):
        weak = np.linalg.norm(z, axis=1) < PARALLEL_ROLL
        z[weak] = np.cross(x[weak], other)
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    begin, stop = span.cut(length)
    extent = stop - begin
    scale = np.tile(scale_of(shape), (poses.nt, 1))
    scale[:, 0] = np.maximum(extent, NEXT_TO_NOTHING)
    shown = extent[extent > NO_EXTENT]
    aspect = float(np.mean(shown)) / shape.size[1] if len(shown) and shape.size[1] else 1.0
    if shape.kind == "cone":  # arrow heads shrink with short arrows
        full = np.max(extent, initial=NO_EXTENT)
        shrink = np.clip(extent / full, LEAST_HEAD, 1.0) if full > NO_EXTENT else np.full(poses.nt, LEAST_HEAD)
        scale[:, 1:] *= shrink[:, None]
    return Item(shape, mesh_of(shape, aspect), -1, start + x * begin[:, None], np.stack([x, np.cross(z, x), z], -1),
                scale, True, extent > NO_EXTENT)


def animation_of(series: Trajectory, system: System, shapes: Sequence[Shape], title: str, up: np.ndarray,
                 traces: Mapping[str, Point] | None = None, extra_frames: Sequence[str] = (),
                 peaks: Mapping[str, float] | None = None) -> Animation:
    """Place shapes along a series of times; `traces` are points, by name, that draw lines.

    Arrows of loads are measured by the largest one, and by `peaks` known from elsewhere.
    """
    traces = traces or {}
    frames = [*frames_of(shapes), *(point.frame for point in traces.values()), *extra_frames]
    poses = Poses(series, system, frames, [*variables_of(shapes), *_varying(shapes)])
    poses.measure_loads(shapes, peaks or {})
    items, seen = [], set()
    for shape in shapes:
        item = settle(place(shape, poses), up)
        if (key := _sameness(item)) in seen:
            continue
        seen.add(key)
        _change(item, poses, series.t)
        items.append(item)
    lines = {name: poses.point(point) for name, point in traces.items()}
    return Animation(title, np.asarray(series.t), poses.bodies, items, np.asarray(up, dtype=float), poses.place, lines,
                     poses.peaks)


def _sameness(item: Item) -> object:
    """What is the same for shapes that would be drawn over one another: a planet that two pairs of gears share, two
    joints in one place; equal faces flicker.  A wheel may be turned about its axis."""
    shape = item.shape
    if item.moving or shape.kind not in ("gearwheel", "sphere", "cylinder", "box"):
        return id(item)
    x = item.R[:, 0]
    turn = {"box": item.R, "sphere": np.zeros(0)}.get(shape.kind, np.outer(x, x))
    numbers = np.concatenate([item.p + x * item.scale[0] / 2, np.ravel(turn), item.scale])
    return shape.kind, item.body, shape.opacity, tuple(np.round(numbers, 9) + 0.0)


def _varying(shapes: Sequence[Shape]) -> list[str]:
    """Variables that colour or bend shapes."""
    return [name for shape in shapes for name in getattr(shape.data, "variables", ())]


def _change(item: Item, poses: Poses, t: np.ndarray) -> None:
    """Let shapes whose data says how change their surface or colour over time."""
    bend = getattr(item.shape.data, "vertices", None)
    paint = getattr(item.shape.data, "colours", None)
    values = {name: np.asarray(poses.values[name]) for name in getattr(item.shape.data, "variables", ())}
    if callable(bend):
        item.mesh = item.shape.data.mesh
        item.vertices = bend(t, values)
        if not np.all(np.isfinite(item.vertices)):
            raise ModelError(f"{item.shape.name}: the surface has points that are not finite.", item.shape.name)
    if callable(paint):
        item.colours = paint(t, values)
