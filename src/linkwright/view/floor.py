"""A floor below a mechanism: a grid at the lowest point that its motion reaches, where gravity has a direction."""

from __future__ import annotations

import numpy as np

from ..language import Model, World
from .default_shapes import world_of
from .motion import Animation, Item
from .scene_data import Shape
from .tolerances import NO_LENGTH

COLOUR = (212, 218, 224)
CELLS = 8  # of the grid, about, along what it carries
MARGIN = 0.25  # of what it carries, on every side
AROUND = 0.9  # of the size of the mechanism: how far the grid goes on beyond that, fainter and fainter
RANGES = 6  # steps in which it fades
FAINT = (243, 246, 248)  # the last of them, next to the background
GAP = 0.02  # of the size of the mechanism, between it and the floor


def stand(animation: Animation, model: Model, seen: Animation | None = None) -> Animation:
    """The animation with a floor where its world has one, flat where the model is; gives it back.

    The floor carries the whole motion of the animation, or of another one, `seen`.
    """
    world = world_of(model)
    animation.flat = _is_flat(model)
    if not animation.flat and _has_floor(world, animation):
        animation.items += grid_below(seen or animation, f"{world.path}.floor")
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


def grid_below(animation: Animation, name: str) -> list[Item]:
    """Lines in a plane perpendicular to `up`: a grid below the motion, which fades into the horizon around it."""
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
    half = np.array([end[1] - end[0] for end in ends]) / 2
    middle, reach = np.array([sum(end) / 2 for end in ends]), float(half.max() + AROUND * size)
    bands: list[list[np.ndarray]] = [[] for _ in range(RANGES)]
    for k in range(2):
        first, last = (int(np.round((middle[k] + sign * reach) / step)) for sign in (-1, 1))
        for x in step * np.arange(first, last + 1):
            for band, (begin, end) in _pieces(x - middle[k], half, reach, k, step):
                line = np.empty((2, 3))
                line[:, k], line[:, 1 - k], line[:, 2] = x, middle[1 - k] + np.array([begin, end]), height
                bands[band].append(line @ axes.T)
    items = []
    for k, lines in enumerate(bands):
        share = k / (RANGES - 1)
        colour = tuple(int(round((1 - share) * near + share * far)) for near, far in zip(COLOUR, FAINT, strict=True))
        if lines:
            shape = Shape(name if k == 0 else f"{name}.band{k}", "lines", (1.0, 1.0, 1.0), colour, layer="world",
                          data=lines)
            items.append(Item(shape, None, -1, np.zeros(3), np.eye(3), np.ones(3)))
    return items


def _pieces(offset: float, half: np.ndarray, reach: float, k: int,
            step: float) -> list[tuple[int, tuple[float, float]]]:
    """(band, its ends) of one line of the grid at `offset` from the middle: a line is cut at every cell."""
    out: list[tuple[int, tuple[float, float]]] = []
    cells = int(np.ceil(reach / step))
    for cell in range(-cells, cells):
        begin, end = cell * step, (cell + 1) * step
        # how far outside the rectangle below the motion, relative to where the grid ends
        outside = np.hypot(max(abs(offset) - half[k], 0.0), max(abs(begin + end) / 2 - half[1 - k], 0.0))
        share = outside / max(reach - float(half.max()), NO_LENGTH)
        if share < 1:
            band = 0 if outside == 0 else min(1 + int(share * (RANGES - 1)), RANGES - 1)
            if out and out[-1][0] == band and out[-1][1][1] == begin:
                out[-1] = band, (out[-1][1][0], end)
            else:
                out.append((band, (begin, end)))
    return out


def _round(length: float) -> float:
    """1, 2 or 5 times a power of ten, near a length."""
    power = 10.0 ** np.floor(np.log10(max(length, NO_LENGTH)))
    return float(min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit * power - length)) * power)
