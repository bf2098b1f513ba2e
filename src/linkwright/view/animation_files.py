"""Animations in files, by suffix: .html, .png, .gif, .mp4, .glb, .usd."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, unknown_name
from .default_shapes import model_shapes, world_of
from .ground import stand
from .motion import Animation, animation_of
from .scene_data import Point
from .tolerances import FRAMES_PER_SECOND, MOST_FRAMES, TIME_ROUNDING

if TYPE_CHECKING:
    from ..language import Component, Model, World
    from ..result import Result, Series

SUFFIXES = (".html", ".png", ".gif", ".mp4", ".glb", ".usd", ".usdc", ".usda")


def up_direction(world: World) -> np.ndarray:
    """Against uniform gravity; y where there is none."""
    n = np.zeros(3)
    n[:len(world.n)] = np.asarray(world.n, dtype=float)
    return -n / np.linalg.norm(n)


def model_of(result: Series) -> Model:
    """The model a result came from."""
    model = getattr(getattr(result, "system", None), "model", None)
    if model is None:
        raise ModelError("an animation needs a result that was simulated from a model here; results read from a file "
                         "and mechanisms without a model have no shapes.")
    return model


def frame_times(result: Result, fps: float) -> np.ndarray:
    """Times of the pictures: fps a second from start to end, the end included."""
    if not (np.isfinite(fps) and fps > 0):
        raise ModelError(f"fps = {fps}: give pictures per second, above 0.")
    if not len(result.t):
        raise ModelError("the result is empty; there is nothing to show.")
    start, stop = float(result.t[0]), float(result.t[-1])
    count = int(np.floor((stop - start) * fps + TIME_ROUNDING))
    if count > MOST_FRAMES:
        raise ModelError(f"fps = {fps:g} over {stop - start:g} s are {count} pictures; choose fewer.")
    times = start + np.arange(count + 1) / fps
    return times if stop - times[-1] < TIME_ROUNDING else np.append(times, stop)


def result_animation(result: Result, fps: float = FRAMES_PER_SECOND, traces: Sequence[str] = (),
                     reactions: bool = False, extra_frames: Sequence[str] = (),
                     times: np.ndarray | None = None) -> Animation:
    """The scene of a result over time."""
    model = model_of(result)
    world = world_of(model)
    shapes = model_shapes(model, result.system)
    if reactions:
        from .reactions import reaction_shapes

        shapes += reaction_shapes(model, world, result.system)
    if not shapes:
        raise ModelError(f"model {model.title!r} shows nothing: its World has enable_animation=False, or every "
                         "component animation=False.")
    series = result.at(frame_times(result, fps) if times is None else np.atleast_1d(np.asarray(times, dtype=float)))
    animation = animation_of(series, result.system, shapes, model.title, up_direction(world),
                             {name: traced_point(model, name) for name in traces}, extra_frames)
    return stand(animation, model)


def traced_point(model: Model, name: str) -> Point:
    """The point a name stands for: a frame's origin, a body's centre of mass, or a component's first frame."""
    known = {}
    for component in model.leaves():
        for port in component._connectors.values():
            if port.kind.endswith("frame"):
                known[port.path] = Point(port.path)
                known.setdefault(component.path, Point(port.path, centre_of_mass(component)))
    if name not in known:
        raise unknown_name(name, known, f"model {model.title!r}")
    return known[name]


def centre_of_mass(component: Component) -> tuple[float, float, float]:
    """Where the mass of a body is in its first frame; the origin for anything else."""
    r = getattr(component, "r_cm", None)
    return tuple(map(float, r)) if r is not None and np.shape(r) == (3,) else (0.0, 0.0, 0.0)


def save_html(result: Result, path: str | Path, fps: float = FRAMES_PER_SECOND, plots: Sequence[str] = (),
              traces: Sequence[str] = (), reactions: bool = False) -> None:
    """Write a page that plays the result by itself, offline; `plots` are variables drawn below the scene."""
    from .recorded_page import page

    frames = body_frames(result)
    Path(path).write_text(page(result_animation(result, fps, traces, reactions, frames), result, plots),
                          encoding="utf-8")


def body_frames(result: Result) -> list[str]:
    """The frames of all parts of a result's model: what a camera can follow."""
    model = model_of(result)
    return [port.path for c in model.leaves() for port in c._connectors.values()
            if port.kind == "frame" and port.path in result.system.mechanism.frames]


def escaped(text: str) -> str:
    """Text for HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def save(result: Series, path: str | Path, **options: Any) -> None:
    """Write an animation to a file by its suffix: .html, .png (one instant), .gif, .mp4, .glb, .usdc."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".html":
        save_html(result, path, **options)
    elif suffix == ".glb":
        from .gltf import save_glb

        save_glb(result, path, **options)
    elif suffix in (".usd", ".usdc", ".usda"):
        from .usd import save_usd

        save_usd(result, path, **options)
    elif suffix in SUFFIXES:
        from . import picture

        {".png": picture.save_png, ".gif": picture.save_gif, ".mp4": picture.save_mp4}[suffix](result, path, **options)
    else:
        raise ModelError(f"{path.name}: animations are saved as {', '.join(SUFFIXES)}.")
