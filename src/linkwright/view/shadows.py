"""Soft shadows straight below what stands or moves, on grounds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .motion import Item
from .tolerances import LEAST_RISE, NO_EXTENT

ON_GROUND = 0.4  # of the light that a shadow takes
SOFT = 1 / 60  # radius of a shadow's edge, over the height of the picture
#: layers that cast shadows
SOLID = ("parts", "joints", "shapes")

#: points (n, 3) → what lies straight below them, and whether any of them is above
Feet = Callable[[np.ndarray], tuple[np.ndarray, bool]]


def casts(item: Item, k: int) -> bool:
    """Whether an item casts a shadow at time number k."""
    return item.shape.layer in SOLID and item.shape.opacity >= 1 and (item.visible is None or bool(item.visible[k]))


def on_plane(ground: Item, up: np.ndarray) -> Feet:
    """An endless ground, level or inclined."""
    n = ground.R[:, 2]

    def feet(points: np.ndarray) -> tuple[np.ndarray, bool]:
        height = (points - ground.p) @ n / (n @ up)
        return points - np.outer(height, up), bool(height.max() > NO_EXTENT)

    return feet


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


def darken(image: np.ndarray, mask: np.ndarray, shade: float, where: np.ndarray) -> None:
    """Take light off an image (h, w, 3) where a mask (h, w) of bytes is white, with soft edges; by `where` (h, w)."""
    from PIL import Image, ImageFilter

    soft = Image.fromarray(mask.astype(np.uint8)).filter(ImageFilter.GaussianBlur(len(image) * SOFT))
    image *= 1.0 - shade * where[..., None] * np.asarray(soft, dtype=float)[..., None] / 255.0
