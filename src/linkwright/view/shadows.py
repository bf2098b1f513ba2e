"""Soft shadows straight below what stands or moves: on the floor's grid, and on grounds that a mechanism touches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .motion import Item
from .tolerances import LEAST_RISE, NO_EXTENT

#: of the light that a shadow takes, on the grid of the floor and on a ground
ON_FLOOR, ON_GROUND = 0.22, 0.4
SOFT = 1 / 60  # radius of a shadow's edge, over the height of the picture
#: layers that cast shadows
SOLID = ("parts", "joints", "shapes")

#: points (n, 3) → what lies straight below them, and whether any of them is above
Feet = Callable[[np.ndarray], tuple[np.ndarray, bool]]


def casts(item: Item, k: int) -> bool:
    """Whether an item casts a shadow at time number k."""
    return item.shape.layer in SOLID and item.shape.opacity >= 1 and (item.visible is None or bool(item.visible[k]))


def on_floor(floor: Item, up: np.ndarray) -> Feet:
    """The level of a floor's grid."""
    height = float(floor.shape.data[0][0] @ up)
    return lambda points: (points - np.outer(points @ up - height, up), True)


def is_ground(item: Item, normals: np.ndarray, up: np.ndarray) -> bool:
    """Whether an item is an open surface that rests and looks up everywhere: a plane, a height field."""
    if item.shape.kind != "surface" or item.body >= 0 or item.moving or item.shape.opacity < 1:
        return False
    rise = normals @ (item.R.T @ up)
    return bool(rise.min() > LEAST_RISE or rise.max() < -LEAST_RISE)


def on_ground(vertices: np.ndarray, normals: np.ndarray, up: np.ndarray) -> Feet:
    """A surface, by the tangent planes at its vertices; it goes on straight beyond its edge."""
    from scipy.spatial import cKDTree

    across = np.linalg.svd(up[None])[2][1:].T  # two directions across
    tree = cKDTree(vertices @ across)

    def feet(points: np.ndarray) -> tuple[np.ndarray, bool]:
        nearest = tree.query(points @ across)[1]
        n = normals[nearest]
        height = np.sum((points - vertices[nearest]) * n, axis=1) / (n @ up)
        return points - height[:, None] * up, bool(height.max() > NO_EXTENT)

    return feet


def darken(image: np.ndarray, mask: np.ndarray, shade: float, where: np.ndarray | None = None) -> None:
    """Take light off an image (h, w, 3) where a mask (h, w) of bytes is white, with soft edges."""
    from PIL import Image, ImageFilter

    soft = Image.fromarray(mask.astype(np.uint8)).filter(ImageFilter.GaussianBlur(len(image) * SOFT))
    light = 1.0 - shade * np.asarray(soft, dtype=float)[..., None] / 255.0
    image *= light if where is None else np.where(where[..., None], light, 1.0)
