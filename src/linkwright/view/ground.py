"""The ground: an endless plane with a fine grid that fades into the horizon.

A world with gravity has one below the lowest point that its mechanism reaches (`stand`).  Planes that a model has
itself, of contact or to be looked at, are drawn the same way where they rest and face up and nobody gave them a size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .scene_data import Colour, Shape, along
from .tolerances import LEAST_RISE, NO_LENGTH

if TYPE_CHECKING:
    from ..language import Model, World
    from .motion import Animation, Item

COLOUR = (232, 236, 241)  # of the plane below a mechanism
LINES = 0.92  # of a ground's brightness: that of its lines
CELLS = 6  # of the grid, about, along what stands on it
PIECE = 4.0  # of the size of the mechanism: how much of a ground is in files, which know no endless planes
GAP = 0.02  # of the size of the mechanism, between it and the floor
FADE = 8.0  # of the camera's distance from what it looks at: how far along the ground nothing is left of it


def ground_shape(name: str, up: Sequence[float], along_x: Sequence[float], size: float, colour: Colour,
                 frame: str | None = None, layer: str = "world", opacity: float = 1.0) -> Shape:
    """An endless plane through the origin of a frame, for something of a size."""
    axes = along(along_x, np.cross(up, along_x))
    return Shape(name, "ground", (PIECE * size, PIECE * size, 0.0), colour, frame, axes=axes, layer=layer,
                 opacity=opacity)


def piece() -> tuple[np.ndarray, np.ndarray]:
    """A square of 1 m in x and y, in cells so small that none of it is lost where it reaches behind a camera."""
    from .meshes import grid

    cells = np.linspace(-0.5, 0.5, 17)
    U, V = np.meshgrid(cells, cells, indexing="ij")
    return grid(np.stack([U, V, 0 * U], -1))


def is_endless(item: Item) -> bool:
    """Whether an item is drawn as an endless ground."""
    return item.shape.kind == "ground"


def settle(item: Item, up: np.ndarray) -> Item:
    """The item; a plane that moves, is seen through or is no ground to stand on becomes a square piece of itself."""
    if item.shape.kind == "ground":
        rise = item.R[:, 2] @ up / np.linalg.norm(up)
        if item.body >= 0 or item.shape.opacity < 1 or rise < LEAST_RISE:
            item.shape = replace(item.shape, kind="surface", data=item.mesh)
            item.scale = item.scale * [2 / PIECE, 2 / PIECE, 1.0]
    return item


def cell(item: Item) -> float:
    """The side of the cells of a ground's grid, m."""
    return _round(item.shape.size[0] / PIECE / CELLS)


def line_colour(colour: Colour) -> Colour:
    """The colour of the lines on a ground."""
    return tuple(round(LINES * c) for c in colour)


def stand(animation: Animation, model: Model, seen: Animation | None = None) -> Animation:
    """The animation with a ground where its world has one, flat where the model is; gives it back.

    The ground carries the whole motion of the animation, or of another one, `seen`.
    """
    from .default_shapes import world_of

    world = world_of(model)
    animation.flat = _is_flat(model)
    if not animation.flat and _has_floor(world, animation):
        animation.items.append(below(seen or animation, f"{world.path}.floor"))
    return animation


def _is_flat(model: Model) -> bool:
    """Whether a model has a plane of its own, and no world around it."""
    from ..language import World
    from ..library.planar import World as PlanarWorld

    worlds = [c for c in model.leaves() if isinstance(c, World | PlanarWorld)]
    return bool(worlds) and all(isinstance(w, PlanarWorld) and w.carrier is None for w in worlds)


def _has_floor(world: World, animation: Animation) -> bool:
    """Gravity with a direction, and no ground of the model's own, drawn or touched."""
    falls = getattr(world, "gravity", "uniform") == "uniform" and bool(world.g)
    own = any(is_endless(item) or item.shape.name.endswith(".ground")
              or item.shape.kind == "surface" and item.body < 0 for item in animation.items)
    return bool(world.animate_floor) and bool(world.enable_animation) and falls and not own


def below(animation: Animation, name: str) -> Item:
    """A ground below the motion, perpendicular to `up`."""
    from .motion import Item

    up = animation.up / np.linalg.norm(animation.up)
    right = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    points = animation.points()
    low, high = points.min(axis=0), points.max(axis=0)
    shape = ground_shape(name, up, right - up * (right @ up), float((high - low).max()), COLOUR)
    middle = (low + high) / 2
    height = (points @ up).min() - GAP * float((high - low).max())
    return Item(shape, piece(), -1, middle + (height - middle @ up) * up, shape.axes, np.array([*shape.size[:2], 1.0]))


def _round(length: float) -> float:
    """1, 2 or 5 times a power of ten, near a length."""
    power = 10.0 ** np.floor(np.log10(max(length, NO_LENGTH)))
    return float(min((1.0, 2.0, 5.0, 10.0), key=lambda digit: abs(digit * power - length)) * power)
