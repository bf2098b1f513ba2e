"""Still pictures and films, drawn here without a browser: .png, .gif, .mp4."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from . import shadows
from .animation_files import FRAMES_PER_SECOND, result_animation
from .annotations import HIDDEN
from .ground import FADE, cell, is_endless, line_colour
from .light import THIN, background, camera_axes, direction, shaded
from .meshes import Mesh, tube, vertex_normals
from .motion import Animation, Item
from .scene import FIELD_OF_VIEW, camera
from .tolerances import NO_EXTENT, NO_LENGTH, TINY

if TYPE_CHECKING:
    from PIL import Image

    from ..result import Result
    from .scene_data import Colour

OVERSAMPLING = 2
TRACE = (255, 120, 0)


class Renderer:
    """Draws an animation at any of its times, from where all of it is seen, or from a given (position, look_at, up)."""

    def __init__(self, animation: Animation, size: tuple[int, int] = (960, 640),
                 seen_from: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None) -> None:
        width, height = (int(n) for n in size)
        if width < 8 or height < 8 or width > 8192 or height > 8192:
            raise ModelError(f"size = {tuple(size)}: give width and height in pixels from 8 to 8192.")
        self.animation, self.width, self.height = animation, width, height
        self.eye, look_at, up = seen_from or camera(animation, width / height)
        self.axes = camera_axes(self.eye, look_at, up)
        self.light = direction(self.eye, look_at, up)
        self.reach = float(np.linalg.norm(self.eye - look_at))
        self.seen_grounds: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        thin = self.reach * THIN
        self.meshes = []
        for item in animation.items:
            mesh = item.mesh
            if item.shape.kind == "lines":
                mesh = _joined([tube(line, thin) for line in item.shape.data])
            self.meshes.append(None if mesh is None else (mesh[0], mesh[1], vertex_normals(*mesh)))
        self.traces = [(*mesh, vertex_normals(*mesh)) for mesh in
                       (tube(points, thin) for points in animation.lines.values() if len(points) > 1)]

    def draw(self, k: int) -> np.ndarray:
        """The picture at time number k, (height, width, 3) bytes."""
        from .raster import fill

        h, w = self.height * OVERSAMPLING, self.width * OVERSAMPLING
        image, depth = background(h, w), np.zeros((h, w))
        grounds = self._shadows(image, depth, k)
        order = sorted(range(len(self.meshes)), key=lambda n: self.animation.items[n].shape.opacity < 1)
        for n in order:
            if n not in grounds and self._is_seen(n, k):
                self._fill(n, k, image, depth)
        for vertices, faces, normals in self.traces:
            fill(*self._project(vertices, normals, TRACE), faces, 1.0, image, depth)
        n = OVERSAMPLING
        small = sum(image[i::n, j::n] for i in range(n) for j in range(n)) / n**2
        return self._label(np.clip(small, 0, 255).astype(np.uint8), k)

    def _is_seen(self, n: int, k: int) -> bool:
        item = self.animation.items[n]
        return self.meshes[n] is not None and item.shape.layer not in HIDDEN \
            and (item.visible is None or bool(item.visible[k]))

    def _fill(self, n: int, k: int, image: np.ndarray, depth: np.ndarray) -> None:
        """Draw item number n."""
        from .raster import fill

        item = self.animation.items[n]
        points, normals, faces = self._in_world(item, self.meshes[n], k)
        colour = item.shape.colour if item.colours is None else item.colours[k]
        fill(*self._project(points, normals, colour), faces, float(item.shape.opacity), image, depth)

    def _shadows(self, image: np.ndarray, depth: np.ndarray, k: int) -> list[int]:
        """Grounds with the shadows on them, which are drawn first; their numbers."""
        items = self.animation.items
        up = self.animation.up / np.linalg.norm(self.animation.up)
        grounds = [n for n in range(len(items)) if not self.animation.flat and self._is_seen(n, k)
                   and (is_endless(items[n]) or shadows.is_ground(items[n], self.meshes[n][2], up))]
        for n in grounds:
            before = depth.copy()
            if is_endless(items[n]):
                share = self._fill_endless(n, image, depth)
                mask = self._cast(shadows.on_plane(items[n], up), grounds, k)
                shadows.darken(image, mask, shadows.ON_GROUND, share * (depth > before))
            else:
                self._fill(n, k, image, depth)
                points, normals, _ = self._in_world(items[n], self.meshes[n], k)
                mask = self._cast(shadows.on_ground(points, normals, up), grounds, k)
                shadows.darken(image, mask, shadows.ON_GROUND, depth > before)
        return grounds

    def _fill_endless(self, n: int, image: np.ndarray, depth: np.ndarray) -> np.ndarray:
        """Draw an endless ground where it is nearer than what is drawn; how much of it is left at each pixel (h, w)."""
        if n not in self.seen_grounds:
            self.seen_grounds[n] = self._endless(self.animation.items[n])
        colours, share, near = self.seen_grounds[n]
        share = np.where(near > depth, share, 0.0)
        image += share[..., None] * (colours - image)
        np.copyto(depth, near, where=share > 0)
        return share

    def _endless(self, item: Item) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Colours (h, w, 3) of a plane with its grid, how much of it is left, and 1/distance, pixel by pixel.

        It fades in proportion to the distance from the foot of the camera on it, as viser's grid does.
        """
        h, w = self.height * OVERSAMPLING, self.width * OVERSAMPLING
        focal = h / 2 / np.tan(FIELD_OF_VIEW / 2)
        x, y = np.meshgrid((np.arange(w) + 0.5 - w / 2) / focal, (h / 2 - np.arange(h) - 0.5) / focal)
        # the eye and the rays in the plane's axes, whose z = 0 is the plane
        eye = item.R.T @ (self.eye - item.p)
        right, up, back = (item.R.T @ self.axes).T
        rays = x[..., None] * right + y[..., None] * up - back
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = -eye[2] / rays[..., 2]
        distance = np.where(np.isfinite(distance) & (distance > 0), distance, np.inf)
        near = 1.0 / distance
        along = np.where(np.isfinite(distance), distance, 0.0)[..., None] * rays[..., :2]
        share = np.clip(1.0 - np.linalg.norm(along, axis=-1) / (FADE * self.reach), 0.0, 1.0) * (near > 0)
        # lines one pixel of the picture wide: how far the next is, over how much a pixel covers
        places = (eye[:2] + along) / cell(item)
        covered = sum(np.abs(np.diff(places, axis=axis, append=np.take(places, [-1], axis=axis))) for axis in (0, 1))
        off = np.abs(np.mod(places - 0.5, 1.0) - 0.5) / np.maximum(covered * OVERSAMPLING, NO_EXTENT)
        line = 0.75 * np.clip(1.0 - off.min(axis=-1), 0.0, 1.0)[..., None]
        plain, drawn = (np.array(c, dtype=float) for c in (item.shape.colour, line_colour(item.shape.colour)))
        return plain + line * (drawn - plain), share, near

    def _cast(self, feet: shadows.Feet, grounds: Sequence[int], k: int) -> np.ndarray:
        """A mask (h, w) of what lies straight below everything but grounds: 255 in the shadow, else 0."""
        from .raster import fill

        h, w = self.height * OVERSAMPLING, self.width * OVERSAMPLING
        mask, depth = np.zeros((h, w, 3)), np.zeros((h, w))
        for n, (item, mesh) in enumerate(zip(self.animation.items, self.meshes, strict=True)):
            if mesh is not None and n not in grounds and shadows.casts(item, k):
                points, _, faces = self._in_world(item, mesh, k)
                below, above = feet(points)
                if above:
                    fill(self._screen(below), np.full((len(below), 3), 255.0), faces, 1.0, mask, depth)
        return mask[..., 0]

    def _in_world(self, item: Item, mesh: tuple[np.ndarray, np.ndarray, np.ndarray], k: int) -> tuple[np.ndarray,
                  np.ndarray, np.ndarray]:
        vertices, faces, normals = mesh
        p, R, scale = self.animation.pose(item, k)
        if item.vertices is not None:
            vertices = item.vertices[k]
            normals = vertex_normals(vertices, faces)
        turned = (normals / np.maximum(scale, NO_LENGTH)) @ R.T
        return p + (vertices * scale) @ R.T, turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True),
                                                                 TINY), faces

    def _screen(self, points: np.ndarray) -> np.ndarray:
        """(x, y in oversampled pixels, 1/distance) of world points."""
        seen = (points - self.eye) @ self.axes
        distance = -seen[:, 2]
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.where(distance > NO_EXTENT, 1.0 / distance, 0.0)
        focal = self.height * OVERSAMPLING / 2 / np.tan(FIELD_OF_VIEW / 2)
        return np.column_stack([self.width * OVERSAMPLING / 2 + focal * seen[:, 0] * near,
                                self.height * OVERSAMPLING / 2 - focal * seen[:, 1] * near, near])

    def _project(self, points: np.ndarray, normals: np.ndarray, colour: Colour) -> tuple[np.ndarray, np.ndarray]:
        """Screen points and shaded colours: a light, a little from everywhere, and a gloss."""
        to_eye = self.eye - points
        to_eye /= np.maximum(np.linalg.norm(to_eye, axis=1, keepdims=True), TINY)
        facing = np.sign(np.sum(normals * to_eye, axis=1, keepdims=True))
        normals = normals * np.where(facing == 0, 1, facing)
        diffuse = np.maximum(normals @ self.light, 0.0)[:, None]
        half = to_eye + self.light
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        gloss = np.maximum(np.sum(normals * half, axis=1), 0.0)[:, None] ** 40
        return self._screen(points), shaded(colour, diffuse, gloss)

    def _label(self, image: np.ndarray, k: int) -> np.ndarray:
        labels = [item for item in self.animation.items
                  if item.shape.kind == "label" and item.shape.layer not in HIDDEN]
        if not labels:
            return image
        from PIL import Image, ImageDraw, ImageFont

        picture = Image.fromarray(image)
        pen = ImageDraw.Draw(picture)
        for item in labels:
            x, y, near = self._screen(self.animation.pose(item, k)[0][None])[0]
            if near > 0:
                focal = self.height / 2 / np.tan(FIELD_OF_VIEW / 2)
                font = ImageFont.load_default(max(8, min(48, 1.2 * item.shape.size[0] * focal * near)))
                pen.text((x / OVERSAMPLING, y / OVERSAMPLING), str(item.shape.data), fill=item.shape.colour,
                         font=font, anchor="mm")
        return np.asarray(picture)


def _joined(meshes: Sequence[Mesh]) -> Mesh:
    from .meshes import join

    return join(*meshes)


def save_png(result: Result, path: str | Path, t: float | None = None, size: tuple[int, int] = (960, 640),
             traces: Sequence[str] = (), reactions: bool = False) -> None:
    """The scene at time t (default: the start), looked at so that the whole motion would fit."""
    from PIL import Image

    start, stop = float(result.t[0]), float(result.t[-1])
    when = start if t is None else float(t)
    if not start <= when <= stop:
        raise ModelError(f"t = {t}: the result goes from {start:g} to {stop:g} s.")
    count = 1500 if traces else 60  # traces need many points to be smooth
    times = np.unique(np.append(np.linspace(start, stop, count), when))
    animation = result_animation(result, traces=traces, reactions=reactions, times=times)
    Image.fromarray(Renderer(animation, size).draw(int(np.searchsorted(times, when)))).save(path)


def save_gif(result: Result, path: str | Path, fps: float = 20, size: tuple[int, int] = (640, 430),
             traces: Sequence[str] = (), reactions: bool = False) -> None:
    """A film that every browser and slide shows."""
    from PIL import Image

    animation = result_animation(result, fps, traces, reactions)
    renderer = Renderer(animation, size)
    drawn = [renderer.draw(k) for k in range(len(animation.t))]
    palette = film_palette(drawn)
    pictures = [Image.fromarray(d).quantize(palette=palette, dither=Image.Dither.NONE) for d in drawn]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=1000 / fps, loop=0)


def film_palette(drawn: list[np.ndarray]) -> Image.Image:
    """256 colours for all pictures of a film: 64 by area, for the sky, the others by colours that occur at all.

    By area alone the wide background would take the whole palette, and a thin coloured part would be drawn grey.
    """
    from PIL import Image

    some = drawn[::max(1, len(drawn) // 12)]
    occurring = np.unique(np.concatenate([d.reshape(-1, 3) >> 3 for d in some]), axis=0).astype(np.uint8)
    parts = ((Image.fromarray(drawn[0]), 64), (Image.fromarray((occurring[None] << 3) + 4), 192))
    colours = [(image.quantize(count).getpalette() or [])[:3 * count] for image, count in parts]
    palette = Image.new("P", (1, 1))
    palette.putpalette(colours[0] + colours[1])
    return palette


def save_mp4(result: Result, path: str | Path, fps: float = FRAMES_PER_SECOND, size: tuple[int, int] = (960, 640),
             traces: Sequence[str] = (), reactions: bool = False) -> None:
    """A film, by ffmpeg."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise ModelError(f"{Path(path).name}: films need ffmpeg, which is not installed; install it, or save a .gif or "
                         ".html.")
    animation = result_animation(result, fps, traces, reactions)
    renderer = Renderer(animation, tuple(2 * (int(n) // 2) for n in size))
    command = [program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
               f"{renderer.width}x{renderer.height}", "-r", f"{fps:g}", "-i", "-", "-pix_fmt", "yuv420p", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as film:
        try:
            for k in range(len(animation.t)):
                film.stdin.write(renderer.draw(k).tobytes())
            film.stdin.close()
        except BrokenPipeError:
            pass
        trouble = film.stderr.read().decode(errors="replace").strip()
    if film.returncode:
        raise ModelError(f"{Path(path).name}: ffmpeg failed: {trouble}")
