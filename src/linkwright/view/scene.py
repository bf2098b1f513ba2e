"""An animation as a viser scene: nodes for bodies and shapes, poses sent frame by frame, and a camera that sees it all.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..algebra import rotation_from_quaternion
from .annotations import HIDDEN
from .ground import FADE, cell, is_endless, line_colour
from .letters import letters
from .light import THIN, camera_axes, illuminate
from .motion import Animation, Item
from .tolerances import NEXT_TO_NOTHING, NO_EXTENT, STANDS_STILL

if TYPE_CHECKING:
    import viser

FIELD_OF_VIEW = np.radians(40.0)
SHADOW = 0.25  # opacity of shadows on a ground
TO_CAMERA = np.array([1.0, -1.0, -1.0])  # signs of a camera's right, up and back: letters have x right, y down


def quaternions(R: np.ndarray) -> np.ndarray:
    """Unit quaternions, scalar first, of rotations (…, 3, 3)."""
    R = np.asarray(R, dtype=float)
    d = np.einsum("...ii->...i", R)
    trace = d.sum(axis=-1)
    # four candidates, each well conditioned where its pivot is the largest
    pivots = np.stack([trace, d[..., 0], d[..., 1], d[..., 2]], -1)
    a, b, c = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    e, f, g = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    choices = np.stack([np.stack([1 + trace, a, b, c], -1),
                        np.stack([a, 1 + 2 * d[..., 0] - trace, e, f], -1),
                        np.stack([b, e, 1 + 2 * d[..., 1] - trace, g], -1),
                        np.stack([c, f, g, 1 + 2 * d[..., 2] - trace], -1)], -2)
    best = np.argmax(pivots, axis=-1)
    q = np.take_along_axis(choices, best[..., None, None], axis=-2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def camera(animation: Animation, aspect: float = 1.5, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(position, look_at, up): from the front, a little from the right and above, far enough to see the whole motion.

    `shift` moves what is seen to the left, by that part of the picture's height.  The front is +z where gravity points
    along −y, as in a drawing with x to the right; for another gravity direction
    the axes are those of the plane perpendicular to it.
    """
    low, high = animation.bounds()
    up = animation.up / np.linalg.norm(animation.up)
    right = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = right - up * (right @ up)
    right /= np.linalg.norm(right)
    front = np.cross(right, up)
    # mechanisms in a plane are seen from the front, other flat things from their flat side, others more from a corner
    depth = abs((high - low) @ front) / max(np.linalg.norm(high - low), NO_EXTENT)
    turn = 0.30 + 0.35 * min(depth / 0.5, 1.0)
    view = front if animation.flat else np.cos(turn) * front + np.sin(turn) * right + 0.35 * up
    view /= np.linalg.norm(view)
    # slide the picture's middle to the middle of what is seen, and step back until all of it fits
    points = animation.points()
    across = np.cross(up, view)
    across /= np.linalg.norm(across)
    upright = np.cross(view, across)
    slope = np.tan(FIELD_OF_VIEW / 2)
    seen = points @ np.column_stack([across, upright, view])
    middle = (seen.min(axis=0) + seen.max(axis=0)) / 2
    x, y, z = (np.abs(seen - middle) * [1, 1, 0] + (seen - middle) * [0, 0, 1]).T
    need = np.maximum(y / slope, x / (slope * aspect)) + z
    distance = max(1.15 * float(need.max()), 0.5 * float(np.linalg.norm(high - low)), 1e-3)
    look_at = (middle[0] + 2 * shift * slope * distance) * across + middle[1] * upright + middle[2] * view
    return look_at + distance * view, look_at, up


class Scene:
    """The nodes of an animation in a viser server, and how to move them to a time.

    With `live`, what rests in the animation may move too: `replace` shows another one with the same shapes.  The
    camera sees all of the animation, or of another one, `seen`.
    """

    def __init__(self, server: viser.ViserServer, animation: Animation, hidden: Collection[str] = HIDDEN,
                 aspect: float = 1.4, shift: float = 0.0, live: bool = False, seen: Animation | None = None) -> None:
        self.server, self.animation = server, animation
        self.handles: dict[str, list] = {}
        self.by_shape: list[tuple] = []
        self.letters: list[tuple] = []  # (handle, body) of what is turned to the camera
        self._shown = 0
        low, high = animation.bounds()
        self._grid = 2.0 ** np.floor(np.log2(max(np.linalg.norm(high - low), NO_EXTENT) / 2**14))
        self._live = live
        self._sources: list[tuple] = []  # (handle, "bodies" or "items", number) of everything that moves
        self._movers: list[tuple] = []
        self._build(set(hidden), camera(animation if seen is None else seen, aspect, shift))
        if self.letters:
            server.on_client_connect(self._look)

    def _build(self, hidden: set[str], seen_from: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        scene, a = self.server.scene, self.animation
        scene.set_up_direction(tuple(a.up))
        position, look_at, up = seen_from
        grounded = any(is_endless(item) or _carries(item) for item in a.items)
        illuminate(scene, position, look_at, up, cast_shadow=grounded)  # shadows cost much and need a ground
        self._camera = camera_axes(position, look_at, up) * TO_CAMERA
        view = self.server.initial_camera
        view.position, view.look_at, view.up = position, look_at, up
        view.fov = float(FIELD_OF_VIEW)
        reach = self._reach = float(np.linalg.norm(position - look_at))
        self._thickness = 2 * THIN * reach
        view.near, view.far = reach / 500.0, max(reach * 100.0, 1000.0)
        still = [np.ptp(b.p, axis=0).max(initial=0) < STANDS_STILL and np.ptp(b.R, axis=0).max(initial=0) < STANDS_STILL
                 for b in a.bodies]
        self.body_names = []
        for body, rests in zip(a.bodies, still, strict=True):
            name = f"/{body.name.rsplit('.', 1)[0]}"
            while name in self.body_names:
                name += "'"
            self.body_names.append(name)
            p, q = self._snap(body.p), _snap_turn(quaternions(body.R))
            handle = scene.add_frame(name, show_axes=False, position=p[0], wxyz=q[0])
            if not rests or self._live:
                self._sources.append((handle, "bodies", len(self.body_names) - 1))
                self._movers.append((handle, p, q, None, None, None))
        self.add(a.items, hidden)
        for name, points in a.lines.items():
            self.add_trace(name, points)

    def _add_ground(self, name: str, item: Item) -> viser.SceneNodeHandle:
        """An endless plane with a grid, which fades into the background and takes shadows."""
        return self.server.scene.add_grid(
            name, 2.0, 2.0, infinite_grid=True, fade_distance=FADE * self._reach, plane_color=item.shape.colour,
            plane_opacity=1.0, cell_color=line_colour(item.shape.colour), cell_size=cell(item), section_thickness=0.0,
            shadow_opacity=SHADOW, wxyz=quaternions(item.R), position=item.p)

    def _add_letters(self, name: str, item: Item) -> viser.SceneNodeHandle:
        """A text without a card, which is turned to the camera (see `face`)."""
        vertices, faces = letters(str(item.shape.data)) or (np.zeros((3, 3)), np.array([[0, 1, 2]]))
        handle = self.server.scene.add_mesh_simple(
            name, (item.shape.size[0] * vertices).astype(np.float32), faces.astype(np.uint32), side="double",
            color=item.shape.colour, position=item.p, wxyz=self._facing(item.body), cast_shadow=False,
            receive_shadow=False)
        self.letters.append((handle, item.body))
        return handle

    def _facing(self, body: int) -> np.ndarray:
        """The turn of a letter on a body that faces the camera."""
        return quaternions(self._camera if body < 0 else self.animation.bodies[body].R[self._shown].T @ self._camera)

    def _look(self, client: viser.ClientHandle) -> None:
        """Turn letters to the camera of whoever looks, whenever it moves."""
        client.camera.on_update(lambda camera: self.face(camera.wxyz))

    def face(self, wxyz: np.ndarray | None = None) -> None:
        """Turn letters to a camera, whose axes point right, down and forward; to the last one where none is given."""
        if wxyz is not None:
            self._camera = np.asarray(rotation_from_quaternion(wxyz))
        for handle, body in self.letters:
            handle.wxyz = self._facing(body)

    def lettering(self) -> list[dict[str, object]]:
        """Nodes that a page turns to its camera: name, the node of the body they are on, and how that is turned."""
        return [{"name": handle.name, "parent": self.body_names[body] if body >= 0 else None,
                 "turn": quaternions(self.animation.bodies[body].R[0]).tolist() if body >= 0 else None}
                for handle, body in self.letters]

    def add(self, items: list[Item], hidden: Collection[str] = ()) -> None:
        """Put items into the scene, those of hidden layers unseen."""
        for item in items:
            handle = self._add(item)
            if item.shape.layer in hidden:
                handle.visible = False
            self.handles.setdefault(item.shape.layer, []).append(handle)
            self.by_shape.append((item.shape, handle))

    def add_trace(self, name: str, points: np.ndarray) -> None:
        """The path of a point as a line."""
        segments = np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
        if len(segments):
            handle = self.server.scene.add_line_segments(f"/traces/{name}", segments, colors=(255, 120, 0),
                                                           thickness=self._thickness)
            self.handles.setdefault("traces", []).append(handle)

    def add_axes(self, path: str, body: int, p: np.ndarray, R: np.ndarray, length: float) -> viser.FrameHandle:
        """The axes of a frame in red, green and blue."""
        above = self.body_names[body] if body >= 0 else ""
        return self.server.scene.add_frame(f"{above}/{path}.axes", axes_length=length, axes_radius=length / 30,
                                           position=p, wxyz=quaternions(R))

    def _add(self, item: Item) -> viser.SceneNodeHandle:
        scene, shape = self.server.scene, item.shape
        above = self.body_names[item.body] if item.body >= 0 and not item.moving else \
            ("/world" if shape.layer == "world" else "")
        name = f"{above}/{shape.name}"
        p = item.p[0] if item.moving else item.p
        q = quaternions(item.R[0] if item.moving else item.R)
        if shape.kind == "ground":
            return self._add_ground(name, item)
        if shape.kind == "label" and shape.layer != "names":
            return self._add_letters(name, item)
        if shape.kind == "label":
            return scene.add_label(name, str(shape.data), position=p, font_size_mode="scene",
                                   font_scene_height=float(shape.size[0]), anchor="center-center")
        if shape.kind == "lines":
            segments = np.vstack([np.stack([line[:-1], line[1:]], axis=1) for line in shape.data])
            return scene.add_line_segments(name, segments.astype(np.float32), colors=shape.colour,
                                           thickness=self._thickness, position=p, wxyz=q)
        vertices, faces = item.mesh
        scale = self._scale(item)
        handle = scene.add_mesh_simple(
            name, (vertices if item.vertices is None else item.vertices[0]).astype(np.float32), faces.astype(np.uint32),
            color=shape.colour if item.colours is None else tuple(int(c) for c in item.colours[0]),
            opacity=None if shape.opacity >= 1 else float(shape.opacity), wireframe=shape.wireframe,
            side="double" if shape.kind in ("surface", "torus", "mesh") else "front",
            scale=tuple(map(float, scale[0] if item.moving else scale)), position=p, wxyz=q,
            cast_shadow=not _carries(item), receive_shadow=_carries(item))
        if item.moving or item.vertices is not None or item.colours is not None:
            self._sources.append((handle, "items", len(self.by_shape)))
            self._movers.append(self._mover(handle, item))
        return handle

    def _mover(self, handle: viser.SceneNodeHandle, item: Item) -> tuple:
        """A handle and what it is given over time: position, quaternion, scale, vertices, colours."""
        return (handle, self._snap(item.p) if item.moving else None,
                _snap_turn(quaternions(item.R)) if item.moving else None,
                self._scale(item) if item.moving else None, item.vertices, item.colours)

    def replace(self, animation: Animation) -> None:
        """Show the first time of another animation with the same bodies and items."""
        self.animation = animation
        self._movers = [
            self._mover(handle, animation.items[k]) if what == "items" else
            (handle, animation.bodies[k].p, quaternions(animation.bodies[k].R), None, None, None)
            for handle, what, k in self._sources]
        self.show(0)

    def moving_bodies(self) -> list[int]:
        """Numbers of the bodies that move, in the order of what is recorded of them."""
        return [k for _, what, k in self._sources if what == "bodies"]

    def recorded(self, floats: Callable[[np.ndarray], str], raw: Callable[[bytes], str]) -> list[dict[str, object]]:
        """Poses, scales, vertices and colours over time of everything that moves, bodies first; numbers as text by
        `floats` and `raw`."""
        return [{"name": handle.name, "p": None if p is None else floats(p), "q": None if q is None else floats(q),
                 "s": None if scale is None else floats(scale),
                 "v": None if vertices is None else [raw(v.astype(np.float32).tobytes()) for v in vertices],
                 "c": None if colours is None else [[int(c) for c in colour] for colour in colours]}
                for handle, p, q, scale, vertices, colours in self._movers]

    def _scale(self, item: Item) -> np.ndarray:
        """Scales, next to nothing where the shape is not there."""
        if not item.moving:
            return item.scale
        scale = np.where(item.visible[:, None], item.scale, NEXT_TO_NOTHING)
        return np.maximum(np.round(scale / self._grid * 4) * self._grid / 4, NEXT_TO_NOTHING)

    def _snap(self, p: np.ndarray) -> np.ndarray:
        """Positions on a binary grid of 1/16000 of the scene, which compresses well."""
        return np.round(p / self._grid) * self._grid

    def show(self, k: int) -> None:
        """Move everything that moves to time number k; what has not changed since the time before is not sent."""
        self._shown = k
        for handle, p, q, scale, vertices, colours in self._movers:
            if p is not None:
                handle.position, handle.wxyz = p[k], q[k]
            if scale is not None:
                handle.scale = tuple(scale[k].tolist())
            if vertices is not None:
                handle.vertices = vertices[k].astype(np.float32)
            if colours is not None:
                handle.color = tuple(int(c) for c in colours[k])
        if any(body >= 0 for _, body in self.letters):
            self.face()


def _carries(item: Item) -> bool:
    """Whether it is a ground, on which shadows fall; parts do not shade one another, which would look spotted."""
    return item.body < 0 and not item.moving and (item.shape.kind == "surface" or item.shape.name.endswith(".ground"))


def _snap_turn(q: np.ndarray) -> np.ndarray:
    return np.round(q * 2**14) / 2**14


def stop_server(server: viser.ViserServer) -> None:
    """Stop a server without a word."""
    with _silence():
        server.stop()


def quiet_server(port: int | None = None, label: str | None = None) -> viser.ViserServer:
    """A viser server on the loopback interface only, at a free port, that prints nothing."""
    import socket

    import viser

    if port is None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    with _silence():
        return viser.ViserServer(host="127.0.0.1", port=port, label=label, verbose=False)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Nothing that viser says: it prints by rich, which in a notebook shows a cell instead."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        console.quiet = before
