"""A floor below a mechanism: a grid at the lowest point that its motion reaches, where gravity has a direction."""

from __future__ import annotations

import numpy as np

from ..language import Model, World
from .default_shapes import world_of
from .motion import Animation, Item
from .scene_data import Shape
from .tolerances import NO_LENGTH

COLOUR = (196, 203, 210)
CELLS = 8  # of the grid, about, along what it carries
MARGIN = 0.25  # of what it carries, on every side
GAP = 0.02  # of the size of the mechanism, between it and the floor


def stand(animation: Animation, model: Model, seen: Animation | None = None) -> Animation:
    """The animation with a floor where its world has one, flat where the model is; gives it back.

    The floor carries the whole motion of the animation, or of another one, `seen`.
    """
    world = world_of(model)
    animation.flat = _is_flat(model)
    if not animation.flat and _has_floor(world, animation):
        animation.items.append(grid_below(seen or animation, f"{world.path}.floor"))
    return animation


def _is_flat(model: Model) -> bool:
    """Whether a model has a plane of its own, and no world around it."""
    from ..library.planar import World as PlanarWorld

    worlds = [c for c in model.leaves() if isinstance(c, World | PlanarWorld)]
    return bool(worlds) and all(isinstance(w, PlanarWorld) and w.carrier is None for w in worlds)


def _has_floor(world: World, animation: Animation) -> bool:
    """Gravity with a direction, and no ground of the model's own, drawn or touched."""
    falls = getattr(world, "gravity", "uniform") == "uniform" and bool(world.g)
    own = any(item.shape.name.endswith(".ground") or item.shape.kind == "surface" and item.body < 0
              for item in animation.items)
    return bool(world.animate_floor) and bool(world.enable_animation) and falls and not own


def grid_below(animation: Animation, name: str) -> Item:
    """Lines in a plane perpendicular to `up`."""
    up = animation.up / np.linalg.norm(animation.up)
    right = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = right - up * (right @ up)
    right /= np.linalg.norm(right)
    axes = np.column_stack([right, np.cross(up, right), up])
    points = animation.points() @ axes
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max())
    step = _round(size / CELLS)
    ends = [(np.floor((low[k] - MARGIN * size) / step) * step, np.ceil((high[k] + MARGIN * size) / step) * step)
            for k in range(2)]
    height = low[2] - GAP * size
    lines = []
    for k in range(2):
        for x in np.arange(ends[k][0], ends[k][1] + step / 2, step):
            line = np.empty((2, 3))
            line[:, k], line[:, 1 - k], line[:, 2] = x, ends[1 - k], height
            lines.append(line @ axes.T)
    shape = Shape(name, "lines", (1.0, 1.0, 1.0), COLOUR, layer="world", data=lines)
    return Item(shape, None, -1, np.zeros(3), np.eye(3), np.ones(3))


def _round(length: float) -> float:
    """1, 2 or 5 times a power of ten, near a length."""
    power = 10.0 ** np.floor(np.log10(max(length, NO_LENGTH)))
    return float(min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit * power - length)) * power)
